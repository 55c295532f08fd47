/* SPDX-License-Identifier: MIT */
/* cuDriver* */
#include "mock/state.h"

CUresult mock_cuDriverGetVersion(int *driverVersion)
{
    MOCK__REQUIRE(driverVersion, CUDA_ERROR_INVALID_VALUE);
    *driverVersion = MOCK__DRIVER_VERSION;
    return CUDA_SUCCESS;
}
