/* SPDX-License-Identifier: MIT */
/*
 * Finds out which memory the process has, from the system's list. The functions change nothing,
 * allocate nothing and take no lock, so a signal handler may call them.
 */
#ifndef CUSHIM_MOCK_ALLOCATION_HOST_PAGES_H
#define CUSHIM_MOCK_ALLOCATION_HOST_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pages that follow each other, with one protection. */
struct mock__host_pages {
    uintptr_t begin, end;
    int protection; /* PROT_READ, PROT_WRITE, PROT_EXEC */
};

/*
 * Finds the pages at an address. Returns false if there are none, or if the system does not tell.
 */
bool mock__host_pages_find(uintptr_t address, struct mock__host_pages *ret_pages);

/*
 * Tells whether all of [address, address + bytes) is mapped with at least this protection. Returns
 * true if the system does not tell.
 */
bool mock__host_pages_allow(uintptr_t address, size_t bytes, int protection);

#endif
