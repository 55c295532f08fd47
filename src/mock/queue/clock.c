/* SPDX-License-Identifier: MIT */
#include "mock/queue/clock.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "mock/queue/clock_parts.h"

/* --- slots --- */

static struct {
    uint64_t number; /* the number of the last work of its last queue */
    uint64_t passed; /* clocks of all running and future work have reached this */
    bool taken;
    bool listed; /* is in the list of free slots below */
} * slots;
static unsigned n_slots; /* length of the clocks */
static unsigned n_known; /* number of slots that ever existed: they keep their numbers */
static unsigned capacity;

/*
 * A heap of slots that were given back, with the lowest one first. Some of them may be taken again
 * or removed; take_listed() may return such a slot.
 */
static unsigned *listed, n_listed;

static struct mock__clock *done; /* how much work of each slot is done */

static bool reserve(void)
{
    const unsigned wanted = capacity ? 2 * capacity : 16;
    void *more;

    if (n_known < capacity)
        return true;
    more = realloc(listed, wanted * sizeof(*listed));
    if (!more)
        return false;
    listed = more;
    more = realloc(slots, wanted * sizeof(slots[0]));
    if (!more)
        return false;
    slots = more;
    capacity = wanted;
    return true;
}

/* A slot that existed before keeps its numbers: old clocks may still contain them. */
static bool one_more(void)
{
    if (n_slots == n_known) {
        if (!reserve())
            return false;
        memset(&slots[n_known++], 0, sizeof(slots[0]));
    }
    n_slots++;
    return true;
}

static void swap(unsigned a, unsigned b)
{
    const unsigned slot = listed[a];

    listed[a] = listed[b];
    listed[b] = slot;
}

static void list(unsigned slot)
{
    unsigned at = n_listed;

    if (slots[slot].listed)
        return;
    slots[slot].listed = true;
    listed[n_listed++] = slot;
    for (; at && listed[at] < listed[(at - 1) / 2]; at = (at - 1) / 2)
        swap(at, (at - 1) / 2);
}

static unsigned take_listed(void)
{
    const unsigned slot = listed[0];
    unsigned at = 0, least = 0;

    listed[0] = listed[--n_listed];
    slots[slot].listed = false;
    do {
        at = least;
        for (unsigned child = 2 * at + 1; child <= 2 * at + 2 && child < n_listed; child++)
            least = listed[child] < listed[least] ? child : least;
        swap(at, least);
    } while (least != at);
    return slot;
}

/*
 * Finds a free slot, the lowest one if possible: a clock is as long as there are slots, and only
 * the last slots can be removed. Slots for which used() is true are passed over, but only 64 of
 * them, so that the search stays short.
 */
static bool find_slot(mock__slot_used used, unsigned *ret_slot)
{
    unsigned spared[64], n = 0;
    bool found = false;

    while (n_listed && !found) {
        *ret_slot = take_listed();
        found = *ret_slot < n_slots && !slots[*ret_slot].taken;
        if (found && n < ARRAY_SIZE(spared) && used(*ret_slot)) {
            spared[n++] = *ret_slot;
            found = false;
        }
    }
    while (n)
        list(spared[--n]);
    if (found)
        return true;
    *ret_slot = n_slots;
    return one_more();
}

bool mock__slot_take(mock__slot_used used, unsigned *ret_slot, uint64_t *ret_number)
{
    if (!find_slot(used, ret_slot))
        return false;
    slots[*ret_slot].taken = true;
    *ret_number = slots[*ret_slot].number;
    return true;
}

void mock__slot_give(unsigned slot, uint64_t number)
{
    slots[slot].number = number;
    slots[slot].taken = false;
    list(slot);
}

/* --- clocks --- */

/* All places have reached the passed numbers, so clocks need not contain them. */
static uint64_t at(const struct mock__clock *clock, unsigned slot)
{
    const uint64_t own = mock__clock_get(clock, slot);
    const uint64_t passed = slot < n_known ? slots[slot].passed : 0;

    return own > passed ? own : passed;
}

/*
 * Orders that became known late, oldest first: every place that has reached a number of a slot has
 * also reached this clock. A clock contains everything that it implies through older entries. If a
 * slot has too many entries, its oldest one is removed, and the next one takes over its number.
 * Then the mock assumes an order that may not exist, so it may miss a race, but it reports no false
 * one.
 */
enum { MOST_LEARNT = 8 }; /* for each slot */

static struct learnt {
    unsigned slot;
    uint64_t number;
    struct mock__clock *clock;
} * learnt;
static size_t n_learnt;

static bool implied(const struct mock__clock *clock, unsigned slot, uint64_t number)
{
    for (size_t i = 0; i < n_learnt; i++)
        if (at(learnt[i].clock, slot) >= number && at(clock, learnt[i].slot) >= learnt[i].number)
            return true;
    return false;
}

