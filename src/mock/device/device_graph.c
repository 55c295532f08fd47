/* SPDX-License-Identifier: MIT */
/* cuDeviceGraphMemTrim, cuDeviceGetGraphMemAttribute, cuDeviceSetGraphMemAttribute */
#include "mock/base/state.h"
#include "mock/node/graph_exec.h"

#if CUDA_VERSION >= 11040

CUresult mock_cuDeviceGraphMemTrim(CUdevice device)
{
    MOCK__ENTER();
    MOCK__REQUIRE(mock__device_find(device), CUDA_ERROR_INVALID_DEVICE);
    /* Memory that no graph uses is freed at once, so there is nothing to trim. */
    return CUDA_SUCCESS;
}

CUresult mock_cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
    const struct mock__device *found;
    uint64_t reserved, used;

    MOCK__ENTER();
    found = mock__device_find(device);
    MOCK__REQUIRE(found, CUDA_ERROR_INVALID_DEVICE);
    MOCK__REQUIRE(value, CUDA_ERROR_INVALID_VALUE);
    mock__graph_memory(found, &reserved, &used);
    switch (attr) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
        *(cuuint64_t *) value = used;
        return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
        *(cuuint64_t *) value = found->graph_used_high;
        return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
        *(cuuint64_t *) value = reserved;
        return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
        *(cuuint64_t *) value = found->graph_reserved_high;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult mock_cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
    struct mock__device *found;
    uint64_t reserved, used;

    MOCK__ENTER();
    found = mock__device_find(device);
    MOCK__REQUIRE(found, CUDA_ERROR_INVALID_DEVICE);
    /* A maximum can only be reset to the current value. */
    MOCK__REQUIRE(value && *(const cuuint64_t *) value == 0, CUDA_ERROR_INVALID_VALUE);
    mock__graph_memory(found, &reserved, &used);
    if (attr == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH)
        found->graph_used_high = used;
    else if (attr == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
        found->graph_reserved_high = reserved;
    else
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

#endif
