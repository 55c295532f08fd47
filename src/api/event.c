/* SPDX-License-Identifier: MIT */
#include <cushim/event.h>

#include "core/cu/cu_memory.h"
#include "core/order/recording.h"
#include "core/order/stream.h"
#include "core/order/wait.h"

static unsigned driver_flags(unsigned flags)
{
    return (flags & CUSHIM_EVENT_BLOCKING_SYNC ? CU_EVENT_BLOCKING_SYNC : 0) |
           (flags & CUSHIM_EVENT_INTERPROCESS ? CU_EVENT_INTERPROCESS : 0) |
           (flags & CUSHIM_EVENT_TIMING ? 0 : CU_EVENT_DISABLE_TIMING);
}

static cushim_status create(const struct cushim__scope *scope, unsigned flags, uint64_t *ret_id)
{
    struct cushim__event *event = NULL;

    CUSHIM_TRY(cushim__event_new(scope, driver_flags(flags), &event));
    return cushim__object_give(&event->object, scope->call, ret_id);
}

cushim_status cushim_event_new(cushim_context context, unsigned flags, cushim_event *ret_event)
{
    const unsigned shared = CUSHIM_EVENT_INTERPROCESS | CUSHIM_EVENT_TIMING;
    const unsigned known = CUSHIM_EVENT_BLOCKING_SYNC | shared;
    struct cushim__scope scope;

    CHECK_OUTPUT(ret_event);
    if (flags & ~known)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: there is no flag 0x%x", __func__,
                            flags & ~known);
    if ((flags & shared) == shared)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "%s: an event for other processes cannot have timing", __func__);
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    return cushim__scope_leave(&scope, create(&scope, flags, &ret_event->id));
}

void cushim_event_free(cushim_event *event)
{
    cushim__object_close(event ? &event->id : NULL, CUSHIM__HANDLE_EVENT, __func__);
}

cushim_status cushim_event_raw(cushim_event event, void **ret_cu_event)
{
    struct cushim__event *object;

    CHECK_OUTPUT(ret_cu_event);
    object = cushim__handle_pin(event.id, CUSHIM__HANDLE_EVENT, __func__);
    if (!object)
        return cushim__error()->status;
    object->foreign = true;
    *ret_cu_event = object->cu;
    cushim__handle_unpin(event.id);
    return CUSHIM_OK;
}

/*
 * Records an event. This is a submission, because it must come after the earlier work of the
 * stream.
 */
static cushim_status record(struct cushim__scope *scope, struct cushim__event *event,
                            struct cushim__stream *stream)
{
    struct cushim__submission s;
    cushim_status status;

    if (event->object.context != scope->context)
        return cushim__fail_foreign(scope, "event");
    s = (struct cushim__submission){
        .scope = scope, .timeline = stream->timeline, .recordable = true, .in_order = true};
    CUSHIM_TRY(cushim__submit_begin(&s));
    if (stream->timeline->branch) {
        status = cushim__recording_event(scope, stream->timeline, event);
        cushim__submit_end(&s);
        return status;
    }
    cushim__lock(scope->context);
    status = CU_CALL(scope, cuEventRecord, (event->cu, stream->cu));
    if (!status && !event->foreign)
        cushim__point_set(&event->point, stream->timeline);
    event->recordings += !status;
    event->recording = status ? event->recording : 0;
    cushim__unlock(scope->context);
    cushim__submit_abandon(&s);
    return status;
}

cushim_status cushim_event_record(cushim_event event, cushim_stream stream)
{
    struct cushim__stream *recorded;
    struct cushim__event *object;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(cushim__object_enter(stream.id, CUSHIM__HANDLE_STREAM, __func__, &scope, &recorded));
    object = cushim__handle_pin(event.id, CUSHIM__HANDLE_EVENT, __func__);
    if (!object)
        return cushim__scope_leave(&scope, cushim__error()->status);
    status = record(&scope, object, recorded);
    cushim__handle_unpin(event.id);
    return cushim__scope_leave(&scope, status);
}

/* The last recording of an event, as it was at one moment. */
struct recording {
    struct cushim__point point; /* with a reference on its timeline */
    uint64_t recordings;
};

/* Another thread may record the event again at any time. */
static struct recording recording_of(struct cushim__event *event)
{
    struct recording last;

    cushim__lock(event->object.context);
    last = (struct recording){event->point, event->recordings};
    if (last.point.timeline)
        cushim__timeline_ref(last.point.timeline);
    cushim__unlock(event->object.context);
    return last;
}

/*
 * Notes a point as done after the driver has reported the event as complete. The report is about
 * this recording only if no thread has recorded the event since, in whichever stream.
 */
static void reached(struct cushim__event *event, const struct recording *last, bool is)
{
    if (last->point.timeline && is) {
        cushim__lock(event->object.context);
        if (event->recordings == last->recordings && !event->foreign)
            cushim__timeline_done(last->point.timeline, last->point.number);
        cushim__unlock(event->object.context);
    }
    cushim__timeline_unref(last->point.timeline);
}

