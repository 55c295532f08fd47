/* SPDX-License-Identifier: MIT */
/* cuEvent* */
#include "mock/stream/event.h"

#include <stdlib.h>

#include "base/util.h"
#include "mock/base/state.h"
#include "mock/base/stats.h"
#include "mock/queue/schedule.h"
#include "mock/stream/capture.h"
#include "mock/stream/stream.h"

/* The flags of cuEventCreate(). */
#define FLAGS (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS)

CUresult mock__event_find(CUevent handle, struct mock__event **ret_event)
{
    struct mock__event *event = mock__object_find(MOCK__EVENT, handle);

    MOCK__REQUIRE(event, mock__stranger(handle, CUDA_ERROR_INVALID_HANDLE));
    *ret_event = event;
    return mock__context_usable(event->context);
}

/*
 * One recording of an event. The event has a reference on it, and so has the work that sets its
 * time: the event may be recorded again or destroyed before the work is done.
 */
struct mock__mark {
    unsigned references;
    uint64_t time_ns; /* 0 until the recording is done */
};

/* Work that records an event, or waits for one. */
struct event_work {
    struct mock__work work;
    CUevent event;
    struct mock__mark *mark; /* only for a recording */
};

static void unref_mark(struct mock__mark *mark)
{
    if (mark && !--mark->references)
        free(mark);
}

static void run_record(struct mock__work *work)
{
    ((struct event_work *) work)->mark->time_ns = mock__time_of(work);
}

static void finish_record(struct mock__work *work)
{
    unref_mark(((struct event_work *) work)->mark);
}

void mock__event_forget(struct mock__event *event)
{
    unref_mark(event->mark);
    mock__point_clear(&event->point);
    mock__capture_dependencies_clear(&event->dependencies);
    event->mark = NULL;
    event->captured_by = 0;
}

/* From its submission on, the event stands for this recording and not for earlier ones. */
static CUresult submit_record(struct mock__queue *queue, struct mock__work *work)
{
    const struct event_work *record = (const struct event_work *) work;
    struct mock__event *event = mock__object_find(MOCK__EVENT, record->event);
    struct mock__mark *mark = record->mark;
    CUresult result;

    MOCK__REQUIRE(event, CUDA_ERROR_INVALID_HANDLE);
    mark->references++;
    result = mock__work_submit(queue, work);
    if (result != CUDA_SUCCESS) {
        mark->references--;
        return result;
    }
    mock__event_forget(event);
    event->mark = mark;
    event->point = mock__queue_end(queue);
    mock__schedule_trivial(queue, work);
    return CUDA_SUCCESS;
}

static CUresult copy_record(const struct mock__work *work, struct mock__work **ret_copy)
{
    return mock__event_record_work(mock__event_of_work(work), ret_copy);
}

static const struct mock__work_type record_type = {
    .name = "event record",
    .node = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
    .run = run_record,
    .finish = finish_record,
    .copy = copy_record,
    .submit = submit_record,
};

static void run_wait(struct mock__work *work)
{
    (void) work;
}

/* Waits for the recording that is the last one when the graph is launched, not when it was made. */
static CUresult submit_wait(struct mock__queue *queue, struct mock__work *work)
{
    struct mock__event *event = mock__object_find(MOCK__EVENT, mock__event_of_work(work));

    MOCK__REQUIRE(event, CUDA_ERROR_INVALID_HANDLE);
    MOCK__REQUIRE(mock__work_wait_for(work, &event->point), CUDA_ERROR_OUT_OF_MEMORY);
    return mock__work_submit(queue, work);
}

static CUresult copy_wait(const struct mock__work *work, struct mock__work **ret_copy)
{
    return mock__event_wait_work(mock__event_of_work(work), ret_copy);
}

static const struct mock__work_type wait_type = {
    .name = "event wait",
    .node = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
    .run = run_wait,
    .copy = copy_wait,
    .submit = submit_wait,
};

CUevent mock__event_of_work(const struct mock__work *work)
{
    return ((const struct event_work *) work)->event;
}

static CUresult new_work(const struct mock__work_type *type, CUevent handle,
                         struct mock__work **ret_work)
{
    struct event_work *work = mock__work_new(type, sizeof(*work));

    MOCK__REQUIRE(work, CUDA_ERROR_OUT_OF_MEMORY);
    work->event = handle;
    *ret_work = &work->work;
    return CUDA_SUCCESS;
}

CUresult mock__event_record_work(CUevent handle, struct mock__work **ret_work)
{
    struct mock__mark *mark = calloc(1, sizeof(*mark));
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (mark)
        result = new_work(&record_type, handle, ret_work);
    if (result != CUDA_SUCCESS) {
        free(mark);
        return result;
    }
    mark->references = 1;
    ((struct event_work *) *ret_work)->mark = mark;
    return CUDA_SUCCESS;
}

CUresult mock__event_wait_work(CUevent handle, struct mock__work **ret_work)
{
    return new_work(&wait_type, handle, ret_work);
}

