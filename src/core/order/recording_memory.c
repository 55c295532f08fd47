/* SPDX-License-Identifier: MIT */
/* Which recorded work used which memory last. */
#include "core/order/recording_works.h"

#include <stdlib.h>

struct recorded_buffer {
    struct cushim__tree_node node; /* in the recording, by the address of the buffer */
    struct cushim__buffer *buffer; /* held */
    struct cushim__tree ranges;    /* disjoint, by their first bytes; gaps were never used */
};

#define NEVER UINT32_MAX

struct recorded_range {
    struct cushim__tree_node node;
    size_t end;                     /* the byte after its last one */
    bool is_written;                /* by any work */
    unsigned writer;                /* the number of the last work that writes it, or NEVER */
    struct cushim__numbers readers; /* since then */
};

static struct recorded_range *range_of(struct cushim__tree_node *node)
{
    return CUSHIM__TREE_MEMBER(node, struct recorded_range, node);
}

static size_t begin_of(const struct recorded_range *range)
{
    return range->node.major;
}

static struct recorded_buffer *find_buffer(const struct cushim__recording *recording,
                                           const struct cushim__buffer *buffer)
{
    struct cushim__tree_node *node = cushim__tree_find(&recording->memory, (uintptr_t) buffer, 0);

    return CUSHIM__TREE_MEMBER(node, struct recorded_buffer, node);
}

static struct recorded_buffer *get_buffer(struct cushim__recording *recording,
                                          struct cushim__buffer *buffer)
{
    struct recorded_buffer *recorded = find_buffer(recording, buffer);

    if (recorded)
        return recorded;
    recorded = calloc(1, sizeof(*recorded));
    if (!recorded)
        return NULL;
    recorded->buffer = buffer;
    cushim__buffer_hold(buffer);
    cushim__tree_add(&recording->memory, &recorded->node, (uintptr_t) buffer, 0);
    return recorded;
}

static struct recorded_range *add_range(struct recorded_buffer *buffer, size_t begin, size_t end)
{
    struct recorded_range *range = calloc(1, sizeof(*range));

    if (!range)
        return NULL;
    range->end = end;
    range->writer = NEVER;
    cushim__tree_add(&buffer->ranges, &range->node, begin, 0);
    return range;
}

/* Returns the last range that begins before a byte, or NULL. */
static struct recorded_range *range_before(const struct recorded_buffer *buffer, size_t byte)
{
    return range_of(cushim__tree_before(&buffer->ranges, byte, 0));
}

/* Makes two ranges of the one that a byte is inside of, if there is one. */
static bool split(struct recorded_buffer *buffer, size_t byte)
{
    struct recorded_range *range = range_before(buffer, byte), *rest;
    const struct cushim__numbers *readers;

    if (!range || range->end <= byte)
        return true;
    rest = add_range(buffer, byte, range->end);
    if (!rest)
        return false;
    readers = &range->readers;
    /* Another access of the same work may have found the range, and made room for one more. */
    if (!cushim__numbers_reserve(&rest->readers, readers->n + 1)) {
        cushim__tree_remove(&buffer->ranges, &rest->node);
        free(rest);
        return false;
    }
    for (size_t i = 0; i < readers->n; i++)
        rest->readers.items[rest->readers.n++] = readers->items[i];
    rest->is_written = range->is_written;
    rest->writer = range->writer;
    range->end = byte;
    return true;
}

/* Makes ranges of the parts of [begin, end) that no work has used. */
static bool fill_gaps(struct recorded_buffer *buffer, size_t begin, size_t end)
{
    while (begin < end) {
        struct recorded_range *next = range_of(cushim__tree_from(&buffer->ranges, begin, 0));
        const size_t until = next && begin_of(next) < end ? begin_of(next) : end;

        if (begin < until && !add_range(buffer, begin, until))
            return false;
        begin = next && begin_of(next) == until ? next->end : until;
    }
    return true;
}

/* Finds what a use of a range comes after, and makes room for one more reader. */
static bool find_range(struct cushim__recording *recording, struct recorded_range *range,
                       bool write)
{
    struct cushim__numbers *readers = &range->readers;
    bool room = true;

    if (range->writer != NEVER)
        room = cushim__search_add(recording, range->writer);
    for (size_t i = 0; room && write && i < readers->n; i++)
        room = cushim__search_add(recording, readers->items[i]);
    return room && cushim__numbers_reserve(readers, readers->n + 1);
}

