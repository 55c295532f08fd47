/* SPDX-License-Identifier: MIT */
/* cuStream*, except attributes, which are in stream_attribute.c. */
#include "mock/stream/stream.h"

#include "mock/base/state.h"
#include "mock/base/stats.h"
#include "mock/queue/schedule.h"
#include "mock/stream/capture.h"
#include "mock/stream/event.h"

/* A driver hands out a few of its own first. */
#define FIRST_ID 7

static uint64_t next_id = FIRST_ID;

struct mock__stream *mock__stream_new(struct mock__context *context, unsigned flags, int priority)
{
    struct mock__stream *stream = mock__object_new(MOCK__STREAM, sizeof(*stream));

    if (stream && !(stream->queue = mock__queue_new(context, !flags, false))) {
        mock__object_free(stream);
        return NULL;
    }
    if (stream) {
        stream->context = context;
        mock__object_own(context, stream);
        stream->flags = flags;
        stream->priority = priority;
        stream->id = next_id++;
        stream->queue->stream_id = stream->id;
        stream->attributes[MOCK__SYNCHRONIZATION_POLICY][0] = CU_SYNC_POLICY_AUTO;
    }
    return stream;
}

/* The work that a stream still has is done all the same, in a queue without a stream. */
static void free_stream(struct mock__stream *stream)
{
    mock__capture_leave(stream);
    mock__queue_leave(stream->queue);
    mock__object_free(stream);
}

bool mock__streams_begin(struct mock__context *context)
{
    context->legacy = mock__stream_new(context, 0, 0);
    context->per_thread = mock__stream_new(context, 0, 0);
    if (context->legacy) {
        context->legacy->queue->blocking = false;
        context->legacy->queue->legacy = true;
        context->legacy_queue = context->legacy->queue;
    }
    return context->legacy && context->per_thread;
}

void mock__streams_destroy(const struct mock__context *context)
{
    struct mock__stream *stream;

    for (size_t cursor = 0; (stream = mock__object_next_of(context, MOCK__STREAM, &cursor));) {
        mock__queue_orphan(stream->queue);
        free_stream(stream);
    }
}

static struct mock__stream *find_special(const struct mock__context *context, CUstream handle)
{
    return handle == CU_STREAM_PER_THREAD ? context->per_thread : context->legacy;
}

static bool is_special(CUstream handle)
{
    return !handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
}

/* The program's own stream by handle; the special ones have handles that nobody knows. */
static struct mock__stream *find_own(CUstream handle)
{
    struct mock__stream *stream = mock__object_find(MOCK__STREAM, handle);

    if (stream && (stream == stream->context->legacy || stream == stream->context->per_thread))
        return NULL;
    return stream;
}

CUresult mock__stream_find(CUstream handle, struct mock__stream **ret_stream)
{
    struct mock__context *context = NULL;
    struct mock__stream *stream;

    if (is_special(handle)) {
        MOCK__TRY(mock__context_current(&context));
        *ret_stream = find_special(context, handle);
        return CUDA_SUCCESS;
    }
    stream = find_own(handle);
    MOCK__REQUIRE(stream, CUDA_ERROR_INVALID_HANDLE);
    *ret_stream = stream;
    return mock__context_usable(stream->context);
}

static CUresult create(CUstream *phStream, unsigned flags, int priority, const char *made_by)
{
    struct mock__stream *stream;

    MOCK__REQUIRE(phStream && !(flags & ~(unsigned) CU_STREAM_NON_BLOCKING),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__ENTER_CONTEXT(context);
    if (priority > 0)
        priority = 0;
    if (priority < context->device->profile->priority_greatest)
        priority = context->device->profile->priority_greatest;
    stream = mock__stream_new(context, flags, priority);
    MOCK__REQUIRE(stream, CUDA_ERROR_OUT_OF_MEMORY);
    mock__made(&stream->object.made, made_by);
    *phStream = MOCK__HANDLE(stream);
    return CUDA_SUCCESS;
}

CUresult mock_cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
    return create(phStream, Flags, 0, "cuStreamCreate");
}

CUresult mock_cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
    return create(phStream, flags, priority, "cuStreamCreateWithPriority");
}

static CUresult destroy(CUstream hStream)
{
    struct mock__stream *stream;

    MOCK__ENTER();
    stream = find_own(hStream);
    MOCK__REQUIRE(stream, CUDA_ERROR_INVALID_HANDLE);
    free_stream(stream);
    return CUDA_SUCCESS;
}

CUresult mock_cuStreamDestroy(CUstream hStream)
{
    return destroy(hStream);
}

CUresult mock_cuStreamDestroy_v2(CUstream hStream)
{
    return destroy(hStream);
}

/* The legacy stream stands for the streams that take turns with it, too. */
static struct mock__queue *busy_queue(const struct mock__stream *stream)
{
    struct mock__queue *own = stream->queue->first ? stream->queue : NULL;
    struct mock__queue *blocking = stream->context->busy[true];

