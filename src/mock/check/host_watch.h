/* SPDX-License-Identifier: MIT */
/*
 * Watching the host's own accesses to memory that unfinished work is to read or write.
 * Off unless asked for (docs/mock.md says how); then all functions here do nothing, or map
 * memory plainly. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_CHECK_HOST_WATCH_H
#define CUSHIM_MOCK_CHECK_HOST_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mock/check/access.h"

struct mock__memory;
struct mock__work;

/* Called by cuInit(). */
void mock__host_watch_start(bool wanted);

/* Maps memory of the host: for the program, and for the mock, which may be the same. False: no
 * memory. */
bool mock__host_map(size_t bytes, uint64_t *ret_address, unsigned char **ret_host);
void mock__host_unmap(const struct mock__memory *memory);

/*
 * Until the work is done, the host is not to write the bytes that it reads, nor to touch those
 * that it writes. To be called before the work is submitted.
 */
void mock__host_watch(struct mock__work *work, uint64_t address, size_t bytes,
                      enum mock__access access);

/* Some is submitted, or what the host had in its hands is done: more may be watched from now on. */
void mock__host_watch_arm(void);

/* The work is done, or is not submitted after all. */
void mock__host_watch_end(const struct mock__work *work);

/* Makes findings of what was seen so far. */
void mock__host_watch_report(void);

#endif
