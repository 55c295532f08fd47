/* SPDX-License-Identifier: MIT */
/* cuWaitExternalSemaphoresAsync: nothing waits for semaphores that import.c never imports. */
#include "mock/base/state.h"
#include "mock/stream/stream.h"

static CUresult refuse(const CUexternalSemaphore *semaphores,
                       const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params, unsigned count,
                       CUstream hStream)
{
    struct mock__stream *stream = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__REQUIRE(semaphores && params && count, CUDA_ERROR_INVALID_VALUE);
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult mock_cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
                                            const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *paramsArray,
                                            unsigned int numExtSems, CUstream stream)
{
    return refuse(extSemArray, paramsArray, numExtSems, stream);
}

CUresult
mock_cuWaitExternalSemaphoresAsync_ptsz(const CUexternalSemaphore *extSemArray,
                                        const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *paramsArray,
                                        unsigned int numExtSems, CUstream stream)
{
    return refuse(extSemArray, paramsArray, numExtSems, mock__ptsz(stream));
}
