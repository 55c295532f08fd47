/* SPDX-License-Identifier: MIT */
/*
 * Watching the host's own accesses to memory of work that it has not waited for.
 * Off unless asked for (docs/mock.md says how); then all functions here do nothing, or map
 * memory plainly. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_CHECK_HOST_WATCH_H
#define CUSHIM_MOCK_CHECK_HOST_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mock/check/access.h"

struct mock__clock;
struct mock__memory;
struct mock__work;

/* Called by cuInit(). */
void mock__host_watch_start(bool wanted);

/* Maps memory of the host: for the program, and for the mock, which may be the same. False: no
 * memory. */
bool mock__host_map(size_t bytes, uint64_t *ret_address, unsigned char **ret_host);
size_t mock__host_room(size_t bytes); /* how much is mapped for so many bytes */
void mock__host_unmap(const struct mock__memory *memory);

/* Is the host watched in what it does to the memory at an address? */
bool mock__host_watches(uint64_t address);

/*
 * Until the host has waited for the work, it is not to write the bytes that the work reads, nor to
 * touch those that it writes. To be called before the work is submitted, and once it was.
 */
void mock__host_watch(struct mock__work *work, uint64_t address, size_t bytes,
                      enum mock__access access);
void mock__host_watch_submitted(const struct mock__work *work);

/* The same for work that is being done, and did not say beforehand what it would use. */
void mock__host_watch_used(const struct mock__work *work, uint64_t address, size_t bytes,
                           enum mock__access access);

/* What the host had in its hands is done: more may be watched from now on. */
void mock__host_watch_arm(void);

/* The work is done, or is not submitted after all. */
void mock__host_watch_done(const struct mock__work *work);

/* The host knows what lies before the clock, or has had a message from which it may. */
void mock__host_watch_behind(const struct mock__clock *clock);

/* Is work of the slot watched that the host has not waited for? */
bool mock__host_watches_slot(unsigned slot);

/* Makes findings of what was seen so far. */
void mock__host_watch_report(void);

#endif