    if (!stream->queue->legacy || !own || !blocking)
        return !own && stream->queue->legacy ? blocking : own;
    return own->busy_since > blocking->busy_since ? own : blocking;
}

/* The host knows what the stream had is done, or will know before it goes on. */
static void know(const struct mock__stream *stream)
{
    mock__host_waited(stream->queue->clock);
    if (stream->queue->legacy)
        mock__host_waited(stream->context->blocking_clock);
}

static CUresult synchronize(CUstream hStream)
{
    struct mock__stream *stream = NULL;
    struct mock__queue *queue;

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__TRY(mock__capture_asked(stream));
    know(stream);
    mock__stats.waits++;
    /* Found anew each time: waiting gives up the lock. */
    while ((queue = busy_queue(stream))) {
        MOCK__TRY(mock__wait_queue(queue));
        MOCK__TRY(mock__stream_find(hStream, &stream));
    }
    return CUDA_SUCCESS;
}

CUresult mock_cuStreamSynchronize(CUstream hStream)
{
    return synchronize(hStream);
}

CUresult mock_cuStreamSynchronize_ptsz(CUstream hStream)
{
    return synchronize(mock__ptsz(hStream));
}

static CUresult query(CUstream hStream)
{
    struct mock__stream *stream = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__TRY(mock__capture_asked(stream));
    if (!busy_queue(stream)) {
        know(stream);
        return CUDA_SUCCESS;
    }
    mock__schedule_asked();
    return CUDA_ERROR_NOT_READY;
}

CUresult mock_cuStreamQuery(CUstream hStream)
{
    return query(hStream);
}

CUresult mock_cuStreamQuery_ptsz(CUstream hStream)
{
    return query(mock__ptsz(hStream));
}

CUresult mock__stream_submit(struct mock__stream *stream, void *work)
{
    const CUresult result = mock__capture_check(stream);

    if (result != CUDA_SUCCESS) {
        mock__work_free(work);
        return result;
    }
    return stream->capture ? mock__capture_add(stream, work) : mock__work_give(stream->queue, work);
}

/* Work that does nothing, and waits: what is submitted after it waits with it. */
static CUresult submit_wait(struct mock__stream *stream, const struct mock__point *point)
{
    struct mock__work *work;

    if (mock__point_reached(point)) {
        mock__queue_follow(stream->queue, point->clock);
        return CUDA_SUCCESS;
    }
    work = mock__work_nothing();
    if (work && mock__work_wait_for(work, point))
        return mock__work_give(stream->queue, work);
    mock__work_free(work);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult wait_event(CUstream hStream, CUevent hEvent, unsigned flags)
{
    struct mock__stream *stream = NULL;
    struct mock__event *event = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__event_find(hEvent, &event));
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__REQUIRE(!(flags & ~(unsigned) CU_EVENT_WAIT_EXTERNAL), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__capture_check(stream));
    /* Outside of a capture there is nothing that the event could be external to. */
    MOCK__REQUIRE(!flags || stream->capture, CUDA_ERROR_INVALID_VALUE);
    if (stream->capture || event->captured_by)
        return mock__capture_wait(stream, event, flags & CU_EVENT_WAIT_EXTERNAL);
    return submit_wait(stream, &event->point);
}

CUresult mock_cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    return wait_event(hStream, hEvent, Flags);
}

CUresult mock_cuStreamWaitEvent_ptsz(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    return wait_event(mock__ptsz(hStream), hEvent, Flags);
}

struct callback_work {
    struct mock__work work;
    CUstreamCallback function;
    CUstream stream;
    void *user;
};

/* It is called in any case, and told the status of the stream's context. */
static void run_callback(struct mock__work *work)
{
    const struct callback_work *callback = (const struct callback_work *) work;

    callback->function(callback->stream, work->status, callback->user);
}

static const struct mock__work_type callback_type = {
    .name = "callback", .host = true, .run = run_callback};

/* handle is what the callback is told: the caller's own word for the stream. */
static CUresult add_callback(CUstream handle, CUstreamCallback function, void *user, unsigned flags)
{
    struct mock__stream *stream = NULL;
    struct callback_work *work;

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(handle, &stream));
    MOCK__REQUIRE(function && !flags, CUDA_ERROR_INVALID_VALUE);
    work = mock__work_new(&callback_type, sizeof(*work));
    MOCK__REQUIRE(work, CUDA_ERROR_OUT_OF_MEMORY);
    work->function = function;
    work->stream = handle;
    work->user = user;
    return mock__stream_submit(stream, work);
}

CUresult mock_cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
                                  unsigned int flags)
{
    return add_callback(hStream, callback, userData, flags);
}

CUresult mock_cuStreamAddCallback_ptsz(CUstream hStream, CUstreamCallback callback, void *userData,
                                       unsigned int flags)
{
    return add_callback(mock__ptsz(hStream), callback, userData, flags);
}
