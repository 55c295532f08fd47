/* SPDX-License-Identifier: MIT */
/*
 * Memory pools: where stream-ordered allocations come from. A pool reserves memory of its device in
 * chunks, and keeps freed memory until the program waits for the device, or longer if its threshold
 * says so. mem_pool_of.c knows the pool of each place. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_ALLOCATION_MEM_POOL_H
#define CUSHIM_MOCK_ALLOCATION_MEM_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mock/base/objects.h"
#include "mock/functions.h"

struct mock__chunk;
struct mock__device;
struct mock__memory;

struct mock__pool {
    struct mock__object object;
    struct mock__device *device;
    uint64_t release_threshold;
    uint64_t most; /* that it may reserve, 0 for as much as there is */
    uint64_t used, used_high;
    struct cushim__tree being_freed; /* allocations whose free was submitted and is not done */
    uint64_t reserved, reserved_high;
    int reuse[3];   /* follow events, opportunistic, internal dependencies */
    uint32_t peers; /* one bit for each other device that has access */
    unsigned handle_types;
    bool is_default;
    bool imported;  /* of another process: nothing is allocated from it here */
    bool exported;  /* another process may have it */
    bool destroyed; /* and goes with the last of its allocations */
    /*
     * For mem_pool.c: the list of pools to trim when the program has waited, and the pool's chunks.
     */
    bool listed;
    struct mock__pool *next_listed;
    struct mock__chunk *chunks;
};

/* Returns the pool of a handle, or NULL if the program has no such handle. */
struct mock__pool *mock__pool_find(CUmemoryPool handle);

/* The device's current pool, or its default one; NULL if there is no memory. */
struct mock__pool *mock__pool_of(struct mock__device *device, bool only_default);

/* Makes a pool of a device. NULL when out of memory. */
struct mock__pool *mock__pool_new(struct mock__device *device);

/* Returns a chunk of at least so many bytes; NULL if device, pool or host have no more. */
struct mock__chunk *mock__pool_reserve(struct mock__pool *pool, size_t bytes);

/* Tells the pool that an allocation was made from it, or is about to be freed. */
void mock__pool_charge(struct mock__pool *pool, struct mock__memory *memory);
void mock__pool_credit(struct mock__memory *memory);

/* Tells whether work of a device may use the pool's memory. */
bool mock__pool_allows(const struct mock__pool *pool, const struct mock__device *device);

/*
 * Gives unused memory back to the devices, except the memory that the thresholds keep. Called when
 * the program has waited for a device.
 */
void mock__pools_trim(void);

/* The pool of a device that a call means: by a device, or by a place and a type (CUDA 13.0). */
CUresult mock__pool_get(CUdevice device, bool only_default, CUmemoryPool *ret_pool);
CUresult mock__pool_set(CUdevice device, CUmemoryPool pool);

#endif
