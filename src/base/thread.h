/* SPDX-License-Identifier: MIT */
/* Threads that this library starts for itself. */
#ifndef CUSHIM_BASE_THREAD_H
#define CUSHIM_BASE_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Like pthread_create(), for a thread that takes none of the signals that are sent to the process:
 * a program decides which of its own threads handles them. Signals that the thread itself causes,
 * such as SIGSEGV, reach it.
 */
static inline int cushim__thread_create(pthread_t *ret_thread, const pthread_attr_t *attributes,
                                        void *(*body)(void *), void *user)
{
    static const int of_the_thread[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t blocked, before;
    int result;

    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof(of_the_thread) / sizeof(of_the_thread[0]); i++)
        sigdelset(&blocked, of_the_thread[i]);
    /* A new thread begins with the mask of the one that makes it. */
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    result = pthread_create(ret_thread, attributes, body, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

/* Makes such a thread that nobody waits for. False: it cannot be made. */
static inline bool cushim__thread_start(void *(*body)(void *) )
{
    pthread_attr_t attributes;
    pthread_t thread;
    bool made;

    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    made = !cushim__thread_create(&thread, &attributes, body, NULL);
    pthread_attr_destroy(&attributes);
    return made;
}

#endif
