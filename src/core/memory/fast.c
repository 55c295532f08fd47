/* SPDX-License-Identifier: MIT */
#include "core/memory/fast.h"

/* Tells whether a point is of the context, and of work before this. */
static bool is_earlier(const struct cushim__point *point, void *user)
{
    const struct cushim__fast *fast = user;

    return point->timeline->context == fast->context &&
           (point->timeline != fast->timeline || point->number < fast->first);
}

/*
 * Uses a part that other streams of the context have used last: makes the stream wait for them, and
 * notes the work. range is all of the part, or NULL if it is none yet. If the same work uses some
 * of these bytes already, the other path checks for overlaps. What has been waited for stays so if
 * the work takes the other path.
 */
static bool hand_over(struct cushim__fast *fast, const struct cushim__fast_part *part,
                      struct cushim__range *range, bool write)
{
    const struct cushim__scope scope = {.table = fast->context->table,
                                        .context = fast->context,
                                        .call = fast->call,
                                        .label = fast->label};
    struct cushim__buffer *buffer = part->buffer;
    CUcontext now = NULL;
    bool noted = range
                     ? cushim__range_each(range, true, is_earlier, fast)
                     : cushim__buffer_each(buffer, part->begin, part->end, true, is_earlier, fast);

    if (!noted)
        return false;
    fast->status = CU_CALL(&scope, cuCtxGetCurrent, (&now));
    if (fast->status || now != fast->context->cu)
        return false;
    fast->status = range ? cushim__range_use(&scope, buffer, range, write, fast->timeline, &noted)
                         : cushim__buffer_use(&scope, buffer, part->begin, part->end, write,
                                              fast->timeline, &noted);
    if (noted) {
        fast->mark |= buffer->eager_event;
        buffer->eager_event = false;
    }
    return noted;
}

bool cushim__fast_use_otherwise(struct cushim__fast *fast, const struct cushim__fast_part *part,
                                bool write)
{
    struct cushim__range *range = cushim__exact_range(part->buffer, part->begin, part->end);
    struct cushim__point *point = NULL;

    if (part->buffer->restricted)
        return false;
    if (range && !part->buffer->eager_event)
        point = cushim__fast_point(range, write, fast->timeline, fast->first);
    if (!point)
        return hand_over(fast, part, range, write);
    cushim__fast_note(range, point, fast->timeline);
    return true;
}

void cushim__fast_mark(const struct cushim__fast *fast)
{
    const struct cushim__scope scope = {
        .table = fast->context->table, .context = fast->context, .call = fast->call};

    cushim__lock(fast->context);
    cushim__timeline_mark_now(&scope, fast->timeline);
    cushim__unlock(fast->context);
}

cushim_status cushim__fast_fail(const struct cushim__fast *fast, uint64_t object, int result,
                                const char *name)
{
    struct cushim__scope scope = {.call = fast->call};
    struct cushim__handle_slot *slot;
    cushim_status status;

    cushim__lock(fast->context);
    slot = cushim__fast_slot(fast, object);
    if (slot)
        scope.label = cushim__object_label(atomic_load(&slot->object));
    status = cushim__fail_driver(&scope, result, name);
    cushim__unlock(fast->context);
    return status;
}
