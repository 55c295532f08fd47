/* SPDX-License-Identifier: MIT */
/* cuDriver* */
#include "mock/base/state.h"

CUresult mock_cuDriverGetVersion(int *driverVersion)
{
    MOCK__REQUIRE(driverVersion, CUDA_ERROR_INVALID_VALUE);
    *driverVersion = mock__driver_version();
    return CUDA_SUCCESS;
}
