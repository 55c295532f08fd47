/* SPDX-License-Identifier: MIT */
/* cuStreamGet*, except cuStreamGetAttribute, which is in stream_attribute.c. */
#include "mock/base/green.h"
#include "mock/base/state.h"
#include "mock/stream/capture.h"
#include "mock/stream/stream.h"

/* Begins a function that reads a property of a stream into an output. */
#define ENTER_STREAM(stream, handle, output)                                                       \
    MOCK__ENTER_INHERITED();                                                                       \
    struct mock__stream *stream = NULL;                                                            \
    MOCK__REQUIRE(output, CUDA_ERROR_INVALID_VALUE);                                               \
    MOCK__TRY(mock__stream_find(handle, &(stream)))

CUresult mock_cuStreamGetPriority(CUstream hStream, int *priority)
{
    ENTER_STREAM(stream, hStream, priority);
    *priority = stream->priority;
    return CUDA_SUCCESS;
}

CUresult mock_cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
    ENTER_STREAM(stream, hStream, flags);
    MOCK__TRY(mock__capture_refuse(stream));
    *flags = stream->flags;
    return CUDA_SUCCESS;
}

/* NULL, if the stream belongs to no green context. */
static void *green_of(CUstream hStream)
{
    const struct mock__green *green = mock__stream_green(hStream);

    return green ? MOCK__HANDLE(green) : NULL;
}

CUresult mock_cuStreamGetCtx(CUstream hStream, CUcontext *pctx)
{
    ENTER_STREAM(stream, hStream, pctx);
    *pctx = green_of(hStream);
    if (!*pctx)
        *pctx = MOCK__HANDLE(stream->context);
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 12050
CUresult mock_cuStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx)
{
    ENTER_STREAM(stream, hStream, pCtx || pGreenCtx);
    if (pCtx)
        *pCtx = MOCK__HANDLE(stream->context);
    if (pGreenCtx)
        *pGreenCtx = green_of(hStream);
    return CUDA_SUCCESS;
}
#endif

#if CUDA_VERSION >= 12040
CUresult mock_cuStreamGetGreenCtx(CUstream hStream, CUgreenCtx *phCtx)
{
    ENTER_STREAM(stream, hStream, phCtx);
    *phCtx = green_of(hStream);
    return CUDA_SUCCESS;
}
#endif

#if CUDA_VERSION >= 12000
CUresult mock_cuStreamGetId(CUstream hStream, unsigned long long *streamId)
{
    ENTER_STREAM(stream, hStream, streamId);
    MOCK__TRY(mock__capture_refuse(stream));
    *streamId = stream->id;
    return CUDA_SUCCESS;
}
#endif

#if CUDA_VERSION >= 12080
CUresult mock_cuStreamGetDevice(CUstream hStream, CUdevice *device)
{
    ENTER_STREAM(stream, hStream, device);
    MOCK__TRY(mock__capture_refuse(stream));
    *device = stream->context->device->ordinal;
    return CUDA_SUCCESS;
}
#endif
