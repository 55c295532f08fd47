/* SPDX-License-Identifier: MIT */
/*
 * cuImportExternalMemory, cuImportExternalSemaphore: what a graphics interface exports. There is
 * none beside the mock, so no handle that a program has is one of those.
 */
#include "mock/base/state.h"

/* By number: CU_EXTERNAL_*_HANDLE_TYPE_OPAQUE_FD, and the last type there is of each. */
enum { OPAQUE_FD = 1, LAST_MEMORY_TYPE = 9, LAST_SEMAPHORE_TYPE = 10 };

/* Any descriptor is no such thing; Windows and NvSci have other handles. */
static CUresult refuse(int type, int last)
{
    MOCK__REQUIRE(type >= OPAQUE_FD && type <= last, CUDA_ERROR_INVALID_VALUE);
    return type == OPAQUE_FD ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult mock_cuImportExternalMemory(CUexternalMemory *extMem_out,
                                     const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc)
{
    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(extMem_out && memHandleDesc && memHandleDesc->size &&
                      !(memHandleDesc->flags & ~(unsigned) CUDA_EXTERNAL_MEMORY_DEDICATED),
                  CUDA_ERROR_INVALID_VALUE);
    return refuse((int) memHandleDesc->type, LAST_MEMORY_TYPE);
}

CUresult mock_cuImportExternalSemaphore(CUexternalSemaphore *extSem_out,
                                        const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *semHandleDesc)
{
    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(extSem_out && semHandleDesc && !semHandleDesc->flags, CUDA_ERROR_INVALID_VALUE);
    return refuse((int) semHandleDesc->type, LAST_SEMAPHORE_TYPE);
}
