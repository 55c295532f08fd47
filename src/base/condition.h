/* SPDX-License-Identifier: MIT */
/*
 * A condition that threads wait for with a struct cushim__mutex. One of zeros is ready for use.
 * Telling that something has changed costs nothing while no thread waits.
 */
#ifndef CUSHIM_BASE_CONDITION_H
#define CUSHIM_BASE_CONDITION_H

#include "base/mutex.h"

struct cushim__condition {
    atomic_uint turn;
    unsigned sleepers; /* under the mutex */
};

/*
 * Releases the mutex, sleeps until another thread tells that something has changed, and takes the
 * mutex again. It may also return early: the caller looks again.
 */
void cushim__condition_wait(struct cushim__condition *condition, struct cushim__mutex *mutex);

/* The rest of telling, if threads wait. */
void cushim__condition_wake(struct cushim__condition *condition) __attribute__((cold));

/* Tells all threads that wait that something has changed. Under the mutex. */
static inline void cushim__condition_tell(struct cushim__condition *condition)
{
    if (__builtin_expect(condition->sleepers != 0, 0))
        cushim__condition_wake(condition);
}

#endif
