/* SPDX-License-Identifier: MIT */
/*
 * What work does to memory, watched: reads of bytes that nothing has written, and two
 * accesses to the same bytes, one of them a write, that nothing orders. Both are found
 * whether or not the data came out wrong. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_CHECK_ACCESS_H
#define CUSHIM_MOCK_CHECK_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mock__memory;
struct mock__work;

enum mock__access {
    MOCK__READ = 1,
    MOCK__WRITE = 2,
    MOCK__READ_WRITE = 3, /* what a kernel does with a pointer, when it does not say */
    MOCK__ATOMIC = 4,     /* and as one with others that say so: the values of streams */
    MOCK__CHECKED = 8,    /* what of it was never written is known already */
};

/* The work that runs touches these bytes, all of which are in a range that the driver knows. */
void mock__access(const struct mock__work *work, uint64_t address, size_t bytes,
                  enum mock__access access);

/* The work has waited for the bytes to get their value: it comes after whoever gave it to them. */
void mock__access_acquire(const struct mock__work *work, uint64_t address, size_t bytes);

/*
 * Which bytes of a range were written, a bit a byte. NULL if all of them were, and where that is
 * not watched.
 */
const unsigned char *mock__access_written(struct mock__memory *memory);

/* Bytes of one range were written. */
void mock__access_mark(uint64_t address, size_t bytes);

/* The work frees the whole range. */
void mock__access_free(const struct mock__work *work, struct mock__memory *memory);

/* The work makes a range that was not there: what uses it has to come after. */
void mock__access_allocate(const struct mock__work *work, struct mock__memory *memory);

/* The host has waited for everything that used the range, as its free does. */
void mock__access_waited(const struct mock__memory *memory);

/* The work makes a new allocation of a range: what was written there is not any more. */
void mock__access_renew(const struct mock__work *work, struct mock__memory *memory);

/* The address leads nowhere: says why, from what is near it and what was there. */
void mock__report_bad_address(const char *who, uint64_t address, size_t bytes);

/* New work is to use a range whose free was submitted before. */
void mock__report_use_after_free(const char *who, uint64_t address);

/* Forgets what a range was used for. */
void mock__access_forget(struct mock__memory *memory);

#endif
