/* SPDX-License-Identifier: MIT */
/* cuStream*, except attributes, which are in stream_attribute.c. */
#include "mock/stream.h"

#include "mock/event.h"
#include "mock/state.h"

/* A driver hands out a few of its own first. */
#define FIRST_ID 7

static uint64_t next_id = FIRST_ID;

struct mock__stream *mock__stream_new(struct mock__context *context, unsigned flags, int priority)
{
    struct mock__stream *stream = mock__object_new(MOCK__STREAM, sizeof(*stream));

    if (stream) {
        stream->context = context;
        stream->flags = flags;
        stream->priority = priority;
        stream->id = next_id++;
        stream->attributes[MOCK__SYNCHRONIZATION_POLICY][0] = CU_SYNC_POLICY_AUTO;
    }
    return stream;
}

void mock__streams_destroy(const struct mock__context *context)
{
    struct mock__stream *stream;

    for (size_t cursor = 0; (stream = mock__object_next(MOCK__STREAM, &cursor));) {
        if (stream->context == context)
            mock__object_free(stream);
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

static CUresult create(CUstream *phStream, unsigned flags, int priority)
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
    *phStream = MOCK__HANDLE(stream);
    return CUDA_SUCCESS;
}

CUresult mock_cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
    return create(phStream, Flags, 0);
}

CUresult mock_cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
    return create(phStream, flags, priority);
}

static CUresult destroy(CUstream hStream)
{
    struct mock__stream *stream;

    MOCK__ENTER();
    stream = find_own(hStream);
    MOCK__REQUIRE(stream, CUDA_ERROR_INVALID_HANDLE);
    mock__object_free(stream);
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

/* Waiting and asking are one, as work is done when it is submitted. */
static CUresult finish(CUstream hStream)
{
    struct mock__stream *stream = NULL;

    MOCK__ENTER();
    return mock__stream_find(hStream, &stream);
}

CUresult mock_cuStreamSynchronize(CUstream hStream)
{
    return finish(hStream);
}

CUresult mock_cuStreamSynchronize_ptsz(CUstream hStream)
{
    return finish(mock__ptsz(hStream));
}

CUresult mock_cuStreamQuery(CUstream hStream)
{
    return finish(hStream);
}

CUresult mock_cuStreamQuery_ptsz(CUstream hStream)
{
    return finish(mock__ptsz(hStream));
}

static CUresult wait_event(CUstream hStream, CUevent hEvent, unsigned flags)
{
    struct mock__stream *stream = NULL;
    struct mock__event *event = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__event_find(hEvent, &event));
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__REQUIRE(!(flags & ~(unsigned) CU_EVENT_WAIT_EXTERNAL), CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

CUresult mock_cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    return wait_event(hStream, hEvent, Flags);
}

CUresult mock_cuStreamWaitEvent_ptsz(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    return wait_event(mock__ptsz(hStream), hEvent, Flags);
}

void mock__stream_call(void (*call)(void *), void *user)
{
    mock__unlock_for_callback();
    call(user);
    mock__lock_after_callback();
}

struct callback {
    CUstreamCallback function;
    CUstream stream;
    void *user;
};

static void run_callback(void *pointer)
{
    const struct callback *callback = pointer;

    callback->function(callback->stream, CUDA_SUCCESS, callback->user);
}

/* handle is what the callback is told: the caller's own word for the stream. */
static CUresult add_callback(CUstream handle, CUstreamCallback function, void *user, unsigned flags)
{
    struct mock__stream *stream = NULL;
    struct callback callback = {function, handle, user};

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(handle, &stream));
    MOCK__REQUIRE(function && !flags, CUDA_ERROR_INVALID_VALUE);
    mock__stream_call(run_callback, &callback);
    return CUDA_SUCCESS;
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
