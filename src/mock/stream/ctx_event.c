/* SPDX-License-Identifier: MIT */
/*
 * cuCtxRecordEvent, cuCtxWaitEvent
 *
 * An event of a whole context is recorded in a lane of its own, in which work waits for
 * everything that the context has. What a context waits for is in another lane, its gate:
 * all work that is submitted to the context from then on, in whatever stream, waits for that
 * lane's end. Both take part in no turns, as they are no streams.
 */
#include "mock/base/state.h"
#include "mock/queue/clock.h"
#include "mock/queue/schedule.h"
#include "mock/stream/capture.h"
#include "mock/stream/event.h"
#include "mock/stream/stream.h"

/* Others may still wait for a point of the lane. */
static void leave(struct mock__lane *lane)
{
    if (lane)
        lane->context = NULL;
    mock__lane_leave(lane);
}

void mock__ctx_events_finish(struct mock__context *context)
{
    leave(context->gate);
    leave(context->recorder);
    context->gate = context->recorder = NULL;
    mock__clock_unref(context->legacy_clock);
    mock__clock_unref(context->blocking_clock);
    mock__clock_unref(context->clock);
    context->legacy_clock = context->blocking_clock = context->clock = NULL;
    context->legacy_lane = NULL;
}

#if CUDA_VERSION >= 12050

/* The lane is made when it is needed first. */
static CUresult have(struct mock__context *context, struct mock__lane **lane)
{
    if (!*lane)
        *lane = mock__lane_new(context, false, false);
    return *lane ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult find(CUcontext handle, CUevent hEvent, struct mock__context **ret_context,
                     struct mock__event **ret_event)
{
    struct mock__context *context = mock__object_find(MOCK__CONTEXT, handle);
    struct mock__event *event = NULL;

    MOCK__REQUIRE(context, CUDA_ERROR_INVALID_CONTEXT);
    MOCK__TRY(mock__context_usable(context));
    MOCK__TRY(mock__event_find(hEvent, &event));
    *ret_context = context;
    *ret_event = event;
    return CUDA_SUCCESS;
}

static void run_nothing(struct mock__work *work)
{
    (void) work;
}

static const struct mock__work_type join_type = {.name = "context wait", .run = run_nothing};

/* Work in the lane that waits for the points of all lanes that have work left, or for one. */
static CUresult submit_join(struct mock__lane *lane, const struct mock__point *point)
{
    struct mock__work *work = mock__work_new(&join_type, sizeof(*work));
    bool complete = work && (!point || mock__work_wait_for(work, point));

    for (struct mock__lane *other = point ? NULL : mock__busy_lanes(); complete && other;
         other = other->next_busy) {
        const struct mock__point end = {other, other->submitted, other->clock};

        if (other->context == lane->context && other != lane)
            complete = mock__work_wait_for(work, &end);
    }
    if (complete && mock__work_submit(lane, work) == CUDA_SUCCESS)
        return CUDA_SUCCESS;
    mock__work_free(work);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

/* What was done before the call belongs to what the event stands for as well. */
static CUresult record_all(struct mock__event *event, struct mock__lane *lane)
{
    struct mock__stream whole = {.context = lane->context, .lane = lane};

    mock__lane_follow(lane, lane->context->clock);
    MOCK__TRY(submit_join(lane, NULL));
    return mock__event_record(event, &whole);
}

CUresult mock_cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent)
{
    struct mock__context *context = NULL;
    struct mock__event *event = NULL;

    MOCK__ENTER();
    MOCK__TRY(find(hCtx, hEvent, &context, &event));
    MOCK__REQUIRE(event->context == context, CUDA_ERROR_INVALID_HANDLE);
    MOCK__TRY(mock__capture_context_refuse(context));
    MOCK__TRY(have(context, &context->recorder));
    return record_all(event, context->recorder);
}

CUresult mock_cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent)
{
    struct mock__context *context = NULL;
    struct mock__event *event = NULL;

    MOCK__ENTER();
    MOCK__TRY(find(hCtx, hEvent, &context, &event));
    MOCK__TRY(mock__capture_context_refuse(context));
    MOCK__TRY(mock__capture_event_refuse(event));
    /* Recorded by a capture that has ended, it stands for nothing any more. */
    MOCK__REQUIRE(!event->captured_by, CUDA_ERROR_CAPTURED_EVENT);
    MOCK__TRY(have(context, &context->gate));
    return submit_join(context->gate, &event->point);
}

#endif
