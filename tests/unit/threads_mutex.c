/* SPDX-License-Identifier: MIT */
/* One mutex and many threads: while they only count, and while one of them sleeps with it. */
#include "base/mutex.h"
#include "plain.h"

#include <errno.h>
#include <time.h>

enum { THREADS = 8, ROUNDS = 20000, SLEEPS = 20 };

static struct cushim__mutex mutex;
static long counted; /* under the mutex */

static void *count(void *user)
{
    (void) user;
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 4 || !cushim__mutex_trylock(&mutex))
            cushim__mutex_lock(&mutex);
        counted++;
        cushim__mutex_unlock(&mutex);
    }
    return NULL;
}

/* The others look for a microsecond, and then sleep. They must be woken, each once. */
static void *count_and_sleep(void *user)
{
    const struct timespec brief = {.tv_nsec = 500000};

    (void) user;
    for (int i = 0; i < SLEEPS; i++) {
        errno = ERANGE;
        cushim__mutex_lock(&mutex);
        counted++;
        nanosleep(&brief, NULL);
        cushim__mutex_unlock(&mutex);
        CHECK_EQ(errno, ERANGE);
    }
    return NULL;
}

static void run(void *(*body)(void *user), long each)
{
    pthread_t threads[THREADS];

    counted = 0;
    start_threads(threads, THREADS, body);
    join_threads(threads, THREADS);
    CHECK_EQ(counted, THREADS * each);
    CHECK_EQ(mutex.state, CUSHIM__MUTEX_FREE);
}

int main(void)
{
    cushim__mutex_lock(&mutex);
    CHECK_EQ(cushim__mutex_trylock(&mutex), false);
    cushim__mutex_unlock(&mutex);
    run(count, ROUNDS);
    run(count_and_sleep, SLEEPS);
    return 0;
}
