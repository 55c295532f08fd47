/* SPDX-License-Identifier: MIT */
/*
 * A launch has places for further threads. It calls one thread, which sleeps or is made for it. Who
 * comes takes a place, and calls two more if there are places for them. So whoever launches wakes
 * one thread only, many threads come soon, and a launch that ends soon makes few of them come. When
 * the first of all has nothing left to do, the places that nobody has taken are gone: a thread that
 * comes too late finds none, and sleeps again, or takes one of the next launch. Nobody waits for
 * it.
 *
 * No memory is allocated: a launch is on the stack of its thread, and a thread that sleeps is on
 * its own.
 */
#include "mock/ptx/run/workers.h"

#include <fenv.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>

#include "base/fork.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "base/util.h"
#include "base/word.h"

/*
 * How long a thread sleeps before it ends. A program that launches again and again, with some work
 * of its own or a wait in between, finds its threads there; for one that pauses longer, the fifty
 * microseconds that a new thread takes are nothing.
 */
#define IDLE_NS UINT64_C(1000000000)

/* What the thread of a launch does while others still work. */
enum state { LOOKS, SLEEPS, ENDED };

struct launch {
    struct launch *next; /* among those with places */
    const struct ptx__work *work;
    unsigned places;  /* for threads that have not come */
    unsigned running; /* threads that have come and are not done */
    atomic_uint state;
    fenv_t rounding;
    cpu_set_t processors;
    bool any_processor; /* those of its thread are not known */
};

struct sleeper {
    struct sleeper *next;
    atomic_uint called;
};

static struct cushim__mutex mutex; /* for all below, and for the launches */
static struct launch *launches;    /* those with places */
static unsigned n_places;          /* of them */
static unsigned n_coming;          /* threads that were called and have not come yet */
static struct sleeper *sleepers;   /* the last one that went to sleep is the first one called */

/* The parent's threads are not in the child, nor what they were at. */
static void in_child(void)
{
    atomic_store(&mutex.state, CUSHIM__MUTEX_FREE);
    launches = NULL;
    sleepers = NULL;
    n_places = n_coming = 0;
}

__attribute__((constructor)) static void at_fork(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

/* --- calling threads --- */

static void *live(void *unused);

/* Those that are on their way take places, too, and call again when they come. */
static bool is_wanted(void)
{
    return n_coming < n_places;
}

/* The thread that is woken takes the mutex at once, and making one takes long. */
static bool reach(struct sleeper *sleeper)
{
    if (!sleeper)
        return cushim__thread_start(live);
    cushim__word_wake(&sleeper->called, 1);
    return true;
}

/* Calls a thread. With the mutex, but not all the time. */
static void call(void)
{
    struct sleeper *sleeper = sleepers;
    bool reached;

    n_coming++;
    if (sleeper) {
        sleepers = sleeper->next;
        atomic_store(&sleeper->called, true);
    }
    cushim__mutex_unlock(&mutex);
    reached = reach(sleeper);
    cushim__mutex_lock(&mutex);
    n_coming -= !reached;
}

/* --- threads --- */

static struct launch *take_place(void)
{
    struct launch *launch = launches;

    if (!launch)
        return NULL;
    n_places--;
    launch->running++;
    if (!--launch->places)
        launches = launch->next;
    return launch;
}

/* What a new thread would have from the one that makes it. */
static void become_like(const struct launch *launch, cpu_set_t *processors)
{
    fesetenv(&launch->rounding);
    if (launch->any_processor || CPU_EQUAL(&launch->processors, processors))
        return;
    *processors = launch->processors;
    sched_setaffinity(0, sizeof(*processors), processors);
}

/* One whose places are all taken is no longer among the others. */
static void take_back_places(struct launch *launch)
{
    for (struct launch **at = &launches; *at; at = &(*at)->next) {
        if (*at == launch) {
            *at = launch->next;
            n_places -= launch->places;
            break;
        }
    }
}

/*
 * Who returns has found no work that is left, so nobody else need come. The launch is gone when its
 * thread sees that it has ended.
 */
static void leave(struct launch *launch)
{
    take_back_places(launch);
    if (--launch->running)
        return;
    if (atomic_exchange(&launch->state, ENDED) == SLEEPS)
        cushim__word_wake(&launch->state, 1);
}

/* Sleeps until it is called. False: it was not for long. With the mutex, but not meanwhile. */
static bool sleep_until_called(void)
{
    const uint64_t until = cushim__now_ns() + IDLE_NS;
    struct sleeper self = {.next = sleepers};

    sleepers = &self;
    cushim__mutex_unlock(&mutex);
    while (!atomic_load(&self.called) && cushim__now_ns() < until)
        cushim__word_sleep(&self.called, false, until);
    cushim__mutex_lock(&mutex);
    if (atomic_load(&self.called))
        return true;
    for (struct sleeper **at = &sleepers; *at; at = &(*at)->next) {
        if (*at == &self) {
            *at = self.next;
            break;
        }
    }
    return false;
}

static void *live(void *unused)
{
    cpu_set_t processors;

    CPU_ZERO(&processors);
    sched_getaffinity(0, sizeof(processors), &processors);
    cushim__mutex_lock(&mutex);
    do {
        struct launch *launch;

        n_coming--;
        while ((launch = take_place())) {
            for (int i = 0; i < 2 && is_wanted(); i++)
                call();
            cushim__mutex_unlock(&mutex);
            become_like(launch, &processors);
            launch->work->further(launch->work->user);
            cushim__mutex_lock(&mutex);
            leave(launch);
        }
    } while (sleep_until_called());
    cushim__mutex_unlock(&mutex);
    return unused;
}

/* --- launches --- */

static void open_launch(struct launch *launch)
{
    fegetenv(&launch->rounding);
    CPU_ZERO(&launch->processors);
    launch->any_processor =
        sched_getaffinity(0, sizeof(launch->processors), &launch->processors) != 0;
    cushim__mutex_lock(&mutex);
    launch->next = launches;
    launches = launch;
    n_places += launch->places;
    if (is_wanted())
        call();
    cushim__mutex_unlock(&mutex);
}

/* Returns whether threads still work for it. */
static bool close_launch(struct launch *launch)
{
    bool waits;

    cushim__mutex_lock(&mutex);
    take_back_places(launch);
    waits = launch->running;
    cushim__mutex_unlock(&mutex);
    return waits;
}

static void wait_for_end(struct launch *launch)
{
    unsigned looks = LOOKS;

    if (!atomic_compare_exchange_strong(&launch->state, &looks, SLEEPS))
        return;
    while (atomic_load(&launch->state) != ENDED)
        cushim__word_sleep(&launch->state, SLEEPS, CUSHIM__NEVER);
}

void ptx__workers_run(const struct ptx__work *work, unsigned n)
{
    struct launch launch = {.work = work, .places = n};

    if (n)
        open_launch(&launch);
    work->first(work->user);
    if (n && close_launch(&launch))
        wait_for_end(&launch);
}
