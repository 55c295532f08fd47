/* SPDX-License-Identifier: MIT */
/* cuInit */
#include "mock/base/state.h"

CUresult mock_cuInit(unsigned int Flags)
{
    MOCK__REQUIRE(Flags == 0, CUDA_ERROR_INVALID_VALUE);
    return mock__initialise();
}
