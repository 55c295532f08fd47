/* SPDX-License-Identifier: MIT */
/*
 * The set of all ranges of memory, and the gaps between the ranges of a chunk. All functions take
 * logarithmic time in the number of ranges. For memory.c. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_ALLOCATION_MEMORY_RANGES_H
#define CUSHIM_MOCK_ALLOCATION_MEMORY_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct mock__memory;

void mock__ranges_add(struct mock__memory *memory);
void mock__ranges_remove(struct mock__memory *memory);

/*
 * Return the last range that begins at or below an address, and the first range that begins above
 * it. NULL if there is none.
 */
struct mock__memory *mock__ranges_below(uint64_t address);
struct mock__memory *mock__ranges_above(uint64_t address);

/* Rounds the size of an allocation up to the unit of device memory. */
size_t mock__memory_rounded(size_t bytes);

/*
 * Returns how many addresses of its chunk an allocation takes. While accesses are checked, some
 * unused bytes follow each allocation, so that an access just beyond its end does not hit the next
 * allocation.
 */
size_t mock__memory_room(size_t bytes);

/*
 * Returns the address of the first gap in [from, to) that is large enough, or 0 if there is none.
 */
uint64_t mock__ranges_gap(uint64_t from, uint64_t to, size_t bytes);

#endif