static cushim_status query(uint64_t id, const char *call)
{
    struct cushim__event *object;
    struct cushim__scope scope;
    struct recording last;
    cushim_status status;

    CUSHIM_TRY(cushim__object_enter(id, CUSHIM__HANDLE_EVENT, call, &scope, &object));
    last = recording_of(object);
    status = CU_FN(scope.table, cuEventQuery)(object->cu);
    reached(object, &last, !status);
    if (status && status != CUDA_ERROR_NOT_READY)
        status = cushim__fail_driver(&scope, status, "cuEventQuery");
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_event_query(cushim_event event)
{
    return query(event.id, __func__);
}

cushim_status cushim_event_synchronize(cushim_event event)
{
    struct cushim__event *object;
    struct cushim__scope scope;
    struct recording last;
    cushim_status status;

    CUSHIM_TRY(cushim__object_enter(event.id, CUSHIM__HANDLE_EVENT, __func__, &scope, &object));
    last = recording_of(object);
    status = CU_CALL(&scope, cuEventSynchronize, (object->cu));
    reached(object, &last, !status);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_event_synchronize_for(cushim_event event, uint64_t nanoseconds)
{
    return cushim__poll(query, event.id, nanoseconds, __func__);
}

/* Tells why the driver never knows a time for one of two events, or returns NULL. */
static const char *without_time(struct cushim__event *event)
{
    bool is_recorded;

    if (!event->timed)
        return "was made without CUSHIM_EVENT_TIMING: cushim_event_new(context, "
               "CUSHIM_EVENT_TIMING, &event) makes one that records the time";
    cushim__lock(event->object.context);
    is_recorded = event->recordings || event->foreign;
    cushim__unlock(event->object.context);
    return is_recorded ? NULL : "was never recorded: cushim_event_record() does it";
}

static bool is_in_graph(struct cushim__event *event)
{
    bool is;

    cushim__lock(event->object.context);
    is = event->recording;
    cushim__unlock(event->object.context);
    return is;
}

/* Only the launches of a graph record its events. Nobody tells of which graph the driver speaks. */
static const char *not_launched(struct cushim__event *start, struct cushim__event *end,
                                const char **ret_which)
{
    const bool first = is_in_graph(start), last = is_in_graph(end);

    if (first && last) {
        *ret_which = "events";
        return "are recorded by graphs, and one of these was not launched since it was recorded";
    }
    *ret_which = first ? "start event" : "end event";
    return first || last ? "is recorded by a graph, which was not launched since it was recorded"
                         : NULL;
}

/* The driver answers only a number. */
static cushim_status fail_elapsed(const struct cushim__scope *scope, cushim_status status,
                                  struct cushim__event *start, struct cushim__event *end)
{
    const char *start_has = without_time(start), *why = start_has ? start_has : without_time(end);
    const char *which = start_has ? "start event" : "end event";

    if (status == CUDA_ERROR_NOT_READY)
        return cushim__fail_at(status, scope->call, scope->label,
                               "%s: the work before one of the events is not done yet; "
                               "cushim_event_synchronize(end) waits for it",
                               scope->call);
    if (!why)
        why = not_launched(start, end, &which);
    if (status != CUDA_ERROR_INVALID_HANDLE || !why || start->object.context != end->object.context)
        return cushim__fail_driver(scope, status, "cuEventElapsedTime");
    return cushim__fail_at(status, "cuEventElapsedTime", scope->label, "%s: the %s %s", scope->call,
                           which, why);
}

static cushim_status elapsed(const struct cushim__scope *scope, struct cushim__event *start,
                             struct cushim__event *end, float *ret_milliseconds)
{
    float milliseconds = 0;
    const int result = CU_FN(scope->table, cuEventElapsedTime)(&milliseconds, start->cu, end->cu);

    if (result)
        return fail_elapsed(scope, result, start, end);
    *ret_milliseconds = milliseconds;
    return CUSHIM_OK;
}

cushim_status cushim_event_elapsed(cushim_event start, cushim_event end, float *ret_milliseconds)
{
    struct cushim__event *first, *last;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_milliseconds);
    CUSHIM_TRY(cushim__object_enter(start.id, CUSHIM__HANDLE_EVENT, __func__, &scope, &first));
    last = cushim__handle_pin(end.id, CUSHIM__HANDLE_EVENT, __func__);
    if (!last)
        return cushim__scope_leave(&scope, cushim__error()->status);
    status = cushim__check_driver(&scope, last->object.context, "end event");
    if (!status)
        status = elapsed(&scope, first, last, ret_milliseconds);
    cushim__handle_unpin(end.id);
    return cushim__scope_leave(&scope, status);
}
