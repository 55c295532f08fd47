/* SPDX-License-Identifier: MIT */
/* cuMemcpy* of one dimension; memcpy_nd.c has the others. */
#include "mock/base/state.h"
#include "mock/memory/copy.h"
#include "mock/stream/capture.h"
#include "mock/stream/stream.h"

#define HOST   MOCK__HOST_SIDE
#define DEVICE MOCK__DEVICE_SIDE
#define ANY    MOCK__ANY_SIDE

/*
 * The functions below differ in the side of each address, in the stream that they work in, and in
 * whether they wait. Those without "Async" work in the default stream.
 */
static CUresult copy_in(CUstream hStream, bool async, struct mock__copy copy)
{
    struct mock__stream *stream = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    return mock__copy(stream, async, &copy);
}

static uint64_t host(const void *pointer)
{
    return (uintptr_t) pointer;
}

CUresult mock_cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
    return copy_in(MOCK__DEFAULT_STREAM, false, mock__copy_line(ANY, dst, ANY, src, ByteCount));
}

CUresult mock_cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
    return copy_in(hStream, true, mock__copy_line(ANY, dst, ANY, src, ByteCount));
}

CUresult mock_cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
    return copy_in(MOCK__DEFAULT_STREAM, false,
                   mock__copy_line(DEVICE, dstDevice, HOST, host(srcHost), ByteCount));
}

CUresult mock_cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
                                   CUstream hStream)
{
    return copy_in(hStream, true,
                   mock__copy_line(DEVICE, dstDevice, HOST, host(srcHost), ByteCount));
}

CUresult mock_cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)
{
    return copy_in(MOCK__DEFAULT_STREAM, false,
                   mock__copy_line(HOST, host(dstHost), DEVICE, srcDevice, ByteCount));
}

CUresult mock_cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                                   CUstream hStream)
{
    return copy_in(hStream, true,
                   mock__copy_line(HOST, host(dstHost), DEVICE, srcDevice, ByteCount));
}

CUresult mock_cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount)
{
    return copy_in(MOCK__DEFAULT_STREAM, false,
                   mock__copy_line(DEVICE, dstDevice, DEVICE, srcDevice, ByteCount));
}

CUresult mock_cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                                   CUstream hStream)
{
    return copy_in(hStream, true, mock__copy_line(DEVICE, dstDevice, DEVICE, srcDevice, ByteCount));
}

/*
 * Contexts say where memory is; with unified addresses the addresses say so themselves. No such
 * copy is captured.
 */
static CUresult copy_peer(CUstream hStream, bool async, CUcontext dst_context,
                          CUcontext src_context, struct mock__copy copy)
{
    struct mock__stream *stream = NULL;
    struct mock__context *context = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__TRY(mock__capture_refuse(stream));
    MOCK__TRY(mock__context_of(dst_context, &context));
    MOCK__TRY(mock__context_usable(context));
    MOCK__TRY(mock__context_of(src_context, &context));
    MOCK__TRY(mock__context_usable(context));
    return mock__copy(stream, async, &copy);
}

CUresult mock_cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                           CUcontext srcContext, size_t ByteCount)
{
    return copy_peer(MOCK__DEFAULT_STREAM, false, dstContext, srcContext,
                     mock__copy_line(DEVICE, dstDevice, DEVICE, srcDevice, ByteCount));
}

CUresult mock_cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                                CUcontext srcContext, size_t ByteCount, CUstream hStream)
{
    return copy_peer(hStream, true, dstContext, srcContext,
                     mock__copy_line(DEVICE, dstDevice, DEVICE, srcDevice, ByteCount));
}
