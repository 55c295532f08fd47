/* SPDX-License-Identifier: MIT */
#include "mock/allocation/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "mock/allocation/heap.h"
#include "mock/allocation/ipc.h"
#include "mock/allocation/mem_advise.h"
#include "mock/allocation/mem_map.h"
#include "mock/allocation/mem_pool.h"
#include "mock/base/finding.h"
#include "mock/base/hooks.h"
#include "mock/base/state.h"
#include "mock/base/stats.h"

/* All ranges, by rising address. No two overlap. */
static struct mock__memory **ranges;
static size_t n_ranges, capacity;

static uint64_t last_id;

/* A binary search: the number of ranges that begin at or below the address. */
static size_t position(uint64_t address)
{
    size_t low = 0, high = n_ranges;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (ranges[middle]->address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool reserve_place(void)
{
    const size_t wanted = capacity ? 2 * capacity : 64;
    struct mock__memory **larger;

    if (n_ranges < capacity)
        return true;
    larger = realloc(ranges, wanted * sizeof(struct mock__memory *));
    if (!larger)
        return false;
    ranges = larger;
    capacity = wanted;
    return true;
}

uint64_t mock__memory_new_id(void)
{
    return ++last_id;
}

/* What this device has: not what is mapped, which is counted by itself, or another process's. */
static bool counted(const struct mock__memory *memory)
{
    return memory->kind == MOCK__MANAGED_MEMORY || memory->chunk;
}

struct mock__memory *mock__memory_insert(const struct mock__memory *range)
{
    struct mock__memory *memory = reserve_place() ? malloc(sizeof(*memory)) : NULL;
    const size_t place = position(range->address);

    if (!memory)
        return NULL;
    *memory = *range;
    memory->id = mock__memory_new_id();
    memory->device = range->context ? range->context->device : range->device;
    memmove(&ranges[place + 1], &ranges[place], (n_ranges - place) * sizeof(struct mock__memory *));
    ranges[place] = memory;
    n_ranges++;
    if (counted(memory))
        mock__stats_came(memory->bytes);
    return memory;
}

void mock__memory_erase(struct mock__memory *memory)
{
    const size_t place = position(memory->address) - 1;

    if (counted(memory) && !memory->absent)
        mock__stats_went(memory->bytes);
    mock__memory_bury(memory);
    mock__hooks.memory_forget(memory);
    mock__advice_forget(memory);

    n_ranges--;
    memmove(&ranges[place], &ranges[place + 1], (n_ranges - place) * sizeof(struct mock__memory *));
    free(memory);
}

struct mock__memory *mock__memory_find(uint64_t address)
{
    const size_t place = position(address);
    struct mock__memory *memory = place ? ranges[place - 1] : NULL;

    return memory && address - memory->address < memory->bytes ? memory : NULL;
}

bool mock__memory_being_freed(uint64_t address)
{
    const struct mock__memory *memory = mock__memory_find(address);

    return memory && memory->being_freed;
}

uint64_t mock__memory_class(uint64_t address)
{
    const struct mock__memory *memory = mock__memory_find(address);

    const uint64_t context = memory && memory->context ? memory->context->id : 0;

    return memory ? context << 8 | (uint64_t) (memory->kind + 1) : 0;
}

const struct mock__memory *mock__memory_before(uint64_t address)
{
    const size_t place = position(address);

    return place ? ranges[place - 1] : NULL;
}

const struct mock__memory *mock__memory_after(uint64_t address)
{
    return mock__memory_number(position(address));
}

const struct mock__memory *mock__memory_number(size_t n)
{
    return n < n_ranges ? ranges[n] : NULL;
}

struct mock__memory *mock__memory_at(uint64_t address)
{
    struct mock__memory *memory = mock__memory_find(address);

    return memory && memory->address == address ? memory : NULL;
}

bool mock__memory_overlaps(uint64_t address, size_t bytes)
{
    const size_t next = position(address);

    if (mock__memory_find(address))
        return true;
    return next < n_ranges && ranges[next]->address - address < bytes;
}

bool mock__memory_reserved(uint64_t address)
{
    for (const struct mock__chunk *chunk = mock__chunk_first(); chunk; chunk = chunk->next) {
        if (address - chunk->address < chunk->span)
            return true;
    }
    return mock__map_reserved(address);
}

/* Of memory of the device, not of what the host has: that is everybody's. */
static bool peers_may_use(const struct mock__context *context, const struct mock__memory *memory)
{
    /* A pool has its own list of devices. */
    if (memory->pool)
        return mock__pool_allows(memory->pool, context->device);
    return memory->kind != MOCK__DEVICE_MEMORY || memory->device == context->device ||
           memory->opened || context->peers & (uint32_t) 1 << memory->device->ordinal;
}

bool mock__memory_read_only(uint64_t address)
{
    const struct mock__memory *memory = mock__memory_find(address);

    return memory && memory->kind == MOCK__REGISTERED_MEMORY &&
           memory->flags & CU_MEMHOSTREGISTER_READ_ONLY;
}

bool mock__memory_usable(const struct mock__context *context, uint64_t address, size_t bytes,
                         bool write)
{
    const struct mock__memory *memory = mock__memory_find(address);

    if (memory && memory->mapping)
        return mock__map_allows(address, bytes, context->device, write);
    return memory && peers_may_use(context, memory) && !(write && mock__memory_read_only(address));
}

struct mock__memory *mock__memory_watched(uint64_t address, size_t *ret_offset, size_t *ret_left)
{
    struct mock__memory *memory = mock__memory_find(address);

    if (!memory)
        return NULL;
    *ret_offset = address - memory->address;
    *ret_left = memory->bytes - *ret_offset;
    return memory->mapping ? mock__map_watched(memory, ret_offset) : memory;
}

bool mock__memory_contains(uint64_t address, size_t bytes)
{
    const struct mock__memory *memory = mock__memory_find(address);

    if (memory && memory->mapping)
        return mock__map_bytes(address, bytes);
    return memory && bytes <= memory->bytes - (address - memory->address);
}

void *mock__memory_bytes(uint64_t address, size_t bytes)
{
    const struct mock__memory *memory = mock__memory_find(address);

    if (memory && memory->mapping)
        return mock__map_bytes(address, bytes);
    if (!mock__memory_contains(address, bytes) || memory->absent)
        return NULL;
    return memory->host + (address - memory->address);
}

static size_t rounded(size_t bytes)
{
    return (bytes + MOCK__ALIGNMENT - 1) & ~(size_t) (MOCK__ALIGNMENT - 1);
}

/*
 * What an allocation takes of its chunk's addresses. While it is checked who uses what, there is
 * always something behind it that is nobody's, so that a step too far does not end in a neighbour.
 */
static size_t room(size_t bytes)
{
    enum { AT_LEAST = MOCK__ALIGNMENT / 2 };

    return rounded(bytes + (mock__checking() ? AT_LEAST : 0));
}

/* The first gap of [from, to) that is large enough, 0 if there is none. */
static uint64_t gap_between(uint64_t from, uint64_t to, size_t bytes)
{
    uint64_t begin = from;

    for (size_t i = position(from - 1); i < n_ranges && ranges[i]->address < to; i++) {
        if (ranges[i]->address - begin >= bytes)
            return begin;
        begin = ranges[i]->address + room(ranges[i]->bytes);
    }
    return begin < to && to - begin >= bytes ? begin : 0;
}

/*
 * Next fit, not first fit: memory that was freed rests for as long as possible, so
 * that using it afterwards is an error and not somebody else's data.
 */
static uint64_t gap_in(struct mock__chunk *chunk, size_t bytes)
{
    uint64_t address;

    address = gap_between(chunk->cursor, chunk->address + chunk->span, room(bytes));
    return address ? address : gap_between(chunk->address, chunk->cursor, room(bytes));
}

/* A pool's memory is used again as soon as it can be, which is what pools are for. */
static uint64_t gap_for(struct mock__chunk *chunk, size_t bytes)
{
    if (chunk->bytes - chunk->used < rounded(bytes))
        return 0;
    if (!chunk->pool)
        return gap_in(chunk, bytes);
    return gap_between(chunk->address, chunk->address + chunk->span, room(bytes));
}

static uint64_t find_gap(const struct mock__pool *pool, size_t bytes,
                         struct mock__chunk **ret_chunk)
{
    for (struct mock__chunk *chunk = mock__chunk_first(); chunk; chunk = chunk->next) {
        const uint64_t address = chunk->pool == pool ? gap_for(chunk, bytes) : 0;

        if (address) {
            *ret_chunk = chunk;
            return address;
        }
    }
    return 0;
}

static struct mock__memory *cut(struct mock__context *context, struct mock__chunk *chunk,
                                uint64_t address, size_t bytes)
{
    struct mock__memory *memory = mock__memory_insert(
        &(struct mock__memory){.address = address,
                               .bytes = bytes,
                               .host = chunk->backing + (address - chunk->address),
                               .kind = MOCK__DEVICE_MEMORY,
                               .chunk = chunk,
                               .fresh = address >= chunk->used_to,
                               .context = context});

    if (!memory) {
        if (!chunk->used)
            mock__chunk_release(chunk);
        return NULL;
    }
    chunk->cursor = address + room(bytes);
    chunk->used_to = chunk->cursor > chunk->used_to ? chunk->cursor : chunk->used_to;
    chunk->used += rounded(bytes);
    return memory;
}

CUresult mock__memory_alloc(struct mock__context *context, size_t bytes,
                            struct mock__memory **ret_memory)
{
    struct mock__chunk *chunk = NULL;
    uint64_t address;

    /* Before rounding, which a size near the largest would not survive. */
    MOCK__REQUIRE(mock__device_has_room(context->device, bytes) &&
                      mock__device_has_room(context->device, rounded(bytes)),
                  CUDA_ERROR_OUT_OF_MEMORY);
    address = find_gap(NULL, bytes, &chunk);
    if (!address) {
        chunk = mock__chunk_create(NULL, room(bytes));
        MOCK__REQUIRE(chunk, CUDA_ERROR_OUT_OF_MEMORY);
        address = chunk->address;
    }
    *ret_memory = cut(context, chunk, address, bytes);
    MOCK__REQUIRE(*ret_memory, CUDA_ERROR_OUT_OF_MEMORY);
    context->device->used_bytes += rounded(bytes);
    return CUDA_SUCCESS;
}

CUresult mock__memory_alloc_pool(struct mock__context *context, struct mock__pool *pool,
                                 size_t bytes, struct mock__memory **ret_memory)
{
    struct mock__chunk *chunk = NULL;
    uint64_t address;

    MOCK__REQUIRE(bytes <= pool->device->profile->total_bytes, CUDA_ERROR_OUT_OF_MEMORY);
    address = find_gap(pool, bytes, &chunk);
    if (!address) {
        chunk = mock__pool_reserve(pool, rounded(bytes));
        MOCK__REQUIRE(chunk, CUDA_ERROR_OUT_OF_MEMORY);
        address = chunk->address;
    }
    *ret_memory = cut(context, chunk, address, bytes);
    MOCK__REQUIRE(*ret_memory, CUDA_ERROR_OUT_OF_MEMORY);
    mock__pool_charge(pool, *ret_memory);
    return CUDA_SUCCESS;
}

struct mock__memory *mock__memory_revive(struct mock__pool *pool, size_t bytes, uint64_t stream_id)
{
    for (size_t i = 0; pool->dying && i < n_ranges; i++) {
        struct mock__memory *memory = ranges[i];

        /* Of the same size: work that was submitted before still goes by that. */
        if (memory->pool != pool || !memory->being_freed || memory->freed_in != stream_id ||
            memory->bytes != bytes || !memory->chunk)
            continue;
        mock__memory_bury(memory);
        memory->label = NULL; /* the grave has it */
        memory->being_freed = false;
        pool->dying--;
        memory->id = mock__memory_new_id();
        return memory;
    }
    return NULL;
}

CUresult mock__memory_alloc_host(struct mock__context *context, size_t bytes,
                                 enum mock__memory_kind kind, unsigned flags,
                                 struct mock__memory **ret_memory)
{
    struct mock__memory range = {.bytes = bytes, .kind = kind, .flags = flags, .context = context};

    MOCK__REQUIRE(bytes <= SIZE_MAX / 2 && mock__hooks.host_map(bytes, &range.address, &range.host),
                  CUDA_ERROR_OUT_OF_MEMORY);
    *ret_memory = mock__memory_insert(&range);
    if (!*ret_memory) {
        mock__hooks.host_unmap(&range);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

CUresult mock__memory_register(struct mock__context *context, void *host, size_t bytes,
                               unsigned flags, struct mock__memory **ret_memory)
{
    *ret_memory = mock__memory_insert(&(struct mock__memory){.address = (uintptr_t) host,
                                                             .bytes = bytes,
                                                             .host = host,
                                                             .kind = MOCK__REGISTERED_MEMORY,
                                                             .flags = flags,
                                                             .context = context});
    MOCK__REQUIRE(*ret_memory, CUDA_ERROR_OUT_OF_MEMORY);
    mock__hooks.registered(*ret_memory);
    return CUDA_SUCCESS;
}

/* What the host maps for itself is new each time. */
void mock__memory_clear(const struct mock__memory *memory)
{
    if (memory->chunk && !memory->fresh)
        mock__chunk_clear(memory->chunk, memory->host, memory->bytes);
}

static void free_device_memory(struct mock__memory *memory)
{
    struct mock__chunk *chunk = memory->chunk;
    const size_t bytes = rounded(memory->bytes);

    /* A pool's is given back with the chunk. */
    if (!chunk->pool)
        memory->device->used_bytes -= bytes;
    mock__chunk_discard(chunk, memory->host, bytes);
    chunk->used -= bytes;
    mock__memory_erase(memory);
    if (!chunk->used)
        mock__chunk_release(chunk);
}

CUresult mock__memory_reserve(struct mock__context *context, size_t bytes,
                              struct mock__memory **ret_memory)
{
    MOCK__TRY(mock__memory_alloc(context, bytes, ret_memory));
    (*ret_memory)->holds = 1;
    (*ret_memory)->absent = true;
    mock__stats_went(bytes);
    return CUDA_SUCCESS;
}

void mock__memory_hold(struct mock__memory *memory)
{
    memory->holds++;
}

void mock__memory_release(struct mock__memory *memory)
{
    if (--memory->holds == 0 && memory->absent)
        mock__memory_free(memory);
}

void mock__memory_appear(struct mock__memory *memory)
{
    if (memory->absent)
        mock__stats_came(memory->bytes);
    memory->absent = false;
    mock__hooks.memory_forget(memory);
}

/* A graph's memory: the address stays the graph's. */
static void disappear(struct mock__memory *memory)
{
    if (!memory->absent)
        mock__stats_went(memory->bytes);
    memory->absent = true;
}

void mock__memory_free(struct mock__memory *memory)
{
    if (memory->holds) {
        disappear(memory);
        return;
    }
    if (memory->pool)
        mock__pool_credit(memory);
    switch (memory->kind) {
    case MOCK__DEVICE_MEMORY:
        if (memory->opened) {
            mock__opened_finish(memory->opened);
            break;
        }
        free_device_memory(memory);
        return;
    case MOCK__MANAGED_MEMORY:
    case MOCK__HOST_MEMORY:
        mock__hooks.host_unmap(memory);
        break;
    case MOCK__REGISTERED_MEMORY:
        mock__hooks.unregistered(memory);
        break;
    }
    mock__memory_erase(memory);
}

void mock__memory_free_all(struct mock__context *context)
{
    /* From the end, as freeing moves what follows. */
    for (size_t i = n_ranges; i-- > 0;) {
        if (ranges[i]->context != context)
            continue;
        ranges[i]->holds = 0;
        mock__memory_free(ranges[i]);
    }
}
