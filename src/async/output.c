/* SPDX-License-Identifier: MIT */
#include "async/output.h"

#include <cushim/output.h>

#include <stdlib.h>

#include "base/release.h"
#include "base/status.h"
#include "core/object/handle_words.h"
#include "core/object/object.h"
#include "core/object/scope.h"

/* --- making and freeing --- */

/* Makes an output with room for n items behind it. */
static struct cushim_output *make(enum cushim_output_kind kind, size_t n)
{
    struct cushim_output *output =
        cushim__zalloc(sizeof(*output) + n * sizeof(struct cushim_output *));

    if (!output) {
        cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, NULL, NULL, "no memory for an output");
        return NULL;
    }
    atomic_init(&output->references, 1);
    output->kind = kind;
    return output;
}

struct cushim_output *cushim__output_memory(enum cushim_output_kind kind, cushim_view view)
{
    struct cushim_output *output = make(kind, 0);

    if (output)
        output->u.view = view;
    return output;
}

struct cushim_output *cushim__output_data(void *pointer, void (*release)(void *data))
{
    struct cushim_output *output = make(CUSHIM_OUTPUT_DATA, 0);

    if (output) {
        output->u.data.pointer = pointer;
        output->u.data.release = release;
    }
    return output;
}

struct cushim_output *cushim__output_list(size_t n)
{
    struct cushim_output *output = make(CUSHIM_OUTPUT_LIST, n);

    if (!output)
        return NULL;
    output->u.list.items = (struct cushim_output **) (output + 1);
    output->u.list.n = n;
    output->u.list.depth = 1;
    return output;
}

/* Frees what is in an output. Lists are not deep: see cushim_op_all(). */
static void destroy(struct cushim_output *output)
{
    switch (output->kind) {
    case CUSHIM_OUTPUT_SLICE:
    case CUSHIM_OUTPUT_MEMORY:
        if (output->u.view.object)
            cushim__object_close(&output->u.view.object,
                                 cushim__handle_kind_of(output->u.view.object), "cushim_op_free");
        break;
    case CUSHIM_OUTPUT_DATA:
        if (!output->taken)
            cushim__release(output->u.data.release, output->u.data.pointer);
        break;
    case CUSHIM_OUTPUT_LIST:
        for (size_t i = 0; i < output->u.list.n; i++)
            cushim__output_unref(&output->u.list.items[i]);
        break;
    case CUSHIM_OUTPUT_NOTHING:
        break;
    }
    free(output->tiling);
    free(output);
}

void cushim__output_unref(struct cushim_output **place)
{
    struct cushim_output *output = *place;

    *place = NULL;
    if (output && atomic_fetch_sub_explicit(&output->references, 1, memory_order_acq_rel) == 1)
        destroy(output);
}

static bool is_memory(const struct cushim_output *output)
{
    return output && !output->taken &&
           (output->kind == CUSHIM_OUTPUT_SLICE || output->kind == CUSHIM_OUTPUT_MEMORY);
}

void cushim__output_free_memory(struct cushim_output **output)
{
    if (!*output || cushim__output_is_shared(*output))
        return;
    if ((*output)->kind == CUSHIM_OUTPUT_LIST)
        for (size_t i = 0; i < (*output)->u.list.n; i++)
            cushim__output_free_memory(&(*output)->u.list.items[i]);
    else if ((*output)->kind != CUSHIM_OUTPUT_DATA)
        cushim__output_unref(output);
}

static struct cushim_output *move_list(struct cushim_output *list)
{
    struct cushim_output *moved = cushim__output_list(list->u.list.n);

    for (size_t i = 0; moved && i < list->u.list.n; i++)
        moved->u.list.items[i] = TAKE_PTR(list->u.list.items[i]);
    if (moved) {
        moved->u.list.depth = list->u.list.depth;
        list->kind = CUSHIM_OUTPUT_NOTHING;
        list->taken = true;
    }
    return moved;
}

struct cushim_output *cushim__output_move(struct cushim_output *output, const char *call)
{
    struct cushim_output *moved;

