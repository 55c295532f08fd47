/* SPDX-License-Identifier: MIT */
#include "mock/context.h"
#include "mock/memory/heap.h"
#include "mock/memory/host_watch.h"
#include "mock/memory/mem_pool.h"
#include "mock/memory/memory.h"

/* What a device maps at a time. */
#define PAGE ((size_t) 2 << 20)

static const struct mock__chunk *chunk_of(uint64_t address, size_t bytes)
{
    for (const struct mock__chunk *chunk = mock__chunk_first(); chunk; chunk = chunk->next)
        if (address - chunk->address < chunk->span &&
            bytes <= chunk->span - (address - chunk->address))
            return chunk;
    return NULL;
}

static bool reaches(const struct mock__context *context, const struct mock__memory *memory)
{
    return !memory->absent && mock__memory_usable(context, memory->address, memory->bytes, true);
}

/* Is there an allocation in [begin, end) that the context may use? */
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

/* A pool keeps all of its pages, whatever it has given away of them. */
static bool kept(const struct mock__context *context, const struct mock__chunk *chunk,
                 size_t offset)
{
    return chunk->pool && offset < chunk->bytes && mock__pool_allows(chunk->pool, context->device);
}

static bool mapped(const struct mock__context *context, const struct mock__chunk *chunk,
                   size_t offset)
{
    const uint64_t begin = chunk->address + offset / PAGE * PAGE;

    return kept(context, chunk, offset) || used(context, begin, begin + PAGE);
}

/* What is somebody's and yet not to be used is another matter. */
static bool refused(const struct mock__context *context, uint64_t address)
{
    const struct mock__memory *memory = mock__memory_find(address);

    return memory && !reaches(context, memory);
}

/* Memory of the host that the driver made: all of its pages, for whoever may use it. */
static void *beside_host(const struct mock__context *context, uint64_t address, size_t bytes)
{
    const struct mock__memory *memory = mock__memory_before(address);
    const uint64_t offset = memory ? address - memory->address : 0;
    size_t room;

    if (!memory || (memory->kind != MOCK__HOST_MEMORY && memory->kind != MOCK__MANAGED_MEMORY))
        return NULL;
    room = mock__host_room(memory->bytes);
    if (offset >= room || bytes > room - offset || !reaches(context, memory))
        return NULL;
    return memory->host + offset;
}

static void *beside_device(const struct mock__context *context, uint64_t address, size_t bytes)
{
    const struct mock__chunk *chunk = chunk_of(address, bytes);
    const size_t offset = chunk ? address - chunk->address : 0;

    if (!chunk || refused(context, address) || refused(context, address + bytes - 1))
        return NULL;
    for (size_t page = offset / PAGE; page <= (offset + bytes - 1) / PAGE; page++)
        if (!mapped(context, chunk, page * PAGE))
            return NULL;
    return chunk->backing + offset;
}

void *mock__memory_stray(const struct mock__context *context, uint64_t address, size_t bytes)
{
    void *host = bytes ? beside_device(context, address, bytes) : NULL;

    return host || !bytes ? host : beside_host(context, address, bytes);
}
