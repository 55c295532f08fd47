/* SPDX-License-Identifier: MIT */
/*
 * Locks and fork(). A child has one thread and a copy of the parent's memory: a lock that
 * another thread of the parent held at that moment would never be opened in it.
 */
#ifndef CUSHIM_BASE_FORK_H
#define CUSHIM_BASE_FORK_H

#include <pthread.h>

/*
 * Makes a static mutex open in a child, whoever held it. For locks over data that is of use at
 * any moment: what the other thread was about to do with it is not done in the child, or is lost.
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

/*
 * Has a static mutex waited for and held while the process forks, so that the child finds what
 * it guards whole, and the mutex open. For locks inside of which nothing waits for another.
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
