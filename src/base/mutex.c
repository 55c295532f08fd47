/* SPDX-License-Identifier: MIT */
#include "base/mutex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

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
 * A thread that has slept takes the mutex as awaited, because it does not know of the others. The
 * system wakes it early, or does not let it sleep, if the state is another one by now. The thread's
 * errno stays as it was.
 */
void cushim__mutex_wait(struct cushim__mutex *mutex)
{
    const int before = errno;

    if (!spin(mutex))
        while (atomic_exchange_explicit(&mutex->state, CUSHIM__MUTEX_AWAITED,
                                        memory_order_acquire) != CUSHIM__MUTEX_FREE)
            syscall(SYS_futex, &mutex->state, FUTEX_WAIT_PRIVATE, CUSHIM__MUTEX_AWAITED, NULL, NULL,
                    0);
    errno = before;
}

/*
 * The lock is free already, so another thread may have taken and freed the memory of the mutex: the
 * address is only a number here.
 */
void cushim__mutex_wake(struct cushim__mutex *mutex)
{
    const int before = errno;

    syscall(SYS_futex, &mutex->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = before;
}
