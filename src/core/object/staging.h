/* SPDX-License-Identifier: MIT */
/*
 * Staging blocks: page-locked memory through which pageable memory is copied. A context keeps the
 * unused blocks. A slab is page-locked memory of 1 MiB that is divided into blocks of one size, so
 * that many small copies may be under way at the same time. Thread-safe: the context's pool lock
 * protects the lists.
 */
#ifndef CUSHIM_CORE_OBJECT_STAGING_H
#define CUSHIM_CORE_OBJECT_STAGING_H

#include "core/object/scope.h"

/* The size of the largest staging block, and of a slab. */
enum { CUSHIM__STAGING_BYTES = 1 << 20 };

struct cushim__staging_block {
    struct cushim__staging_block *next;
    void *host;
    unsigned char size; /* which size: the index of the list */
    bool busy;          /* the device may use it */
};

/* Takes an unused block of at least so many bytes from the context, or allocates a slab. */
cushim_status cushim__staging_take(const struct cushim__scope *scope, size_t bytes,
                                   struct cushim__staging_block **ret_block);

/*
 * Gives a block back to the context. One that is busy, because a wait for the device has failed, is
 * not used again before the context ends.
 */
void cushim__staging_give(struct cushim__context *context, struct cushim__staging_block *block);

/* Frees all slabs, before the context is destroyed. */
void cushim__staging_drain(const struct cushim__scope *scope);

#endif
