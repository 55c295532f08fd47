/* SPDX-License-Identifier: MIT */
/*
 * A mutex of one word, which is taken and released inline: without another thread that is one
 * atomic instruction each. A thread that finds it taken looks again for about a microsecond, and
 * then sleeps. A mutex of zeros is free. It is neither recursive, nor does it know its holder.
 *
 * This is for locks that every submission takes; a lock that no submission takes is a
 * pthread_mutex_t. The thread sanitizer sees what the mutex orders.
 */
#ifndef CUSHIM_BASE_MUTEX_H
#define CUSHIM_BASE_MUTEX_H

#include <stdatomic.h>
#include <stdbool.h>

enum { CUSHIM__MUTEX_FREE, CUSHIM__MUTEX_TAKEN, CUSHIM__MUTEX_AWAITED };

struct cushim__mutex {
    atomic_uint state; /* awaited: taken, and threads may sleep until it is released */
};

/* The rest of taking a mutex that is not free, and of releasing one that is awaited. */
void cushim__mutex_wait(struct cushim__mutex *mutex) __attribute__((cold));
void cushim__mutex_wake(struct cushim__mutex *mutex) __attribute__((cold));

/* Takes the mutex if it is free. */
static inline bool cushim__mutex_trylock(struct cushim__mutex *mutex)
{
    unsigned state = CUSHIM__MUTEX_FREE;

    return __builtin_expect(
        atomic_compare_exchange_strong_explicit(&mutex->state, &state, CUSHIM__MUTEX_TAKEN,
                                                memory_order_acquire, memory_order_relaxed),
        1);
}

static inline void cushim__mutex_lock(struct cushim__mutex *mutex)
{
    if (!cushim__mutex_trylock(mutex))
        cushim__mutex_wait(mutex);
}

static inline void cushim__mutex_unlock(struct cushim__mutex *mutex)
{
    if (__builtin_expect(atomic_exchange_explicit(&mutex->state, CUSHIM__MUTEX_FREE,
                                                  memory_order_release) == CUSHIM__MUTEX_AWAITED,
                         0))
        cushim__mutex_wake(mutex);
}

#endif
