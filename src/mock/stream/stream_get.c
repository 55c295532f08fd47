/* SPDX-License-Identifier: MIT */
/* cuStreamGet*, except cuStreamGetAttribute, which is in stream_attribute.c. */
#include "mock/base/state.h"
#include "mock/stream/stream.h"

/* Begins a function that reads a property of a stream into an output. */
#define ENTER_STREAM(stream, handle, output)                                                       \
    MOCK__ENTER();                                                                                 \
    struct mock__stream *stream = NULL;                                                            \
    MOCK__REQUIRE(output, CUDA_ERROR_INVALID_VALUE);                                               \
    MOCK__TRY(mock__stream_find(handle, &(stream)))

static CUresult get_priority(CUstream hStream, int *priority)
{
    ENTER_STREAM(stream, hStream, priority);
    *priority = stream->priority;
    return CUDA_SUCCESS;
}

CUresult mock_cuStreamGetPriority(CUstream hStream, int *priority)
{
    return get_priority(hStream, priority);
}

CUresult mock_cuStreamGetPriority_ptsz(CUstream hStream, int *priority)
{
    return get_priority(mock__ptsz(hStream), priority);
}

static CUresult get_flags(CUstream hStream, unsigned *flags)
{
    ENTER_STREAM(stream, hStream, flags);
    *flags = stream->flags;
    return CUDA_SUCCESS;
}

CUresult mock_cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
    return get_flags(hStream, flags);
}

CUresult mock_cuStreamGetFlags_ptsz(CUstream hStream, unsigned int *flags)
{
    return get_flags(mock__ptsz(hStream), flags);
}

static CUresult get_context(CUstream hStream, CUcontext *pctx)
{
    ENTER_STREAM(stream, hStream, pctx);
    *pctx = MOCK__HANDLE(stream->context);
    return CUDA_SUCCESS;
}

CUresult mock_cuStreamGetCtx(CUstream hStream, CUcontext *pctx)
{
    return get_context(hStream, pctx);
}

CUresult mock_cuStreamGetCtx_ptsz(CUstream hStream, CUcontext *pctx)
{
    return get_context(mock__ptsz(hStream), pctx);
}

#if CUDA_VERSION >= 12050
/* A stream belongs to a context or to a green context. The mock has no green contexts. */
static CUresult get_contexts(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx)
{
    ENTER_STREAM(stream, hStream, pCtx);
    *pCtx = MOCK__HANDLE(stream->context);
    if (pGreenCtx)
        *pGreenCtx = NULL;
    return CUDA_SUCCESS;
}

CUresult mock_cuStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx)
{
    return get_contexts(hStream, pCtx, pGreenCtx);
}

CUresult mock_cuStreamGetCtx_v2_ptsz(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx)
{
    return get_contexts(mock__ptsz(hStream), pCtx, pGreenCtx);
}
#endif

#if CUDA_VERSION >= 12000
static CUresult get_id(CUstream hStream, unsigned long long *streamId)
{
    ENTER_STREAM(stream, hStream, streamId);
    *streamId = stream->id;
    return CUDA_SUCCESS;
}

CUresult mock_cuStreamGetId(CUstream hStream, unsigned long long *streamId)
{
    return get_id(hStream, streamId);
}

CUresult mock_cuStreamGetId_ptsz(CUstream hStream, unsigned long long *streamId)
{
    return get_id(mock__ptsz(hStream), streamId);
}
#endif

#if CUDA_VERSION >= 12080
static CUresult get_device(CUstream hStream, CUdevice *device)
{
    ENTER_STREAM(stream, hStream, device);
    *device = stream->context->device->ordinal;
    return CUDA_SUCCESS;
}

CUresult mock_cuStreamGetDevice(CUstream hStream, CUdevice *device)
{
    return get_device(hStream, device);
}

CUresult mock_cuStreamGetDevice_ptsz(CUstream hStream, CUdevice *device)
{
    return get_device(mock__ptsz(hStream), device);
}
#endif
