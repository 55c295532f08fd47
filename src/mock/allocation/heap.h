/* SPDX-License-Identifier: MIT */
/* The chunks of address space that device memory is cut from. Callers hold the lock. */
#ifndef CUSHIM_MOCK_ALLOCATION_HEAP_H
#define CUSHIM_MOCK_ALLOCATION_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tree.h"

struct mock__pool;

struct mock__chunk {
    uint64_t address;       /* of the reservation, which cannot be accessed */
    unsigned char *backing; /* of the bytes */
    int fd;                 /* the file that they are in, for other processes; or -1 */
    size_t file_offset;
    struct mock__pool *pool; /* the pool that it belongs to, or NULL */
    size_t bytes;
    size_t span;      /* size of its address range; larger than bytes if allocations have gaps */
    size_t used;      /* bytes of it in allocations */
    uint64_t cursor;  /* where the last allocation ended */
    uint64_t used_to; /* where the furthest one did: behind it nothing was ever written */
    struct mock__chunk *next, **link;    /* list of the chunks of its pool, or of none */
    struct cushim__tree_node by_address; /* among all chunks */
};

/* How large a chunk for so many bytes is. */
size_t mock__chunk_size(const struct mock__pool *pool, size_t bytes);

/* A chunk with at least so many bytes, NULL if the host has no more address space. */
struct mock__chunk *mock__chunk_create(struct mock__pool *pool, size_t bytes);

/* Gives the chunk's address space back. */
void mock__chunk_destroy(struct mock__chunk *chunk);

/*
 * Called when the chunk has no allocation left. Frees it, unless it is kept for the next allocation
 * or for its pool.
 */
void mock__chunk_release(struct mock__chunk *chunk);

/* Returns the first chunk of a pool, or of those without a pool: linked by next. */
struct mock__chunk *mock__chunk_first(const struct mock__pool *pool);

/* Returns the chunk that an address is in, or NULL. */
struct mock__chunk *mock__chunk_at(uint64_t address);

/* Makes bytes of it zeros. */
void mock__chunk_clear(const struct mock__chunk *chunk, unsigned char *backing, size_t bytes);

/* Gives the memory behind a freed range back to the system if that is worth a call. */
void mock__chunk_discard(const struct mock__chunk *chunk, unsigned char *backing, size_t bytes);

#endif
