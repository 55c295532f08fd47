/* SPDX-License-Identifier: MIT */
/* cuDeviceGetLuid: a number of adapters on Windows. On other systems a driver does not have it. */
#include "mock/base/state.h"

CUresult mock_cuDeviceGetLuid(char *luid, unsigned int *deviceNodeMask, CUdevice dev)
{
    MOCK__ENTER();
    MOCK__REQUIRE(luid && deviceNodeMask, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(mock__device_find(dev), CUDA_ERROR_INVALID_DEVICE);
    return CUDA_ERROR_NOT_SUPPORTED;
}