CUresult mock__event_record(struct mock__event *event, struct mock__stream *stream)
{
    struct mock__work *work = NULL;

    MOCK__TRY(mock__capture_check(stream));
    if (stream->capture)
        return mock__capture_record(stream, event);
    MOCK__TRY(mock__event_record_work(MOCK__HANDLE(event), &work));
    return mock__work_give(stream->queue, work);
}

static void free_event(struct mock__event *event)
{
    mock__event_forget(event);
    mock__object_free(event);
}

void mock__events_destroy(const struct mock__context *context)
{
    struct mock__event *event;

    for (size_t cursor = 0; (event = mock__object_next_of(context, MOCK__EVENT, &cursor));)
        free_event(event);
}

static bool flags_valid(unsigned flags)
{
    /* An event that other processes can use must not have a time. */
    return !(flags & ~(unsigned) FLAGS) &&
           (!(flags & CU_EVENT_INTERPROCESS) || (flags & CU_EVENT_DISABLE_TIMING));
}

CUresult mock_cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
    struct mock__event *event;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(phEvent && flags_valid(Flags), CUDA_ERROR_INVALID_VALUE);
    event = mock__object_new(MOCK__EVENT, sizeof(*event));
    MOCK__REQUIRE(event, CUDA_ERROR_OUT_OF_MEMORY);
    mock__made(&event->object.made, "cuEventCreate");
    event->context = context;
    mock__object_own(context, event);
    event->flags = Flags;
    *phEvent = MOCK__HANDLE(event);
    return CUDA_SUCCESS;
}

CUresult mock_cuEventDestroy_v2(CUevent hEvent)
{
    struct mock__event *event;
    CUresult result;

    MOCK__ENTER_EARLY();
    event = mock__object_find(MOCK__EVENT, hEvent);
    MOCK__REQUIRE(event, mock__stranger(hEvent, CUDA_ERROR_INVALID_HANDLE));
    result = mock__context_usable(event->context);
    free_event(event);
    return result;
}

static CUresult record(CUevent hEvent, CUstream hStream, unsigned flags)
{
    struct mock__event *event = NULL;
    struct mock__stream *stream = NULL;
    struct mock__work *work = NULL;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__event_find(hEvent, &event));
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__REQUIRE(event->context == stream->context, CUDA_ERROR_INVALID_HANDLE);
    MOCK__REQUIRE(!(flags & ~(unsigned) CU_EVENT_RECORD_EXTERNAL), CUDA_ERROR_INVALID_VALUE);
    if (!(flags & CU_EVENT_RECORD_EXTERNAL))
        return mock__event_record(event, stream);
    /* The flag for external events has a meaning only in a capture. */
    MOCK__REQUIRE(stream->capture, CUDA_ERROR_ILLEGAL_STATE);
    MOCK__TRY(mock__event_record_work(hEvent, &work));
    return mock__stream_submit(stream, work);
}

CUresult mock_cuEventRecord(CUevent hEvent, CUstream hStream)
{
    return record(hEvent, hStream, 0);
}

CUresult mock_cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags)
{
    return record(hEvent, hStream, flags);
}

CUresult mock_cuEventQuery(CUevent hEvent)
{
    struct mock__event *event = NULL;

    MOCK__ENTER_EARLY();
    MOCK__TRY(mock__event_find(hEvent, &event));
    MOCK__TRY(mock__capture_event_asked(event));
    if (mock__point_reached(&event->point))
        return mock__wait(&event->point);
    mock__schedule_asked();
    return CUDA_ERROR_NOT_READY;
}

CUresult mock_cuEventSynchronize(CUevent hEvent)
{
    struct mock__event *event = NULL;

    MOCK__ENTER_EARLY();
    MOCK__TRY(mock__event_find(hEvent, &event));
    MOCK__TRY(mock__capture_event_asked(event));
    mock__stats.waits++;
    return mock__wait(&event->point);
}

static bool has_time(const struct mock__event *event)
{
    return event->mark && !(event->flags & CU_EVENT_DISABLE_TIMING);
}

/* An event that a capture has recorded has no time, neither before nor after its end. */
static CUresult check_captured(const struct mock__event *event)
{
    if (!event->captured_by)
        return CUDA_SUCCESS;
    return mock__capture_has_event(event) ? CUDA_ERROR_CAPTURED_EVENT : CUDA_ERROR_INVALID_VALUE;
}

CUresult mock_cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    struct mock__event *start = NULL, *end = NULL;

    MOCK__ENTER_EARLY();
    MOCK__TRY(mock__event_find(hStart, &start));
    MOCK__TRY(mock__event_find(hEnd, &end));
    MOCK__TRY(check_captured(start));
    MOCK__TRY(check_captured(end));
    MOCK__REQUIRE(pMilliseconds && has_time(start) && has_time(end) &&
                      start->context == end->context,
                  CUDA_ERROR_INVALID_HANDLE);
    if (!mock__point_reached(&start->point) || !mock__point_reached(&end->point)) {
        mock__schedule_asked();
        return CUDA_ERROR_NOT_READY;
    }
    mock__host_waited(start->point.clock);
    mock__host_waited(end->point.clock);
    *pMilliseconds = (float) ((double) (int64_t) (end->mark->time_ns - start->mark->time_ns) / 1e6);
    return CUDA_SUCCESS;
}
