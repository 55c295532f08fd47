/* SPDX-License-Identifier: MIT */
/* cuMemGetHandleForAddressRange */
#include "mock/allocation/memory.h"
#include "mock/base/state.h"

#if CUDA_VERSION >= 11070

#define PAGE     ((size_t) 4096)
#define FOR_PCIE 1u /* CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE */

/* A dma-buf is an object of the kernel, which other drivers can map. The mock cannot make one. */
CUresult mock_cuMemGetHandleForAddressRange(void *handle, CUdeviceptr dptr, size_t size,
                                            CUmemRangeHandleType handleType,
                                            unsigned long long flags)
{
    struct mock__context *context = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(handle && dptr && size && dptr % PAGE == 0 && size % PAGE == 0 &&
                      (!flags || flags & FOR_PCIE) &&
                      handleType == CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__context_current(&context));
    MOCK__REQUIRE(mock__memory_bytes(dptr, size), CUDA_ERROR_INVALID_VALUE);
    return CUDA_ERROR_NOT_SUPPORTED;
}

#endif
