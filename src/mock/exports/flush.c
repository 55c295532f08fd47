/* SPDX-License-Identifier: MIT */
/* cuFlushGPUDirectRDMAWrites */
#include "mock/base/state.h"

/* Flushes writes of other devices for the host. In the mock there are none. */
CUresult mock_cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
                                         CUflushGPUDirectRDMAWritesScope scope)
{
    const CUdevice_attribute options = CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(target == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX &&
                      (scope == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER ||
                       scope == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(mock__attribute(context->device, options) &
                      CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST,
                  CUDA_ERROR_NOT_SUPPORTED);
    return CUDA_SUCCESS;
}
