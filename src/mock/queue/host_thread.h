/* SPDX-License-Identifier: MIT */
/*
 * The mock's own thread. It calls the program's functions that were submitted to streams,
 * and goes on with work that nobody has asked about for a while. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_QUEUE_HOST_THREAD_H
#define CUSHIM_MOCK_QUEUE_HOST_THREAD_H

#include "mock/queue/work.h"

/* The call of an object's destructor. */
struct mock__destructor_call {
    CUhostFn destroy;
    void *user;
    struct mock__destructor_call *next;
};

/* There is work left: the host thread's patience begins anew. */
void mock__host_thread_wake(void);

/* Hands over work that calls the program. It is ended when the call has returned. */
void mock__host_thread_call(struct mock__work *work);

/* Is a function of the program being called? Others then wait a moment for it to return. */
bool mock__host_thread_busy(void);

/* Has the host thread's thread call a destructor, and free what says so. */
void mock__host_thread_post(struct mock__destructor_call *farewell);

#endif
