/* SPDX-License-Identifier: MIT */
/*
 * Memory outside of all allocations that a device can access nevertheless. The thread that runs the
 * kernel holds the lock; its helpers and the workers of the engine may call this at the same time.
 */
#ifndef CUSHIM_MOCK_CHECK_STRAY_H
#define CUSHIM_MOCK_CHECK_STRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mock__context;

/*
 * Returns the host address of bytes outside of all ranges that work in the context can access
 * (write: that it can also write). A device maps memory in large pages, so an access a little
 * beyond an allocation mostly hits the rest of its page. NULL if there is no such page; the access
 * is then a fault.
 */
void *mock__memory_stray(const struct mock__context *context, uint64_t address, size_t bytes,
                         bool write);

#endif
