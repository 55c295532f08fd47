/* SPDX-License-Identifier: MIT */
/*
 * cuCtxAttach and cuCtxDetach, which were used before primary contexts existed; and
 * cuCtxGetExecAffinity.
 */
#include "mock/base/state.h"

CUresult mock_cuCtxAttach(CUcontext *pctx, unsigned int flags)
{
    struct mock__context *context = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__context_current_broken(&context));
    MOCK__REQUIRE(pctx && !flags, CUDA_ERROR_INVALID_VALUE);
    context->attached++;
    *pctx = MOCK__HANDLE(context);
    return CUDA_SUCCESS;
}

/* Undoes an attach, or the creation if there was no attach. Only for the current context. */
static CUresult detach(CUcontext ctx, bool *ret_last)
{
    struct mock__context *found;
    struct mock__context *context = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__context_current_broken(&context));
    found = mock__object_find(MOCK__CONTEXT, ctx);
    MOCK__REQUIRE(found && found == context, CUDA_ERROR_INVALID_CONTEXT);
    *ret_last = !found->attached;
    if (found->attached)
        found->attached--;
    return CUDA_SUCCESS;
}

CUresult mock_cuCtxDetach(CUcontext ctx)
{
    bool last = false;

    MOCK__TRY(detach(ctx, &last));
    return last ? mock_cuCtxDestroy_v2(ctx) : CUDA_SUCCESS;
}

#if CUDA_VERSION >= 11040
/* Without a server that shares the device among processes, a context has all multiprocessors. */
CUresult mock_cuCtxGetExecAffinity(CUexecAffinityParam *pExecAffinity, CUexecAffinityType type)
{
    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(pExecAffinity, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(type == CU_EXEC_AFFINITY_TYPE_SM_COUNT, CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    *pExecAffinity = (CUexecAffinityParam){.type = type};
    pExecAffinity->param.smCount.val =
        (unsigned) mock__attribute(context->device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    return CUDA_SUCCESS;
}
#endif
