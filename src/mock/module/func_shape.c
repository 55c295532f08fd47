/* SPDX-License-Identifier: MIT */
/* cuFuncSetBlockShape, cuFuncSetSharedSize: for launches before cuLaunchKernel() existed. */
#include "mock/base/state.h"
#include "mock/module/module.h"

static bool fits(const struct mock__function *function, int x, int y, int z)
{
    const int most = mock__attribute(function->module->context->device,
                                     CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);

    return x <= most / y && x * y <= most / z;
}

CUresult mock_cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z)
{
    struct mock__function *function = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__function_find_here(hfunc, &function));
    MOCK__REQUIRE(x > 0 && y > 0 && z > 0 && fits(function, x, y, z), CUDA_ERROR_INVALID_VALUE);
    function->block[0] = (unsigned) x;
    function->block[1] = (unsigned) y;
    function->block[2] = (unsigned) z;
    return CUDA_SUCCESS;
}

CUresult mock_cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes)
{
    struct mock__function *function = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__function_find_here(hfunc, &function));
    MOCK__REQUIRE(
        bytes <= (unsigned) function->attributes[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES],
        CUDA_ERROR_INVALID_VALUE);
    function->shared_bytes = bytes;
    return CUDA_SUCCESS;
}
