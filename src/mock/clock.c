/* SPDX-License-Identifier: MIT */
#include "mock/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct mock__clock {
    atomic_uint references;
    unsigned n;
    uint64_t at[]; /* by slot */
};

/* --- slots --- */

static struct {
    uint64_t number; /* where its count stands while nobody has it */
    bool taken;
} * slots;
static unsigned n_slots;

bool mock__slot_take(unsigned *ret_slot, uint64_t *ret_number)
{
    unsigned slot = 0;
    void *more;

    while (slot < n_slots && slots[slot].taken)
        slot++;
    if (slot == n_slots) {
        more = realloc(slots, (n_slots + 1) * sizeof(slots[0]));
        if (!more)
            return false;
        slots = more;
        slots[n_slots++].number = 0;
    }
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
        atomic_fetch_add(&clock->references, 1);
    return clock;
}

void mock__clock_unref(struct mock__clock *clock)
{
    if (clock && atomic_fetch_sub(&clock->references, 1) == 1)
        free(clock);
}

static uint64_t at(const struct mock__clock *clock, unsigned slot)
{
    return clock && slot < clock->n ? clock->at[slot] : 0;
}

bool mock__clock_reached(const struct mock__clock *clock, unsigned slot, uint64_t number)
{
    return at(clock, slot) >= number;
}

/* A copy with room for n slots; the old clock is given back. NULL when out of memory. */
static struct mock__clock *renew(struct mock__clock *clock, unsigned n)
{
    const unsigned old = clock ? clock->n : 0;
    struct mock__clock *copy = malloc(sizeof(*copy) + (n > old ? n : old) * sizeof(copy->at[0]));

    if (!copy)
        return NULL;
    atomic_init(&copy->references, 1);
    copy->n = n > old ? n : old;
    if (old)
        memcpy(copy->at, clock->at, old * sizeof(copy->at[0]));
    memset(copy->at + old, 0, (copy->n - old) * sizeof(copy->at[0]));
    mock__clock_unref(clock);
    return copy;
}

static bool covers(const struct mock__clock *clock, const struct mock__clock *other)
{
    for (unsigned i = 0; other && i < other->n; i++)
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
    joined = renew(*clock, other->n);
    if (!joined)
        return;
    for (unsigned i = 0; i < other->n; i++)
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

/* --- the threads of the host --- */

static pthread_key_t key;
static bool have_key;

/* Without the lock: clocks do not change, and references are counted atomically. */
static void forget_thread(void *pointer)
{
    struct mock__clock **clock = pointer;

    mock__clock_unref(*clock);
    free(clock);
}

static void make_key(void)
{
    have_key = !pthread_key_create(&key, forget_thread);
}

struct mock__clock **mock__clock_of_thread(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static struct mock__clock *nobody;
    struct mock__clock **clock;

    pthread_once(&once, make_key);
    clock = have_key ? pthread_getspecific(key) : NULL;
    if (!clock && have_key) {
        clock = calloc(1, sizeof(*clock));
        pthread_setspecific(key, clock);
    }
    return clock ? clock : &nobody;
}
