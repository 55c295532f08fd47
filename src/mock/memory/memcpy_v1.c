/* SPDX-License-Identifier: MIT */
/*
 * The first versions of cuMemcpy2D* and cuMemcpy3D*, whose structures have addresses and sizes of
 * 32 bits. Those that take such arguments one by one are generated (same= in cuda.symbols).
 */
#include "mock/base/state.h"

static CUDA_MEMCPY2D widened_2d(const CUDA_MEMCPY2D_v1 *p)
{
    return (CUDA_MEMCPY2D){.srcXInBytes = p->srcXInBytes,
                           .srcY = p->srcY,
                           .srcMemoryType = p->srcMemoryType,
                           .srcHost = p->srcHost,
                           .srcDevice = p->srcDevice,
                           .srcArray = p->srcArray,
                           .srcPitch = p->srcPitch,
                           .dstXInBytes = p->dstXInBytes,
                           .dstY = p->dstY,
                           .dstMemoryType = p->dstMemoryType,
                           .dstHost = p->dstHost,
                           .dstDevice = p->dstDevice,
                           .dstArray = p->dstArray,
                           .dstPitch = p->dstPitch,
                           .WidthInBytes = p->WidthInBytes,
                           .Height = p->Height};
}

static CUDA_MEMCPY3D widened_3d(const CUDA_MEMCPY3D_v1 *p)
{
    return (CUDA_MEMCPY3D){.srcXInBytes = p->srcXInBytes,
                           .srcY = p->srcY,
                           .srcZ = p->srcZ,
                           .srcLOD = p->srcLOD,
                           .srcMemoryType = p->srcMemoryType,
                           .srcHost = p->srcHost,
                           .srcDevice = p->srcDevice,
                           .srcArray = p->srcArray,
                           .srcPitch = p->srcPitch,
                           .srcHeight = p->srcHeight,
                           .dstXInBytes = p->dstXInBytes,
                           .dstY = p->dstY,
                           .dstZ = p->dstZ,
                           .dstLOD = p->dstLOD,
                           .dstMemoryType = p->dstMemoryType,
                           .dstHost = p->dstHost,
                           .dstDevice = p->dstDevice,
                           .dstArray = p->dstArray,
                           .dstPitch = p->dstPitch,
                           .dstHeight = p->dstHeight,
                           .WidthInBytes = p->WidthInBytes,
                           .Height = p->Height,
                           .Depth = p->Depth};
}

CUresult mock_cuMemcpy2D(const CUDA_MEMCPY2D_v1 *pCopy)
{
    const CUDA_MEMCPY2D copy = pCopy ? widened_2d(pCopy) : (CUDA_MEMCPY2D){0};

    return mock_cuMemcpy2D_v2(pCopy ? &copy : NULL);
}

CUresult mock_cuMemcpy2DUnaligned(const CUDA_MEMCPY2D_v1 *pCopy)
{
    const CUDA_MEMCPY2D copy = pCopy ? widened_2d(pCopy) : (CUDA_MEMCPY2D){0};

    return mock_cuMemcpy2DUnaligned_v2(pCopy ? &copy : NULL);
}

CUresult mock_cuMemcpy2DAsync(const CUDA_MEMCPY2D_v1 *pCopy, CUstream hStream)
{
    const CUDA_MEMCPY2D copy = pCopy ? widened_2d(pCopy) : (CUDA_MEMCPY2D){0};

    return mock_cuMemcpy2DAsync_v2(pCopy ? &copy : NULL, hStream);
}

CUresult mock_cuMemcpy3D(const CUDA_MEMCPY3D_v1 *pCopy)
{
    const CUDA_MEMCPY3D copy = pCopy ? widened_3d(pCopy) : (CUDA_MEMCPY3D){0};

    return mock_cuMemcpy3D_v2(pCopy ? &copy : NULL);
}

CUresult mock_cuMemcpy3DAsync(const CUDA_MEMCPY3D_v1 *pCopy, CUstream hStream)
{
    const CUDA_MEMCPY3D copy = pCopy ? widened_3d(pCopy) : (CUDA_MEMCPY3D){0};

    return mock_cuMemcpy3DAsync_v2(pCopy ? &copy : NULL, hStream);
}
