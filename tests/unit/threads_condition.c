/* SPDX-License-Identifier: MIT */
/* One condition and many threads, which take turns: each must be woken for each of its turns. */
#include "base/condition.h"
#include "base/util.h"
#include "base/word.h"
#include "plain.h"

#include <errno.h>

enum { THREADS = 8, ROUNDS = 500, NANOSECONDS = 2000000 };

static struct cushim__mutex mutex;
static struct cushim__condition changed;
static long turn; /* under the mutex */

static void *take_turns(void *user)
{
    const long mine = (long) (intptr_t) user;

    errno = ERANGE;
    for (int i = 0; i < ROUNDS; i++) {
        cushim__mutex_lock(&mutex);
        while (turn % THREADS != mine)
            cushim__condition_wait(&changed, &mutex);
        turn++;
        cushim__condition_tell(&changed);
        cushim__mutex_unlock(&mutex);
    }
    CHECK_EQ(errno, ERANGE);
    return NULL;
}

/* A word that nobody changes: the sleep ends with the time, and one of another value at once. */
static void sleep_until_a_time(void)
{
    atomic_uint word = 1;
    uint64_t now = cushim__now_ns();
    const uint64_t until = now + NANOSECONDS;

    cushim__word_sleep(&word, 2, CUSHIM__NEVER);
    for (; now < until; now = cushim__now_ns())
        cushim__word_sleep(&word, 1, until);
    cushim__word_sleep(&word, 1, until);
}

int main(void)
{
    pthread_t threads[THREADS];

    start_threads(threads, THREADS, take_turns);
    join_threads(threads, THREADS);
    CHECK_EQ(turn, THREADS * ROUNDS);
    CHECK_EQ(changed.sleepers, 0);
    sleep_until_a_time();
    return 0;
}
