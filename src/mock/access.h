/* SPDX-License-Identifier: MIT */
/*
 * What work does to memory, watched: reads of bytes that nothing has written, and two
 * accesses to the same bytes, one of them a write, that nothing orders. Both are found
 * whether or not the data came out wrong. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_ACCESS_H
#define CUSHIM_MOCK_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mock__memory;
struct mock__work;

enum mock__access {
    MOCK__READ = 1,
    MOCK__WRITE = 2,
    MOCK__READ_WRITE = 3, /* what a kernel does with a pointer, when it does not say */
    MOCK__READ_CHECKED = 5, /* it is known already what of it was never written */
};

/* The work that runs touches these bytes, all of which are in a range that the driver knows. */
void mock__access(const struct mock__work *work, uint64_t address, size_t bytes,
                  enum mock__access access);

/*
 * Which bytes of a range were written, a bit a byte. NULL if all of them were, and where that is not
 * watched.
 */
const unsigned char *mock__access_written(struct mock__memory *memory);

/* Bytes of a range were written. */
void mock__access_mark(struct mock__memory *memory, size_t begin, size_t end);

/* The work frees the whole range. */
void mock__access_free(const struct mock__work *work, struct mock__memory *memory);

/* The address leads nowhere: says why, from what is near it and what was there. */
void mock__access_nowhere(const char *who, uint64_t address, size_t bytes);

/* New work is to use a range whose free was submitted before. */
void mock__access_dying(const char *who, uint64_t address);

/* Forgets what a range was used for. */
void mock__access_forget(struct mock__memory *memory);

#endif
