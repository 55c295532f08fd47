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

/* A future by its handle: it is pinned only while the thread looks at it. */
struct watched {
    struct watched *next;
    uint64_t id;
};

/* Under the lock. */
static struct watched *all;
static bool started, stopping;

/* Held while the thread calls the driver. */
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;
CUSHIM__OPEN_IN_CHILD(looking);

/* Returns whether the future is still to be watched. *before is the stream that was asked last. */
static bool look_at(uint64_t id, const struct cushim__stream **before)
{
    struct cushim__future *future = cushim__handle_pin(id, CUSHIM__HANDLE_FUTURE, NULL);
    bool watch;

    if (!future)
        return false;
    *before = cushim__future_look_after(future, *before);
    watch = !atomic_load(&future->ended);
    cushim__handle_unpin(id);
    return watch;
}

/* Looks at all futures of a list. Returns those that are still to be watched. */
static struct watched *look_at_all(struct watched *list)
{
    const struct cushim__stream *before = NULL;
    struct watched **link = &list;

    while (*link) {
        struct watched *w = *link;

        if (look_at(w->id, &before)) {
            link = &w->next;
            continue;
        }
        *link = w->next;
        free(w);
    }
    return list;
}

/* Puts a list back in front of those that were added meanwhile. */
static void put_back(struct watched *list)
{
    struct watched **end = &list;

    while (*end)
        end = &(*end)->next;
    *end = all;
    all = list;
}

static void sleep_a_while(void)
{
    const struct timespec pause = {.tv_nsec = INTERVAL_MS * 1000000};

    nanosleep(&pause, NULL);
}

static void *body(void *user)
{
    (void) user;
    for (;;) {
        struct watched *list;

        pthread_mutex_lock(&lock);
        while (!all)
            pthread_cond_wait(&added, &lock);
        list = TAKE_PTR(all);
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&looking);
        if (!stopping)
            list = look_at_all(list);
        pthread_mutex_unlock(&looking);
        pthread_mutex_lock(&lock);
        put_back(list);
        pthread_mutex_unlock(&lock);
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
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    started = !cushim__thread_create(&thread, &attributes, body, NULL);
    pthread_attr_destroy(&attributes);
    if (!started)
        cushim__log(CUSHIM_LOG_WARNING, "no thread can be made to watch futures: one whose device "
                                        "fails ends only when it is polled");
}

void cushim__watch(uint64_t id)
{
    struct watched *w = malloc(sizeof(*w));

    pthread_mutex_lock(&lock);
    if (w && !started)
        start();
    if (w && started) {
        *w = (struct watched){all, id};
        all = w;
        w = NULL;
        pthread_cond_signal(&added);
    }
    pthread_mutex_unlock(&lock);
    free(w);
}
