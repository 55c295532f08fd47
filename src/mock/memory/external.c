/* SPDX-License-Identifier: MIT */
/* cuExternalMemory*: of memory that import.c never imports. */
#include "mock/base/state.h"

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
