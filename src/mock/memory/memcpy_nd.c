/* SPDX-License-Identifier: MIT */
/* cuMemcpy2D*, cuMemcpy3D*, cuMemcpy3DPeer* */
#include "mock/allocation/array.h"
#include "mock/base/state.h"
#include "mock/memory/copy.h"
#include "mock/stream/capture.h"
#include "mock/stream/stream.h"

/* Says where the memory of one end is. */
static CUresult set_memory(struct mock__end *end, CUmemorytype type, const void *host,
                           CUdeviceptr device, CUarray array, const struct mock__copy *copy)
{
    switch (type) {
    case CU_MEMORYTYPE_HOST:
        end->side = MOCK__HOST_SIDE;
        end->address = (uintptr_t) host;
        return CUDA_SUCCESS;
    case CU_MEMORYTYPE_DEVICE:
        end->side = MOCK__DEVICE_SIDE;
        end->address = device;
        return CUDA_SUCCESS;
    case CU_MEMORYTYPE_UNIFIED:
        end->side = MOCK__ANY_SIDE;
        end->address = device;
        return CUDA_SUCCESS;
    case CU_MEMORYTYPE_ARRAY:
        return mock__array_end(array, copy, end);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult copy_2d(CUstream hStream, bool async, const CUDA_MEMCPY2D *p)
{
    struct mock__stream *stream = NULL;
    struct mock__copy copy;

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__REQUIRE(p, CUDA_ERROR_INVALID_VALUE);
    copy = (struct mock__copy){
        .dst = {.x = p->dstXInBytes, .y = p->dstY, .pitch = p->dstPitch},
        .src = {.x = p->srcXInBytes, .y = p->srcY, .pitch = p->srcPitch},
        .width = p->WidthInBytes,
        .height = p->Height,
        .depth = 1,
    };
    MOCK__TRY(
        set_memory(&copy.dst, p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, &copy));
    MOCK__TRY(
        set_memory(&copy.src, p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, &copy));
    return mock__copy(stream, async, &copy);
}

CUresult mock_cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy)
{
    return copy_2d(MOCK__DEFAULT_STREAM, false, pCopy);
}

CUresult mock_cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy)
{
    return copy_2d(MOCK__DEFAULT_STREAM, false, pCopy);
}

CUresult mock_cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
    return copy_2d(hStream, true, pCopy);
}

/* The structures of copies within and between contexts have the same fields for this. */
#define BOX(p)                                                                                     \
    (struct mock__copy)                                                                            \
    {                                                                                              \
        .dst = {.x = (p)->dstXInBytes,                                                             \
                .y = (p)->dstY,                                                                    \
                .z = (p)->dstZ,                                                                    \
                .pitch = (p)->dstPitch,                                                            \
                .height = (p)->dstHeight},                                                         \
        .src = {.x = (p)->srcXInBytes,                                                             \
                .y = (p)->srcY,                                                                    \
                .z = (p)->srcZ,                                                                    \
                .pitch = (p)->srcPitch,                                                            \
                .height = (p)->srcHeight},                                                         \
        .width = (p)->WidthInBytes, .height = (p)->Height, .depth = (p)->Depth,                    \
    }

/* Levels of detail are of arrays: elsewhere, the number counts for nothing. */
#define LEVELS_VALID(p)                                                                            \
    ((!(p)->srcLOD || (p)->srcMemoryType != CU_MEMORYTYPE_ARRAY) &&                                \
     (!(p)->dstLOD || (p)->dstMemoryType != CU_MEMORYTYPE_ARRAY))

CUresult mock__copy_from_3d(const CUDA_MEMCPY3D *p, struct mock__copy *ret_copy)
{
    struct mock__copy copy;

    MOCK__REQUIRE(p && LEVELS_VALID(p), CUDA_ERROR_INVALID_VALUE);
    copy = BOX(p);
    MOCK__TRY(
        set_memory(&copy.dst, p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, &copy));
    MOCK__TRY(
        set_memory(&copy.src, p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, &copy));
    *ret_copy = copy;
    return CUDA_SUCCESS;
}

static CUmemorytype type_of(const struct mock__end *end)
{
    static const CUmemorytype types[] = {[MOCK__HOST_SIDE] = CU_MEMORYTYPE_HOST,
                                         [MOCK__DEVICE_SIDE] = CU_MEMORYTYPE_DEVICE,
                                         [MOCK__ANY_SIDE] = CU_MEMORYTYPE_UNIFIED};

    return end->array ? CU_MEMORYTYPE_ARRAY : types[end->side];
}

/* The addresses of the device and of the host, and the array: only what the type says is read. */
void mock__copy_to_3d(const struct mock__copy *copy, CUDA_MEMCPY3D *ret_p)
{
    *ret_p = (CUDA_MEMCPY3D){
        .srcXInBytes = copy->src.x,
        .srcY = copy->src.y,
        .srcZ = copy->src.z,
        .srcMemoryType = type_of(&copy->src),
        .srcArray = copy->src.array,
        .srcHost = (const void *) (uintptr_t) copy->src.address,
        .srcDevice = copy->src.address,
        .srcPitch = copy->src.pitch,
        .srcHeight = copy->src.height,
        .dstXInBytes = copy->dst.x,
        .dstY = copy->dst.y,
        .dstZ = copy->dst.z,
        .dstMemoryType = type_of(&copy->dst),
        .dstArray = copy->dst.array,
        .dstHost = (void *) (uintptr_t) copy->dst.address,
        .dstDevice = copy->dst.address,
        .dstPitch = copy->dst.pitch,
        .dstHeight = copy->dst.height,
        .WidthInBytes = copy->width,
        .Height = copy->height,
        .Depth = copy->depth,
    };
}

static CUresult copy_3d(CUstream hStream, bool async, const CUDA_MEMCPY3D *p)
{
    struct mock__stream *stream = NULL;
    struct mock__copy copy;

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__TRY(mock__copy_from_3d(p, &copy));
    return mock__copy(stream, async, &copy);
}

CUresult mock_cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy)
{
    return copy_3d(MOCK__DEFAULT_STREAM, false, pCopy);
}

CUresult mock_cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
    return copy_3d(hStream, true, pCopy);
}

static CUresult copy_3d_peer(CUstream hStream, bool async, const CUDA_MEMCPY3D_PEER *p)
{
    struct mock__stream *stream = NULL;
    struct mock__context *context = NULL;
    struct mock__copy copy;

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__TRY(mock__capture_refuse(stream));
    MOCK__REQUIRE(p && LEVELS_VALID(p), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__context_of(p->dstContext, &context));
    MOCK__TRY(mock__context_of(p->srcContext, &context));
    copy = BOX(p);
    MOCK__TRY(
        set_memory(&copy.dst, p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, &copy));
    MOCK__TRY(
        set_memory(&copy.src, p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, &copy));
    return mock__copy(stream, async, &copy);
}

CUresult mock_cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy)
{
    return copy_3d_peer(MOCK__DEFAULT_STREAM, false, pCopy);
}

CUresult mock_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream)
{
    return copy_3d_peer(hStream, true, pCopy);
}
