/* SPDX-License-Identifier: MIT */
#include "mock/allocation/memory.h"

#include <stdlib.h>

#include "mock/allocation/heap.h"
#include "mock/allocation/ipc.h"
#include "mock/allocation/mem_advise.h"
#include "mock/allocation/mem_map.h"
#include "mock/allocation/mem_pool.h"
#include "mock/allocation/memory_ranges.h"
#include "mock/base/device_room.h"
#include "mock/base/state.h"
#include "mock/base/stats.h"
#include "mock/base/upcalls.h"
#include "mock/queue/work.h"

static uint64_t last_id;

uint64_t mock__memory_new_id(void)
{
    return ++last_id;
}

/*
 * Tells whether the memory counts as used: mapped memory is counted elsewhere, memory of other
 * processes is not.
 */
static bool counted(const struct mock__memory *memory)
{
    return memory->kind == MOCK__MANAGED_MEMORY || memory->chunk;
}

struct mock__memory *mock__memory_insert(const struct mock__memory *range)
{
    struct mock__memory *memory = malloc(sizeof(*memory));

    if (!memory)
        return NULL;
    *memory = *range;
    memory->id = mock__memory_new_id();
    memory->device = range->context ? range->context->device : range->device;
    mock__ranges_add(memory);
    if (counted(memory))
        mock__stats_came(memory->bytes);
    return memory;
}

void mock__memory_erase(struct mock__memory *memory)
{
    if (counted(memory) && !memory->absent)
        mock__stats_went(memory->bytes);
    mock__memory_note_freed(memory);
    mock__upcalls.memory_forget(memory);
    mock__advice_forget(memory);
    mock__queue_unref(memory->attached_queue);
    mock__ranges_remove(memory);
    free(memory);
}

struct mock__memory *mock__memory_find(uint64_t address)
{
    struct mock__memory *memory = mock__ranges_below(address);

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
    const bool owned = memory && memory->context && !memory->pool;
    const uint64_t context = owned ? memory->context->id : 0;

    return memory ? context << 8 | (uint64_t) (memory->kind + 1) : 0;
}

const struct mock__memory *mock__memory_before(uint64_t address)
{
    return mock__ranges_below(address);
}

const struct mock__memory *mock__memory_after(uint64_t address)
{
    return mock__ranges_above(address);
}

struct mock__memory *mock__memory_at(uint64_t address)
{
    struct mock__memory *memory = mock__memory_find(address);

    return memory && memory->address == address ? memory : NULL;
}

bool mock__memory_overlaps(uint64_t address, size_t bytes)
{
    const struct mock__memory *next = mock__ranges_above(address);

    return mock__memory_find(address) || (next && next->address - address < bytes);
}

bool mock__memory_reserved(uint64_t address)
{
    return mock__chunk_at(address) || mock__map_reserved(address);
}

/* For memory of the device: memory of the host is for all devices. */
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

bool mock__memory_of_stranger(const struct mock__context *context,
                              const struct mock__memory *memory)
{
    return !memory->mapping && memory->device != context->device && !peers_may_use(context, memory);
}

bool mock__memory_usable(const struct mock__context *context, uint64_t address, size_t bytes,
                         bool write)
{
    const struct mock__memory *memory = mock__memory_find(address);

    if (memory && memory->mapping)
        return mock__map_allows(address, bytes, context->device, write);
    return memory && peers_may_use(context, memory) && !(write && mock__memory_read_only(address));
}

struct mock__memory *mock__memory_checked(uint64_t address, size_t *ret_offset, size_t *ret_left)
{
    struct mock__memory *memory = mock__memory_find(address);

