/* SPDX-License-Identifier: MIT */
/* The primary context of a device: what keeps it from a reset, and what comes during one. */
#include <pthread.h>
#include <semaphore.h>

#include "support.h"

SUITE(safe_primary);

enum { N = 16 };

/* Uses memory of the context, which fails if the context was destroyed. */
static void check_works(cushim_context context)
{
    cushim_stream stream = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE;
    int values[N] = {0};

    assert_ok(cushim_stream_new(context, NULL, &stream));
    assert_ok(cushim_slice_alloc(stream, sizeof(int), N, &x));
    assert_ok(cushim_slice_fill(stream, x, 7));
    assert_ok(cushim_slice_read(stream, x, values, N));
    cr_expect(eq(int, values[N - 1], 7));
    cushim_slice_free(&x);
    cushim_stream_free(&stream);
}

#define assert_in_use(expr) assert_refused(expr, CUSHIM_ERROR_BUSY, "of device 0 is still used by")

Test(safe_primary, objects_of_an_interposed_driver_keep_it)
{
    cushim_stream stream = CUSHIM_NONE;
    struct world w;

    open_world(&w);
    assert_in_use(cushim_context_primary_reset(w.below, 0));
    check_works(w.context);
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    cushim_context_free(&w.context);
    assert_in_use(cushim_context_primary_reset(w.below, 0));
    if (other_device(&w))
        assert_ok(cushim_context_primary_reset(w.below, 1));
    assert_ok(cushim_stream_synchronize(stream));
    cushim_stream_free(&stream);
    assert_ok(cushim_context_primary_reset(w.below, 0));
    close_world(&w);
}

Test(safe_primary, an_adopted_handle_keeps_it)
{
    cushim_context adopted = CUSHIM_NONE, other = CUSHIM_NONE;
    bool is_primary = false;
    struct world w;
    void *cu = NULL;

    open_world(&w);
    cushim_context_free(&w.context);
    cr_assert(eq(int, RAW(&w, cuDevicePrimaryCtxRetain, (void **, int), &cu, 0), 0));
    assert_ok(cushim_context_adopt(w.driver, cu, false, &adopted));
    assert_ok(cushim_context_is_primary(adopted, &is_primary));
    cr_expect(is_primary);
    assert_ok(cushim_context_create(w.driver, 0, 0, &other));
    assert_ok(cushim_context_is_primary(other, &is_primary));
    cr_expect(not(is_primary));
    assert_in_use(cushim_context_primary_reset(w.driver, 0));
    assert_in_use(cushim_context_primary_reset(w.below, 0));
    check_works(adopted);
    cushim_context_free(&adopted);
    assert_ok(cushim_context_primary_reset(w.driver, 0));
    check_works(other);
    cushim_context_free(&other);
    close_world(&w);
}

Test(safe_primary, a_context_that_is_not_primary_is_no_obstacle)
{
    cushim_context adopted = CUSHIM_NONE;
    bool is_primary = true;
    struct world w;
    void *cu = NULL;

    open_world(&w);
    cushim_context_free(&w.context);
    cr_assert(eq(int, RAW(&w, cuCtxCreate_v2, (void **, unsigned, int), &cu, 0, 0), 0));
    assert_ok(cushim_context_adopt(w.driver, cu, true, &adopted));
    assert_ok(cushim_context_is_primary(adopted, &is_primary));
    cr_expect(not(is_primary));
    assert_ok(cushim_context_primary_reset(w.driver, 0));
    check_works(adopted);
    cushim_context_free(&adopted);
    close_world(&w);
}

/* Called by a hook once, with the driver below the hooks. */
static struct {
    unsigned row;
    bool after; /* the row's call; false: before it */
    void (*act)(struct world *w);
    struct world *w;
} wanted;

static void see(const struct cushim_call *call, bool is_after)
{
    void (*act)(struct world * w) = wanted.act;

    if (!act || call->row != wanted.row || wanted.after != is_after)
        return;
    wanted.act = NULL;
    act(wanted.w);
}

static bool before(struct cushim_call *call, void *user)
{
    (void) user;
    see(call, false);
    return false;
}

static void after(struct cushim_call *call, void *user)
{
    (void) user;
    see(call, true);
}

static void watch(struct world *w, cushim_driver *ret_watched)
{
    const struct cushim_hooks hooks = {.before = before, .after = after};

    assert_ok(cushim_interpose(w->below, &hooks, 1, ret_watched));
    wanted.w = w;
}

