/* SPDX-License-Identifier: MIT */
/*
 * The fast path for using a buffer. The work uses exactly one range, and the timeline has waited
 * for all earlier uses already. So nothing is allocated. submit.c and core/launch/launch_fast.c use
 * it, under the context lock of the timeline's context.
 */
#ifndef CUSHIM_CORE_ORDER_BUFFER_FAST_H
#define CUSHIM_CORE_ORDER_BUFFER_FAST_H

#include "core/order/buffer.h"

/* Returns the reading point of a timeline, a free one if the range has no reader, or NULL. */
static inline struct cushim__point *cushim__fast_reader(struct cushim__range *range,
                                                        const struct cushim__timeline *timeline)
{
    const unsigned n = range->n_readers < ARRAY_SIZE(range->first_readers)
                           ? range->n_readers
                           : (unsigned) ARRAY_SIZE(range->first_readers);

    for (unsigned i = 0; i < n; i++)
        if (range->first_readers[i].timeline == timeline)
            return &range->first_readers[i];
    for (unsigned i = n; i < range->n_readers; i++)
        if (range->more_readers[i - n].timeline == timeline)
            return &range->more_readers[i - n];
    return range->n_readers ? NULL : &range->first_readers[0];
}

/* Returns the point where a use on the fast path is noted. */
static inline struct cushim__point *cushim__fast_point(struct cushim__range *range, bool write,
                                                       const struct cushim__timeline *timeline)
{
    return write ? &range->write : cushim__fast_reader(range, timeline);
}

/*
 * Returns the range of [begin, end) if its use can take the fast path, and NULL otherwise. The
 * buffer must be of the timeline's context.
 */
static inline struct cushim__range *cushim__fast_range(struct cushim__buffer *buffer, size_t begin,
                                                       size_t end, bool write,
                                                       const struct cushim__timeline *timeline)
{
    struct cushim__range *range = &buffer->first;

    if (buffer->eager_event || buffer->restricted)
        return NULL;
    if (buffer->n_ranges != 1)
        range = cushim__buffer_exact_range(buffer, begin, end);
    else if (begin || end != buffer->bytes)
        return NULL;
    if (!range)
        return NULL;
    /*
     * A write drops the readers. So a timeline that is a reader has waited for the last write,
     * whichever timeline wrote.
     */
    if (range->n_readers)
        return (!write || range->n_readers == 1) && cushim__fast_reader(range, timeline) ? range
                                                                                         : NULL;
    return !range->write.timeline || range->write.timeline == timeline ? range : NULL;
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
