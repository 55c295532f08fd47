/* SPDX-License-Identifier: MIT */
#include "mock/queue/clock.h"

#include <stdlib.h>
#include <string.h>

struct mock__clock {
    unsigned references, n;
    uint64_t at[]; /* by slot */
};

/* --- slots --- */

static struct {
    uint64_t number; /* where its count stands while nobody has it */
    uint64_t done;   /* how much of it is done */
    uint64_t passed; /* how much of it lies before everything that is yet to be done */
    bool taken;
} * slots;
static unsigned n_slots; /* that clocks have */
static unsigned n_known; /* that there ever were: their counts go on */

static bool one_more(void)
{
    void *more;

    if (n_slots == n_known) {
        more = realloc(slots, (n_known + 1) * sizeof(slots[0]));
        if (!more)
            return false;
        slots = more;
        memset(&slots[n_known++], 0, sizeof(slots[0]));
    }
    n_slots++;
    return true;
}

bool mock__slot_take(mock__slot_used used, unsigned *ret_slot, uint64_t *ret_number)
{
    enum { MOST_SPARED = 256 }; /* clocks are as long as there are slots */
    unsigned slot = 0, spared = 0;

    while (slot < n_slots &&
           (slots[slot].taken || (spared < MOST_SPARED && used(slot) && ++spared)))
        slot++;
    if (slot == n_slots && !one_more())
        return false;
    slots[slot].taken = true;
    *ret_slot = slot;
    *ret_number = slots[slot].number;
    return true;
}

void mock__slot_give(unsigned slot, uint64_t number)
{
    slots[slot].number = number;
    slots[slot].taken = false;
}

/* --- clocks --- */

struct mock__clock *mock__clock_ref(struct mock__clock *clock)
{
    if (clock)
        clock->references++;
    return clock;
}

void mock__clock_unref(struct mock__clock *clock)
{
    if (clock && !--clock->references)
        free(clock);
}

static uint64_t at(const struct mock__clock *clock, unsigned slot)
{
    const uint64_t own = clock && slot < clock->n ? clock->at[slot] : 0;
    const uint64_t passed = slot < n_known ? slots[slot].passed : 0;

    return own > passed ? own : passed;
}

/*
 * What was learnt late, in the order of learning. An entry's clock has all that it implies
 * itself. Of a slot with many, the oldest goes, and its next is held to have been learnt when
 * that was: an order too many is the lesser evil.
 */
enum { MOST_LEARNT = 8 }; /* by one slot */

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

/* How much of a clock still matters: it may be from when there were more slots. */
static unsigned length(const struct mock__clock *clock)
{
    const unsigned n = clock ? clock->n : 0;

    return n < n_slots ? n : n_slots;
}

/* A copy with room for n slots; the old clock is given back. NULL when out of memory. */
static struct mock__clock *renew(struct mock__clock *clock, unsigned n)
{
    const unsigned old = length(clock);
    struct mock__clock *copy = malloc(sizeof(*copy) + (n > old ? n : old) * sizeof(copy->at[0]));

    if (!copy)
        return NULL;
    copy->references = 1;
    copy->n = n > old ? n : old;
    if (old)
        memcpy(copy->at, clock->at, old * sizeof(copy->at[0]));
    memset(copy->at + old, 0, (copy->n - old) * sizeof(copy->at[0]));
    mock__clock_unref(clock);
    return copy;
}

static bool covers(const struct mock__clock *clock, const struct mock__clock *other)
{
    for (unsigned i = 0; i < length(other); i++)
        if (at(clock, i) < other->at[i])
            return false;
    return true;
}

/*
 * Without memory the clock stays as it is, and order that was there is not known: the price
 * is a finding too many in a program that has no memory left.
 */
void mock__clock_join(struct mock__clock **clock, const struct mock__clock *other)
{
    struct mock__clock *joined;

    if (*clock == other || covers(*clock, other))
        return;
    joined = renew(*clock, length(other));
    if (!joined)
        return;
    for (unsigned i = 0; i < length(other); i++)
        if (joined->at[i] < other->at[i])
            joined->at[i] = other->at[i];
    *clock = joined;
}

void mock__clock_advance(struct mock__clock **clock, unsigned slot, uint64_t number)
{
    struct mock__clock *advanced = renew(*clock, slot + 1);

    if (!advanced)
        return;
    advanced->at[slot] = number;
    *clock = advanced;
}

void mock__slot_done(unsigned slot, uint64_t number)
{
    slots[slot].done = number;
}

void mock__clock_join_done(struct mock__clock **clock)
{
    struct mock__clock *joined = n_slots ? renew(*clock, n_slots) : NULL;

    if (!joined)
        return;
    for (unsigned i = 0; i < n_slots; i++)
        if (joined->at[i] < slots[i].done)
            joined->at[i] = slots[i].done;
    *clock = joined;
}

static size_t next_of(unsigned slot, size_t i)
{
    while (i < n_learnt && learnt[i].slot != slot)
        i++;
    return i;
}

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

static bool given_back(unsigned slot, mock__behind_all behind_all)
{
    return !slots[slot].taken && at(host, slot) >= slots[slot].number &&
           behind_all(slot, slots[slot].number);
}

static void forget_learnt(void)
{
    for (size_t i = 0; i < n_learnt;) {
        if (at(host, learnt[i].slot) < learnt[i].number) {
            i++;
            continue;
        }
        mock__clock_join(&host, learnt[i].clock);
        mock__clock_unref(learnt[i].clock);
        memmove(&learnt[i], &learnt[i + 1], (--n_learnt - i) * sizeof(*learnt));
        i = 0; /* what was passed over may have been reached by now */
    }
}

void mock__clocks_shrink(mock__behind_all behind_all, bool idle)
{
    struct mock__clock *shorter;
    bool shrunk = false;

    if (idle)
        forget_learnt();
    while (n_slots && given_back(n_slots - 1, behind_all)) {
        n_slots--;
        slots[n_slots].passed = slots[n_slots].number;
        shrunk = true;
    }
    shorter = shrunk && host ? renew(host, 0) : NULL;
    if (shorter)
        host = shorter;
}

unsigned mock__clock_slots(void)
{
    return n_slots;
}

unsigned mock__clock_length(const struct mock__clock *clock)
{
    return clock ? clock->n : 0;
}
