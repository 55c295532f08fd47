/* SPDX-License-Identifier: MIT */
/*
 * Locks and fork(). A child has only one thread and a copy of the parent's memory. If another
 * thread of the parent held a lock at that moment, no thread of the child would ever release it.
 */
#ifndef CUSHIM_BASE_FORK_H
#define CUSHIM_BASE_FORK_H

#include <pthread.h>

#include "base/mutex.h"

/*
 * Initialises a static mutex again in a child, whichever thread of the parent held it. This is for
 * locks whose data is valid at any moment: at most, the child lacks what the other thread was about
 * to change.
 */
#define CUSHIM__OPEN_IN_CHILD(mutex)                                                               \
    static void mutex##_in_child(void)                                                             \
    {                                                                                              \
        pthread_mutex_init(&(mutex), NULL);                                                        \
    }                                                                                              \
    __attribute__((constructor)) static void mutex##_at_fork(void)                                 \
    {                                                                                              \
        pthread_atfork(NULL, NULL, mutex##_in_child);                                              \
    }                                                                                              \
    _Static_assert(1, "")

/* The same for a mutex of base/mutex.h. */
#define CUSHIM__FREE_IN_CHILD(mutex)                                                               \
    static void mutex##_in_child(void)                                                             \
    {                                                                                              \
        atomic_store(&(mutex).state, CUSHIM__MUTEX_FREE);                                          \
    }                                                                                              \
    __attribute__((constructor)) static void mutex##_at_fork(void)                                 \
    {                                                                                              \
        pthread_atfork(NULL, NULL, mutex##_in_child);                                              \
    }                                                                                              \
    _Static_assert(1, "")

/*
 * Takes a static mutex before a fork and releases it in both processes. So the data under the lock
 * is complete in the child. This is only for locks under which no thread waits for another one.
 */
#define CUSHIM__HOLD_ACROSS_FORK(mutex)                                                            \
    static void mutex##_before_fork(void)                                                          \
    {                                                                                              \
        pthread_mutex_lock(&(mutex));                                                              \
    }                                                                                              \
    static void mutex##_in_parent(void)                                                            \
    {                                                                                              \
        pthread_mutex_unlock(&(mutex));                                                            \
    }                                                                                              \
    static void mutex##_in_child(void)                                                             \
    {                                                                                              \
        /* Its thread may have another id, so it could not unlock what the parent locked. */       \
        pthread_mutex_init(&(mutex), NULL);                                                        \
    }                                                                                              \
    __attribute__((constructor)) static void mutex##_at_fork(void)                                 \
    {                                                                                              \
        pthread_atfork(mutex##_before_fork, mutex##_in_parent, mutex##_in_child);                  \
    }                                                                                              \
    _Static_assert(1, "")

#endif
