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
    size_t span;      /* of its addresses: more than it has bytes, where allocations have gaps */
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
 * Nothing is left in the chunk: gives it back, unless it is worth keeping for the next
 * allocation, or its pool's to keep.
 */
void mock__chunk_release(struct mock__chunk *chunk);

/* The first chunk of a pool, or of those that belong to none: linked by next. */
struct mock__chunk *mock__chunk_first(const struct mock__pool *pool);

/* The chunk that an address lies in, NULL if it is in none. */
struct mock__chunk *mock__chunk_at(uint64_t address);

/* Makes bytes of it zeros. */
void mock__chunk_clear(const struct mock__chunk *chunk, unsigned char *backing, size_t bytes);

/* Gives the memory behind a freed range back to the system if that is worth a call. */
void mock__chunk_discard(const struct mock__chunk *chunk, unsigned char *backing, size_t bytes);

#endif
