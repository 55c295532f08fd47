/* SPDX-License-Identifier: MIT */
/*
 * Memory of devices: allocating it. copy.h has copies and fills.
 */
#ifndef CUSHIM_CORE_MEMORY_MEMORY_H
#define CUSHIM_CORE_MEMORY_MEMORY_H

#include "core/memory/pool.h"

/*
 * Allocates memory of the stream's device. If the device has memory pools, the allocation is made
 * in the order of the stream, from the given pool, or from the device's if pool is NULL. 0 bytes
 * are allowed; then nothing is allocated.
 */
cushim_status cushim__memory_alloc(struct cushim__scope *scope, struct cushim__stream *stream,
                                   struct cushim__pool *pool, size_t bytes,
                                   struct cushim__buffer **ret_buffer);

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