    if (!memory)
        return NULL;
    *ret_offset = address - memory->address;
    *ret_left = memory->bytes - *ret_offset;
    return memory->mapping ? mock__map_checked(memory, ret_offset) : memory;
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

/*
 * Next fit, not first fit: memory that was freed rests for as long as possible, so that using it
 * afterwards is an error and does not reach the data of a new allocation.
 */
static uint64_t gap_in(struct mock__chunk *chunk, size_t bytes)
{
    uint64_t address;

    address =
        mock__ranges_gap(chunk->cursor, chunk->address + chunk->span, mock__memory_room(bytes));
    return address ? address
                   : mock__ranges_gap(chunk->address, chunk->cursor, mock__memory_room(bytes));
}

/* A pool's memory is used again as soon as it can be, which is what pools are for. */
static uint64_t gap_for(struct mock__chunk *chunk, size_t bytes)
{
    if (chunk->bytes - chunk->used < mock__memory_rounded(bytes))
        return 0;
    if (!chunk->pool)
        return gap_in(chunk, bytes);
    return mock__ranges_gap(chunk->address, chunk->address + chunk->span, mock__memory_room(bytes));
}

static uint64_t find_gap(const struct mock__pool *pool, size_t bytes,
                         struct mock__chunk **ret_chunk)
{
    for (struct mock__chunk *chunk = mock__chunk_first(pool); chunk; chunk = chunk->next) {
        const uint64_t address = gap_for(chunk, bytes);

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
    chunk->cursor = address + mock__memory_room(bytes);
    chunk->used_to = chunk->cursor > chunk->used_to ? chunk->cursor : chunk->used_to;
    chunk->used += mock__memory_rounded(bytes);
    return memory;
}

/* As on hardware: what is larger than half a page of a device begins one. */
static size_t alignment_of(size_t bytes)
{
    static const size_t page = (size_t) 2 << 20;

    return bytes > page / 2 ? page : MOCK__ALIGNMENT;
}

/* How many bytes a gap must have more, so that some address in it is aligned. */
static size_t slack(size_t bytes)
{
    return alignment_of(bytes) - MOCK__ALIGNMENT;
}

static uint64_t aligned(uint64_t address, size_t bytes)
{
    return (address + slack(bytes)) & ~(uint64_t) (alignment_of(bytes) - 1);
}

CUresult mock__memory_alloc(struct mock__context *context, size_t bytes,
                            struct mock__memory **ret_memory)
{
    struct mock__chunk *chunk = NULL;
    uint64_t address;

    /* Before rounding, which a size near the largest would not survive. */
    MOCK__REQUIRE(mock__device_wants_room(context->device, bytes) &&
                      mock__device_wants_room(context->device, mock__memory_rounded(bytes)),
                  CUDA_ERROR_OUT_OF_MEMORY);
    address = find_gap(NULL, bytes + slack(bytes), &chunk);
    if (!address) {
        chunk = mock__chunk_create(NULL, mock__memory_room(bytes + slack(bytes)));
        MOCK__REQUIRE(chunk, CUDA_ERROR_OUT_OF_MEMORY);
        address = chunk->address;
    }
    *ret_memory = cut(context, chunk, aligned(address, bytes), bytes);
    MOCK__REQUIRE(*ret_memory, CUDA_ERROR_OUT_OF_MEMORY);
    context->device->used_bytes += mock__memory_rounded(bytes);
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
        chunk = mock__pool_reserve(pool, mock__memory_rounded(bytes));
        MOCK__REQUIRE(chunk, CUDA_ERROR_OUT_OF_MEMORY);
        address = chunk->address;
    }
    *ret_memory = cut(context, chunk, address, bytes);
    MOCK__REQUIRE(*ret_memory, CUDA_ERROR_OUT_OF_MEMORY);
    mock__pool_charge(pool, *ret_memory);
    return CUDA_SUCCESS;
}

/* Those of one stream and size are next to each other, by rising address. */
static uint64_t place_of(uint64_t stream_id, size_t bytes)
{
    return (stream_id + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9) ^ bytes;
}

void mock__memory_free_submitted(struct mock__memory *memory, uint64_t stream_id)
{
    memory->freed_in = stream_id;
    if (memory->pool)
        cushim__tree_add(&memory->pool->being_freed, &memory->by_free,
                         place_of(stream_id, memory->bytes), memory->address);
}

void mock__memory_free_withdrawn(struct mock__memory *memory)
{
    memory->being_freed = false;
    if (memory->pool)
        cushim__tree_remove(&memory->pool->being_freed, &memory->by_free);
}

struct mock__memory *mock__memory_reuse(struct mock__pool *pool, size_t bytes, uint64_t stream_id)
{
    const uint64_t place = place_of(stream_id, bytes);
    struct cushim__tree_node *node = cushim__tree_from(&pool->being_freed, place, 0);

