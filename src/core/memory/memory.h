/* SPDX-License-Identifier: MIT */
/* Memory of devices: allocating and freeing it, and copying between it and the host's. */
#ifndef CUSHIM_CORE_MEMORY_MEMORY_H
#define CUSHIM_CORE_MEMORY_MEMORY_H

#include "core/order/stream.h"

/*
 * Memory of the stream's device, in the stream's order where the device has memory pools. 0 bytes
 * are no memory, and fine.
 */
cushim_status cushim__memory_alloc(struct cushim__scope *scope, struct cushim__stream *stream,
                                   size_t bytes, struct cushim__buffer **ret_buffer);

/* Page-locked memory of the host, with CU_MEMHOSTALLOC_x. */
cushim_status cushim__memory_alloc_pinned(struct cushim__scope *scope, size_t bytes, unsigned flags,
                                          struct cushim__buffer **ret_buffer);

/* Memory of host and devices, with CU_MEM_ATTACH_x. */
cushim_status cushim__memory_alloc_managed(struct cushim__scope *scope, size_t bytes,
                                           unsigned flags, struct cushim__buffer **ret_buffer);

/*
 * Copies between a range of a buffer and pageable memory of the host, in the order of the stream,
 * and returns when that is done.
 */
cushim_status cushim__memory_read(struct cushim__scope *scope, struct cushim__stream *stream,
                                  const struct cushim__access *from, void *host);
cushim_status cushim__memory_write(struct cushim__scope *scope, struct cushim__stream *stream,
                                   const struct cushim__access *to, const void *host);

/* The same, but returns when the copy is submitted. Page-locked memory is copied at once. */
cushim_status cushim__memory_read_async(struct cushim__scope *scope, struct cushim__stream *stream,
                                        const struct cushim__access *from, void *host);
cushim_status cushim__memory_write_async(struct cushim__scope *scope, struct cushim__stream *stream,
                                         const struct cushim__access *to, const void *host);

/* Copies between ranges of the same size that do not overlap. */
cushim_status cushim__memory_copy(struct cushim__scope *scope, struct cushim__stream *stream,
                                  const struct cushim__access *to,
                                  const struct cushim__access *from);

/* Repeats an element over a range of a whole number of them. */
cushim_status cushim__memory_fill(struct cushim__scope *scope, struct cushim__stream *stream,
                                  const struct cushim__access *to, const void *element,
                                  size_t bytes);

#endif
