/* SPDX-License-Identifier: MIT */
/*
 * The fast path for using a buffer. The work uses exactly one range, and the timeline has waited
 * for all earlier uses already. So nothing is allocated. submit.c and core/launch/launch_fast.c use
 * it, under the context lock of the timeline's context.
 */
#ifndef CUSHIM_CORE_ORDER_BUFFER_FAST_H
#define CUSHIM_CORE_ORDER_BUFFER_FAST_H

#include "core/order/buffer.h"

/* Returns the range that is exactly [begin, end), or NULL if there is none. */
static inline struct cushim__range *cushim__exact_range(struct cushim__buffer *buffer, size_t begin,
                                                        size_t end)
{
    struct cushim__tree_node *node = &buffer->first.node;
    struct cushim__range *range;

    if (begin)
        for (node = buffer->ranges.root; node && node->major != begin;)
            node = node->child[node->major < begin];
    range = CUSHIM__TREE_MEMBER(node, struct cushim__range, node);
    return range && range->end == end && begin != end ? range : NULL;
}

/* Returns the same, or NULL if the buffer needs the other path. */
static inline struct cushim__range *cushim__fast_range(struct cushim__buffer *buffer, size_t begin,
                                                       size_t end)
{
    if (__builtin_expect(buffer->eager_event || buffer->restricted, 0))
        return NULL;
    return cushim__exact_range(buffer, begin, end);
}

/*
 * Notes the timeline's last submission at a range that it uses as it has used it last: it reads it
 * again, or writes it again. Most uses are of this kind. Returns false for others. Numbers from
 * first on are of this submission (cushim__fast_point()).
 */
static inline bool cushim__fast_again(struct cushim__range *range, bool write,
                                      const struct cushim__timeline *timeline, uint64_t first)
{
    struct cushim__point *point = write ? &range->write : &range->first_readers[0];

    if (!range->n_readers != write || point->timeline != timeline || point->number >= first)
        return false;
    point->number = timeline->submitted;
    return true;
}

/*
 * Returns the point of a range where a use can be noted, or NULL if the timeline has not waited for
 * all earlier uses, or if its submission from number first on has used the range already, and one
 * of the two uses is a write. A write drops the readers. So a timeline that is a reader has waited
 * for the last write, whichever timeline wrote.
 */
static inline struct cushim__point *cushim__fast_point(struct cushim__range *range, bool write,
                                                       const struct cushim__timeline *timeline,
                                                       uint64_t first)
{
    struct cushim__point *reader = &range->first_readers[0], *writer = &range->write;

    if (!range->n_readers) {
        if (writer->timeline && (writer->timeline != timeline || writer->number >= first))
            return NULL;
        return write ? writer : reader;
    }
    if (write)
        return range->n_readers == 1 && reader->timeline == timeline && reader->number < first
                   ? writer
                   : NULL;
    return reader->timeline == timeline ? reader : cushim__range_reader(range, timeline);
}

/* Notes the timeline's last submission at a point of cushim__fast_point(). */
static inline void cushim__fast_note(struct cushim__range *range, struct cushim__point *point,
                                     struct cushim__timeline *timeline)
{
    const bool write = point == &range->write;

    if (write && range->n_readers) {
        cushim__timeline_unref(range->first_readers[0].timeline);
        range->n_readers = 0;
    }
    if (!write && !range->n_readers) {
        point->timeline = cushim__timeline_ref(timeline);
        range->n_readers = 1;
    } else if (write && point->timeline != timeline) {
        cushim__point_set(point, timeline);
    }
    point->number = timeline->submitted;
}

#endif
