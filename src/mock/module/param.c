/* SPDX-License-Identifier: MIT */
/* cuParamSet*: arguments that are kept with a function until its launch. */
#include <stdlib.h>
#include <string.h>

#include "mock/base/state.h"
#include "mock/module/module.h"

CUresult mock_cuParamSetSize(CUfunction hfunc, unsigned int numbytes)
{
    struct mock__function *function = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__function_find_here(hfunc, &function));
    MOCK__REQUIRE(numbytes <= function->entry->parameter_bytes, CUDA_ERROR_INVALID_VALUE);
    function->params_bytes = numbytes;
    return CUDA_SUCCESS;
}

static CUresult set(CUfunction hfunc, int offset, const void *bytes, size_t n)
{
    struct mock__function *function = NULL;
    const struct mock__entry *entry;

    MOCK__ENTER();
    MOCK__TRY(mock__function_find_here(hfunc, &function));
    entry = function->entry;
    MOCK__REQUIRE(bytes && offset >= 0 && n <= entry->parameter_bytes &&
                      (size_t) offset <= entry->parameter_bytes - n,
                  CUDA_ERROR_INVALID_VALUE);
    if (!function->params)
        function->params = calloc(1, entry->parameter_bytes + 1);
    MOCK__REQUIRE(function->params, CUDA_ERROR_OUT_OF_MEMORY);
    memcpy(function->params + offset, bytes, n);
    return CUDA_SUCCESS;
}

CUresult mock_cuParamSeti(CUfunction hfunc, int offset, unsigned int value)
{
    return set(hfunc, offset, &value, sizeof(value));
}

CUresult mock_cuParamSetf(CUfunction hfunc, int offset, float value)
{
    return set(hfunc, offset, &value, sizeof(value));
}

CUresult mock_cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes)
{
    return set(hfunc, offset, ptr, numbytes);
}

CUresult mock_cuParamSetTexRef(CUfunction hfunc, int texunit, CUtexref hTexRef)
{
    struct mock__function *function = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__function_find_here(hfunc, &function));
    /* The kernel finds the texture reference by itself, so there are only arguments to check. */
    MOCK__REQUIRE(texunit == CU_PARAM_TR_DEFAULT, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(mock__object_find(MOCK__TEXTURE_REFERENCE, hTexRef), CUDA_ERROR_INVALID_HANDLE);
    return CUDA_SUCCESS;
}
