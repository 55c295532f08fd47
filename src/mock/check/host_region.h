/* SPDX-License-Identifier: MIT */
/*
 * Memory of the host that is mapped twice: for the program, whose pages can be protected, and for
 * the mock. Callers hold the lock, except the signal handler. mock__host_watch_unmapped() is in
 * host_watch.c, which knows the watches.
 */
#ifndef CUSHIM_MOCK_CHECK_HOST_REGION_H
#define CUSHIM_MOCK_CHECK_HOST_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mock__memory;

/* Starts mapping memory of the host twice. */
void mock__host_regions_start(void);

/* Tells whether the address lies in such memory. For a signal handler. */
bool mock__host_in_region(uintptr_t address);

/*
 * Maps memory for the program and for the mock. Both get the same address if memory is not mapped
 * twice. Returns false if there is no memory.
 */
bool mock__host_map(size_t bytes, uint64_t *ret_address, unsigned char **ret_host);
void mock__host_unmap(const struct mock__memory *memory);

/* Returns how many bytes are mapped for memory of that size. */
size_t mock__host_room(size_t bytes);

bool mock__host_mapped_twice(const struct mock__memory *memory);

/* Ends the watches of memory that is about to be unmapped. */
void mock__host_watch_unmapped(const struct mock__memory *memory);

#endif
