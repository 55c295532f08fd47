/* SPDX-License-Identifier: MIT */
/*
 * Checks of the memory accesses of work: reads of bytes that nothing has written, and data races,
 * which are two unordered accesses to the same bytes of which one is a write. Both are found even
 * if the results happen to be right. Callers hold the lock.
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
    MOCK__READ_WRITE = 3, /* the access of a kernel that declares nothing else */
    MOCK__ATOMIC = 4,     /* no race with other atomic accesses: values of streams */
    MOCK__CHECKED = 8,    /* already checked for reads of unwritten bytes */
    MOCK__STRONG = 16,    /* by atomic, volatile or relaxed operations of a kernel: no race with
                             other such accesses, or with MOCK__ATOMIC */
};

/*
 * Checks and records that running work accesses these bytes, which are all in a range that the
 * driver knows.
 */
void mock__access(const struct mock__work *work, uint64_t address, size_t bytes,
                  enum mock__access access);

/*
 * Notes that work has waited for the value of these bytes, so it is ordered after the work that
 * wrote the value.
 */
void mock__access_acquire(const struct mock__work *work, uint64_t address, size_t bytes);

/*
 * Returns a bit for each byte of a range that was written. NULL if all were written, or if this is
 * not checked for the range.
 */
const unsigned char *mock__access_written(struct mock__memory *memory);

/* Notes that bytes of one range were written. */
void mock__access_mark(uint64_t address, size_t bytes);

/* Checks and records that work frees a whole range. */
void mock__access_free(const struct mock__work *work, struct mock__memory *memory);

/* Records that work allocates a range: all work that uses it must be ordered after this. */
void mock__access_allocate(const struct mock__work *work, struct mock__memory *memory);

/* Notes that the host has waited for all work that used the range, as a synchronous free does. */
void mock__access_waited(const struct mock__memory *memory);

/* Records that work allocates a range again: its bytes count as not written. */
void mock__access_renew(const struct mock__work *work, struct mock__memory *memory);

/*
 * Reports an address outside of all allocations, with the allocation that is near it or was there
 * before. accessor is the work or the call in words.
 */
void mock__report_bad_address(const char *accessor, uint64_t address, size_t bytes);

/* Reports new work that uses a range whose free was submitted before. */
void mock__report_use_after_free(const char *accessor, uint64_t address);

/* Removes the records of a range. */
void mock__access_forget(struct mock__memory *memory);

#endif
