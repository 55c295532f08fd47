/* SPDX-License-Identifier: MIT */
/*
 * What clocks are made of: numbers by slot, in a tree whose parts they share. A clock that is
 * another one and a number more has a few parts of its own, however many slots there are, and two
 * clocks are joined by looking at the parts that they do not share. For clock.c.
 * Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_QUEUE_CLOCK_PARTS_H
#define CUSHIM_MOCK_QUEUE_CLOCK_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "mock/queue/clock.h"

/* The number of a slot, 0 if the clock has none. */
uint64_t mock__clock_get(const struct mock__clock *clock, unsigned slot);

/*
 * These make a new clock of *clock where others have it, too. Without memory it stays as it is.
 * Merging takes the larger number of each slot; cutting leaves the numbers of the first n slots.
 */
void mock__clock_put(struct mock__clock **clock, unsigned slot, uint64_t number);
void mock__clock_merge(struct mock__clock **clock, const struct mock__clock *other,
                       const struct mock__known *known);
void mock__clock_cut(struct mock__clock **clock, unsigned n);

/* For tests: how many parts there are, of all clocks together. */
size_t mock__clock_parts(void);

#endif
