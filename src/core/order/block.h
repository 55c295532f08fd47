/* SPDX-License-Identifier: MIT */
/*
 * Blocks: memory that is allocated while a stream records. Slices hold them.
 *
 * A block is a part of the buffer of an arena (arena.h). In a recording with .memory_nodes it is
 * memory of the graph itself, with a buffer of its own: a node of the graph allocates it, and
 * another one frees it.
 */
#ifndef CUSHIM_CORE_ORDER_BLOCK_H
#define CUSHIM_CORE_ORDER_BLOCK_H

#include "base/tree.h"
#include "core/object/handle_words.h"
#include "core/order/stream.h"

struct cushim__block {
    atomic_uint references;
    struct cushim__buffer *buffer;
    size_t begin, bytes;                /* of the buffer */
    struct cushim__device_arena *arena; /* with a reference while it is in use; or NULL */
    struct cushim__tree_node node;      /* in the free blocks of the arena */

    /* Of memory nodes. */
    struct cushim__timeline *timeline; /* that it was allocated on, with a reference */
    uint64_t recording;                /* the id of the recording */
    struct cushim__block *next;        /* of those that the recording has not freed */
    struct cushim__source_place made;
};

/*
 * Allocates for a stream that records, with a reference for the caller. If the stream does not
 * record, *ret_block stays as it is.
 */
cushim_status cushim__block_new(struct cushim__scope *scope, struct cushim__timeline *timeline,
                                size_t bytes, struct cushim__block **ret_block);

static inline void cushim__block_ref(struct cushim__block *block)
{
    atomic_fetch_add_explicit(&block->references, 1, memory_order_relaxed);
}

/* Drops a reference. With the last one the memory is free for other blocks. Without locks. */
void cushim__block_unref(struct cushim__block *block, const char *call, const char *label);

#endif
