/* SPDX-License-Identifier: MIT */
/*
 * Vector clocks, which tell which work is ordered before which.
 *
 * Every queue has a slot, which is its index in clocks. For each slot a clock contains how much of
 * that queue's work is ordered before a place. A place is a piece of work, or the host. Work A is
 * ordered before work B if B's clock has reached A's number in the slot of A's queue. The order may
 * come from a stream, from an event, from the legacy stream, or from a host that waited for A
 * before it submitted B.
 *
 * Clocks are shared, so they never change. NULL is the clock of a place with nothing before it.
 * clock_parts.c has the memory that clocks share. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_QUEUE_CLOCK_H
#define CUSHIM_MOCK_QUEUE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct mock__clock;

/* Tells whether it still matters that the host has not waited for the slot's last queue. */
typedef bool (*mock__slot_used)(unsigned slot);

/*
 * Takes a slot for a new queue, and returns the number from which its count goes on. A wait for the
 * new queue counts as a wait for earlier queues of the slot as well, so slots for which used() is
 * true are not taken. False when out of memory.
 */
bool mock__slot_take(mock__slot_used used, unsigned *ret_slot, uint64_t *ret_number);

/*
 * Gives back the slot of a queue whose work is done. The next queue of the slot counts on from
 * number, so clocks that have reached old numbers stay right.
 */
void mock__slot_give(unsigned slot, uint64_t number);

struct mock__clock *mock__clock_ref(struct mock__clock *clock);
void mock__clock_unref(struct mock__clock *clock);

/* Tells whether the clock has reached a number of a slot. */
bool mock__clock_reached(const struct mock__clock *clock, unsigned slot, uint64_t number);

/*
 * Calls visit() for each slot of which the clock has reached more than the other one, with the
 * number, until it returns false. Orders that clocks only imply
 * (mock__clock_imply()) are left out. Parts that the clocks share cost nothing.
 */
typedef bool mock__clock_visit(void *user, unsigned slot, uint64_t number);
void mock__clock_each_newer(const struct mock__clock *clock, const struct mock__clock *before,
                            mock__clock_visit *visit, void *user);

/* Replaces *clock by a clock of everything that is before either of the two. */
void mock__clock_join(struct mock__clock **clock, const struct mock__clock *other);

/*
 * For joining two clocks: a clock that is known to be before both, and clocks that are known to be
 * before the first. Those parts are not compared, so joining costs what has changed in both since.
 * NULL: nothing is known.
 */
struct mock__known {
    const struct mock__clock *in_both;     /* before both clocks that are joined */
    const struct mock__clock *in_first[2]; /* before *clock alone */
};
void mock__clock_join_known(struct mock__clock **clock, const struct mock__clock *other,
                            const struct mock__known *known);

/* Replaces *clock by a clock that has also reached a number of a slot. */
void mock__clock_advance(struct mock__clock **clock, unsigned slot, uint64_t number);

/*
 * Notes that every place which has reached a number of a slot has also reached this clock. A wait
 * for a value in memory needs this: which work wrote the value is known only when the wait ends,
 * and by then the clocks of later work exist already. Takes over the clock.
 */
void mock__clock_imply(unsigned slot, uint64_t number, struct mock__clock *clock);

/* Tells whether any clock implies more than it says. */
bool mock__clock_implies(void);

/*
 * mock__slot_done() notes that the work of a slot is done up to a number. mock__clock_join_done()
 * joins *clock with everything that is done, of all slots.
 */
void mock__slot_done(unsigned slot, uint64_t number);
void mock__clock_join_done(struct mock__clock **clock);

/*
 * The clock of everything that the host knows to be done. Callers may join it with others. All
 * threads share it, because the mock does not see how threads synchronise with each other; so it
 * may miss a race, but it reports no false one.
 */
struct mock__clock **mock__clock_of_host(void);

/*
 * Removes unused slots from all clocks if their work is ordered before all work that is still to
 * come: the host knows that it is done, and behind_all() tells the same of all submitted work. idle
 * is true if all submitted work is done.
 */
typedef bool (*mock__behind_all)(unsigned slot, uint64_t number);
void mock__clocks_shrink(mock__behind_all behind_all, bool idle);

/* For tests: the number of slots in use, and the number of slots of one clock. */
unsigned mock__clock_slots(void);
unsigned mock__clock_length(const struct mock__clock *clock);

#endif
