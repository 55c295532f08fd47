/* SPDX-License-Identifier: MIT */
/*
 * Finds out which memory the process has, from the system's list. The functions change nothing but
 * the descriptor that they hold, allocate nothing and take no lock, so a signal handler may call
 * them.
 */
#ifndef CUSHIM_MOCK_ALLOCATION_HOST_PAGES_H
#define CUSHIM_MOCK_ALLOCATION_HOST_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pages that follow each other, of one mapping. */
struct mock__host_pages {
    uintptr_t begin, end;
    int protection; /* PROT_READ, PROT_WRITE, PROT_EXEC */
    /* The file that is mapped, by its inode and the device that it is on. 0 if there is none. */
    uint64_t file, device;
};

/*
 * Opens the list and holds it open, so that the other functions work when the process has no
 * descriptor left. Callers hold the lock. A child of fork() must not use the functions.
 */
void mock__host_pages_hold(void);

/* Returns a device in the form of `device` above. */
uint64_t mock__host_device(unsigned major, unsigned minor);

enum mock__host_answer { MOCK__HOST_NO, MOCK__HOST_YES, MOCK__HOST_UNKNOWN };

/*
 * Finds the pages at an address, or the first ones behind it. MOCK__HOST_NO if there are none,
 * MOCK__HOST_UNKNOWN if the system does not tell.
 */
enum mock__host_answer mock__host_pages_from(uintptr_t address, struct mock__host_pages *ret_pages);

/*
 * Tells whether all of [address, address + bytes) is mapped with at least this protection. Returns
 * true if the system does not tell.
 */
bool mock__host_pages_allow(uintptr_t address, size_t bytes, int protection);

/*
 * Tells whether a page of [address, address + bytes) is mapped with less than this protection.
 * Returns false where the system does not tell at once. Callers hold the lock.
 */
bool mock__host_pages_refuse(uintptr_t address, size_t bytes, int protection);

/*
 * Tells whether all of [begin, end) is mapped; both are multiples of a page. This is one system
 * call, which costs as much as there are mappings in the range.
 */
bool mock__host_pages_complete(uintptr_t begin, uintptr_t end);

/*
 * The same for memory that is about to be copied: a system call for each 4 MiB, of which valgrind
 * does not think that it reads the memory.
 */
bool mock__host_pages_there(uintptr_t begin, uintptr_t end);

#endif
