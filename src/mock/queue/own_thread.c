/* SPDX-License-Identifier: MIT */
#include "mock/queue/own_thread.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/thread.h"
#include "base/util.h"
#include "mock/base/state.h"
#include "mock/base/stats.h"
#include "mock/base/upcalls.h"
#include "mock/queue/clock.h"
#include "mock/queue/schedule.h"

/*
 * The delay after which the mock's thread runs work that nothing waits for. It is long, because the
 * seed does not decide the order of that work. It is limited, because a program may poll its own
 * memory.
 */
#define PATIENCE_NS UINT64_C(200000000)

static bool started;
static uint64_t deadline;               /* when that delay is over */
static struct mock__work *first, *last; /* host functions to call, linked by next_call */
static bool calling;
static struct mock__destructor_call *destructor_calls, *last_destructor_call;

static struct mock__work *take_call(void)
{
    struct mock__work *work = first;

    if (work) {
        first = work->next_call;
        if (!first)
            last = NULL;
    }
    return work;
}

/*
 * Calls a host function without the lock: it may wait for another thread that uses the driver.
 * calling stays true meanwhile, so that waits give the function time to return. The function may
 * tell other threads at once that the work before it is done, and what they submit then is ordered
 * after that. The mock cannot see whether it does so, and does not claim that nothing orders them.
 */
static void call(struct mock__work *work)
{
    calling = true;
    mock__host_waited(work->clock);
    mock__unlock_for_callback();
    work->type->run(work);
    mock__lock_after_callback();
    calling = false;
    mock__stats.host_calls++;
    mock__work_end(work);
    mock__lock_changed();
}

/*
 * Calls a destructor. It leaves the list first, because the list may change while the lock is
 * released.
 */
static void call_destructor(struct mock__destructor_call *destructor_call)
{
    destructor_calls = destructor_call->next;
    if (!destructor_calls)
        last_destructor_call = NULL;
    calling = true;
    mock__unlock_for_callback();
    destructor_call->destroy(destructor_call->user);
    mock__lock_after_callback();
    calling = false;
    free(destructor_call);
    mock__lock_changed();
}

static void do_something(void)
{
    struct mock__work *work = take_call();
    const uint64_t now = cushim__now_ns();

    if (work)
        call(work);
    else if (destructor_calls)
        call_destructor(destructor_calls);
    else if (!mock__busy_queues())
        mock__lock_wait(PATIENCE_NS); /* with a limit: waking it at each submission costs more */
    else if (now < deadline)
        mock__lock_wait(deadline - now);
    else if (!mock__schedule_step())
        mock__schedule_rest(PATIENCE_NS);
}

static void *run(void *unused)
{
    (void) unused;
    mock__lock();
    for (;;)
        do_something();
    return NULL;
}

/* The thread is detached: nothing ends it before the process ends. */
static void start(void)
{
    started = cushim__thread_start(run);
}

void mock__own_thread_forget(void)
{
    first = last = NULL;
    destructor_calls = last_destructor_call = NULL;
    calling = false;
}

void mock__own_thread_wake(void)
{
    if (mock__is_child())
        return;
    if (!started)
        start();
    deadline = cushim__now_ns() + PATIENCE_NS;
}

void mock__own_thread_call(struct mock__work *work)
{
    work->next_call = NULL;
    if (last)
        last->next_call = work;
    else
        first = work;
    last = work;
    mock__lock_changed();
}

void mock__own_thread_post(struct mock__destructor_call *destructor_call)
{
    if (mock__is_child()) {
        free(destructor_call);
        return;
    }
    destructor_call->next = NULL;
    *(last_destructor_call ? &last_destructor_call->next : &destructor_calls) = destructor_call;
    last_destructor_call = destructor_call;
    mock__own_thread_wake();
    mock__lock_changed();
}

bool mock__own_thread_busy(void)
{
    return calling || first;
}
