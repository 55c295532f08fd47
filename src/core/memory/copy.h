/* SPDX-License-Identifier: MIT */
/*
 * Copies between memory of devices and of the host, and fills, which are in fill.c. All of them
 * take boxes (box.h); cushim__box_of_range() makes one of a range of bytes. With an empty box they
 * do nothing.
 */
#ifndef CUSHIM_CORE_MEMORY_COPY_H
#define CUSHIM_CORE_MEMORY_COPY_H

#include "core/memory/box.h"

/*
 * Copies between a box and pageable memory of the host, in the order of the stream. Returns when
 * the copy is done. box->access.write tells the direction.
 */
cushim_status cushim__copy_host(struct cushim__scope *scope, struct cushim__stream *stream,
                                const struct cushim__box *box, const struct cushim__host_box *host);

/*
 * Like cushim__copy_host(), but returns when the copy is submitted. If the box is in page-locked
 * memory, the copy is done when the call returns.
 */
cushim_status cushim__copy_host_async(struct cushim__scope *scope, struct cushim__stream *stream,
                                      const struct cushim__box *box,
                                      const struct cushim__host_box *host);

/* The type of the two functions above. */
typedef cushim_status cushim__copy_host_fn(struct cushim__scope *scope,
                                           struct cushim__stream *stream,
                                           const struct cushim__box *box,
                                           const struct cushim__host_box *host);

/* Copies between boxes of the same extent that do not overlap. */
cushim_status cushim__copy(struct cushim__scope *scope, struct cushim__stream *stream,
                           const struct cushim__box *to, const struct cushim__box *from);

/* Fills a box with copies of an element. Rows must be a multiple of the element's size. */
cushim_status cushim__fill(struct cushim__scope *scope, struct cushim__stream *stream,
                           const struct cushim__box *to, const void *element, size_t bytes);

/*
 * Fills a view on the fast path (fast.h). Returns false if it has to take the other one. bytes is
 * as in CUSHIM_ELEMENT().
 */
bool cushim__fill_fast(uint64_t stream, const cushim_view *view, const void *element, size_t bytes,
                       const char *call, cushim_status *ret_status);

#endif
