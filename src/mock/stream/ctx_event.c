/* SPDX-License-Identifier: MIT */
/*
 * cuCtxRecordEvent and cuCtxWaitEvent, cuGreenCtxRecordEvent and cuGreenCtxWaitEvent: events of a
 * whole context, or of a green one.
 *
 * Such an event is recorded in a queue of its own, the recorder. Work in it waits for all other
 * queues of the context. What the context waits for is submitted to a second queue, the wait queue.
 * All work that is submitted to the context later, in whichever stream, waits for the end of the
 * wait queue. Neither queue is a stream, so neither is ordered with the legacy stream.
 *
 * A green context has two such queues of its own. What it does in the default stream is in the legacy
 * stream of its primary context, which counts as its own here.
 */
#include "mock/base/green.h"
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

void mock__green_events_finish(struct mock__green *green)
{
    leave(green->wait_queue);
    leave(green->recorder);
    green->wait_queue = green->recorder = NULL;
}

void mock__ctx_events_finish(struct mock__context *context)
{
    struct mock__green *green;

    for (size_t cursor = 0; (green = mock__object_next(MOCK__GREEN, &cursor));)
        if (green->primary == context)
            mock__green_events_finish(green);
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

static void run_nothing(struct mock__work *work)
{
    (void) work;
}

static const struct mock__work_type join_type = {.name = "context wait", .run = run_nothing};

/* Submits work to the queue that waits for a point. */
static CUresult submit(struct mock__queue *queue, struct mock__work *work, bool complete)
{
    if (complete && mock__work_submit(queue, work) == CUDA_SUCCESS)
        return CUDA_SUCCESS;
    mock__work_free(work);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult submit_wait(struct mock__queue *queue, const struct mock__point *point)
{
    struct mock__work *work = mock__work_new(&join_type, sizeof(*work));

    return submit(queue, work, work && mock__work_wait_for(work, point));
}

static bool join(struct mock__work *work, struct mock__queue *queue)
{
    return mock__work_wait_for(work, &(struct mock__point){queue, queue->submitted, queue->clock});
}

/* Submits work that waits for all work of the context. */
static CUresult submit_join(struct mock__queue *queue)
{
    struct mock__work *work = mock__work_new(&join_type, sizeof(*work));
    bool complete = work;

    for (unsigned blocking = 0; blocking < 2; blocking++)
        for (struct mock__queue *other = queue->context->busy[blocking]; complete && other;
             other = other->next_in_context)
            complete = other == queue || join(work, other);
    return submit(queue, work, complete);
}

/* The same for a green context. Its queues count even if nothing is left in them. */
static CUresult submit_green_join(const struct mock__green *green)
{
    struct mock__work *work = mock__work_new(&join_type, sizeof(*work));
    bool complete = work && join(work, green->primary->legacy_queue);
    const struct mock__stream *stream;

    for (size_t cursor = 0;
         complete && (stream = mock__object_next_of(green->primary, MOCK__STREAM, &cursor));)
        complete = stream->green != green->object.handle || join(work, stream->queue);
    return submit(green->recorder, work, complete);
}

static CUresult record(struct mock__event *event, struct mock__queue *queue)
{
    struct mock__stream whole = {.context = queue->context, .queue = queue};

    return mock__event_record(event, &whole);
}

/*
 * Records an event of the context. Work that was done before this call is before the event as well,
 * so the queue takes over the context's clock.
 */
static CUresult record_all(struct mock__event *event, struct mock__context *context)
{
    MOCK__REQUIRE(event->context == context, CUDA_ERROR_INVALID_HANDLE);
    MOCK__TRY(mock__capture_context_refuse(context));
    MOCK__TRY(have(context, &context->recorder));
    mock__queue_follow(context->recorder, context->clock);
    MOCK__TRY(submit_join(context->recorder));
    return record(event, context->recorder);
}

static CUresult record_green(struct mock__event *event, struct mock__green *green)
{
    MOCK__REQUIRE(event->context == green->primary, CUDA_ERROR_INVALID_HANDLE);
    MOCK__TRY(mock__capture_green_refuse(green));
    MOCK__TRY(have(green->primary, &green->recorder));
    MOCK__TRY(submit_green_join(green));
    return record(event, green->recorder);
}

static CUresult wait_all(const struct mock__event *event, struct mock__context *context)
{
    MOCK__TRY(mock__capture_context_refuse(context));
    MOCK__TRY(mock__capture_event_refuse(event));
    /* The event was recorded by a capture that has ended, so there is nothing to wait for. */
    MOCK__REQUIRE(!event->captured_by, CUDA_ERROR_CAPTURED_EVENT);
    MOCK__TRY(have(context, &context->wait_queue));
    return submit_wait(context->wait_queue, &event->point);
}

static CUresult wait_green(const struct mock__event *event, struct mock__green *green)
{
    MOCK__TRY(mock__capture_green_refuse(green));
    MOCK__TRY(mock__capture_event_refuse(event));
    MOCK__REQUIRE(!event->captured_by, CUDA_ERROR_CAPTURED_EVENT);
    MOCK__TRY(have(green->primary, &green->wait_queue));
    MOCK__TRY(submit_wait(green->primary->legacy_queue, &event->point));
    return submit_wait(green->wait_queue, &event->point);
}

/* *ret_green is NULL, if the handle is not that of a green context. */
static CUresult find(CUcontext handle, CUevent hEvent, struct mock__context **ret_context,
                     struct mock__green **ret_green, struct mock__event **ret_event)
{
    struct mock__context *context = mock__context_find(handle);

    MOCK__REQUIRE(context, mock__stranger(handle, CUDA_ERROR_INVALID_CONTEXT));
    MOCK__TRY(mock__context_usable(context));
    MOCK__TRY(mock__event_find(hEvent, ret_event));
    *ret_context = context;
    *ret_green = mock__green_find(handle);
    return CUDA_SUCCESS;
}

CUresult mock_cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent)
{
    struct mock__context *context = NULL;
    struct mock__green *green = NULL;
    struct mock__event *event = NULL;

    MOCK__ENTER();
    MOCK__TRY(find(hCtx, hEvent, &context, &green, &event));
    return green ? record_green(event, green) : record_all(event, context);
}

CUresult mock_cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent)
{
    struct mock__context *context = NULL;
    struct mock__green *green = NULL;
    struct mock__event *event = NULL;

    MOCK__ENTER();
    MOCK__TRY(find(hCtx, hEvent, &context, &green, &event));
    return green ? wait_green(event, green) : wait_all(event, context);
}

static CUresult check_green(CUgreenCtx handle)
{
    struct mock__green *green = NULL;

    MOCK__ENTER_EARLY();
    return mock__green_of(handle, &green);
}

CUresult mock_cuGreenCtxRecordEvent(CUgreenCtx hCtx, CUevent hEvent)
{
    MOCK__TRY(check_green(hCtx));
    return mock_cuCtxRecordEvent((CUcontext) hCtx, hEvent);
}

CUresult mock_cuGreenCtxWaitEvent(CUgreenCtx hCtx, CUevent hEvent)
{
    MOCK__TRY(check_green(hCtx));
    return mock_cuCtxWaitEvent((CUcontext) hCtx, hEvent);
}

#endif
