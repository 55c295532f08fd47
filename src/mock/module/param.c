/* SPDX-License-Identifier: MIT */
/*
 * cuParamSet*: arguments that are kept with a function until its launch. There is room for as many
 * as any kernel of the time had; what is behind those of the function itself is dropped.
 */
#include <stdlib.h>
#include <string.h>

#include "mock/base/state.h"
#include "mock/module/module.h"

#define MOST_BYTES 4096u

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

CUresult mock_cuParamSetSize(CUfunction hfunc, unsigned int numbytes)
{
    struct mock__function *function = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__function_find_here(hfunc, &function));
    /* A driver rounds up to words, in 32 bits. */
    MOCK__REQUIRE(numbytes + 3 <= MOST_BYTES + 3, CUDA_ERROR_INVALID_VALUE);
    function->params_bytes = least(numbytes, function->entry->parameter_bytes);
    return CUDA_SUCCESS;
}

static CUresult set(CUfunction hfunc, int offset, const void *bytes, size_t n)
{
    struct mock__function *function = NULL;
    const struct mock__entry *entry;

    MOCK__ENTER();
    MOCK__TRY(mock__function_find_here(hfunc, &function));
    entry = function->entry;
    MOCK__REQUIRE(bytes && offset >= 0 && n <= MOST_BYTES && (size_t) offset <= MOST_BYTES - n,
                  CUDA_ERROR_INVALID_VALUE);
    if (!function->params)
        function->params = calloc(1, entry->parameter_bytes + 1);
    MOCK__REQUIRE(function->params, CUDA_ERROR_OUT_OF_MEMORY);
    if ((size_t) offset < entry->parameter_bytes)
        memcpy(function->params + offset, bytes,
               least(n, entry->parameter_bytes - (size_t) offset));
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
