/* SPDX-License-Identifier: MIT */
/* cuDestroyExternalMemory, cuDestroyExternalSemaphore: of what import.c never imports. */
#include "mock/base/state.h"

static CUresult destroy(void)
{
    MOCK__ENTER_CONTEXT(context);
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult mock_cuDestroyExternalMemory(CUexternalMemory extMem)
{
    (void) extMem;
    return destroy();
}

CUresult mock_cuDestroyExternalSemaphore(CUexternalSemaphore extSem)
{
    (void) extSem;
    return destroy();
}
