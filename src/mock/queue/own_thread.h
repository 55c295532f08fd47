/* SPDX-License-Identifier: MIT */
/*
 * The mock's thread, which lasts as long as the process. It calls host functions of streams, and
 * runs work for which the program has not waited for a while. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_QUEUE_OWN_THREAD_H
#define CUSHIM_MOCK_QUEUE_OWN_THREAD_H

#include "mock/queue/work.h"

/* A call of the destructor of a user object. */
struct mock__destructor_call {
    CUhostFn destroy;
    void *user;
    struct mock__destructor_call *next;
};

/*
 * Called when there is work left. The mock's thread starts its delay again before it runs work
 * itself.
 */
void mock__own_thread_wake(void);

/* Passes host work to the mock's thread. The work ends when its call has returned. */
void mock__own_thread_call(struct mock__work *work);

/* Tells whether a host function runs or is about to. Waits then delay other work for a moment. */
bool mock__own_thread_busy(void);

/* In a child of fork(), which has no such thread: forgets what it was to do. */
void mock__own_thread_forget(void);

/* Passes a destructor call to the mock's thread, which then frees the structure. */
void mock__own_thread_post(struct mock__destructor_call *destructor_call);

#endif
