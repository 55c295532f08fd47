/* SPDX-License-Identifier: MIT */
#include "async/watch.h"

#include <stdlib.h>
#include <time.h>

#include "base/fork.h"
#include "base/log.h"
#include "base/thread.h"

enum { INTERVAL_MS = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CUSHIM__OPEN_IN_CHILD(lock);
static pthread_cond_t added = PTHREAD_COND_INITIALIZER;

/* Under the lock: the futures that are watched, each pinned. */
static struct cushim__future *all;
static struct cushim__future *looked_at; /* one of them; it stays in the list meanwhile */
static pthread_t looker;                 /* the thread that does so */
static pthread_cond_t looked = PTHREAD_COND_INITIALIZER;
static bool started, stopping;

/* Held while the thread calls the driver. */
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;
CUSHIM__OPEN_IN_CHILD(looking);

/* Under the lock. */
static void link_to(struct cushim__future **list, struct cushim__future *future)
{
    future->watched.next = *list;
    future->watched.link = list;
    if (*list)
        (*list)->watched.link = &future->watched.next;
    *list = future;
}

static void unlink_it(struct cushim__future *future)
{
    *future->watched.link = future->watched.next;
    if (future->watched.next)
        future->watched.next->watched.link = future->watched.link;
    future->watched.link = NULL;
}

/*
 * The pin may be the last, which destroys the future and calls functions of the program: not in
 * this thread, so a later call of the program does that.
 */
static void remove_here(struct cushim__future *future)
{
    pthread_mutex_lock(&lock);
    unlink_it(future);
    pthread_mutex_unlock(&lock);
    cushim__handle_unpin_in_driver(future->id);
}

/*
 * Looks at all futures once. Others may be added or removed meanwhile: each is moved from one list
 * to the other before it is looked at.
 */
static void look_at_all(void)
{
    struct cushim__asked asked = {{NULL}};
    struct cushim__future *left, *future;

    pthread_mutex_lock(&lock);
    looker = pthread_self();
    left = TAKE_PTR(all);
    if (left)
        left->watched.link = &left;
    while ((future = left)) {
        unlink_it(future);
        link_to(&all, future);
        looked_at = future;
        pthread_mutex_unlock(&lock);
        if (!cushim__future_look_after(future, &asked))
            remove_here(future);
        pthread_mutex_lock(&lock);
        looked_at = NULL;
        pthread_cond_broadcast(&looked);
    }
    pthread_mutex_unlock(&lock);
}

static void sleep_a_while(void)
{
    const struct timespec pause = {.tv_nsec = INTERVAL_MS * 1000000};

    nanosleep(&pause, NULL);
}

static void *body(void *user)
{
    (void) user;
    cushim__hold_deferred(true);
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!all)
            pthread_cond_wait(&added, &lock);
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&looking);
        if (!stopping)
            look_at_all();
        pthread_mutex_unlock(&looking);
        sleep_a_while();
    }
    return NULL;
}

/* A program that ends takes the driver away; the thread must not call it then. */
__attribute__((destructor)) static void stop(void)
{
    struct timespec limit;

    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec++;
    if (pthread_mutex_timedlock(&looking, &limit))
        return;
    stopping = true;
    pthread_mutex_unlock(&looking);
}

/* Without a thread, a future of a device that fails ends when the program polls it. */
static void start(void)
{
    started = cushim__thread_start(body);
    if (!started)
        cushim__log(CUSHIM_LOG_WARNING, "no thread can be made to watch futures: one whose device "
                                        "fails ends only when it is polled");
}

/* Another thread may have dropped the future before it was added, and so has not removed it. */
void cushim__watch(struct cushim__future *future)
{
    bool dropped;

    pthread_mutex_lock(&lock);
    if (!started)
        start();
    if (started && !future->watched.link) {
        cushim__handle_pin_again(future->id);
        link_to(&all, future);
        pthread_cond_signal(&added);
    }
    pthread_mutex_unlock(&lock);
    cushim__mutex_lock(&future->lock);
    dropped = future->dropped;
    cushim__mutex_unlock(&future->lock);
    if (dropped)
        cushim__unwatch(future);
}

/*
 * Waits while the thread looks at the future, which is a question to the driver: afterwards it has
 * nothing of the program's, such as a reference on the stream. If the future's own function frees
 * it there, the thread removes it itself.
 */
void cushim__unwatch(struct cushim__future *future)
{
    bool removes;

    pthread_mutex_lock(&lock);
    while (looked_at == future && !pthread_equal(looker, pthread_self()))
        pthread_cond_wait(&looked, &lock);
    removes = future->watched.link && future != looked_at;
    if (removes)
        unlink_it(future);
    pthread_mutex_unlock(&lock);
    if (removes)
        cushim__handle_unpin(future->id);
}
