/* SPDX-License-Identifier: MIT */
/*
 * Memory pools of the driver. A slice of a pool refers to it by its buffer (keep in
 * order/buffer.h), so the driver's pool is destroyed after its slices are freed.
 */
#ifndef CUSHIM_CORE_MEMORY_POOL_H
#define CUSHIM_CORE_MEMORY_POOL_H

#include <stdatomic.h>

#include "core/cu/cu_memory.h"
#include "core/order/stream.h"

enum cushim__pool_kind {
    CUSHIM__POOL_BORROWED, /* the driver's, or the program's */
    CUSHIM__POOL_OWN,      /* made by cushim, which destroys it, as the following ones */
    CUSHIM__POOL_SHARED,   /* made for other processes */
    CUSHIM__POOL_OPENED,   /* another process has made it, and allocates from it */
};

/* The object of a pool's handle. */
struct cushim__pool {
    struct cushim__object object; /* holds a reference on its context */
    CUmemoryPool cu;
    enum cushim__pool_kind kind;
    size_t max_bytes;   /* that the program has set; 0: none, or not known */
    atomic_bool shared; /* by cushim_pool_share() */
};

/*
 * Returns CUDA_ERROR_NOT_SUPPORTED if the context's device has no memory pools. With a driver that
 * has no functions for them it succeeds, because those functions answer with the version that they
 * need.
 */
cushim_status cushim__pool_check_device(const struct cushim__scope *scope);

/*
 * Lets kernels of the scope's context use the memory of another context: what cuMemAlloc() made,
 * and what the other device's pool has, of which slices are. Takes the first back if enable is
 * false; the pool is the device's, which other contexts use, too, so it stays open.
 */
cushim_status cushim__peer_set(const struct cushim__scope *scope,
                               const struct cushim__context *peer, bool enable);

/*
 * Makes a pool object for a CUmemoryPool, with its limit or 0, a label or NULL, and a handle for
 * it. Unless it is borrowed, it takes over the CUmemoryPool, on failure too.
 */
cushim_status cushim__pool_give(const struct cushim__scope *scope, CUmemoryPool cu,
                                enum cushim__pool_kind kind, size_t max_bytes, const char *label,
                                uint64_t *ret_id);

#endif
