/* SPDX-License-Identifier: MIT */
#include "mock/allocation/heap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mock/allocation/mem_file.h"
#include "mock/allocation/mem_pool.h"
#include "mock/base/finding.h"

/*
 * Large enough that small programs have one chunk, small enough for tools that
 * keep a shadow of all address space.
 */
#define CHUNK_BYTES   ((size_t) 64 << 20)
#define POOL_BYTES    ((size_t) 32 << 20)
#define PAGE          ((size_t) 4096)
#define HUGE_PAGE     ((size_t) 2 << 20)
#define DISCARD_BYTES ((size_t) 1 << 20)
#define CLEAR_BYTES   ((size_t) 64 << 10) /* less is written in less time than a call takes */

static struct mock__chunk *chunks; /* that belong to no pool */
static struct cushim__tree by_address;

/* In a file, so that it can be shared; without one where there are no more descriptors. */
static unsigned char *map_bytes(struct mock__chunk *chunk)
{
    void *backing;

    chunk->fd = -1;
    if (mock__file_piece(chunk->span, &chunk->fd, &chunk->file_offset))
        return mock__file_map(chunk->fd, chunk->file_offset, chunk->span, NULL);
    backing = mmap(NULL, chunk->span, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return backing == MAP_FAILED ? NULL : backing;
}

static void destroy(struct mock__chunk *chunk)
{
    if (chunk->address)
        munmap((void *) (uintptr_t) chunk->address, chunk->span);
    if (chunk->backing)
        munmap(chunk->backing, chunk->span);
    if (chunk->fd >= 0)
        mock__file_return(chunk->fd, chunk->file_offset, chunk->span);
    free(chunk);
}

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Address space that begins a page of a device. */
static uint64_t page_of_space(size_t bytes)
{
    const uintptr_t all = (uintptr_t) mock__space_new(bytes + HUGE_PAGE, NULL);
    const uintptr_t begin = round_up(all, HUGE_PAGE), end = begin + bytes;

    if (!all)
        return 0;
    if (begin > all)
        munmap((void *) all, begin - all);
    if (all + HUGE_PAGE > begin)
        munmap((void *) end, all + HUGE_PAGE - begin);
    return begin;
}

size_t mock__chunk_size(const struct mock__pool *pool, size_t bytes)
{
    if (pool)
        return round_up(bytes, POOL_BYTES);
    return bytes < CHUNK_BYTES ? CHUNK_BYTES : round_up(bytes, HUGE_PAGE);
}

static void put_in(struct mock__chunk *chunk, struct mock__chunk **list)
{
    chunk->next = *list;
    chunk->link = list;
    if (*list)
        (*list)->link = &chunk->next;
    *list = chunk;
    cushim__tree_add(&by_address, &chunk->by_address, chunk->address, 0);
}

struct mock__chunk *mock__chunk_create(struct mock__pool *pool, size_t bytes)
{
    struct mock__chunk *chunk = calloc(1, sizeof(*chunk));

    if (!chunk)
        return NULL;
    chunk->bytes = mock__chunk_size(pool, bytes);
    /* Gaps take no more than the smallest allocation, and a pool's bytes are counted. */
    chunk->span = pool && mock__checking() ? 2 * chunk->bytes : chunk->bytes;
    chunk->pool = pool;
    chunk->address = page_of_space(chunk->span);
    chunk->backing = map_bytes(chunk);
    if (!chunk->address || !chunk->backing) {
        destroy(chunk);
        return NULL;
    }
    chunk->cursor = chunk->address;
    put_in(chunk, pool ? &pool->chunks : &chunks);
    return chunk;
}

void mock__chunk_destroy(struct mock__chunk *chunk)
{
    *chunk->link = chunk->next;
    if (chunk->next)
        chunk->next->link = chunk->link;
    cushim__tree_remove(&by_address, &chunk->by_address);
    destroy(chunk);
}

void mock__chunk_release(struct mock__chunk *chunk)
{
    /* A loop that allocates and frees must not map and unmap. */
    if (!chunk->pool && chunk->bytes != CHUNK_BYTES)
        mock__chunk_destroy(chunk);
}

struct mock__chunk *mock__chunk_first(const struct mock__pool *pool)
{
    return pool ? pool->chunks : chunks;
}

struct mock__chunk *mock__chunk_at(uint64_t address)
{
    struct mock__chunk *chunk = CUSHIM__TREE_MEMBER(cushim__tree_before(&by_address, address, 1),
                                                    struct mock__chunk, by_address);

    return chunk && address - chunk->address < chunk->span ? chunk : NULL;
}

static bool discard(const struct mock__chunk *chunk, uintptr_t begin, uintptr_t end)
{
    return !madvise((void *) begin, end - begin, chunk->fd < 0 ? MADV_DONTNEED : MADV_REMOVE);
}

void mock__chunk_discard(const struct mock__chunk *chunk, unsigned char *backing, size_t bytes)
{
    if (bytes >= DISCARD_BYTES)
        discard(chunk, round_up((uintptr_t) backing, PAGE),
                ((uintptr_t) backing + bytes) / PAGE * PAGE);
}

/* Pages that are given back are zeros when they are used again. */
void mock__chunk_clear(const struct mock__chunk *chunk, unsigned char *backing, size_t bytes)
{
    const uintptr_t begin = (uintptr_t) backing, end = begin + bytes;
    const uintptr_t first = round_up(begin, PAGE), last = end / PAGE * PAGE;

    if (bytes < CLEAR_BYTES || !discard(chunk, first, last)) {
        memset(backing, 0, bytes);
        return;
    }
    memset(backing, 0, first - begin);
    memset(backing + (last - begin), 0, end - last);
}
