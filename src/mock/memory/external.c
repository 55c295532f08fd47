/* SPDX-License-Identifier: MIT */
/*
 * Memory and semaphores that a graphics interface exports. There is none beside the mock, so no
 * handle that a program has is one of those: nothing is imported, and no handle is known later.
 */
#include "mock/base/state.h"
#include "mock/stream/capture.h"
#include "mock/stream/stream.h"

/* By number: CU_EXTERNAL_*_HANDLE_TYPE_OPAQUE_FD, and the last type there is of each. */
enum { OPAQUE_FD = 1, LAST_MEMORY_TYPE = 9, LAST_SEMAPHORE_TYPE = 10 };

/* --- importing --- */

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
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE(extMem_out && memHandleDesc && memHandleDesc->size &&
                      !(memHandleDesc->flags & ~(unsigned) CUDA_EXTERNAL_MEMORY_DEDICATED),
                  CUDA_ERROR_INVALID_VALUE);
    return refuse((int) memHandleDesc->type, LAST_MEMORY_TYPE);
}

CUresult mock_cuImportExternalSemaphore(CUexternalSemaphore *extSem_out,
                                        const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *semHandleDesc)
{
    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE(extSem_out && semHandleDesc && !semHandleDesc->flags, CUDA_ERROR_INVALID_VALUE);
    return refuse((int) semHandleDesc->type, LAST_SEMAPHORE_TYPE);
}

/* --- functions for imported objects, of which there are none --- */

CUresult mock_cuExternalMemoryGetMappedBuffer(CUdeviceptr *devPtr, CUexternalMemory extMem,
                                              const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc)
{
    (void) extMem;
    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(devPtr && bufferDesc, CUDA_ERROR_INVALID_VALUE);
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult mock_cuExternalMemoryGetMappedMipmappedArray(
    CUmipmappedArray *mipmap, CUexternalMemory extMem,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *mipmapDesc)
{
    (void) extMem;
    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(mipmap && mipmapDesc, CUDA_ERROR_INVALID_VALUE);
    return CUDA_ERROR_INVALID_HANDLE;
}

static CUresult destroy(void)
{
    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__capture_unsafe());
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

static CUresult use_semaphores(bool arguments_valid, CUstream handle)
{
    struct mock__stream *stream = NULL;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__stream_find(handle, &stream));
    MOCK__REQUIRE(arguments_valid, CUDA_ERROR_INVALID_VALUE);
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult
mock_cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
                                     const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *paramsArray,
                                     unsigned int numExtSems, CUstream stream)
{
    return use_semaphores(extSemArray && paramsArray && numExtSems, stream);
}

CUresult mock_cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
                                            const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *paramsArray,
                                            unsigned int numExtSems, CUstream stream)
{
    return use_semaphores(extSemArray && paramsArray && numExtSems, stream);
}
