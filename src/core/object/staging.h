/* SPDX-License-Identifier: MIT */
/*
 * Blocks of page-locked memory, through which pageable memory is copied. A context keeps those that
 * nobody uses now. Thread-safe: the context's pool lock protects the list.
 */
#ifndef CUSHIM_CORE_OBJECT_STAGING_H
#define CUSHIM_CORE_OBJECT_STAGING_H

#include "core/object/scope.h"

/* A piece of page-locked memory, through which pageable memory is copied. */
enum { CUSHIM__STAGING_BYTES = 1 << 20 };

struct cushim__staging_block {
    struct cushim__staging_block *next;
    void *host;
};

cushim_status cushim__staging_take(const struct cushim__scope *scope,
                                   struct cushim__staging_block **ret_chunk);

/* No device uses it any more. */
void cushim__staging_give(struct cushim__context *context, struct cushim__staging_block *block);

/* Frees the blocks that nobody uses: the context goes. */
void cushim__staging_drain(const struct cushim__scope *scope);

#endif
