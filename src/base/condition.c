/* SPDX-License-Identifier: MIT */
#include "base/condition.h"

#include <limits.h>

#include "base/word.h"

/* A change after the mutex was released is another turn, and then the thread does not sleep. */
void cushim__condition_wait(struct cushim__condition *condition, struct cushim__mutex *mutex)
{
    const unsigned turn = atomic_load(&condition->turn);

    condition->sleepers++;
    cushim__mutex_unlock(mutex);
    cushim__word_sleep(&condition->turn, turn, CUSHIM__NEVER);
    cushim__mutex_lock(mutex);
    condition->sleepers--;
}

void cushim__condition_wake(struct cushim__condition *condition)
{
    atomic_fetch_add(&condition->turn, 1);
    cushim__word_wake(&condition->turn, INT_MAX);
}
