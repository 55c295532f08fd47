/* SPDX-License-Identifier: MIT */
/* cuStream*, except attributes, which are in stream_attribute.c. */
#include "mock/stream/stream.h"

#include <string.h>

#include "mock/base/default_stream.h"
#include "mock/base/green.h"
#include "mock/base/state.h"
#include "mock/base/stats.h"
#include "mock/queue/clock.h"
#include "mock/queue/schedule.h"
#include "mock/stream/capture.h"
#include "mock/stream/event.h"
#include "mock/stream/per_thread.h"

/* A driver uses the first stream numbers for streams of its own. */
#define FIRST_ID 7

static uint64_t next_id = FIRST_ID;

struct mock__stream *mock__stream_new(struct mock__context *context, unsigned flags)
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
        stream->id = next_id++;
        stream->queue->stream_id = stream->id;
        /* A device answers -1 before the program has set a policy. */
        memset(stream->attributes[MOCK__SYNCHRONIZATION_POLICY], 0xff, sizeof(int));
    }
    return stream;
}

void mock__stream_free(struct mock__stream *stream)
{
    mock__per_thread_stream_leave(stream);
    mock__capture_leave(stream);
    mock__queue_leave(stream->queue);
    mock__object_free(stream);
}

bool mock__streams_begin(struct mock__context *context)
{
    context->legacy = mock__stream_new(context, 0);
    if (!context->legacy)
        return false;
    context->legacy->is_default = true;
    context->legacy->queue->blocking = false;
    context->legacy->queue->legacy = true;
    context->legacy_queue = context->legacy->queue;
    return true;
}

void mock__streams_destroy(const struct mock__context *context)
{
    struct mock__stream *stream;

    for (size_t cursor = 0; (stream = mock__object_next_of(context, MOCK__STREAM, &cursor));) {
        mock__queue_detach(stream->queue);
        mock__stream_free(stream);
    }
}

CUstream mock__stream_meant(CUstream handle)
{
    return handle == MOCK__DEFAULT_STREAM && mock__per_thread() ? CU_STREAM_PER_THREAD : handle;
}

bool mock__stream_is_legacy(CUstream handle)
{
    const CUstream meant = mock__stream_meant(handle);

    return meant == MOCK__DEFAULT_STREAM || meant == CU_STREAM_LEGACY;
}

