/* SPDX-License-Identifier: MIT */
/* The result of functions that no other file defines. src/mock/unsupported.tsv has the reasons. */
#include "mock/exports/unsupported.h"
#include "mock/base/state.h"

int mock__unsupported(void)
{
    MOCK__ENTER();
    return CUDA_ERROR_NOT_SUPPORTED;
}

int mock__narrow(void)
{
    MOCK__ENTER();
    return CUDA_ERROR_INVALID_CONTEXT;
}
