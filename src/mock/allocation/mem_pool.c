/* SPDX-License-Identifier: MIT */
/* cuMemPool*; mem_pool_of.c has the functions that ask for a device's pool. */
#include "mock/allocation/mem_pool.h"

#include "mock/allocation/heap.h"
#include "mock/allocation/memory.h"
#include "mock/base/device_room.h"
#include "mock/base/state.h"
#include "mock/stream/capture.h"

/* By number: not all toolkits have all names. */
enum { HOST = 2, HOST_NUMA = 3, MANAGED = 2, HANDLE_TYPES = 119 };

/* A pool cannot be larger than this. */
#define MOST_BYTES ((uint64_t) 1 << 47)

/* Memory was given back since the last look at the pools. Waits are too many for a look each. */
static bool unsettled;

/* The pools that may have something to give back since, or because of what was set since. */
static struct mock__pool *listed;

static void list(struct mock__pool *pool)
{
    if (pool->listed)
        return;
    pool->listed = true;
    pool->next_listed = listed;
    listed = pool;
}

static void unsettle(struct mock__pool *pool)
{
    unsettled = true;
    list(pool);
}

struct mock__pool *mock__pool_new(struct mock__device *device)
{
    struct mock__pool *pool = mock__object_new(MOCK__POOL, sizeof(*pool));

    if (pool) {
        pool->device = device;
        for (int i = 0; i < 3; i++)
            pool->reuse[i] = 1;
    }
    return pool;
}

struct mock__pool *mock__pool_find(CUmemoryPool handle)
{
    struct mock__pool *pool = mock__object_find(MOCK__POOL, handle);

    return pool && !pool->destroyed ? pool : NULL;
}

struct mock__pool *mock__pool_of(struct mock__device *device, bool only_default)
{
    if (!device->default_pool) {
        device->default_pool = mock__pool_new(device);
        if (device->default_pool)
            device->default_pool->is_default = true;
    }
    return device->pool && !only_default ? device->pool : device->default_pool;
}

/* Gives chunks back that are empty, as long as that leaves so many bytes. */
static void trim(struct mock__pool *pool, uint64_t keep)
{
    struct mock__chunk *next;

    for (struct mock__chunk *chunk = mock__chunk_first(pool); chunk; chunk = next) {
        next = chunk->next;
        if (chunk->used || pool->reserved - chunk->bytes < keep)
            continue;
        pool->reserved -= chunk->bytes;
        pool->device->used_bytes -= chunk->bytes;
        mock__chunk_destroy(chunk);
    }
}

static void settle(struct mock__pool *pool)
{
    if (pool->reserved > pool->release_threshold)
        trim(pool, pool->release_threshold);
    if (pool->destroyed && !pool->used && !pool->reserved)
        mock__object_free(pool);
}

void mock__pools_trim(void)
{
    while (unsettled && listed) {
        struct mock__pool *pool = listed;

        listed = pool->next_listed;
        pool->listed = false;
        settle(pool);
    }
    unsettled = false;
}

/* The unused memory of other pools is taken before an allocation fails. */
static bool make_room(const struct mock__device *device, size_t bytes)
{
    struct mock__pool *pool;

    for (size_t cursor = 0;
         !mock__device_has_room(device, bytes) && (pool = mock__object_next(MOCK__POOL, &cursor));)
        if (pool->device == device)
            trim(pool, 0);
    return mock__device_wants_room(device, bytes);
}

struct mock__chunk *mock__pool_reserve(struct mock__pool *pool, size_t bytes)
{
    const size_t size = mock__chunk_size(pool, bytes);
    struct mock__chunk *chunk;

    if ((pool->most && size > pool->most - pool->reserved) || !make_room(pool->device, size))
        return NULL;
    chunk = mock__chunk_create(pool, bytes);
    if (!chunk)
        return NULL;
    pool->device->used_bytes += chunk->bytes;
    pool->reserved += chunk->bytes;
    if (pool->reserved > pool->reserved_high)
        pool->reserved_high = pool->reserved;
    list(pool);
    return chunk;
}

void mock__pool_charge(struct mock__pool *pool, struct mock__memory *memory)
{
    memory->pool = pool;
    pool->used += memory->bytes;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
}

void mock__pool_credit(struct mock__memory *memory)
{
    memory->pool->used -= memory->bytes;
    cushim__tree_remove(&memory->pool->being_freed, &memory->by_free);
    unsettle(memory->pool);
}

bool mock__pool_allows(const struct mock__pool *pool, const struct mock__device *device)
{
    return pool->device == device || pool->peers & (uint32_t) 1 << device->ordinal;
}

/* The types of handles that the device's pools may have. */
static unsigned supported(const struct mock__device *device)
{
    return (unsigned) mock__attribute(device, (CUdevice_attribute) HANDLE_TYPES);
}