/* Calls see() for each range of a use, until one call returns false. */
static bool each_range(struct recorded_buffer *buffer, const struct cushim__access *access,
                       bool (*see)(struct cushim__recording *recording,
                                   struct recorded_range *range, bool write),
                       struct cushim__recording *recording)
{
    struct cushim__tree_node *node = cushim__tree_from(&buffer->ranges, access->begin, 0);

    for (; node && range_of(node)->end <= access->end; node = cushim__tree_next(node))
        if (!see(recording, range_of(node), access->write))
            return false;
    return true;
}

bool cushim__recorded_memory_find(struct cushim__recording *recording,
                                  const struct cushim__access *access)
{
    struct recorded_buffer *buffer;

    if (access->begin == access->end)
        return true;
    buffer = get_buffer(recording, access->buffer);
    return buffer && split(buffer, access->begin) && split(buffer, access->end) &&
           fill_gaps(buffer, access->begin, access->end) &&
           each_range(buffer, access, find_range, recording);
}

/* Notes a use by the last work. */
static bool note_range(struct cushim__recording *recording, struct recorded_range *range,
                       bool write)
{
    const unsigned number = cushim__recording_last(recording);
    struct cushim__numbers *readers = &range->readers;

    if (write) {
        range->is_written = true;
        range->writer = number;
        readers->n = 0;
    } else if (range->writer != number &&
               (!readers->n || readers->items[readers->n - 1] != number)) {
        readers->items[readers->n++] = number;
    }
    return true;
}

void cushim__recorded_memory_note(struct cushim__recording *recording,
                                  const struct cushim__access *access)
{
    if (access->begin != access->end)
        each_range(find_buffer(recording, access->buffer), access, note_range, recording);
}

/* --- all of it --- */

static size_t count_ranges(const struct cushim__recording *recording)
{
    struct cushim__tree_node *b = cushim__tree_first(&recording->memory);
    size_t n = 0;

    for (; b; b = cushim__tree_next(b)) {
        struct recorded_buffer *buffer = CUSHIM__TREE_MEMBER(b, struct recorded_buffer, node);
        struct cushim__tree_node *r = cushim__tree_first(&buffer->ranges);

        for (; r; r = cushim__tree_next(r))
            n++;
    }
    return n;
}

/* Adds the ranges of a buffer to a list. Neighbours that are used in the same way become one. */
static size_t list_buffer(struct recorded_buffer *buffer, struct cushim__access *list)
{
    struct cushim__tree_node *node = cushim__tree_first(&buffer->ranges);
    size_t n = 0;

    /* What the graph allocates itself no other work can use. */
    if (buffer->buffer->memory == CUSHIM__MEMORY_NODE)
        return 0;
    for (; node; node = cushim__tree_next(node)) {
        const struct recorded_range *range = range_of(node);

        /* Only work that was refused. */
        if (!range->is_written && !range->readers.n)
            continue;
        if (n && list[n - 1].end == begin_of(range) && list[n - 1].write == range->is_written)
            list[n - 1].end = range->end;
        else
            list[n++] = (struct cushim__access){buffer->buffer, begin_of(range), range->end,
                                                range->is_written};
    }
    return n;
}

struct cushim__access *cushim__recorded_memory_list(const struct cushim__recording *recording,
                                                    size_t *ret_n)
{
    struct cushim__access *list = malloc((count_ranges(recording) + 1) * sizeof(*list));
    struct cushim__tree_node *node = cushim__tree_first(&recording->memory);
    size_t n = 0;

    for (; list && node; node = cushim__tree_next(node))
        n += list_buffer(CUSHIM__TREE_MEMBER(node, struct recorded_buffer, node), &list[n]);
    *ret_n = n;
    return list;
}

static void free_buffer(struct recorded_buffer *buffer)
{
    struct cushim__tree_node *node;

    while ((node = cushim__tree_first(&buffer->ranges))) {
        struct recorded_range *range = range_of(node);

        cushim__tree_remove(&buffer->ranges, node);
        free(range->readers.items);
        free(range);
    }
    cushim__buffer_release(buffer->buffer, "cushim_graph_free");
    free(buffer);
}

void cushim__recorded_memory_free(struct cushim__recording *recording)
{
    struct cushim__tree_node *node;

    while ((node = cushim__tree_first(&recording->memory))) {
        cushim__tree_remove(&recording->memory, node);
        free_buffer(CUSHIM__TREE_MEMBER(node, struct recorded_buffer, node));
    }
}
