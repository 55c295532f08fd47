/* SPDX-License-Identifier: MIT */
/*
 * The set of all ranges of memory, and the gaps between those of a chunk. Nothing here takes longer
 * than the logarithm of how many ranges there are. For memory.c. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_ALLOCATION_MEMORY_RANGES_H
#define CUSHIM_MOCK_ALLOCATION_MEMORY_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct mock__memory;

void mock__ranges_add(struct mock__memory *memory);
void mock__ranges_remove(struct mock__memory *memory);

/* The last range that begins at or below an address, and the first that begins above it; or NULL.
 */
struct mock__memory *mock__ranges_below(uint64_t address);
struct mock__memory *mock__ranges_above(uint64_t address);

/* What an allocation counts as: its bytes, in the unit of device memory. */
size_t mock__memory_rounded(size_t bytes);

/*
 * What an allocation takes of its chunk's addresses. While it is checked who uses what, there is
 * always something behind it that is nobody's, so that a step too far does not end in a neighbour.
 */
size_t mock__memory_room(size_t bytes);

/* The first gap of [from, to) in a chunk that is large enough, 0 if there is none. */
uint64_t mock__ranges_gap(uint64_t from, uint64_t to, size_t bytes);

#endif
