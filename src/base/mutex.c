/* SPDX-License-Identifier: MIT */
#include "base/mutex.h"

#include "base/word.h"

/* For how long a thread looks again: longer than the context lock is ever held without waiting. */
enum { LOOKS = 64 };

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool spin(struct cushim__mutex *mutex)
{
    for (unsigned i = 0; i < LOOKS; i++) {
        pause_briefly();
        if (atomic_load_explicit(&mutex->state, memory_order_relaxed) == CUSHIM__MUTEX_FREE &&
            cushim__mutex_trylock(mutex))
            return true;
    }
    return false;
}

/*
 * A thread that has slept takes the mutex as awaited, because it does not know of the others. It
 * wakes early, or does not sleep, if the state is another one by now.
 */
void cushim__mutex_wait(struct cushim__mutex *mutex)
{
    if (spin(mutex))
        return;
    while (atomic_exchange_explicit(&mutex->state, CUSHIM__MUTEX_AWAITED, memory_order_acquire) !=
           CUSHIM__MUTEX_FREE)
        cushim__word_sleep(&mutex->state, CUSHIM__MUTEX_AWAITED, CUSHIM__NEVER);
}

/* The lock is free already, so another thread may have taken and freed the memory of the mutex. */
void cushim__mutex_wake(struct cushim__mutex *mutex)
{
    cushim__word_wake(&mutex->state, 1);
}