    if (output->taken) {
        cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, call, NULL, "%s: the output was taken before",
                        call);
        return NULL;
    }
    if (cushim__output_is_shared(output))
        return cushim__output_ref(output);
    if (output->kind == CUSHIM_OUTPUT_LIST)
        return move_list(output);
    moved = make(output->kind, 0);
    if (!moved)
        return NULL;
    moved->u = output->u;
    moved->tiling = TAKE_PTR(output->tiling);
    output->kind = CUSHIM_OUTPUT_NOTHING;
    output->taken = true;
    return moved;
}

static void count_shares(struct cushim_output *output, unsigned more)
{
    if (!output)
        return;
    atomic_fetch_add_explicit(&output->shares, more, memory_order_acq_rel);
    if (output->kind == CUSHIM_OUTPUT_LIST)
        for (size_t i = 0; i < output->u.list.n; i++)
            count_shares(output->u.list.items[i], more);
}

void cushim__output_share(struct cushim_output *output)
{
    count_shares(output, 1);
}

void cushim__output_unshare(struct cushim_output *output)
{
    count_shares(output, -1u);
}

bool cushim__output_has_readers(const struct cushim_output *output)
{
    if (!output)
        return false;
    if (atomic_load_explicit(&output->references, memory_order_acquire) > 1)
        return true;
    if (output->kind == CUSHIM_OUTPUT_LIST)
        for (size_t i = 0; i < output->u.list.n; i++)
            if (cushim__output_has_readers(output->u.list.items[i]))
                return true;
    return false;
}

/* --- finding what is in it --- */

/* Returns the place of the only memory of a list. NULL if there is none, or more. */
static struct cushim_output **only_memory(struct cushim_output *list, size_t *ret_n)
{
    struct cushim_output **found = NULL;

    *ret_n = 0;
    for (size_t i = 0; i < list->u.list.n; i++)
        if (is_memory(list->u.list.items[i])) {
            found = &list->u.list.items[i];
            ++*ret_n;
        }
    return *ret_n == 1 ? found : NULL;
}

static const char *word(const struct cushim_output *output)
{
    return !output || output->kind == CUSHIM_OUTPUT_NOTHING ? "nothing"
           : output->kind == CUSHIM_OUTPUT_DATA             ? "data of the host"
           : output->kind == CUSHIM_OUTPUT_LIST             ? "a list"
                                                            : "memory";
}

static void fail_memory(const struct cushim_output *output, const char *call, size_t n)
{
    if (output && output->taken)
        cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, call, NULL, "%s: the output was taken before",
                        call);
    else if (output && output->kind == CUSHIM_OUTPUT_LIST)
        cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                        "%s: this is a list of %zu outputs with %zu pieces of memory; choose one "
                        "by cushim_op_output() or cushim_output_item()",
                        call, output->u.list.n, n);
    else
        cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                        "%s: needs memory of a device, the output is %s", call, word(output));
}

/* Returns the place of the memory of an output. NULL, with an error of `call`, if there is none. */
static struct cushim_output **find(struct cushim_output **output, const char *call)
{
    struct cushim_output **place = is_memory(*output) ? output : NULL;
    size_t n = 0;

    if (*output && (*output)->kind == CUSHIM_OUTPUT_LIST && !(*output)->taken)
        place = only_memory(*output, &n);
    if (!place)
        fail_memory(*output, call, n);
    return place;
}

struct cushim_output *cushim__output_find_memory(struct cushim_output *output, const char *call)
{
    struct cushim_output **place = find(&output, call);

    return place ? *place : NULL;
}

/* Takes an item out of a list, or returns another reference if the list is shared. */
static struct cushim_output *move_item(struct cushim_output *list, struct cushim_output **item)
{
    struct cushim_output *moved = *item;

    if (cushim__output_is_shared(list))
        return cushim__output_ref(moved);
    *item = NULL;
    return moved;
}

struct cushim_output *cushim__output_take_memory(struct cushim_output **output, const char *call)
{
    struct cushim_output **place = find(output, call), *memory;

