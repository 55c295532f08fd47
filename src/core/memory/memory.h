/* SPDX-License-Identifier: MIT */
/*
 * Memory of devices: allocating it. copy.h has copies and fills.
 */
#ifndef CUSHIM_CORE_MEMORY_MEMORY_H
#define CUSHIM_CORE_MEMORY_MEMORY_H

#include "core/memory/pool.h"
#include "core/order/block.h"

/* The elements of a buffer that a slice is made of. */
struct cushim__part {
    struct cushim__buffer *buffer; /* with a reference, unless the block has it */
    struct cushim__block *block;   /* with a reference; or NULL: it is no memory of a recording */
    size_t begin, element;         /* bytes */
    size_t length;                 /* elements */
    unsigned char type;            /* enum cushim_element_type */
};

/* Drops the reference of a part. */
void cushim__part_drop(const struct cushim__part *part, const char *call, const char *label);

/*
 * Allocates memory of the stream's device. If the device has memory pools, the allocation is made
 * in the order of the stream, from the given pool, or from the device's if pool is NULL. 0 bytes
 * are allowed; then nothing is allocated. For a stream that records it is a block. Sets where the
 * part is, and not what elements it has.
 */
cushim_status cushim__memory_alloc(struct cushim__scope *scope, struct cushim__stream *stream,
                                   struct cushim__pool *pool, size_t bytes,
                                   struct cushim__part *ret_part);

/*
 * Allocates memory that belongs to no stream and to no pool, which is freed after waiting and never
 * kept.
 */
cushim_status cushim__memory_alloc_plain(struct cushim__scope *scope, struct cushim__stream *stream,
                                         size_t bytes, struct cushim__buffer **ret_buffer);

/* Allocates page-locked memory of the host. flags are CU_MEMHOSTALLOC_x. */
cushim_status cushim__memory_alloc_pinned(struct cushim__scope *scope, size_t bytes, unsigned flags,
                                          struct cushim__buffer **ret_buffer);

/* Allocates memory that host and devices share. flags are CU_MEM_ATTACH_x. */
cushim_status cushim__memory_alloc_managed(struct cushim__scope *scope, size_t bytes,
                                           unsigned flags, struct cushim__buffer **ret_buffer);

#endif
