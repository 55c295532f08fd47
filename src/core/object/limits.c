/* SPDX-License-Identifier: MIT */
#include "core/object/limits.h"

#include <stddef.h>

static const struct {
    int attribute;
    size_t offset;
} limit_list[] = {
#define LIMIT(attribute, field)                                                                    \
    {                                                                                              \
        attribute, offsetof(struct cushim__limits, field)                                          \
    }
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, max_threads_per_block),
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, max_block[0]),
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, max_block[1]),
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, max_block[2]),
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, max_grid[0]),
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, max_grid[1]),
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, max_grid[2]),
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, shared_per_block),
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, shared_per_block_optin),
    LIMIT(CU_DEVICE_ATTRIBUTE_WARP_SIZE, warp_size),
    LIMIT(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, multiprocessors),
    LIMIT(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, major),
    LIMIT(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, minor),
    LIMIT(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, memory_pools),
    LIMIT(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, managed),
    LIMIT(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, concurrent_managed),
    LIMIT(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, cooperative),
    LIMIT(CUSHIM__CU_ATTRIBUTE_CLUSTER_LAUNCH, cluster),
    LIMIT(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, row_alignment),
    LIMIT(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, maps_memory),
#undef LIMIT
};

/*
 * A driver answers CUDA_ERROR_INVALID_VALUE for an attribute that it does not know. With such a
 * driver the device does not have the feature.
 */
static cushim_status read_one(const struct cushim__scope *scope, CUdevice device, int attribute,
                              int *ret_value)
{
    const int result = CU_FN(scope->table, cuDeviceGetAttribute)(ret_value, attribute, device);

    if (result != CUDA_ERROR_INVALID_VALUE)
        return cushim__check_result(scope, result, "cuDeviceGetAttribute");
    *ret_value = 0;
    return CUSHIM_OK;
}

/* A driver older than CUDA 11.2 has no such functions, whatever it answers about the device. */
static bool has_pools(const struct cushim__library *library)
{
    return library->has[CUSHIM_ROW_cuMemAllocAsync] && library->has[CUSHIM_ROW_cuMemFreeAsync];
}

cushim_status cushim__limits_read(const struct cushim__scope *scope, CUdevice device,
                                  struct cushim__limits *ret_limits)
{
    struct cushim__limits limits = {0};

    for (size_t i = 0; i < ARRAY_SIZE(limit_list); i++)
        CUSHIM_TRY(read_one(scope, device, limit_list[i].attribute,
                            (int *) ((char *) &limits + limit_list[i].offset)));
    if (limits.shared_per_block_optin < limits.shared_per_block)
        limits.shared_per_block_optin = limits.shared_per_block;
    limits.memory_pools = limits.memory_pools && has_pools(scope->driver->library);
    /* Where a driver does not say, or says what cannot be, the alignment of all devices so far. */
    if (limits.row_alignment <= 0)
        limits.row_alignment = 512;
    *ret_limits = limits;
    return CUSHIM_OK;
}