    if (place == output)
        return TAKE_PTR(*output);
    memory = place ? move_item(*output, place) : NULL;
    cushim__output_unref(output);
    return memory;
}

cushim_status cushim__output_take_item(struct cushim_output **list, size_t index,
                                       struct cushim_output **ret_item)
{
    struct cushim_output *from = *list;
    const bool is_list = from && from->kind == CUSHIM_OUTPUT_LIST;

    if (is_list && index < from->u.list.n) {
        *ret_item = move_item(from, &from->u.list.items[index]);
        cushim__output_unref(list);
        return CUSHIM_OK;
    }
    if (is_list)
        cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, NULL, NULL,
                        "there is no output %zu in a list of %zu", index, from->u.list.n);
    else
        cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, NULL, NULL,
                        "there is no output %zu, because the operation gives %s and no list", index,
                        word(from));
    cushim__output_unref(list);
    return CUSHIM_ERROR_INVALID_ARGUMENT;
}

/* --- for programs --- */

enum cushim_output_kind cushim_output_kind(const cushim_output *output)
{
    return output && !output->taken ? output->kind : CUSHIM_OUTPUT_NOTHING;
}

size_t cushim_output_length(const cushim_output *output)
{
    return output && output->kind == CUSHIM_OUTPUT_LIST ? output->u.list.n : 0;
}

cushim_output *cushim_output_item(const cushim_output *output, size_t index)
{
    if (output && output->kind == CUSHIM_OUTPUT_LIST && index < output->u.list.n)
        return output->u.list.items[index];
    cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: there is no output %zu in %s of %zu", __func__,
                 index, word(output), cushim_output_length(output));
    return NULL;
}

cushim_status cushim_output_view(const cushim_output *output, cushim_view *ret_view)
{
    struct cushim_output *memory;

    CHECK_OUTPUT(ret_view);
    memory = cushim__output_find_memory((struct cushim_output *) (uintptr_t) output, __func__);
    if (!memory)
        return cushim__error()->status;
    *ret_view = memory->u.view;
    ret_view->writable &= !cushim__output_is_shared(memory);
    return CUSHIM_OK;
}

/* Fails unless there is data of the host in an output. */
static cushim_status check_data(const struct cushim_output *output, const char *call)
{
    if (output && output->kind == CUSHIM_OUTPUT_DATA && !output->taken)
        return CUSHIM_OK;
    if (output && output->taken)
        return cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, call, NULL,
                               "%s: the output was taken before", call);
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                           "%s: needs data of the host, the output is %s", call, word(output));
}

void *cushim_output_data(const cushim_output *output)
{
    return check_data(output, __func__) ? NULL : output->u.data.pointer;
}

static cushim_status fail_shared(const char *call)
{
    return cushim__fail_at(CUSHIM_ERROR_BUSY, call, NULL,
                           "%s: the output is that of a shared operation, and others may read it; "
                           "see cushim_op_unshare()",
                           call);
}

cushim_status cushim_output_take_slice(cushim_output *output, cushim_slice *ret_slice)
{
    const char *place = cushim__source_place_take();
    struct cushim_output *memory;

    CHECK_OUTPUT(ret_slice);
    memory = cushim__output_find_memory(output, __func__);
    if (!memory)
        return cushim__error()->status;
    if (memory->kind != CUSHIM_OUTPUT_SLICE)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "%s: the memory is the program's already (cushim_op_borrow())",
                            __func__);
    if (cushim__output_is_shared(memory))
        return fail_shared(__func__);
    memory->taken = true;
    ret_slice->id = memory->u.view.object;
    memory->u.view.object = 0;
    /* From here on it is no part of the operation. */
    cushim__handle_made_at(ret_slice->id, place ? place : "");
    return CUSHIM_OK;
}

cushim_status cushim_output_take_data(cushim_output *output, void **ret_data)
{
    CHECK_OUTPUT(ret_data);
    CUSHIM_TRY(check_data(output, __func__));
    if (cushim__output_is_shared(output))
        return fail_shared(__func__);
    output->taken = true;
    *ret_data = output->u.data.pointer;
    return CUSHIM_OK;
}
