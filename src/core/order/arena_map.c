/* SPDX-License-Identifier: MIT */
/* The memory behind the addresses of an arena: mapping it, and giving it back. */
#include "core/cu/cu_graph.h"
#include "core/cu/cu_memory.h"
#include "core/order/arena.h"
#include "core/order/reuse.h"

#include <stdlib.h>

static struct cushim__cu_location location_of(const struct cushim__scope *scope)
{
    return (struct cushim__cu_location){CU_MEM_LOCATION_TYPE_DEVICE, scope->context->device};
}

static struct cushim__cu_physical physical_of(const struct cushim__scope *scope)
{
    return (struct cushim__cu_physical){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                        .location = location_of(scope)};
}

/* The sum cannot overflow: neither is more than half of the address space. */
static size_t round_up(size_t bytes, size_t step)
{
    return (bytes + step - 1) / step * step;
}

/* --- the beginning --- */

cushim_status cushim__device_arena_fail_unmapped(const struct cushim__scope *scope,
                                                 const char *what)
{
    return cushim__fail_at(CUDA_ERROR_NOT_SUPPORTED, scope->call, scope->label,
                           "%s: the device cannot map memory, so there is no %s; see arena.h",
                           scope->call, what);
}

/* Where memory cannot be mapped the arena is one allocation, which does not grow. */
static cushim_status begin_fixed(const struct cushim__scope *scope,
                                 const struct cushim__device_arena_wish *wish,
                                 struct cushim__device_arena_map *map)
{
    if (wish->dry)
        return cushim__device_arena_fail_unmapped(scope, "dry run");
    if (!wish->bytes)
        return cushim__device_arena_fail_unmapped(scope, "arena without .bytes");
    CUSHIM_TRY(CU_CALL(scope, cuMemAlloc_v2, (&map->address, wish->bytes)));
    map->limit = map->mapped = wish->bytes;
    return CUSHIM_OK;
}

/* More than the device has finds no memory to begin with. */
static cushim_status find_limit(const struct cushim__scope *scope,
                                const struct cushim__device_arena_wish *wish, size_t *ret_limit)
{
    *ret_limit = wish->limit;
    if (wish->limit)
        return CUSHIM_OK;
    return CU_CALL(scope, cuDeviceTotalMem_v2, (ret_limit, scope->context->device));
}

cushim_status cushim__device_arena_map_begin(const struct cushim__scope *scope,
                                             const struct cushim__device_arena_wish *wish,
                                             struct cushim__device_arena_map *map)
{
    const struct cushim__cu_physical physical = physical_of(scope);
    size_t step = 0, limit = 0;

    map->dry = wish->dry;
    if (!scope->context->limits.maps_memory)
        return begin_fixed(scope, wish, map);
    CUSHIM_TRY(find_limit(scope, wish, &limit));
    CUSHIM_TRY(CU_CALL(scope, cuMemGetAllocationGranularity,
                       (&step, &physical, CU_MEM_ALLOC_GRANULARITY_MINIMUM)));
    limit = round_up(limit, step);
    CUSHIM_TRY(CU_CALL(scope, cuMemAddressReserve, (&map->address, limit, step, 0, 0)));
    map->step = step;
    map->limit = limit;
    return CUSHIM_OK;
}

/* --- growth --- */

/*
 * Says how much was asked for, and how much there is. The driver answers only a number.
 */
static cushim_status explain(const struct cushim__scope *scope,
                             const struct cushim__device_arena_map *map, size_t bytes,
                             cushim_status status)
{
    size_t available = 0, total = 0;

    if (status != CUDA_ERROR_OUT_OF_MEMORY)
        return status;
    cushim__error_append("; the arena has %zu bytes and needs %zu more", map->mapped, bytes);
    if (!CU_FN(scope->table, cuMemGetInfo_v2)(&available, &total))
        cushim__error_append(", the device has %zu free of %zu", available, total);
    return status;
}

/* Asks for memory, twice if freed memory was kept. */
static cushim_status create(const struct cushim__scope *scope, size_t bytes,
                            unsigned long long *ret_memory)
{
    const struct cushim__cu_physical physical = physical_of(scope);
    struct cushim__error before;
    cushim_status status;

    cushim__error_keep(&before);
    status = CU_CALL(scope, cuMemCreate, (ret_memory, bytes, &physical, 0));
    if (status != CUDA_ERROR_OUT_OF_MEMORY || !cushim__reuse_trim(scope->context, 0))
        return status;
    status = CU_CALL(scope, cuMemCreate, (ret_memory, bytes, &physical, 0));
    if (!status)
        cushim__error_restore(&before);
    return status;
}

