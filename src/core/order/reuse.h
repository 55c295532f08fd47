/* SPDX-License-Identifier: MIT */
/*
 * Freed memory that a context keeps for its next allocations.
 *
 * A buffer that nothing refers to any more is kept as it is, with the points of its last uses. So
 * it needs no wait to be used again: its new use is submitted as a write, which comes after all
 * earlier uses. This costs nothing on the stream that used it last; another stream waits for them.
 *
 * The lists are under the pool lock of the context. A kept buffer holds its context, so they are
 * emptied with the last handle of the context.
 */
#ifndef CUSHIM_CORE_ORDER_REUSE_H
#define CUSHIM_CORE_ORDER_REUSE_H

#include "core/order/buffer.h"

/* Keeps a buffer without references. False if it is not kept, and the caller frees it. */
bool cushim__reuse_give(struct cushim__buffer *buffer);

/*
 * Returns a kept buffer of so many bytes, with a reference for the caller, or NULL. One that was
 * used on the timeline is preferred. Counts the allocation in the statistics.
 */
struct cushim__buffer *cushim__reuse_take(struct cushim__context *context, size_t bytes,
                                          struct cushim__timeline *timeline);

/* Frees kept memory until at most max_bytes are left. Tells whether any was freed. */
bool cushim__reuse_trim(struct cushim__context *context, size_t max_bytes);

#endif
