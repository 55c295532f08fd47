/* SPDX-License-Identifier: MIT */
/* Threads that wait for futures. */
#include <cushim/future.h>

#include <stdlib.h>
#include <time.h>

#include "async/future.h"
#include "base/util.h"
#include "base/word.h"

enum {
    SPIN_NS = 20000,        /* how long a thread spins before it sleeps */
    LOOK_NS = 5000000,      /* how long it sleeps before it asks the driver */
    FIRST_LOOK_NS = 200000, /* the first time: the mock does work that is asked for */
};

/* Several futures that one thread waits for. */
struct waiting {
    const cushim_future *handles;
    size_t n;
    struct cushim__future **futures; /* pinned */
    struct cushim__waiter *waiters;
    struct cushim__wait wait;
    const char *call;
};

static void add_waiters(struct waiting *w)
{
    for (size_t i = 0; i < w->n; i++) {
        struct cushim__future *future = w->futures[i];

        w->waiters[i].wait = &w->wait;
        cushim__mutex_lock(&future->lock);
        w->waiters[i].next = future->waiters;
        future->waiters = &w->waiters[i];
        cushim__mutex_unlock(&future->lock);
    }
}

/* The last one added is the first in the list of its future, which may be in the array n times. */
static void remove_waiters(struct waiting *w)
{
    for (size_t i = w->n; i-- > 0;) {
        struct cushim__future *future = w->futures[i];
        struct cushim__waiter **link = &future->waiters;

        cushim__mutex_lock(&future->lock);
        while (*link != &w->waiters[i])
            link = &(*link)->next;
        *link = w->waiters[i].next;
        cushim__mutex_unlock(&future->lock);
    }
}

static void finish(struct waiting *w, size_t pinned)
{
    for (size_t i = 0; i < pinned; i++)
        cushim__handle_unpin(w->handles[i].id);
    if (w->n > 1) {
        free(w->futures);
        free(w->waiters);
    }
}

/* Pins all futures. */
static cushim_status begin(struct waiting *w, struct cushim__future **one,
                           struct cushim__waiter *one_waiter)
{
    w->futures = w->n == 1 ? one : calloc(w->n, sizeof(struct cushim__future *));
    w->waiters = w->n == 1 ? one_waiter : calloc(w->n, sizeof(*w->waiters));
    if (!w->futures || !w->waiters) {
        free(w->futures);
        free(w->waiters);
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, w->call, NULL,
                               "no memory to wait for %zu futures", w->n);
    }
    for (size_t i = 0; i < w->n; i++) {
        w->futures[i] = cushim__future_pin(w->handles[i], w->call);
        if (!w->futures[i]) {
            finish(w, i);
            return cushim__error()->status;
        }
    }
    return CUSHIM_OK;
}

/*
 * Sleeps unless more futures have ended than `seen`, at most until a time. Who ends one looks after
 * that whether the thread sleeps, so either it sees that, or this thread sees the end.
 */
static void sleep_until(struct cushim__wait *wait, unsigned seen, uint64_t at)
{
    atomic_store(&wait->sleeps, true);
    cushim__word_sleep(&wait->ended, seen, at);
    atomic_store(&wait->sleeps, false);
}

/* Asks the driver about the streams of all futures. */
static void look_at_all(const struct waiting *w)
{
    struct cushim__asked asked = {{NULL}};

    for (size_t i = 0; i < w->n; i++)
        (void) cushim__future_look_after(w->futures[i], &asked);
}

/*
 * Asks all futures. any: one with a result is enough, whose index is *ret_index. Otherwise the
 * first error is the result when all have one.
 */
