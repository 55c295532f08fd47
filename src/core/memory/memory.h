/* SPDX-License-Identifier: MIT */
/*
 * Memory of devices: allocating and freeing it, and copying between it and the host's. Copies are
 * in copy.c, and fills in fill.c.
 */
#ifndef CUSHIM_CORE_MEMORY_MEMORY_H
#define CUSHIM_CORE_MEMORY_MEMORY_H

#include "core/order/stream.h"

/*
 * Allocates memory of the stream's device. If the device has memory pools, the allocation is made
 * in the order of the stream. 0 bytes are allowed; then nothing is allocated.
 */
cushim_status cushim__memory_alloc(struct cushim__scope *scope, struct cushim__stream *stream,
                                   size_t bytes, struct cushim__buffer **ret_buffer);

/* Allocates page-locked memory of the host. flags are CU_MEMHOSTALLOC_x. */
cushim_status cushim__memory_alloc_pinned(struct cushim__scope *scope, size_t bytes, unsigned flags,
                                          struct cushim__buffer **ret_buffer);

/* Allocates memory that host and devices share. flags are CU_MEM_ATTACH_x. */
cushim_status cushim__memory_alloc_managed(struct cushim__scope *scope, size_t bytes,
                                           unsigned flags, struct cushim__buffer **ret_buffer);

/*
 * Copies between a range of a buffer and pageable memory of the host, in the order of the stream.
 * Returns when the copy is done.
 */
cushim_status cushim__memory_read(struct cushim__scope *scope, struct cushim__stream *stream,
                                  const struct cushim__access *from, void *host);
cushim_status cushim__memory_write(struct cushim__scope *scope, struct cushim__stream *stream,
                                   const struct cushim__access *to, const void *host);

/*
 * Like the two above, but returns when the copy is submitted. If the buffer is page-locked memory,
 * the copy is done when the call returns.
 */
cushim_status cushim__memory_read_async(struct cushim__scope *scope, struct cushim__stream *stream,
                                        const struct cushim__access *from, void *host);
cushim_status cushim__memory_write_async(struct cushim__scope *scope, struct cushim__stream *stream,
                                         const struct cushim__access *to, const void *host);

/* Copies between ranges of the same size that do not overlap. */
cushim_status cushim__memory_copy(struct cushim__scope *scope, struct cushim__stream *stream,
                                  const struct cushim__access *to,
                                  const struct cushim__access *from);

/* Fills a range with copies of an element. The range must be a multiple of the element's size. */
cushim_status cushim__memory_fill(struct cushim__scope *scope, struct cushim__stream *stream,
                                  const struct cushim__access *to, const void *element,
                                  size_t bytes);

#endif