    for (; node && node->major == place; node = cushim__tree_next(node)) {
        struct mock__memory *memory = CUSHIM__TREE_MEMBER(node, struct mock__memory, by_free);

        /* Of the same size: work that was submitted before still goes by that. */
        if (memory->freed_in != stream_id || memory->bytes != bytes || !memory->chunk)
            continue;
        mock__memory_note_freed(memory);
        memory->label = NULL; /* freed.c has it */
        mock__memory_free_withdrawn(memory);
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

    MOCK__REQUIRE(bytes <= SIZE_MAX / 2 &&
                      mock__upcalls.host_map(bytes, &range.address, &range.host),
                  CUDA_ERROR_OUT_OF_MEMORY);
    *ret_memory = mock__memory_insert(&range);
    if (!*ret_memory) {
        mock__upcalls.host_unmap(&range);
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
    mock__upcalls.registered(*ret_memory);
    return CUDA_SUCCESS;
}

/* Memory that the host maps for itself is new each time, so it is zero. */
void mock__memory_clear(const struct mock__memory *memory)
{
    if (memory->chunk && !memory->fresh)
        mock__chunk_clear(memory->chunk, memory->host, memory->bytes);
}

static void free_device_memory(struct mock__memory *memory)
{
    struct mock__chunk *chunk = memory->chunk;
    const size_t bytes = mock__memory_rounded(memory->bytes);

    /* A pool's is given back with the chunk. */
    if (!chunk->pool)
        memory->device->used_bytes -= bytes;
    mock__chunk_discard(chunk, memory->host, bytes);
    chunk->used -= bytes;
    mock__memory_erase(memory);
    if (!chunk->used)
        mock__chunk_release(chunk);
}

/* The device counts the memory that graphs have: this range begins, or ends, to be counted. */
static void count_as_graphs(const struct mock__memory *memory, bool now)
{
    const uint64_t bytes = now ? memory->bytes : (uint64_t) 0 - memory->bytes;

    if (!memory->holds)
        return;
    memory->device->graph_reserved += bytes;
    memory->device->graph_used += memory->absent ? 0 : bytes;
}

static void set_holds(struct mock__memory *memory, unsigned holds)
{
    count_as_graphs(memory, false);
    memory->holds = holds;
    count_as_graphs(memory, true);
}

static void set_absent(struct mock__memory *memory, bool absent)
{
    if (absent != memory->absent)
        (absent ? mock__stats_went : mock__stats_came)(memory->bytes);
    count_as_graphs(memory, false);
    memory->absent = absent;
    count_as_graphs(memory, true);
}

CUresult mock__memory_reserve(struct mock__context *context, size_t bytes,
                              struct mock__memory **ret_memory)
{
    MOCK__TRY(mock__memory_alloc(context, bytes, ret_memory));
    set_holds(*ret_memory, 1);
    set_absent(*ret_memory, true);
    return CUDA_SUCCESS;
}

void mock__memory_hold(struct mock__memory *memory)
{
    set_holds(memory, memory->holds + 1);
}

void mock__memory_release(struct mock__memory *memory)
{
    set_holds(memory, memory->holds - 1);
    if (!memory->holds && memory->absent)
        mock__memory_free(memory);
}

void mock__memory_appear(struct mock__memory *memory)
{
    set_absent(memory, false);
    mock__upcalls.memory_forget(memory);
}

void mock__memory_free(struct mock__memory *memory)
{
    if (mock__is_child())
        return; /* the bytes are the parent's */
    /* A graph's memory: the address stays the graph's. */
    if (memory->holds) {
        set_absent(memory, true);
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
        mock__upcalls.host_unmap(memory);
        break;
    case MOCK__REGISTERED_MEMORY:
        mock__upcalls.unregistered(memory);
        break;
    }
    mock__memory_erase(memory);
}

void mock__memory_free_all(struct mock__context *context)
{
    struct mock__memory *before;

    for (struct mock__memory *memory = mock__ranges_below(UINT64_MAX); memory; memory = before) {
        before = mock__ranges_below(memory->address - 1);
        if (memory->context != context)
            continue;
        set_holds(memory, 0);
        mock__memory_free(memory);
    }
}
