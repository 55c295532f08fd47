/* SPDX-License-Identifier: MIT */
/* cuCtxRecordEvent, cuCtxWaitEvent: their errors. Events of whole contexts are not there yet. */
#include "mock/event.h"
#include "mock/state.h"

#if CUDA_VERSION >= 12050

static CUresult check(CUcontext ctx, CUevent hEvent, bool same_context)
{
    struct mock__context *context;
    struct mock__event *event = NULL;

    MOCK__ENTER();
    context = mock__object_find(MOCK__CONTEXT, ctx);
    MOCK__REQUIRE(context, CUDA_ERROR_INVALID_CONTEXT);
    MOCK__TRY(mock__context_usable(context));
    MOCK__TRY(mock__event_find(hEvent, &event));
    MOCK__REQUIRE(!same_context || event->context == context, CUDA_ERROR_INVALID_HANDLE);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult mock_cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent)
{
    return check(hCtx, hEvent, true);
}

CUresult mock_cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent)
{
    return check(hCtx, hEvent, false);
}

#endif
