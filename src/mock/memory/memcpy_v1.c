/* SPDX-License-Identifier: MIT */
/* The first versions of cuMemcpy*, from when addresses and sizes had 32 bits. */
#include "mock/base/state.h"

CUresult mock_cuMemcpyHtoD(CUdeviceptr_v1 dstDevice, const void *srcHost, unsigned int ByteCount)
{
    return mock_cuMemcpyHtoD_v2(dstDevice, srcHost, ByteCount);
}

CUresult mock_cuMemcpyDtoH(void *dstHost, CUdeviceptr_v1 srcDevice, unsigned int ByteCount)
{
    return mock_cuMemcpyDtoH_v2(dstHost, srcDevice, ByteCount);
}

CUresult mock_cuMemcpyDtoD(CUdeviceptr_v1 dstDevice, CUdeviceptr_v1 srcDevice,
                           unsigned int ByteCount)
{
    return mock_cuMemcpyDtoD_v2(dstDevice, srcDevice, ByteCount);
}

CUresult mock_cuMemcpyDtoA(CUarray dstArray, unsigned int dstOffset, CUdeviceptr_v1 srcDevice,
                           unsigned int ByteCount)
{
    return mock_cuMemcpyDtoA_v2(dstArray, dstOffset, srcDevice, ByteCount);
}

CUresult mock_cuMemcpyAtoD(CUdeviceptr_v1 dstDevice, CUarray srcArray, unsigned int srcOffset,
                           unsigned int ByteCount)
{
    return mock_cuMemcpyAtoD_v2(dstDevice, srcArray, srcOffset, ByteCount);
}

CUresult mock_cuMemcpyHtoA(CUarray dstArray, unsigned int dstOffset, const void *srcHost,
                           unsigned int ByteCount)
{
    return mock_cuMemcpyHtoA_v2(dstArray, dstOffset, srcHost, ByteCount);
}

CUresult mock_cuMemcpyAtoH(void *dstHost, CUarray srcArray, unsigned int srcOffset,
                           unsigned int ByteCount)
{
    return mock_cuMemcpyAtoH_v2(dstHost, srcArray, srcOffset, ByteCount);
}

CUresult mock_cuMemcpyAtoA(CUarray dstArray, unsigned int dstOffset, CUarray srcArray,
                           unsigned int srcOffset, unsigned int ByteCount)
{
    return mock_cuMemcpyAtoA_v2(dstArray, dstOffset, srcArray, srcOffset, ByteCount);
}

CUresult mock_cuMemcpyHtoAAsync(CUarray dstArray, unsigned int dstOffset, const void *srcHost,
                                unsigned int ByteCount, CUstream hStream)
{
    return mock_cuMemcpyHtoAAsync_v2(dstArray, dstOffset, srcHost, ByteCount, hStream);
}

CUresult mock_cuMemcpyAtoHAsync(void *dstHost, CUarray srcArray, unsigned int srcOffset,
                                unsigned int ByteCount, CUstream hStream)
{
    return mock_cuMemcpyAtoHAsync_v2(dstHost, srcArray, srcOffset, ByteCount, hStream);
}

CUresult mock_cuMemcpyHtoDAsync(CUdeviceptr_v1 dstDevice, const void *srcHost,
                                unsigned int ByteCount, CUstream hStream)
{
    return mock_cuMemcpyHtoDAsync_v2(dstDevice, srcHost, ByteCount, hStream);
}

CUresult mock_cuMemcpyDtoHAsync(void *dstHost, CUdeviceptr_v1 srcDevice, unsigned int ByteCount,
                                CUstream hStream)
{
    return mock_cuMemcpyDtoHAsync_v2(dstHost, srcDevice, ByteCount, hStream);
}

CUresult mock_cuMemcpyDtoDAsync(CUdeviceptr_v1 dstDevice, CUdeviceptr_v1 srcDevice,
                                unsigned int ByteCount, CUstream hStream)
{
    return mock_cuMemcpyDtoDAsync_v2(dstDevice, srcDevice, ByteCount, hStream);
}

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
