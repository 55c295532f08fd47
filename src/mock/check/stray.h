/* SPDX-License-Identifier: MIT */
/*
 * What is reached outside of all allocations. The thread that runs the kernel holds the lock; its
 * helpers and the workers of the engine may call at once.
 */
#ifndef CUSHIM_MOCK_CHECK_STRAY_H
#define CUSHIM_MOCK_CHECK_STRAY_H

#include <stddef.h>
#include <stdint.h>

struct mock__context;

/*
 * Where the bytes are that no range has and that a device reaches all the same: it maps memory in
 * large pages, so a step out of an allocation mostly ends in what is behind it. NULL where it has
 * no page, so that the access is a fault. For what runs in the context.
 */
void *mock__memory_stray(const struct mock__context *context, uint64_t address, size_t bytes);

#endif
