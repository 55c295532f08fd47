/* SPDX-License-Identifier: MIT */
/*
 * cuCtxRecordEvent and cuCtxWaitEvent: events of a whole context.
 *
 * Such an event is recorded in a queue of its own, the recorder. Work in it waits for all other
 * queues of the context. What the context waits for is submitted to a second queue, the wait queue.
 * All work that is submitted to the context later, in whichever stream, waits for the end of the
 * wait queue. Neither queue is a stream, so neither is ordered with the legacy stream.
 */
#include "mock/base/state.h"
#include "mock/queue/clock.h"
#include "mock/queue/schedule.h"
#include "mock/stream/capture.h"
#include "mock/stream/event.h"
#include "mock/stream/stream.h"

/*
 * The queue may outlive the context, because work of other contexts may still wait for one of its
 * points.
 */
static void leave(struct mock__queue *queue)
{
    if (queue)
        mock__queue_detach(queue);
    mock__queue_leave(queue);
}

void mock__ctx_events_finish(struct mock__context *context)
{
    leave(context->wait_queue);
    leave(context->recorder);
    context->wait_queue = context->recorder = NULL;
    mock__clock_unref(context->legacy_clock);
    mock__clock_unref(context->blocking_clock);
    mock__clock_unref(context->clock);
    mock__clock_unref(context->last_blocking);
    mock__clock_unref(context->last);
    context->legacy_clock = context->blocking_clock = context->clock = NULL;
    context->last_blocking = context->last = NULL;
    context->legacy_queue = NULL;
}

#if CUDA_VERSION >= 12050

/* Makes the queue when it is needed for the first time. */
static CUresult have(struct mock__context *context, struct mock__queue **queue)
{
    if (!*queue)
        *queue = mock__queue_new(context, false, false);
    return *queue ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
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

/*
 * Submits work to the queue that waits for one point, or, if point is NULL, for all work of the
 * context.
 */
static CUresult submit_join(struct mock__queue *queue, const struct mock__point *point)
{
    struct mock__work *work = mock__work_new(&join_type, sizeof(*work));
    bool complete = work && (!point || mock__work_wait_for(work, point));

    for (unsigned blocking = 0; !point && blocking < 2; blocking++)
        for (struct mock__queue *other = queue->context->busy[blocking]; complete && other;
             other = other->next_in_context) {
            const struct mock__point end = {other, other->submitted, other->clock};

            if (other != queue)
                complete = mock__work_wait_for(work, &end);
        }
    if (complete && mock__work_submit(queue, work) == CUDA_SUCCESS)
        return CUDA_SUCCESS;
    mock__work_free(work);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

/*
 * Records an event of the context. Work that was done before this call is before the event as well,
 * so the queue takes over the context's clock.
 */
static CUresult record_all(struct mock__event *event, struct mock__queue *queue)
{
    struct mock__stream whole = {.context = queue->context, .queue = queue};

    mock__queue_follow(queue, queue->context->clock);
    MOCK__TRY(submit_join(queue, NULL));
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
    /* The event was recorded by a capture that has ended, so there is nothing to wait for. */
    MOCK__REQUIRE(!event->captured_by, CUDA_ERROR_CAPTURED_EVENT);
    MOCK__TRY(have(context, &context->wait_queue));
    return submit_join(context->wait_queue, &event->point);
}

#endif
