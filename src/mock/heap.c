/* SPDX-License-Identifier: MIT */
#include "mock/heap.h"

#include <stdlib.h>
#include <sys/mman.h>

/*
 * Large enough that small programs have one chunk, small enough for tools that
 * keep a shadow of all address space.
 */
#define CHUNK_BYTES   ((size_t) 64 << 20)
#define HUGE_PAGE     ((size_t) 2 << 20)
#define DISCARD_BYTES ((size_t) 1 << 20)

static struct mock__chunk *chunks;

static void *map(size_t bytes, int protection)
{
    void *address =
        mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return address == MAP_FAILED ? NULL : address;
}

static void destroy(struct mock__chunk *chunk)
{
    if (chunk->address)
        munmap((void *) (uintptr_t) chunk->address, chunk->bytes);
    if (chunk->backing)
        munmap(chunk->backing, chunk->bytes);
    free(chunk);
}

struct mock__chunk *mock__chunk_create(size_t bytes)
{
    struct mock__chunk *chunk = calloc(1, sizeof(*chunk));

    if (!chunk)
        return NULL;
    chunk->bytes = bytes < CHUNK_BYTES ? CHUNK_BYTES : (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    chunk->address = (uintptr_t) map(chunk->bytes, PROT_NONE);
    chunk->backing = map(chunk->bytes, PROT_READ | PROT_WRITE);
    if (!chunk->address || !chunk->backing) {
        destroy(chunk);
        return NULL;
    }
    chunk->cursor = chunk->address;
    chunk->next = chunks;
    chunks = chunk;
    return chunk;
}

void mock__chunk_release(struct mock__chunk *chunk)
{
    struct mock__chunk **link = &chunks;

    /* A loop that allocates and frees must not map and unmap. */
    if (chunk->bytes == CHUNK_BYTES)
        return;
    while (*link != chunk)
        link = &(*link)->next;
    *link = chunk->next;
    destroy(chunk);
}

struct mock__chunk *mock__chunk_first(void)
{
    return chunks;
}

void mock__chunk_discard(unsigned char *backing, size_t bytes)
{
    if (bytes >= DISCARD_BYTES)
        madvise(backing, bytes, MADV_DONTNEED);
}
