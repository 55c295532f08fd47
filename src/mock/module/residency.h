/* SPDX-License-Identifier: MIT */
/*
 * How many blocks a multiprocessor has room for at once, from figures alone. The rules are those of
 * CUDA's occupancy calculator, and what an H200 answered. Takes no lock.
 */
#ifndef CUSHIM_MOCK_MODULE_RESIDENCY_H
#define CUSHIM_MOCK_MODULE_RESIDENCY_H

#include <stdbool.h>
#include <stddef.h>

/* What a multiprocessor has. */
struct mock__residency_room {
    int capability; /* such as 90 */
    size_t warp, threads, blocks, registers, shared;
    size_t reserved_shared; /* of each block, for the system */
};

/* What a kernel takes, and what was said about it. */
struct mock__residency_use {
    size_t registers; /* of a thread; 0: they do not count */
    size_t barriers, static_shared;
    size_t most_dynamic; /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
    int carveout;        /* the share of shared memory that is preferred, in percent; -1: none */
    int cache;           /* CUfunc_cache, which counts if no share is preferred */
};

/* The blocks of so many threads, each with that dynamic shared memory. */
size_t mock__residency_blocks(const struct mock__residency_room *room,
                              const struct mock__residency_use *use, size_t threads,
                              size_t dynamic_shared);

/*
 * The dynamic shared memory that each of so many blocks can have. False if there is no room for
 * these without any.
 */
bool mock__residency_dynamic(const struct mock__residency_room *room,
                             const struct mock__residency_use *use, size_t threads, size_t blocks,
                             size_t *ret_bytes);

#endif
