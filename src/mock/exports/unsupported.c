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
    const struct mock__context *context;

    MOCK__ENTER();
    context = mock__context_find(mock__current_handle());
    MOCK__REQUIRE(context && context->api_version == MOCK__API_FIRST, CUDA_ERROR_INVALID_CONTEXT);
    return CUDA_SUCCESS;
}
