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

#endif
