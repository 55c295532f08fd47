/* SPDX-License-Identifier: MIT */
/* cuMemGetDefaultMemPool, cuMemGetMemPool, cuMemSetMemPool; and functions for cuDevice*MemPool. */
#include "mock/allocation/mem_pool.h"
#include "mock/base/state.h"
#include "mock/stream/capture.h"

CUresult mock__pool_get(CUdevice device, bool only_default, CUmemoryPool *ret_pool)
{
    struct mock__device *found = mock__device_find(device);
    struct mock__pool *pool;

    MOCK__REQUIRE(found, CUDA_ERROR_INVALID_DEVICE);
    MOCK__REQUIRE(ret_pool, CUDA_ERROR_INVALID_VALUE);
    pool = mock__pool_of(found, only_default);
    MOCK__REQUIRE(pool, CUDA_ERROR_OUT_OF_MEMORY);
    *ret_pool = MOCK__HANDLE(pool);
    return CUDA_SUCCESS;
}

CUresult mock__pool_set(CUdevice device, CUmemoryPool handle)
{
    struct mock__device *found = mock__device_find(device);
    struct mock__pool *pool = mock__pool_find(handle);

    MOCK__REQUIRE(found, CUDA_ERROR_INVALID_DEVICE);
    MOCK__REQUIRE(pool && pool->device == found && !pool->imported, CUDA_ERROR_INVALID_VALUE);
    found->pool = pool;
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 13000
/* Checks the place, and that the device is there. */
static CUresult check_place(const CUmemLocation *location, CUmemAllocationType type)
{
    MOCK__REQUIRE(location, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE((int) location->type >= 0 &&
                      (int) location->type <= CU_MEM_LOCATION_TYPE_HOST_NUMA,
                  CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE((int) location->type > 0 && ((int) type == CU_MEM_ALLOCATION_TYPE_PINNED ||
                                               (int) type == CU_MEM_ALLOCATION_TYPE_MANAGED),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(location->type != CU_MEM_LOCATION_TYPE_DEVICE || mock__device_find(location->id),
                  CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

static bool is_of_device(const CUmemLocation *location, CUmemAllocationType type)
{
    return location->type == CU_MEM_LOCATION_TYPE_DEVICE && type == CU_MEM_ALLOCATION_TYPE_PINNED;
}

/* There are no pools of the host or of managed memory. */
static CUresult get_pool(const CUmemLocation *location, CUmemAllocationType type, bool only_default,
                         CUmemoryPool *ret_pool)
{
    MOCK__TRY(check_place(location, type));
    MOCK__REQUIRE(is_of_device(location, type), CUDA_ERROR_NOT_SUPPORTED);
    return mock__pool_get(location->id, only_default, ret_pool);
}

CUresult mock_cuMemGetDefaultMemPool(CUmemoryPool *pool_out, CUmemLocation *location,
                                     CUmemAllocationType type)
{
    MOCK__ENTER();
    return get_pool(location, type, true, pool_out);
}

CUresult mock_cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
    MOCK__ENTER();
    return get_pool(location, type, false, pool);
}

CUresult mock_cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    MOCK__TRY(check_place(location, type));
    MOCK__REQUIRE(is_of_device(location, type), CUDA_ERROR_INVALID_VALUE);
    return mock__pool_set(location->id, pool);
}
#endif
