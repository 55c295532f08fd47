/* SPDX-License-Identifier: MIT */
/*
 * The parts of clocks. A clock has a number for each slot. The numbers are in a tree, and clocks
 * share parts of their trees. So a clock that differs from another one in one number needs only a
 * few parts of its own, however many slots there are; and joining two clocks looks only at the
 * parts that they do not share. Only clock.c uses this. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_QUEUE_CLOCK_PARTS_H
#define CUSHIM_MOCK_QUEUE_CLOCK_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "mock/queue/clock.h"

/* Returns the number of a slot, or 0 if the clock has none. */
uint64_t mock__clock_get(const struct mock__clock *clock, unsigned slot);

/*
 * These functions change *clock. If other users share the clock, they make a new one first. When
 * out of memory, the clock stays as it is. Merging takes the larger number of each slot. Cutting
 * keeps the numbers of the first n slots.
 */
void mock__clock_put(struct mock__clock **clock, unsigned slot, uint64_t number);
void mock__clock_merge(struct mock__clock **clock, const struct mock__clock *other,
                       const struct mock__known *known);
void mock__clock_cut(struct mock__clock **clock, unsigned n);

/* For tests: returns the number of parts of all clocks together. */
size_t mock__clock_parts(void);

#endif
