/* SPDX-License-Identifier: MIT */
/*
 * Staging blocks: page-locked memory through which pageable memory is copied. A context keeps the
 * unused blocks. Thread-safe: the context's pool lock protects the lists.
 */
#ifndef CUSHIM_CORE_OBJECT_STAGING_H
#define CUSHIM_CORE_OBJECT_STAGING_H

#include "core/object/scope.h"

/* The size of one staging block. */
enum { CUSHIM__STAGING_BYTES = 1 << 20 };

struct cushim__staging_block {
    struct cushim__staging_block *next;
    void *host;
    bool busy; /* the device may use it */
};

/* Takes an unused block from the context, or allocates one. */
cushim_status cushim__staging_take(const struct cushim__scope *scope,
                                   struct cushim__staging_block **ret_chunk);

/*
 * Gives a block back to the context. One that is busy, because a wait for the device has failed, is
 * not used again before the context ends.
 */
void cushim__staging_give(struct cushim__context *context, struct cushim__staging_block *block);

/* Frees all blocks, before the context is destroyed. */
void cushim__staging_drain(const struct cushim__scope *scope);

#endif