bool mock__clock_reached(const struct mock__clock *clock, unsigned slot, uint64_t number)
{
    return at(clock, slot) >= number || implied(clock, slot, number);
}

/*
 * When out of memory, the clock does not change. Then an order is lost, and the mock may report a
 * false race, in a program that has no memory left. Numbers of removed slots are cut off, because
 * every place has reached them.
 */
void mock__clock_join(struct mock__clock **clock, const struct mock__clock *other)
{
    mock__clock_join_known(clock, other, &(struct mock__known){.in_both = NULL});
}

void mock__clock_join_known(struct mock__clock **clock, const struct mock__clock *other,
                            const struct mock__known *known)
{
    mock__clock_merge(clock, other, known);
    mock__clock_cut(clock, n_slots);
}

void mock__clock_advance(struct mock__clock **clock, unsigned slot, uint64_t number)
{
    mock__clock_put(clock, slot, number);
    mock__clock_cut(clock, n_slots);
}

void mock__slot_done(unsigned slot, uint64_t number)
{
    mock__clock_put(&done, slot, number);
}

void mock__clock_join_done(struct mock__clock **clock)
{
    mock__clock_join(clock, done);
}

static size_t next_of(unsigned slot, size_t i)
{
    while (i < n_learnt && learnt[i].slot != slot)
        i++;
    return i;
}

/* Removes the oldest entry of a slot if it has too many; see MOST_LEARNT. */
static void limit(unsigned slot)
{
    const size_t oldest = next_of(slot, 0), next = next_of(slot, oldest + 1);
    size_t n = 0;

    for (size_t i = oldest; i < n_learnt; i = next_of(slot, i + 1))
        n++;
    if (n < MOST_LEARNT)
        return;
    learnt[next].number = learnt[oldest].number;
    mock__clock_unref(learnt[oldest].clock);
    n_learnt--;
    memmove(&learnt[oldest], &learnt[oldest + 1], (n_learnt - oldest) * sizeof(*learnt));
}

/*
 * Joins all learnt orders that the new clock includes, so that implied() must look one step only.
 */
void mock__clock_imply(unsigned slot, uint64_t number, struct mock__clock *clock)
{
    struct learnt *more;

    for (size_t i = 0; i < n_learnt; i++)
        if (learnt[i].slot == slot || at(clock, learnt[i].slot) >= learnt[i].number)
            mock__clock_join(&clock, learnt[i].clock);
    if (!clock)
        return;
    limit(slot);
    more = realloc(learnt, (n_learnt + 1) * sizeof(*learnt));
    if (!more) {
        mock__clock_unref(clock);
        return;
    }
    learnt = more;
    learnt[n_learnt++] = (struct learnt){slot, number, clock};
}

/* --- the host --- */

static struct mock__clock *host;

struct mock__clock **mock__clock_of_host(void)
{
    return &host;
}

/*
 * A slot can be removed if every place has reached its last number: the host, and all work that is
 * not done.
 */
static bool given_back(unsigned slot, mock__behind_all behind_all)
{
    return !slots[slot].taken && at(host, slot) >= slots[slot].number &&
           behind_all(slot, slots[slot].number);
}

bool mock__clock_implies(void)
{
    return n_learnt;
}

/*
 * Entries that the host has reached are joined to the host's clock, and removed. Returns whether
 * there were any: then entries that were not reached before may be reached now. This is only right
 * while no work is left: all later work comes after the host.
 */
static bool forget_some(void)
{
    size_t kept = 0;

    for (size_t i = 0; i < n_learnt; i++) {
        if (at(host, learnt[i].slot) < learnt[i].number) {
            learnt[kept++] = learnt[i];
            continue;
        }
        mock__clock_join(&host, learnt[i].clock);
        mock__clock_unref(learnt[i].clock);
    }
    if (kept == n_learnt)
        return false;
    n_learnt = kept;
    return true;
}

static void forget_learnt(void)
{
    while (forget_some())
        ;
}

/*
 * Makes clocks shorter. Without this, a program that makes and destroys many streams would slow
 * down more and more.
 */
void mock__clocks_shrink(mock__behind_all behind_all, bool idle)
{
    bool shrunk = false;

    if (idle)
        forget_learnt();
    while (n_slots && given_back(n_slots - 1, behind_all)) {
        n_slots--;
        slots[n_slots].passed = slots[n_slots].number;
        shrunk = true;
    }
    if (shrunk) {
        mock__clock_cut(&host, n_slots);
        mock__clock_cut(&done, n_slots);
    }
}

unsigned mock__clock_slots(void)
{
    return n_slots;
}