/* Maps memory behind what is mapped. There is room for the end. */
static cushim_status map_next(const struct cushim__scope *scope,
                              struct cushim__device_arena_map *map, size_t bytes,
                              unsigned long long memory)
{
    CUSHIM_TRY(CU_CALL(scope, cuMemMap, (map->address + map->mapped, bytes, 0, memory, 0)));
    map->mapped += bytes;
    map->ends[map->n_ends++] = map->mapped;
    return CUSHIM_OK;
}

/* Unmaps what was mapped last, until so many mappings are left. */
static void unmap_until(const struct cushim__scope *scope, struct cushim__device_arena_map *map,
                        size_t n)
{
    while (map->n_ends > n) {
        const size_t begin = --map->n_ends ? map->ends[map->n_ends - 1] : 0;

        CU_FREE(scope, cuMemUnmap, (map->address + begin, map->mapped - begin));
        map->mapped = begin;
    }
}

/* Makes room for so many more mappings. */
static cushim_status reserve_ends(const struct cushim__scope *scope,
                                  struct cushim__device_arena_map *map, size_t n)
{
    size_t wanted = 2 * map->max_ends;
    size_t *ends;

    if (map->n_ends + n <= map->max_ends)
        return CUSHIM_OK;
    if (wanted < map->n_ends + n)
        wanted = map->n_ends + n;
    ends = realloc(map->ends, wanted * sizeof(*ends));
    if (!ends)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                               "%s: no memory to keep track of memory", scope->call);
    map->ends = ends;
    map->max_ends = wanted;
    return CUSHIM_OK;
}

/* The mapping keeps the memory, so the driver's handle of it is given back at once. */
static cushim_status map_new(const struct cushim__scope *scope,
                             struct cushim__device_arena_map *map, size_t bytes)
{
    unsigned long long memory = 0;
    cushim_status status;

    CUSHIM_TRY(reserve_ends(scope, map, 1));
    status = create(scope, bytes, &memory);
    if (status)
        return explain(scope, map, bytes, status);
    status = map_next(scope, map, bytes, memory);
    CU_FREE(scope, cuMemRelease, (memory));
    return status;
}

/*
 * For a dry run the same memory is mapped again and again: the driver does not record a copy to
 * where no memory is.
 */
static cushim_status map_same(const struct cushim__scope *scope,
                              struct cushim__device_arena_map *map, size_t bytes)
{
    cushim_status status = CUSHIM_OK;

    CUSHIM_TRY(reserve_ends(scope, map, bytes / map->step));
    if (!map->shared)
        CUSHIM_TRY(create(scope, map->step, &map->shared));
    for (size_t i = 0; !status && i < bytes / map->step; i++)
        status = map_next(scope, map, map->step, map->shared);
    return status;
}

static cushim_status grow(const struct cushim__scope *scope, struct cushim__device_arena_map *map,
                          size_t bytes)
{
    const struct cushim__cu_access access = {.location = location_of(scope),
                                             .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    const CUdeviceptr address = map->address + map->mapped;
    const size_t before = map->n_ends;
    cushim_status status = map->dry ? map_same(scope, map, bytes) : map_new(scope, map, bytes);

    if (!status)
        status = CU_CALL(scope, cuMemSetAccess, (address, bytes, &access, 1));
    if (status)
        unmap_until(scope, map, before);
    return status;
}

/*
 * A stream of the program may record in a mode that forbids what allocates. This call is no work of
 * the stream, so the thread's mode is the relaxed one meanwhile.
 */
cushim_status cushim__device_arena_map_grow(const struct cushim__scope *scope,
                                            struct cushim__device_arena_map *map, size_t end)
{
    int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    cushim_status status, restored;

    if (end <= map->mapped)
        return CUSHIM_OK;
    CUSHIM_TRY(CU_CALL(scope, cuThreadExchangeStreamCaptureMode, (&mode)));
    status = grow(scope, map, round_up(end, map->step) - map->mapped);
    restored = CU_CALL(scope, cuThreadExchangeStreamCaptureMode, (&mode));
    return status ? status : restored;
}

/* --- the end --- */

void cushim__device_arena_map_end(const struct cushim__scope *scope,
                                  struct cushim__device_arena_map *map)
{
    unmap_until(scope, map, 0);
    if (map->shared)
        CU_FREE(scope, cuMemRelease, (map->shared));
    if (map->address && map->step)
        CU_FREE(scope, cuMemAddressFree, (map->address, map->limit));
    else if (map->address)
        CU_FREE(scope, cuMemFree_v2, (map->address));
    free(map->ends);
    *map = (struct cushim__device_arena_map){0};
}
