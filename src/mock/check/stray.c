/* SPDX-License-Identifier: MIT */
#include "mock/check/stray.h"

#include "mock/allocation/heap.h"
#include "mock/allocation/mem_pool.h"
#include "mock/allocation/memory.h"
#include "mock/base/context.h"
#include "mock/check/host_region.h"
#include "mock/check/host_watch.h"

/*
 * A device maps pages of 2 MiB, as seen on an H200. Registered memory of the program is mapped by
 * pages of the host.
 */
#define PAGE      ((size_t) 2 << 20)
#define HOST_PAGE ((size_t) 4096)

static struct mock__chunk *chunk_of(uint64_t address, size_t bytes)
{
    struct mock__chunk *chunk = mock__chunk_at(address);

    return chunk && bytes <= chunk->span - (address - chunk->address) ? chunk : NULL;
}

static bool reaches(const struct mock__context *context, const struct mock__memory *memory)
{
    return !memory->absent && mock__memory_usable(context, memory->address, memory->bytes, true);
}

/* Tells whether there is an allocation in [begin, end) that the context may use. */
static bool used(const struct mock__context *context, uint64_t begin, uint64_t end)
{
    const struct mock__memory *memory = mock__memory_find(begin);

    if (!memory)
        memory = mock__memory_after(begin);
    for (; memory && memory->address < end; memory = mock__memory_after(memory->address))
        if (reaches(context, memory))
            return true;
    return false;
}

/* A pool keeps all of its pages mapped, also those that it has not given away. */
static bool kept(const struct mock__context *context, const struct mock__chunk *chunk,
                 size_t offset)
{
    return chunk->pool && offset < chunk->bytes && mock__pool_allows(chunk->pool, context->device);
}

/*
 * Where memory fills its pages, its gap takes another one. On a device the neighbour would be
 * there.
 */
static bool between(const struct mock__context *context, uint64_t begin)
{
    return used(context, begin - 1, begin) && used(context, begin + PAGE, begin + 2 * PAGE);
}

static bool mapped(const struct mock__context *context, const struct mock__chunk *chunk,
                   size_t offset)
{
    const uint64_t begin = chunk->address + offset / PAGE * PAGE;

    return kept(context, chunk, offset) || used(context, begin, begin + PAGE) ||
           between(context, begin);
}

/* An address of memory that the context must not use is a fault, whatever is mapped there. */
static bool refused(const struct mock__context *context, uint64_t address)
{
    const struct mock__memory *memory = mock__memory_find(address);

    return memory && !reaches(context, memory);
}

/*
 * Returns bytes that stand for mapped memory outside of every allocation. No other code uses them.
 */
static void *some_bytes(size_t bytes)
{
    static unsigned char nobodys[4096] __attribute__((aligned(64)));

    return bytes <= sizeof(nobodys) ? nobodys : NULL;
}

/*
 * Memory that the driver allocated on the host is mapped by whole pages of the device. Memory that
 * the program has registered is mapped by pages of the host; the bytes behind it belong to the
 * program.
 */
static void *beside_host(const struct mock__context *context, uint64_t address, size_t bytes,
                         bool write)
{
    const struct mock__memory *memory = mock__memory_before(address);
    const bool registered = memory && memory->kind == MOCK__REGISTERED_MEMORY;
    const size_t page = registered ? HOST_PAGE : PAGE;
    const uint64_t begin =
        memory ? (registered ? memory->address / page * page : memory->address) : 0;
    const uint64_t used = memory ? memory->address + memory->bytes - begin : 0;
    const uint64_t offset = address - begin, end = (used + page - 1) / page * page;

    if (!memory || memory->kind == MOCK__DEVICE_MEMORY || memory->absent ||
        !mock__memory_usable(context, memory->address, memory->bytes, write) || offset >= end ||
        bytes > end - offset)
        return NULL;
    if (registered || offset + bytes <= mock__host_room(memory->bytes))
        return memory->host + (address - memory->address);
    return some_bytes(bytes);
}

/*
 * Notes that the bytes up to end may have been written, so a new allocation there must be cleared.
 * Several threads may call this at the same time.
 */
static void use_to(struct mock__chunk *chunk, uint64_t end)
{
    uint64_t before = __atomic_load_n(&chunk->used_to, __ATOMIC_RELAXED);

    while (before < end && !__atomic_compare_exchange_n(&chunk->used_to, &before, end, true,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void *beside_device(const struct mock__context *context, uint64_t address, size_t bytes)
{
    struct mock__chunk *chunk = chunk_of(address, bytes);
    const size_t offset = chunk ? address - chunk->address : 0;

    if (!chunk || refused(context, address) || refused(context, address + bytes - 1))
        return NULL;
    for (size_t page = offset / PAGE; page <= (offset + bytes - 1) / PAGE; page++)
        if (!mapped(context, chunk, page * PAGE))
            return NULL;
    use_to(chunk, address + bytes);
    return chunk->backing + offset;
}

void *mock__memory_stray(const struct mock__context *context, uint64_t address, size_t bytes,
                         bool write)
{
    void *host = bytes ? beside_device(context, address, bytes) : NULL;

    return host || !bytes ? host : beside_host(context, address, bytes, write);
}