static CUresult find_special(CUstream handle, struct mock__stream **ret_stream)
{
    struct mock__context *context = NULL;

    MOCK__TRY(mock__context_current(&context));
    /* A thread has no stream of its own in a green context. */
    MOCK__REQUIRE(mock__stream_meant(handle) != CU_STREAM_PER_THREAD || !mock__green_current(),
                  CUDA_ERROR_INVALID_HANDLE);
    *ret_stream = mock__stream_meant(handle) == CU_STREAM_PER_THREAD
                      ? mock__per_thread_stream(context)
                      : context->legacy;
    return *ret_stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static bool is_special(CUstream handle)
{
    return !handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
}

/*
 * Finds a stream that the program has made. The default streams have objects too, but the program
 * knows only their special handles.
 */
static struct mock__stream *find_own(CUstream handle)
{
    struct mock__stream *stream = mock__object_find(MOCK__STREAM, handle);

    return stream && !stream->is_default ? stream : NULL;
}

/* A stream outlives its green context, but is of no use then. */
static CUresult find_usable(CUstream handle, struct mock__stream **ret_stream)
{
    struct mock__stream *stream = find_own(handle);

    MOCK__REQUIRE(stream, mock__stranger(handle, CUDA_ERROR_INVALID_HANDLE));
    MOCK__REQUIRE(!stream->green || mock__green_find((void *) stream->green),
                  CUDA_ERROR_CONTEXT_IS_DESTROYED);
    *ret_stream = stream;
    return CUDA_SUCCESS;
}

CUresult mock__stream_find(CUstream handle, struct mock__stream **ret_stream)
{
    if (is_special(handle))
        return find_special(handle, ret_stream);
    MOCK__TRY(find_usable(handle, ret_stream));
    return mock__context_usable((*ret_stream)->context);
}

struct mock__green *mock__stream_green(CUstream handle)
{
    const struct mock__stream *stream = is_special(handle) ? NULL : find_own(handle);

    return stream ? mock__green_find((void *) stream->green) : mock__green_current();
}

void mock__stream_set_priority(struct mock__stream *stream, int priority)
{
    const int greatest = stream->context->device->profile->priority_greatest;

    stream->priority = priority > 0 ? 0 : priority < greatest ? greatest : priority;
}

static void join_green(struct mock__stream *stream, const struct mock__green *green)
{
    if (green)
        stream->green = stream->queue->green = green->object.handle;
}

/* For the program, in a context or a green one of it. */
static CUresult make(struct mock__context *context, const struct mock__green *green,
                     const struct mock__stream *like, CUstream *ret_stream)
{
    struct mock__stream *stream = mock__stream_new(context, like->flags);

    MOCK__REQUIRE(stream, CUDA_ERROR_OUT_OF_MEMORY);
    join_green(stream, green);
    mock__stream_set_priority(stream, like->priority);
    mock__made(&stream->object.made, like->object.made.function);
    *ret_stream = MOCK__HANDLE(stream);
    return CUDA_SUCCESS;
}

static CUresult create(CUstream *phStream, unsigned flags, int priority, const char *made_by)
{
    const struct mock__stream like = {
        .object.made.function = made_by, .flags = flags, .priority = priority};

    MOCK__REQUIRE(phStream && !(flags & ~(unsigned) CU_STREAM_NON_BLOCKING),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__ENTER_CONTEXT(context);
    return make(context, mock__green_current(), &like, phStream);
}

#if CUDA_VERSION >= 12050
CUresult mock_cuGreenCtxStreamCreate(CUstream *phStream, CUgreenCtx greenCtx, unsigned int flags,
                                     int priority)
{
    const struct mock__stream like = {
        .object.made.function = "cuGreenCtxStreamCreate", .flags = flags, .priority = priority};
    struct mock__green *green = NULL;

    MOCK__ENTER_EARLY();
    MOCK__TRY(mock__green_of(greenCtx, &green));
    MOCK__TRY(mock__initialised());
    MOCK__REQUIRE(green->primary, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    MOCK__REQUIRE(phStream && flags == CU_STREAM_NON_BLOCKING, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__context_usable(green->primary));
    return make(green->primary, green, &like, phStream);
}
#endif

CUresult mock_cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
    return create(phStream, Flags, 0, "cuStreamCreate");
}

CUresult mock_cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
    return create(phStream, flags, priority, "cuStreamCreateWithPriority");
}

CUresult mock_cuStreamDestroy_v2(CUstream hStream)
{
    struct mock__stream *stream = NULL;
    CUresult result;

    MOCK__ENTER_EARLY();
    MOCK__TRY(find_usable(hStream, &stream));
    MOCK__TRY(mock__initialised());
    result = mock__context_usable(stream->context);
    mock__stream_free(stream);
    return result;
}

static struct mock__queue *busy_queue(const struct mock__stream *stream)
{
    struct mock__queue *own = stream->queue->first ? stream->queue : NULL;
    struct mock__queue *blocking = stream->context->busy[true];

    if (!stream->queue->legacy || !own || !blocking)
        return !own && stream->queue->legacy ? blocking : own;
    return own->busy_since > blocking->busy_since ? own : blocking;
}

/* What the host knows once it has waited for all work of a stream. */
struct known {
    struct mock__clock *own, *blocking;
};

static struct known known_of(const struct mock__stream *stream)
{
    const bool legacy = stream->queue->legacy;

    return (struct known){mock__clock_ref(stream->queue->clock),
                          legacy ? mock__clock_ref(stream->context->blocking_clock) : NULL};
}

/* Called when that work is done; it includes work that was done before the call. */
static void know(const struct known *known)
{
    mock__host_waited(known->own);
    if (known->blocking)
        mock__host_waited(known->blocking);
}

static void forget(const struct known *known)
{
    mock__clock_unref(known->own);
    mock__clock_unref(known->blocking);
}

/* The streams are looked up again each time, because a wait releases the lock. */
static CUresult wait_for(CUstream hStream, const struct mock__stream *found)
{
    struct mock__stream *stream = NULL;
    struct mock__queue *queue = busy_queue(found);

    while (queue) {
        MOCK__TRY(mock__wait_queue(queue));
        MOCK__TRY(mock__stream_find(hStream, &stream));
        queue = busy_queue(stream);
    }
    return CUDA_SUCCESS;
}

CUresult mock_cuStreamSynchronize(CUstream hStream)
{
    struct mock__stream *stream = NULL;
    struct known known;
    CUresult result;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__TRY(mock__capture_asked(stream));
    mock__stats.waits++;
    known = known_of(stream);
    result = wait_for(hStream, stream);
    if (result == CUDA_SUCCESS)
        know(&known);
    forget(&known);
    return result;
}

CUresult mock_cuStreamQuery(CUstream hStream)
{
    struct mock__stream *stream = NULL;
    struct known known;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__TRY(mock__capture_asked(stream));
    if (!busy_queue(stream)) {
        known = known_of(stream);
        know(&known);
        forget(&known);
        return CUDA_SUCCESS;
    }
    mock__schedule_asked();
    return CUDA_ERROR_NOT_READY;
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

/*
 * Submits work that does nothing but wait, so that later work in the stream waits too. If the point
 * is reached already, only the clock of the queue must change.
 */
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

CUresult mock_cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    struct mock__stream *stream = NULL;
    struct mock__event *event = NULL;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__event_find(hEvent, &event));
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__REQUIRE(!(Flags & ~(unsigned) CU_EVENT_WAIT_EXTERNAL), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__capture_check(stream));
    /* The flag for external events has a meaning only in a capture. */
    MOCK__REQUIRE(!Flags || stream->capture, CUDA_ERROR_ILLEGAL_STATE);
    if (stream->capture || event->captured_by)
        return mock__capture_wait(stream, event, Flags & CU_EVENT_WAIT_EXTERNAL);
    return submit_wait(stream, &event->point);
}

struct callback_work {
    struct mock__work work;
    CUstreamCallback function;
    CUstream stream;
    void *user;
};

/*
 * A callback is called in a broken context as well. It gets the error as the status of its stream.
 */
static void run_callback(struct mock__work *work)
{
    const struct callback_work *callback = (const struct callback_work *) work;

    callback->function(callback->stream, work->status, callback->user);
}

static const struct mock__work_type callback_type = {
    .name = "callback", .host = true, .run = run_callback};

/* The callback gets the stream handle as the caller wrote it. */
CUresult mock_cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
                                  unsigned int flags)
{
    struct mock__stream *stream = NULL;
    struct callback_work *work;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(callback && !flags, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__stream_find(hStream, &stream));
    work = mock__work_new(&callback_type, sizeof(*work));
    MOCK__REQUIRE(work, CUDA_ERROR_OUT_OF_MEMORY);
    work->function = callback;
    work->stream = mock__stream_meant(hStream);
    work->user = userData;
    return mock__stream_submit(stream, work);
}
