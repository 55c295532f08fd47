/* SPDX-License-Identifier: MIT */
#include "core/graph/names.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory/slice.h"
#include "core/order/recording_works.h"

/* A label, and the bytes of the slice that has it. The buffer is compared, and never looked into.
 */
struct cushim__label {
    const struct cushim__buffer *buffer;
    size_t begin, end;
    char *text;
};

bool cushim__buffer_is_memory(const struct cushim__buffer *buffer)
{
    return buffer->memory != CUSHIM__MEMORY_BORROWED || buffer->address || buffer->host;
}

struct numbered {
    struct cushim__tree_node node;
    size_t number;
};

static void add_label(struct cushim__names *names, struct cushim__slice *slice, const char *text)
{
    struct cushim__label *label;

    names->failed |= !cushim__grow(&names->labels, &names->max_labels, names->n_labels + 1,
                                   sizeof(*names->labels));
    if (names->failed)
        return;
    label = &names->labels[names->n_labels];
    *label = (struct cushim__label){slice->buffer, slice->begin,
                                    slice->begin + slice->element * slice->length, strdup(text)};
    names->n_labels += label->text != NULL;
    names->failed = !label->text;
}

static void see(const struct cushim__open_handle *handle, void *user)
{
    const char *text;

    if (handle->kind != CUSHIM__HANDLE_SLICE && handle->kind != CUSHIM__HANDLE_PINNED &&
        handle->kind != CUSHIM__HANDLE_UNIFIED)
        return;
    text = cushim__object_label(handle->object);
    if (*text)
        add_label(user, handle->object, text);
}

/* Of one buffer the smallest slice comes first, and of equal ones always the same. */
static int by_buffer(const void *a, const void *b)
{
    const struct cushim__label *x = a, *y = b;
    const size_t of_x = x->end - x->begin, of_y = y->end - y->begin;

    if (x->buffer != y->buffer)
        return (uintptr_t) x->buffer < (uintptr_t) y->buffer ? -1 : 1;
    if (of_x != of_y)
        return of_x < of_y ? -1 : 1;
    return strcmp(x->text, y->text);
}

void cushim__names_collect(struct cushim__names *names)
{
    cushim__handle_each(see, names);
    if (names->n_labels)
        qsort(names->labels, names->n_labels, sizeof(*names->labels), by_buffer);
}

void cushim__names_finish(struct cushim__names *names)
{
    struct cushim__tree_node *node;

    for (size_t i = 0; i < names->n_labels; i++)
        free(names->labels[i].text);
    free(names->labels);
    while ((node = cushim__tree_first(&names->numbered))) {
        cushim__tree_remove(&names->numbered, node);
        free(CUSHIM__TREE_MEMBER(node, struct numbered, node));
    }
}

/* --- what a work uses --- */

static int by_address(const void *a, const void *b)
{
    const struct cushim__access *x = a, *y = b;

    if (x->buffer->address != y->buffer->address)
        return x->buffer->address < y->buffer->address ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Only what a graph in the graph uses has no order of the program. */
struct cushim__access *cushim__accesses_in_order(const struct cushim__recording *recording,
                                                 const struct cushim__recorded *work)
{
    struct cushim__access *copy = malloc((work->n_accesses + 1) * sizeof(*copy));

    if (!copy || !work->n_accesses)
        return copy;
    memcpy(copy, cushim__recorded_accesses(recording, work), work->n_accesses * sizeof(*copy));
    if (work->kept[0] && work->kept[0]->kind == CUSHIM__HANDLE_GRAPH)
        qsort(copy, work->n_accesses, sizeof(*copy), by_address);
    return copy;
}

/* --- names --- */

/* The first label of a buffer, or where it would be. */
static size_t first_label(const struct cushim__names *names, const struct cushim__buffer *buffer)
{
    size_t low = 0, high = names->n_labels;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if ((uintptr_t) names->labels[middle].buffer < (uintptr_t) buffer)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct cushim__label *find_label(const struct cushim__names *names,
                                              const struct cushim__access *access)
{
    for (size_t i = first_label(names, access->buffer); i < names->n_labels; i++) {
        const struct cushim__label *label = &names->labels[i];

        if (label->buffer != access->buffer)
            break;
        if (label->begin <= access->begin && label->end >= access->end)
            return label;
    }
    return NULL;
}

static const struct numbered *find_numbered(const struct cushim__names *names,
                                            const struct cushim__buffer *buffer)
{
    struct cushim__tree_node *node = cushim__tree_find(&names->numbered, (uintptr_t) buffer, 0);

    return CUSHIM__TREE_MEMBER(node, struct numbered, node);
}

static void number(struct cushim__names *names, const struct cushim__access *access)
{
    struct numbered *numbered;

    if (!cushim__buffer_is_memory(access->buffer) || find_label(names, access) ||
        find_numbered(names, access->buffer))
        return;
    numbered = calloc(1, sizeof(*numbered));
    names->failed |= !numbered;
    if (!numbered)
        return;
    numbered->number = ++names->n_numbered;
    cushim__tree_add(&names->numbered, &numbered->node, (uintptr_t) access->buffer, 0);
}

/* What was not numbered comes after all numbers. */
static size_t number_of(const struct cushim__names *names, const struct cushim__buffer *buffer)
{
    const struct numbered *numbered = find_numbered(names, buffer);

    return numbered ? numbered->number : names->n_numbered + 1;
}

void cushim__names_number(struct cushim__names *names, const struct cushim__recording *recording)
{
    for (size_t i = 0; i < recording->n_works; i++) {
        SCOPED_FREE void *room = cushim__accesses_in_order(recording, &recording->works[i]);
        const struct cushim__access *accesses = room;

        names->failed |= !accesses;
        for (size_t k = 0; accesses && k < recording->works[i].n_accesses; k++)
            number(names, &accesses[k]);
    }
}

static void append_range(struct cushim__str *str, size_t begin, size_t end, size_t bytes)
{
    if (begin || end != bytes)
        cushim__str_append(str, " [%zu..%zu)", begin, end);
}

void cushim__name_append(const struct cushim__names *names, const struct cushim__access *access,
                         struct cushim__str *str)
{
    const struct cushim__label *label = find_label(names, access);

    if (label) {
        cushim__str_append(str, "%s", label->text);
        append_range(str, access->begin - label->begin, access->end - label->begin,
                     label->end - label->begin);
        return;
    }
    cushim__str_append(str, "memory %zu", number_of(names, access->buffer));
    append_range(str, access->begin, access->end, access->buffer->bytes);
}
