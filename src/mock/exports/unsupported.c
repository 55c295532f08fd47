/* SPDX-License-Identifier: MIT */
/*
 * The result of functions that no other file defines (src/mock/unsupported.tsv has the reasons),
 * and of those that the current context is not for.
 */
#include "mock/exports/unsupported.h"
#include "mock/base/state.h"

int mock__unsupported(void)
{
    MOCK__ENTER_INHERITED();
    return CUDA_ERROR_NOT_SUPPORTED;
}

int mock__refuse_narrow(void)
{
    MOCK__ENTER();
    return mock__context_narrow();
}
