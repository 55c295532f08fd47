/* SPDX-License-Identifier: MIT */
/* cuMemPool* */
#include "mock/mem_pool.h"

#include "mock/memory.h"
#include "mock/state.h"

static struct mock__pool *new_pool(struct mock__device *device)
{
    struct mock__pool *pool = mock__object_new(MOCK__POOL, sizeof(*pool));

    if (pool) {
        pool->device = device;
        for (int i = 0; i < 3; i++)
            pool->reuse[i] = 1;
    }
    return pool;
}

struct mock__pool *mock__pool_of(struct mock__device *device, bool only_default)
{
    if (!device->default_pool)
        device->default_pool = new_pool(device);
    return device->pool && !only_default ? device->pool : device->default_pool;
}

void mock__pool_charge(struct mock__pool *pool, struct mock__memory *memory)
{
    memory->pool = pool;
    pool->used += memory->bytes;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
}

void mock__pool_credit(const struct mock__memory *memory)
{
    memory->pool->used -= memory->bytes;
}

static CUresult get_attribute(const struct mock__pool *pool, CUmemPool_attribute attribute,
                              void *value)
{
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        *(int *) value = pool->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        *(cuuint64_t *) value = pool->release_threshold;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: /* nothing is kept for later */
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        *(cuuint64_t *) value = pool->used;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        *(cuuint64_t *) value = pool->used_high;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult set_attribute(struct mock__pool *pool, CUmemPool_attribute attribute,
                              const void *value)
{
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        pool->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] =
            *(const int *) value;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        pool->release_threshold = *(const cuuint64_t *) value;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        /* A high-water mark can only be taken back to what is in use. */
        MOCK__REQUIRE(*(const cuuint64_t *) value == 0, CUDA_ERROR_INVALID_VALUE);
        pool->used_high = pool->used;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult mock_cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    const struct mock__pool *found;

    MOCK__ENTER();
    found = mock__object_find(MOCK__POOL, pool);
    MOCK__REQUIRE(found && value, CUDA_ERROR_INVALID_VALUE);
    return get_attribute(found, attr, value);
}

CUresult mock_cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    struct mock__pool *found;

    MOCK__ENTER();
    found = mock__object_find(MOCK__POOL, pool);
    MOCK__REQUIRE(found && value, CUDA_ERROR_INVALID_VALUE);
    return set_attribute(found, attr, value);
}

CUresult mock_cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)
{
    (void) minBytesToKeep; /* what is freed goes back at once */
    MOCK__ENTER();
    MOCK__REQUIRE(mock__object_find(MOCK__POOL, pool), CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}
