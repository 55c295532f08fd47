/* SPDX-License-Identifier: MIT */
#include "core/object/idle_stream.h"

/* Returns what was there. */
static CUstream exchange(struct cushim__context *context, CUstream cu)
{
    CUstream before;

    cushim__mutex_lock(&context->pool_lock);
    before = context->idle_stream;
    context->idle_stream = cu;
    cushim__mutex_unlock(&context->pool_lock);
    return before;
}

cushim_status cushim__idle_stream_take(const struct cushim__scope *scope, CUstream *ret_cu)
{
    *ret_cu = exchange(scope->context, NULL);
    if (*ret_cu)
        return CUSHIM_OK;
    return CU_CALL(scope, cuStreamCreateWithPriority, (ret_cu, CU_STREAM_NON_BLOCKING, 0));
}

void cushim__idle_stream_give(const struct cushim__scope *scope, CUstream cu)
{
    const CUstream before = exchange(scope->context, cu);

    if (before)
        CU_FREE(scope, cuStreamDestroy_v2, (before));
}

void cushim__idle_stream_drain(const struct cushim__scope *scope)
{
    const CUstream idle = exchange(scope->context, NULL);

    if (idle)
        CU_FREE(scope, cuStreamDestroy_v2, (idle));
}