/* Pools of the host, and of managed memory, are not there. */
static CUresult check_properties(const CUmemPoolProps *properties, struct mock__device **ret_device)
{
    const unsigned types = (unsigned) properties->handleTypes;

    MOCK__REQUIRE((int) properties->location.type > 0 &&
                      (int) properties->location.type <= HOST_NUMA &&
                      (int) properties->allocType > 0 && (int) properties->allocType <= MANAGED &&
                      !properties->reserved[0],
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(properties->allocType == CU_MEM_ALLOCATION_TYPE_PINNED &&
                      properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE,
                  CUDA_ERROR_NOT_SUPPORTED);
    *ret_device = mock__device_find(properties->location.id);
    MOCK__REQUIRE(*ret_device && !(types & ~supported(*ret_device)), CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

/* Toolkits before 12.3 have no name for it. */
static uint64_t most_of(const CUmemPoolProps *properties)
{
#if CUDA_VERSION >= 12030
    return properties->maxSize;
#else
    (void) properties;
    return 0;
#endif
}

CUresult mock_cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps)
{
    struct mock__device *device = NULL;
    struct mock__pool *created;

    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE(pool && poolProps, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(check_properties(poolProps, &device));
    MOCK__REQUIRE(most_of(poolProps) <= MOST_BYTES, CUDA_ERROR_OUT_OF_MEMORY);
    created = mock__pool_new(device);
    MOCK__REQUIRE(created, CUDA_ERROR_OUT_OF_MEMORY);
    created->handle_types = (unsigned) poolProps->handleTypes;
    created->most = most_of(poolProps);
    mock__made(&created->object.made, "cuMemPoolCreate");
    *pool = MOCK__HANDLE(created);
    return CUDA_SUCCESS;
}

/* Allocations outlive the pool that they came from, but are not made from it any more. */
CUresult mock_cuMemPoolDestroy(CUmemoryPool pool)
{
    struct mock__pool *found;

    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    found = mock__pool_find(pool);
    MOCK__REQUIRE(found && !found->is_default, CUDA_ERROR_INVALID_VALUE);
    if (found->device->pool == found)
        found->device->pool = NULL;
    found->destroyed = true;
    found->release_threshold = 0;
    unsettle(found);
    mock__pools_trim();
    return CUDA_SUCCESS;
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
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
        *(cuuint64_t *) value = pool->reserved;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        *(cuuint64_t *) value = pool->reserved_high;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        *(cuuint64_t *) value = pool->used;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        *(cuuint64_t *) value = pool->used_high;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* A high-water mark can only be taken back to what there is. */
static CUresult reset_high(uint64_t *high, uint64_t current, const void *value)
{
    MOCK__REQUIRE(*(const cuuint64_t *) value == 0, CUDA_ERROR_INVALID_VALUE);
    *high = current;
    return CUDA_SUCCESS;
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
        list(pool);
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        return reset_high(&pool->reserved_high, pool->reserved, value);
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        return reset_high(&pool->used_high, pool->used, value);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult mock_cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    const struct mock__pool *found;

    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    found = mock__pool_find(pool);
    MOCK__REQUIRE(found && value, CUDA_ERROR_INVALID_VALUE);
    return get_attribute(found, attr, value);
}

CUresult mock_cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    struct mock__pool *found;

    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    found = mock__pool_find(pool);
    MOCK__REQUIRE(found && value, CUDA_ERROR_INVALID_VALUE);
    return set_attribute(found, attr, value);
}

CUresult mock_cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)
{
    struct mock__pool *found;

    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    found = mock__pool_find(pool);
    MOCK__REQUIRE(found, CUDA_ERROR_INVALID_VALUE);
    trim(found, minBytesToKeep);
    return CUDA_SUCCESS;
}

/* Other devices have access to all of a pool or to nothing; the own one always has. */
static CUresult check_access(const struct mock__pool *pool, const CUmemAccessDesc *access)
{
    const struct mock__device *device = mock__device_find(access->location.id);

    MOCK__REQUIRE(access->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                      access->flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
                      access->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(access->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
                      access->flags != CU_MEM_ACCESS_FLAGS_PROT_READ,
                  CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE(device && (device == pool->device ||
                             mock__config_peers(device->profile, pool->device->profile)),
                  CUDA_ERROR_INVALID_DEVICE);
    MOCK__REQUIRE(device != pool->device || access->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE,
                  CUDA_ERROR_INVALID_DEVICE);
    return CUDA_SUCCESS;
}

CUresult mock_cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
    struct mock__pool *found;

    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    found = mock__pool_find(pool);
    MOCK__REQUIRE(found && map, CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < count; i++)
        MOCK__TRY(check_access(found, &map[i]));
    for (size_t i = 0; i < count; i++) {
        const uint32_t device = (uint32_t) 1 << map[i].location.id;

        if (map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE)
            found->peers &= ~device;
        else
            found->peers |= device;
    }
    return CUDA_SUCCESS;
}

CUresult mock_cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool,
                                 CUmemLocation *location)
{
    const struct mock__pool *found;
    const struct mock__device *device;

    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    found = mock__pool_find(memPool);
    MOCK__REQUIRE(found && flags && location, CUDA_ERROR_INVALID_VALUE);
    device = mock__device_find(location->id);
    *flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    if ((int) location->type == HOST || (int) location->type == HOST_NUMA)
        return CUDA_SUCCESS;
    MOCK__REQUIRE(device && location->type == CU_MEM_LOCATION_TYPE_DEVICE,
                  CUDA_ERROR_INVALID_VALUE);
    if (mock__pool_allows(found, device))
        *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return CUDA_SUCCESS;
}