static cushim_status ask_all(const struct waiting *w, bool any, size_t *ret_index)
{
    cushim_status all = CUSHIM_OK;
    size_t failed = w->n;

    for (size_t i = 0; i < w->n; i++) {
        const cushim_status status = cushim__future_ask(w->futures[i], 0, w->call);

        if (status == CUSHIM_PENDING &&
            cushim__future_state(w->futures[i]) != CUSHIM__FUTURE_SETTLED) {
            all = CUSHIM_PENDING;
        } else if (any) {
            *ret_index = i;
            return status;
        } else if (status && failed == w->n) {
            failed = i;
        }
    }
    if (any || all == CUSHIM_PENDING)
        return CUSHIM_PENDING;
    return failed < w->n ? cushim__future_ask(w->futures[failed], 0, w->call) : CUSHIM_OK;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

/* Sleeps at most until the driver is to be asked. Returns whether that time has come. */
static bool pause_for(struct waiting *w, unsigned seen, uint64_t begun, uint64_t deadline,
                      uint64_t *look_at)
{
    const uint64_t until = *look_at < deadline ? *look_at : deadline;
    uint64_t now = cushim__now_ns();

    while (now < begun + SPIN_NS && now < deadline && atomic_load(&w->wait.ended) == seen)
        now = cushim__now_ns();
    if (now < until && now >= begun + SPIN_NS)
        sleep_until(&w->wait, seen, until);
    now = cushim__now_ns();
    if (now < *look_at)
        return false;
    *look_at = now + LOOK_NS;
    return true;
}

/* Waits for futures with waiters. */
static cushim_status wait_for(struct waiting *w, bool any, uint64_t nanoseconds, size_t *ret_index)
{
    const uint64_t begun = cushim__now_ns(), deadline = add(begun, nanoseconds);
    uint64_t look_at = begun + FIRST_LOOK_NS;
    bool look = false;
    cushim_status status;

    for (;;) {
        const unsigned seen = atomic_load(&w->wait.ended);

        if (look)
            look_at_all(w);
        status = ask_all(w, any, ret_index);
        if (status != CUSHIM_PENDING || cushim__now_ns() >= deadline)
            return status;
        look = pause_for(w, seen, begun, deadline, &look_at);
    }
}

/* Most futures that a program waits for have ended by then. */
static cushim_status ask_and_wait(struct waiting *w, bool any, uint64_t nanoseconds,
                                  size_t *ret_index)
{
    cushim_status status;

    if (!nanoseconds)
        look_at_all(w);
    status = ask_all(w, any, ret_index);
    if (status != CUSHIM_PENDING || !nanoseconds)
        return status;
    add_waiters(w);
    status = wait_for(w, any, nanoseconds, ret_index);
    remove_waiters(w);
    return status;
}

static cushim_status wait(const cushim_future *futures, size_t n, bool any, uint64_t nanoseconds,
                          const char *call, size_t *ret_index)
{
    struct waiting w = {.handles = futures, .n = n, .call = call};
    struct cushim__future *one;
    struct cushim__waiter one_waiter;
    cushim_status status;

    CUSHIM_TRY(cushim__check_no_callback(call));
    CUSHIM_TRY(cushim__check_may_wait(call));
    CUSHIM_TRY(begin(&w, &one, &one_waiter));
    status = ask_and_wait(&w, any, nanoseconds, ret_index);
    finish(&w, n);
    return status;
}

cushim_status cushim_future_wait(cushim_future future, uint64_t nanoseconds)
{
    size_t index;

    return wait(&future, 1, true, nanoseconds, __func__, &index);
}

cushim_status cushim_future_wait_all(const cushim_future *futures, size_t n, uint64_t nanoseconds)
{
    size_t index;

    if (!n)
        return CUSHIM_OK;
    if (!futures)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: futures is NULL", __func__);
    return wait(futures, n, false, nanoseconds, __func__, &index);
}

cushim_status cushim_future_wait_any(const cushim_future *futures, size_t n, uint64_t nanoseconds,
                                     size_t *ret_index)
{
    CHECK_OUTPUT(ret_index);
    if (!futures || !n)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            n ? "%s: futures is NULL" : "%s: there is no future to wait for",
                            __func__);
    return wait(futures, n, true, nanoseconds, __func__, ret_index);
}
