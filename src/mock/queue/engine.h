/* SPDX-License-Identifier: MIT */
/*
 * The mock's own thread. It calls the program's functions that were submitted to streams,
 * and goes on with work that nobody has asked about for a while. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_ENGINE_H
#define CUSHIM_MOCK_ENGINE_H

#include "mock/queue/work.h"

/* The call of an object's destructor. */
struct mock__farewell {
    CUhostFn destroy;
    void *user;
    struct mock__farewell *next;
};

/* There is work left: the engine's patience begins anew. */
void mock__engine_wake(void);

/* Hands over work that calls the program. It is ended when the call has returned. */
void mock__engine_call(struct mock__work *work);

/* Is a function of the program being called? Others then wait a moment for it to return. */
bool mock__engine_busy(void);

/* Has the engine's thread call a destructor, and free what says so. */
void mock__engine_say(struct mock__farewell *farewell);

#endif
