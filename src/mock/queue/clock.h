/* SPDX-License-Identifier: MIT */
/*
 * What comes before what: vector clocks.
 *
 * Every queue has a number of its own, its slot. A clock says of each slot how much of that
 * queue's work lies before a place in the program: work, or what the host knows to be
 * done. Work A lies before work B if B's clock has reached A's number in A's
 * queue, however that came about: by a stream's order, an event, turns with the legacy
 * stream, or a host that waited for A before it submitted B.
 *
 * Clocks are shared and never change. NULL is the clock of a place with nothing before it.
 * Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_QUEUE_CLOCK_H
#define CUSHIM_MOCK_QUEUE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct mock__clock;

/* Does it still matter that the host has not waited for what had the slot? */
typedef bool (*mock__slot_used)(unsigned slot);

/*
 * A slot for a new queue, and the number that its count goes on from. False: no memory. Who waits
 * for the new queue knows of what had the slot before, so that those that are used are spared.
 */
bool mock__slot_take(mock__slot_used used, unsigned *ret_slot, uint64_t *ret_number);

/* Gives a slot back, whose work is done. Its next queue counts on from there, so that old numbers
 * stay passed. */
void mock__slot_give(unsigned slot, uint64_t number);

struct mock__clock *mock__clock_ref(struct mock__clock *clock);
void mock__clock_unref(struct mock__clock *clock);

/* Has the clock reached a number of a slot? */
bool mock__clock_reached(const struct mock__clock *clock, unsigned slot, uint64_t number);

/* *clock becomes what lies before either. */
void mock__clock_join(struct mock__clock **clock, const struct mock__clock *other);

/* *clock becomes what it is and a number of a slot. */
void mock__clock_advance(struct mock__clock **clock, unsigned slot, uint64_t number);

/*
 * A place that has reached a number of a slot has, as turned out when that was done, reached the
 * clock as well, with all that this one implies: a wait for a value learns only then who wrote
 * it, when the clocks of what comes after it have long been made. The clock becomes the list's.
 */
void mock__clock_imply(unsigned slot, uint64_t number, struct mock__clock *clock);

/* A slot's work is done up to a number; and *clock becomes what lies before that, of all slots. */
void mock__slot_done(unsigned slot, uint64_t number);
void mock__clock_join_done(struct mock__clock **clock);

/*
 * What the host knows to be done; it may be joined. All threads have it together: how they tell
 * each other what they waited for is not seen, and an order too many is the lesser evil.
 */
struct mock__clock **mock__clock_of_host(void);

/*
 * Takes slots out of all clocks that nobody has any more, and whose work lies before
 * everything that is yet to come: the host knows that it is done, and so does what was submitted,
 * which behind_all() says. idle: nothing is submitted and not done.
 */
typedef bool (*mock__behind_all)(unsigned slot, uint64_t number);
void mock__clocks_shrink(mock__behind_all behind_all, bool idle);

/* For tests: how many slots clocks have now, and how many one has. */
unsigned mock__clock_slots(void);
unsigned mock__clock_length(const struct mock__clock *clock);

#endif
