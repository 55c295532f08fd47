/* SPDX-License-Identifier: MIT */
/*
 * Memory and semaphores that a graphics interface exports. There is none beside the mock, so no
 * handle that a program has is one of those: nothing is imported, and no handle is known later.
 */
#include "mock/base/state.h"
#include "mock/stream/capture.h"
#include "mock/stream/stream.h"

/*
 * By number: CU_EXTERNAL_*_HANDLE_TYPE_OPAQUE_FD, those of Direct3D, whose memory is a whole
 * resource, and the last type there is of each that is not for other systems.
 */
enum { OPAQUE_FD = 1, D3D12_RESOURCE = 5, D3D11_RESOURCE_KMT = 7, LAST_MEMORY_TYPE = 8 };
enum { TIMELINE_FD = 9, LAST_SEMAPHORE_TYPE = 10 };

/* --- importing --- */

/* Any descriptor is no such thing; Windows and NvSci have other handles. */
static CUresult refuse(int type, int last)
{
    MOCK__REQUIRE(type >= OPAQUE_FD && type <= last, CUDA_ERROR_INVALID_VALUE);
    return type == OPAQUE_FD ? CUDA_ERROR_UNKNOWN : CUDA_ERROR_NOT_SUPPORTED;
}

static bool is_whole(const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc)
{
    const int type = (int) desc->type;

    return type < D3D12_RESOURCE || type > D3D11_RESOURCE_KMT ||
           desc->flags & CUDA_EXTERNAL_MEMORY_DEDICATED;
}

CUresult mock_cuImportExternalMemory(CUexternalMemory *extMem_out,
                                     const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc)
{
    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE(extMem_out && memHandleDesc && memHandleDesc->size &&
                      !(memHandleDesc->flags & ~(unsigned) CUDA_EXTERNAL_MEMORY_DEDICATED) &&
                      is_whole(memHandleDesc),
                  CUDA_ERROR_INVALID_VALUE);
    return refuse((int) memHandleDesc->type, LAST_MEMORY_TYPE);
}

CUresult mock_cuImportExternalSemaphore(CUexternalSemaphore *extSem_out,
                                        const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *semHandleDesc)
{
    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE(extSem_out && semHandleDesc && !semHandleDesc->flags &&
                      (int) semHandleDesc->type != TIMELINE_FD,
                  CUDA_ERROR_INVALID_VALUE);
    return refuse((int) semHandleDesc->type, LAST_SEMAPHORE_TYPE);
}

/* --- functions for imported objects, of which there are none --- */

static CUresult no_object(void)
{
    MOCK__ENTER();
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult mock_cuExternalMemoryGetMappedBuffer(CUdeviceptr *devPtr, CUexternalMemory extMem,
                                              const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc)
{
    (void) devPtr, (void) extMem, (void) bufferDesc;
    return no_object();
}

CUresult mock_cuExternalMemoryGetMappedMipmappedArray(
    CUmipmappedArray *mipmap, CUexternalMemory extMem,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *mipmapDesc)
{
    (void) mipmap, (void) extMem, (void) mipmapDesc;
    return no_object();
}

static CUresult destroy(void)
{
    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    return CUDA_ERROR_INVALID_VALUE;
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

static CUresult use_semaphores(CUstream handle)
{
    struct mock__stream *stream = NULL;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__stream_find(handle, &stream));
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult
mock_cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
                                     const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *paramsArray,
                                     unsigned int numExtSems, CUstream stream)
{
    (void) extSemArray, (void) paramsArray, (void) numExtSems;
    return use_semaphores(stream);
}

CUresult mock_cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
                                            const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *paramsArray,
                                            unsigned int numExtSems, CUstream stream)
{
    (void) extSemArray, (void) paramsArray, (void) numExtSems;
    return use_semaphores(stream);
}
