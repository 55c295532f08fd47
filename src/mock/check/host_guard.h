/* SPDX-License-Identifier: MIT */
/*
 * Memory that the program has registered and then unmapped or protected, which work must be able to
 * use without the process ending. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_CHECK_HOST_GUARD_H
#define CUSHIM_MOCK_CHECK_HOST_GUARD_H

struct mock__memory;
struct mock__work;

/* Registered memory comes, and goes. */
void mock__host_guard_add(const struct mock__memory *memory);
void mock__host_guard_remove(const struct mock__memory *memory);

/* Called before and after something is done for work that may use such memory. */
void mock__host_guard_begin(void);
void mock__host_guard_end(const struct mock__work *work);

#endif
