/* SPDX-License-Identifier: MIT */
/*
 * What programs share whose calls are stopped in the middle, by hooks of the driver: streams, an
 * event and slices, where a call stops, and the steps of two threads.
 */
#ifndef CUSHIM_TESTS_SAFE_OVERTAKEN_H
#define CUSHIM_TESTS_SAFE_OVERTAKEN_H

#include <stdatomic.h>
#include <unistd.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

#include "plain.h"

enum { N = 64, PATIENCE_S = 20 };

#define OK(call) CHECK_EQ(call, CUSHIM_OK)

static cushim_driver below, driver;
static cushim_context context;
static cushim_stream a, b, c;
static cushim_event event;
static cushim_slice x, y;

/* The calls of this thread stop at the function `stop_at`: before it, and after it. */
static _Thread_local const char *stop_at;
static void (*at_stop)(bool is_after);

/* The next context that this thread makes seems to have this address; in truth it has the other. */
static _Thread_local void *address_of_next, *true_address;

static inline bool is_call(const struct cushim_call *call, const char *beginning)
{
    return !strncmp(call->name, beginning, strlen(beginning));
}

static inline void change_made(const struct cushim_call *call)
{
    void **made;

    if (!address_of_next || !is_call(call, "cuCtxCreate"))
        return;
    made = *(void ***) call->args[0];
    true_address = *made;
    *made = address_of_next;
    address_of_next = NULL;
}

static inline void change_destroyed(const struct cushim_call *call)
{
    if (!true_address || !is_call(call, "cuCtxDestroy"))
        return;
    *(void **) call->args[0] = true_address;
    true_address = NULL;
}

static inline bool before(struct cushim_call *call, void *user)
{
    (void) user;
    change_destroyed(call);
    if (stop_at && !strcmp(call->name, stop_at))
        at_stop(false);
    return false;
}

static inline void after(struct cushim_call *call, void *user)
{
    (void) user;
    change_made(call);
    if (stop_at && !strcmp(call->name, stop_at))
        at_stop(true);
}

/* The steps of two threads, which come one after the other. */
static atomic_int step;

static inline void wait_for_step(int wanted)
{
    while (atomic_load(&step) < wanted)
        usleep(100);
}

static inline void next_step(int made)
{
    atomic_store(&step, made);
}

static inline void prepare_with(const char *settings)
{
    const struct cushim_hooks hooks = {.before = before, .after = after};

    next_step(0);
    if (settings)
        OK(cushim_mock_configure(cushim_mock_config(.settings = settings)));
    OK(cushim_open(cushim_open_params(.library = MOCK), &below));
    OK(cushim_interpose(below, &hooks, 1, &driver));
    OK(cushim_context_create(driver, 0, 0, &context));
    OK(cushim_stream_new(context, NULL, &a));
    OK(cushim_stream_new(context, NULL, &b));
    OK(cushim_stream_new(context, NULL, &c));
    OK(cushim_event_new(context, 0, &event));
    OK(cushim_slice_zeros(a, 4, N, &x));
    OK(cushim_slice_zeros(b, 4, N, &y));
}

static inline void prepare(void)
{
    prepare_with(NULL);
}

static inline void free_all(void)
{
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_event_free(&event);
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    cushim_stream_free(&c);
    cushim_context_free(&context);
}

static inline void finish(void)
{
    free_all();
    cushim_close(&driver);
    cushim_close(&below);
    cushim_mock_leaks();
    CHECK_EQ(cushim_mock_findings(NULL), 0);
}

static inline void be_slow(void *user)
{
    (void) user;
    usleep(200000);
}

#endif
