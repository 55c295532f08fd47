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

void cushim__names_collect(struct cushim__names *names)
{
    cushim__handle_each(see, names);
}

void cushim__names_finish(struct cushim__names *names)
{
    for (size_t i = 0; i < names->n_labels; i++)
        free(names->labels[i].text);
    free(names->labels);
    free(names->numbered);
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

static const struct cushim__label *find_label(const struct cushim__names *names,
                                              const struct cushim__access *access)
{
    const struct cushim__label *best = NULL;

    for (size_t i = 0; i < names->n_labels; i++) {
        const struct cushim__label *label = &names->labels[i];
        const size_t bytes = label->end - label->begin;

        if (label->buffer != access->buffer || label->begin > access->begin ||
            label->end < access->end)
            continue;
        /* The smallest slice, and of equal ones always the same. */
        if (!best || bytes < best->end - best->begin ||
            (bytes == best->end - best->begin && strcmp(label->text, best->text) < 0))
            best = label;
    }
    return best;
}

static size_t number_of(const struct cushim__names *names, const struct cushim__buffer *buffer)
{
    size_t i = 0;

    while (i < names->n_numbered && names->numbered[i] != buffer)
        i++;
    return i;
}

static void number(struct cushim__names *names, const struct cushim__access *access)
{
    if (!cushim__buffer_is_memory(access->buffer) || find_label(names, access) ||
        number_of(names, access->buffer) < names->n_numbered)
        return;
    names->failed |= !cushim__grow(&names->numbered, &names->max_numbered, names->n_numbered + 1,
                                   sizeof(*names->numbered));
    if (!names->failed)
        names->numbered[names->n_numbered++] = access->buffer;
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
    cushim__str_append(str, "memory %zu", number_of(names, access->buffer) + 1);
    append_range(str, access->begin, access->end, access->buffer->bytes);
}
