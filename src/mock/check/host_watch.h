/* SPDX-License-Identifier: MIT */
/*
 * Watches accesses of the host to memory of work for which it has not waited. Off unless asked for
 * (docs/mock.md says how); then all functions here do nothing, or map memory plainly. Callers hold
 * the lock.
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

/* Tells whether accesses are watched at all: then any page may be protected for a while. */
bool mock__host_watch_is_on(void);

/* Tells whether accesses of the host to the memory at an address are watched. */
bool mock__host_watches(uint64_t address);

/*
 * Until the host has waited for the work, it must not write bytes that the work reads, and must not
 * access bytes that the work writes. mock__host_watch() is called before the work is submitted, and
 * the second function afterwards.
 */
void mock__host_watch(struct mock__work *work, uint64_t address, size_t bytes,
                      enum mock__access access);
void mock__host_watch_submitted(const struct mock__work *work);

/* Watches memory of running work whose accesses were not known when it was submitted. */
void mock__host_watch_used(const struct mock__work *work, uint64_t address, size_t bytes,
                           enum mock__access access);

/*
 * Work that waited for the host has ended, so memory that the host could use until now may be
 * watched. The work itself is freed; `ended` is only its address.
 */
void mock__host_watch_arm(uintptr_t ended);

/* Ends the watches of work that is done, or that was not submitted. */
void mock__host_watch_done(const struct mock__work *work);

/*
 * Ends the watches of work that clock covers and before does not: the host knows, or may know from
 * a message, that it is done.
 */
void mock__host_watch_behind(const struct mock__clock *clock, const struct mock__clock *before);

/* Tells whether work of the slot is watched for which the host has not waited. */
bool mock__host_watches_slot(unsigned slot);

/* Makes findings of the accesses seen so far: the signal handler only records them. */
void mock__host_watch_report(void);

#endif
