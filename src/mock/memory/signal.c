/* SPDX-License-Identifier: MIT */
/* cuSignalExternalSemaphoresAsync: nothing signals semaphores that import.c never imports. */
#include "mock/base/state.h"
#include "mock/stream/stream.h"

static CUresult refuse(const CUexternalSemaphore *semaphores,
                       const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *params, unsigned count,
                       CUstream hStream)
{
    struct mock__stream *stream = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__REQUIRE(semaphores && params && count, CUDA_ERROR_INVALID_VALUE);
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult
mock_cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
                                     const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *paramsArray,
                                     unsigned int numExtSems, CUstream stream)
{
    return refuse(extSemArray, paramsArray, numExtSems, stream);
}

CUresult
mock_cuSignalExternalSemaphoresAsync_ptsz(const CUexternalSemaphore *extSemArray,
                                          const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *paramsArray,
                                          unsigned int numExtSems, CUstream stream)
{
    return refuse(extSemArray, paramsArray, numExtSems, mock__ptsz(stream));
}
