/* SPDX-License-Identifier: MIT */
/*
 * Threads call through a traced table, and through a table whose hooks come and go. What the
 * hooks use is freed as soon as they are out, so that the sanitizers find a thread that
 * were still inside.
 */
#include <stdatomic.h>
#include <stdbool.h>

#include <cushim/trace.h>

#include "fake.h"
#include "plain.h"

enum { THREADS = 8, ROUNDS = 300, CALLS = 4000 };

struct witness {
    atomic_long calls;
    long value; /* not atomic: written before the hooks are in, and after they are out */
};

static cushim_driver driver;
static fake_table traced;
static _Atomic(fake_table) changing; /* the interposed table, at times of a closed handle */
static atomic_bool finished;

static bool before(struct cushim_call *call, void *user)
{
    struct witness *w = user;

    CHECK_EQ(w->value, 42);
    CHECK_EQ(call->n_args, 1);
    atomic_fetch_add(&w->calls, 1);
    return false;
}

static void after(struct cushim_call *call, void *user)
{
    struct witness *w = user;

    CHECK_EQ(w->value, 42);
    CHECK_EQ(call->result, 0);
}

static void *call_traced(void *unused)
{
    (void) unused;
    for (int i = 0; i < CALLS; i++) {
        CHECK_EQ(fake_count(traced), FAKE_COUNT(0));
        CHECK_EQ(fake_count(atomic_load(&changing)), FAKE_COUNT(0));
    }
    return NULL;
}

static void *call_until_told(void *unused)
{
    (void) unused;
    while (!atomic_load(&finished))
        CHECK_EQ(fake_count(atomic_load(&changing)), FAKE_COUNT(0));
    return NULL;
}

/* Puts hooks in front, lets calls come, and takes them out again. */
static long interpose_once(void)
{
    struct witness *witness = calloc(1, sizeof(*witness));
    const struct cushim_hooks hooks = {before, after, witness};
    cushim_driver wrapped = CUSHIM_NONE;
    long calls;

    witness->value = 42;
    CHECK_EQ(cushim_interpose(driver, &hooks, 1, &wrapped), CUSHIM_OK);
    atomic_store(&changing, fake_functions(wrapped));
    while (!atomic_load(&witness->calls))
        sched_yield();
    cushim_close(&wrapped);
    calls = witness->calls;
    witness->value = 0;
    free(witness);
    return calls;
}

int main(void)
{
    pthread_t callers[THREADS], keeper;
    cushim_driver wrapped = CUSHIM_NONE;
    cushim_trace trace = CUSHIM_NONE;
    struct cushim_hooks hooks;
    uint64_t counted = 0;
    size_t logged = 0;

    driver = fake_open(0);
    CHECK_EQ(cushim_trace_create(cushim_trace_params(.max_calls = 10000), &trace), 0);
    hooks = cushim_trace_hooks(trace);
    CHECK_EQ(cushim_interpose(driver, &hooks, 1, &wrapped), CUSHIM_OK);
    traced = fake_functions(wrapped);
    atomic_store(&changing, fake_functions(driver));
    start_threads(callers, THREADS, call_traced);
    /* Goes on until the rounds are over, so that each of them sees a call. */
    start_threads(&keeper, 1, call_until_told);
    for (int i = 0; i < ROUNDS; i++)
        CHECK_EQ(interpose_once() > 0, 1);
    atomic_store(&finished, true);
    join_threads(&keeper, 1);
    join_threads(callers, THREADS);
    CHECK_EQ(cushim_trace_count(trace, "cuDeviceGetCount", &counted), 0);
    CHECK_EQ(counted, THREADS * CALLS);
    CHECK_EQ(cushim_trace_calls(trace, 0, NULL, 0, &logged), 0);
    CHECK_EQ(logged, 10000);
    cushim_trace_free(&trace);
    cushim_close(&wrapped);
    cushim_close(&driver);
    return 0;
}