/* A hook cannot use cushim, so another thread does it, while the hook waits. */
static void in_another_thread(void *(*body)(void *), struct world *w)
{
    pthread_t thread;

    pthread_create(&thread, NULL, body, w);
    pthread_join(thread, NULL);
}

static cushim_status reset_status;

static void *call_reset(void *w)
{
    reset_status = cushim_context_primary_reset(((struct world *) w)->below, 0);
    return NULL;
}

static void reset(struct world *w)
{
    in_another_thread(call_reset, w);
}

/* The context is retained, and has no handle yet. */
Test(safe_primary, a_reset_does_not_come_before_a_new_handle)
{
    cushim_driver watched = CUSHIM_NONE;
    struct world w;

    open_world(&w);
    cushim_context_free(&w.context);
    watch(&w, &watched);
    wanted.row = CUSHIM_ROW_cuDevicePrimaryCtxRetain;
    wanted.after = true;
    wanted.act = reset;
    assert_ok(cushim_context_primary(watched, 0, &w.context));
    cr_expect(eq(int, reset_status, CUSHIM_ERROR_BUSY));
    check_works(w.context);
    cushim_context_free(&w.context);
    cushim_close(&watched);
    close_world(&w);
}

static struct {
    sem_t made;
    cushim_context context;
    pthread_t thread;
} other;

static void *make_context(void *arg)
{
    struct world *w = arg;

    assert_ok(cushim_context_primary(w->below, 0, &other.context));
    sem_post(&other.made);
    return NULL;
}

/* Gives the other thread time to make its context before the reset, if nothing holds it up. */
static void start_thread(struct world *w)
{
    struct timespec until;

    pthread_create(&other.thread, NULL, make_context, w);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    sem_timedwait(&other.made, &until);
}

Test(safe_primary, a_new_context_comes_after_a_reset)
{
    cushim_driver watched = CUSHIM_NONE;
    struct world w;

    open_world(&w);
    cushim_context_free(&w.context);
    watch(&w, &watched);
    sem_init(&other.made, 0, 0);
    wanted.row = CUSHIM_ROW_cuDevicePrimaryCtxReset_v2;
    wanted.act = start_thread;
    assert_ok(cushim_context_primary_reset(watched, 0));
    pthread_join(other.thread, NULL);
    check_works(other.context);
    cushim_context_free(&other.context);
    cushim_close(&watched);
    close_world(&w);
}

static void *call_other_device(void *w)
{
    assert_ok(cushim_context_primary(((struct world *) w)->below, 1, &other.context));
    return NULL;
}

static void make_other_device(struct world *w)
{
    in_another_thread(call_other_device, w);
}

/* A thread that reads the properties of a slow device holds up no other one. */
Test(safe_primary, properties_are_read_without_a_lock)
{
    cushim_driver watched = CUSHIM_NONE;
    struct world w;

    open_world(&w);
    NEEDS_TWO_DEVICES(&w);
    watch(&w, &watched);
    wanted.row = CUSHIM_ROW_cuDeviceGetAttribute;
    wanted.act = make_other_device;
    cushim_context_free(&w.context);
    assert_ok(cushim_context_primary(watched, 0, &w.context));
    cr_expect(ne(u64, other.context.id, 0));
    check_works(w.context);
    cushim_context_free(&other.context);
    cushim_context_free(&w.context);
    cushim_close(&watched);
    close_world(&w);
}

/* No limit of the context's life is a guess. */
Test(safe_primary, a_property_that_cannot_be_read_is_an_error)
{
    struct world w;

    open_world(&w);
    cushim_context_free(&w.context);
    inject(&w, "cuDeviceGetAttribute nth=5 result=999\n");
    assert_refused(cushim_context_primary(w.driver, 0, &w.context), 999, "cuDeviceGetAttribute");
    cr_expect(eq(u64, w.context.id, 0));
    assert_ok(cushim_context_primary_reset(w.driver, 0));
    assert_ok(cushim_context_primary(w.driver, 0, &w.context));
    check_works(w.context);
    cushim_context_free(&w.context);
    /* A driver that does not know a property says so with this result. */
    inject(&w, "cuDeviceGetAttribute nth=14 result=1\n");
    assert_ok(cushim_context_primary(w.driver, 0, &w.context));
    check_works(w.context);
    cr_expect(eq(u64, count(&w, "cuMemAlloc_v2"), 1), "memory pools are what was not known");
    close_world(&w);
}
