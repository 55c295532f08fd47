/* SPDX-License-Identifier: MIT */
/* The first versions of cuMemset*, from when addresses and sizes had 32 bits. */
#include "mock/functions.h"

CUresult mock_cuMemsetD8(CUdeviceptr_v1 dstDevice, unsigned char uc, unsigned int N)
{
    return mock_cuMemsetD8_v2(dstDevice, uc, N);
}

CUresult mock_cuMemsetD16(CUdeviceptr_v1 dstDevice, unsigned short us, unsigned int N)
{
    return mock_cuMemsetD16_v2(dstDevice, us, N);
}

CUresult mock_cuMemsetD32(CUdeviceptr_v1 dstDevice, unsigned int ui, unsigned int N)
{
    return mock_cuMemsetD32_v2(dstDevice, ui, N);
}

CUresult mock_cuMemsetD2D8(CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned char uc,
                           unsigned int Width, unsigned int Height)
{
    return mock_cuMemsetD2D8_v2(dstDevice, dstPitch, uc, Width, Height);
}

CUresult mock_cuMemsetD2D16(CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned short us,
                            unsigned int Width, unsigned int Height)
{
    return mock_cuMemsetD2D16_v2(dstDevice, dstPitch, us, Width, Height);
}

CUresult mock_cuMemsetD2D32(CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned int ui,
                            unsigned int Width, unsigned int Height)
{
    return mock_cuMemsetD2D32_v2(dstDevice, dstPitch, ui, Width, Height);
}
