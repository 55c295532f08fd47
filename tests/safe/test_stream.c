/* SPDX-License-Identifier: MIT */
/* Streams and events. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "support.h"

SUITE(safe_stream);

/* The value that the driver has for a stream, as cuStreamGetAttribute() returns it. */
static int policy_of(const struct world *w, cushim_stream stream)
{
    int value[16] = {-1};
    void *cu = NULL;

    assert_ok(cushim_stream_raw(stream, &cu));
    cr_assert(zero(int, RAW(w, cuStreamGetAttribute, (void *, int, int *), cu, 3, value)));
    return value[0];
}

Test(safe_stream, how_threads_wait_for_it)
{
    cushim_stream stream = CUSHIM_NONE;
    struct world w;

    open_world(&w);
    for (int policy = CUSHIM_WAIT_AUTO; policy <= CUSHIM_WAIT_BLOCKING; policy++) {
        assert_ok(cushim_stream_new(
            w.context, cushim_stream_params(.wait_policy = (enum cushim_wait_policy) policy),
            &stream));
        cr_expect(eq(int, policy_of(&w, stream), policy));
        assert_ok(cushim_stream_synchronize(stream));
        cushim_stream_free(&stream);
    }
    forget_calls(&w);
    assert_refused(cushim_stream_new(w.context, cushim_stream_params(.wait_policy = 5), &stream),
                   CUSHIM_ERROR_INVALID_ARGUMENT, ".wait_policy is 5, it must be one of");
    cr_expect(eq(u64, count(&w, "cuStreamCreateWithPriority"), 0));
    /* Without one the driver is not asked, and a stream that cannot get one is not left behind. */
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    cr_expect(eq(u64, count(&w, "cuStreamSetAttribute"), 0));
    cushim_stream_free(&stream);
    inject(&w, "cuStreamSetAttribute result=999\n");
    assert_refused(cushim_stream_new(
                       w.context, cushim_stream_params(.wait_policy = CUSHIM_WAIT_SPIN), &stream),
                   999, "cuStreamSetAttribute");
    close_world(&w);
}

enum { N = 64 };

static cushim_slice filled(cushim_stream stream, int value)
{
    cushim_slice slice = CUSHIM_NONE;

    assert_ok(cushim_slice_alloc(stream, sizeof(int), N, &slice));
    assert_ok(cushim_slice_fill(stream, slice, value));
    return slice;
}

static int first(cushim_stream stream, cushim_slice slice)
{
    int values[N] = {0};

    assert_ok(cushim_slice_read(stream, slice, values, N));
    return values[0];
}

Test(safe_stream, the_default_stream_belongs_to_its_context)
{
    cushim_stream a = CUSHIM_NONE, b = CUSHIM_NONE, copy;
    bool blocking = false;
    struct world w;
    void *raw = &w;

    open_world(&w);
    assert_ok(cushim_stream_default(w.context, &a));
    assert_ok(cushim_stream_default(w.context, &b));
    cr_expect(eq(u64, a.id, b.id));
    copy = a;
    cushim_stream_free(&a);
    cr_expect(eq(u64, a.id, 0));
    assert_ok(cushim_stream_raw(b, &raw));
    cr_expect(eq(ptr, raw, NULL));
    assert_ok(cushim_stream_is_blocking(b, &blocking));
    cr_expect(eq(int, blocking, 1));
    close_world(&w);
    assert_refused(cushim_stream_synchronize(copy), CUSHIM_ERROR_STALE_HANDLE, "freed");
}

Test(safe_stream, new_ones_have_the_priority_and_label_that_was_asked_for)
{
    cushim_stream stream = CUSHIM_NONE;
    enum cushim_capture capture = CUSHIM_CAPTURE_ACTIVE;
    int least = 0, greatest = 0, priority = 9;
    bool blocking = true;
    struct world w;

    open_world(&w);
    assert_ok(cushim_context_priority_range(w.context, &least, &greatest));
    assert_ok(cushim_stream_new(
        w.context, cushim_stream_params(.priority = greatest, .label = "urgent"), &stream));
    assert_ok(cushim_stream_priority(stream, &priority));
    cr_expect(eq(int, priority, greatest));
    assert_ok(cushim_stream_is_blocking(stream, &blocking));
    cr_expect(eq(int, blocking, 0));
    assert_ok(cushim_stream_capture_status(stream, &capture));
    cr_expect(eq(int, capture, CUSHIM_CAPTURE_NONE));
    assert_refused(cushim_label(stream, "again"), CUSHIM_ERROR_BUSY, "'urgent'");
    cushim_stream_free(&stream);
    assert_ok(cushim_stream_new(w.context, cushim_stream_params(.blocking = true), &stream));
    assert_ok(cushim_stream_is_blocking(stream, &blocking));
    cr_expect(eq(int, blocking, 1));
    cushim_stream_free(&stream);
    close_world(&w);
}

Test(safe_stream, fork_and_join_order_work_that_is_not_seen)
{
    cushim_stream main = CUSHIM_NONE, forked = CUSHIM_NONE;
    struct world w;
    uint64_t address = 0;
    cushim_slice slice;
    void *raw;

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &main));
    slice = filled(main, 1);
    assert_ok(cushim_slice_use(main, slice, true, &address));
    assert_ok(cushim_stream_fork(main, &forked));
    /* Behind cushim's back: the mock's findings tell if nothing orders it. */
    assert_ok(cushim_stream_raw(forked, &raw));
    assert_ok(cushim_context_push(w.context));
    cr_assert(
        eq(int, RAW(&w, cuMemsetD32Async, (uint64_t, unsigned, size_t, void *), address, 2, N, raw),
           0));
    assert_ok(cushim_stream_join(main, forked));
    assert_ok(cushim_slice_used(main, slice, true));
    cr_expect(eq(int, first(main, slice), 2));
    assert_ok(cushim_context_pop(w.driver, NULL));
    cushim_slice_free(&slice);
    cushim_stream_free(&forked);
    cushim_stream_free(&main);
    close_world(&w);
}

Test(safe_stream, waiting_for_an_event_spares_the_wait_for_memory)
{
    cushim_stream a = CUSHIM_NONE, b = CUSHIM_NONE;
    cushim_event event = CUSHIM_NONE;
    cushim_slice slice;
    struct world w;

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &a));
    assert_ok(cushim_stream_new(w.context, NULL, &b));
    assert_ok(cushim_event_new(w.context, CUSHIM_EVENT_DEFAULT, &event));
    slice = filled(a, 3);
    assert_ok(cushim_event_record(event, a));
    assert_ok(cushim_stream_wait(b, event));
    forget_calls(&w);
    assert_ok(cushim_slice_fill(b, slice, 4));
    cr_expect(eq(u64, count(&w, "cuStreamWaitEvent"), 0));
    cr_expect(eq(int, first(b, slice), 4));
    cushim_event_free(&event);
    cushim_slice_free(&slice);
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    close_world(&w);
}

/* What b has seen of a is known to who waits for b afterwards. */
Test(safe_stream, what_was_seen_is_passed_on)
{
    cushim_stream a = CUSHIM_NONE, b = CUSHIM_NONE, c = CUSHIM_NONE;
    cushim_slice x, y;
    struct world w;

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &a));
    assert_ok(cushim_stream_new(w.context, NULL, &b));
    assert_ok(cushim_stream_new(w.context, NULL, &c));
    x = filled(a, 1);
    y = filled(a, 2);
    assert_ok(cushim_slice_fill(b, x, 3));
    assert_ok(cushim_slice_fill(c, x, 4));
    forget_calls(&w);
    assert_ok(cushim_slice_fill(c, y, 5));
    cr_expect(eq(u64, count(&w, "cuStreamWaitEvent"), 0), "c waited for b, and b for a");
    cr_expect(eq(int, first(c, x), 4));
    cr_expect(eq(int, first(c, y), 5));
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    cushim_stream_free(&c);
    close_world(&w);
}

Test(safe_stream, what_is_known_to_be_done_is_not_waited_for)
{
    cushim_stream a = CUSHIM_NONE, b = CUSHIM_NONE;
    cushim_slice slice;
    struct world w;

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &a));
    assert_ok(cushim_stream_new(w.context, NULL, &b));
    for (int i = 0; i < 3; i++) {
        slice = filled(a, 3);
        if (i == 0)
            assert_ok(cushim_stream_synchronize(a));
        else if (i == 1)
            assert_ok(cushim_context_synchronize(w.context));
        else
            while (cushim_stream_query(a) == 600)
                ;
        forget_calls(&w);
        assert_ok(cushim_slice_fill(b, slice, 4));
        cr_expect(eq(u64, count(&w, "cuStreamWaitEvent"), 0), "way %d", i);
        cushim_slice_free(&slice);
    }
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    close_world(&w);
}

/* A mark that comes late covers more than was asked for; the next one comes in time. */
Test(safe_stream, memory_that_crosses_is_marked_in_time)
{
    cushim_stream a = CUSHIM_NONE, b = CUSHIM_NONE;
    cushim_slice x, y;
    struct world w;

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &a));
    assert_ok(cushim_stream_new(w.context, NULL, &b));
    x = filled(a, 1);
    y = filled(a, 1);
    forget_calls(&w);
    assert_ok(cushim_slice_fill(b, x, 2));
    cr_expect(eq(u64, count(&w, "cuEventRecord"), 2), "late for a's work, early for b's");
    assert_ok(cushim_slice_fill(a, x, 3));
    cr_expect(eq(u64, count(&w, "cuEventRecord"), 3), "early for a's");
    assert_ok(cushim_slice_fill(a, y, 3));
    assert_ok(cushim_slice_fill(a, y, 4));
    cr_expect(eq(u64, count(&w, "cuEventRecord"), 3), "nobody came for y");
    assert_ok(cushim_slice_fill(b, x, 5));
    cr_expect(eq(u64, count(&w, "cuEventRecord"), 4), "a's was there");
    for (int i = 0; i < 5; i++)
        assert_ok(cushim_slice_fill(b, x, i));
    cr_expect(eq(u64, count(&w, "cuEventRecord"), 4), "and not for ever");
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    close_world(&w);
}

/* A host function that lasts until the test lets it go. */
static atomic_bool let_go;

static void last(void *unused)
{
    (void) unused;
    while (!atomic_load(&let_go))
        usleep(1000);
}

Test(safe_stream, events)
{
    cushim_event start = CUSHIM_NONE, end = CUSHIM_NONE, plain = CUSHIM_NONE;
    cushim_stream stream = CUSHIM_NONE;
    cushim_event never = CUSHIM_NONE;
    float milliseconds = -1;
    cushim_slice slice;
    struct world w;

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_event_new(w.context, CUSHIM_EVENT_TIMING, &start));
    assert_ok(cushim_event_new(w.context, CUSHIM_EVENT_TIMING | CUSHIM_EVENT_BLOCKING_SYNC, &end));
    assert_ok(cushim_event_new(w.context, CUSHIM_EVENT_DEFAULT, &plain));
    assert_ok(cushim_event_query(plain));
    assert_ok(cushim_event_record(start, stream));
    atomic_store(&let_go, false);
    assert_ok(cushim_stream_host_function(stream, last, NULL, NULL));
    slice = filled(stream, 1);
    assert_ok(cushim_event_record(end, stream));
    cushim_error_clear();
    assert_status(cushim_event_query(end), 600);
    cr_expect(eq(int, cushim_error_status(), 0), "not ready is no error");
    assert_refused(cushim_event_elapsed(start, end, &milliseconds), 600,
                   "cushim_event_elapsed: the work before one of the events is not done yet; "
                   "cushim_event_synchronize(end) waits for it");
    atomic_store(&let_go, true);
    assert_ok(cushim_event_synchronize(end));
    assert_ok(cushim_event_query(end));
    assert_ok(cushim_event_elapsed(start, end, &milliseconds));
    cr_expect(ge(flt, milliseconds, 0.0f));
    assert_ok(cushim_event_record(plain, stream));
    assert_ok(cushim_event_synchronize(plain));
    assert_refused(cushim_event_elapsed(start, plain, &milliseconds), 400,
                   "the end event was made without CUSHIM_EVENT_TIMING: cushim_event_new(context");
    assert_refused(cushim_event_elapsed(plain, end, &milliseconds), 400,
                   "the start event was made without");
    assert_ok(cushim_event_new(w.context, CUSHIM_EVENT_TIMING, &never));
    assert_refused(cushim_event_elapsed(start, never, &milliseconds), 400,
                   "the end event was never recorded: cushim_event_record() does it");
    cushim_event_free(&never);
    assert_refused(cushim_event_new(w.context, 0x80, &plain), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "0x80");
    cushim_slice_free(&slice);
    cushim_event_free(&start);
    cushim_event_free(&end);
    cushim_event_free(&plain);
    cushim_stream_free(&stream);
    close_world(&w);
}

struct told {
    atomic_int calls, releases, status;
    cushim_stream stream;
};

static void tell(void *user)
{
    struct told *t = user;

    atomic_store(&t->status, cushim_stream_synchronize(t->stream));
    atomic_fetch_add(&t->calls, 1);
}

static void release(void *user)
{
    atomic_fetch_add(&((struct told *) user)->releases, 1);
}

Test(safe_stream, host_functions)
{
    struct told told = {0};
    struct world w;

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &told.stream));
    assert_ok(cushim_stream_host_function(told.stream, tell, &told, release));
    assert_ok(cushim_stream_synchronize(told.stream));
    cr_expect(eq(int, atomic_load(&told.calls), 1));
    cr_expect(eq(int, atomic_load(&told.status), 800), "cushim is not to be called from there");
    inject(&w, "cuLaunchHostFunc nth=1 result=out_of_memory");
    assert_refused(cushim_stream_host_function(told.stream, tell, &told, release), 2,
                   "cuLaunchHostFunc");
    assert_refused(cushim_stream_host_function(told.stream, NULL, &told, release),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "function is NULL");
    cr_expect(eq(int, atomic_load(&told.calls), 1));
    cr_expect(eq(int, atomic_load(&told.releases), 3), "exactly once each");
    /* Freed with a call under way: it is made. */
    assert_ok(cushim_stream_host_function(told.stream, tell, &told, release));
    cushim_stream_free(&told.stream);
    close_world(&w);
    cr_expect(eq(int, atomic_load(&told.calls), 2));
    cr_expect(eq(int, atomic_load(&told.releases), 4));
}

Test(safe_stream, adopted_twice_is_one)
{
    cushim_stream a = CUSHIM_NONE, b = CUSHIM_NONE;
    cushim_context other = CUSHIM_NONE;
    void *raw = NULL;
    cushim_slice slice;
    struct world w;

    open_world(&w);
    open_other_context(&w, &other);
    assert_ok(cushim_context_push(w.context));
    cr_assert(eq(int, RAW(&w, cuStreamCreate, (void **, unsigned), &raw, 1), 0));
    assert_ok(cushim_context_pop(w.driver, NULL));
    assert_ok(cushim_stream_adopt(w.context, raw, &a));
    assert_ok(cushim_stream_adopt(w.context, raw, &b));
    slice = filled(a, 1);
    forget_calls(&w);
    assert_ok(cushim_slice_fill(b, slice, 2));
    cr_expect(eq(u64, count(&w, "cuStreamWaitEvent"), 0));
    cr_expect(eq(int, first(a, slice), 2));
    assert_refused(cushim_stream_adopt(other, raw, &b), CUSHIM_ERROR_FOREIGN_CONTEXT, "stream");
    cushim_slice_free(&slice);
    assert_ok(cushim_stream_synchronize(a));
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    cr_expect(eq(u64, count(&w, "cuStreamDestroy_v2"), 0));
    cr_assert(eq(int, RAW(&w, cuStreamDestroy_v2, (void *), raw), 0));
    cushim_context_free(&other);
    close_world(&w);
}

Test(safe_stream, a_default_stream_goes_with_its_context)
{
    cushim_stream stream;
    struct world w;
    char words[80];

    open_world(&w);
    assert_ok(cushim_stream_default(w.context, &stream));
    cushim_context_free(&w.context);
    snprintf(words, sizeof(words), "the stream was freed by test_stream.c:%d, with its context",
             __LINE__ - 2);
    assert_refused(cushim_stream_synchronize(stream), CUSHIM_ERROR_STALE_HANDLE, words);
    assert_ok(cushim_context_primary(w.driver, 0, &w.context));
    assert_ok(cushim_stream_default(w.context, &stream));
    (cushim_context_free)(&w.context);
    assert_refused(cushim_stream_synchronize(stream), CUSHIM_ERROR_STALE_HANDLE,
                   "the stream was freed by cushim_context_free of its context");
    close_world(&w);
}

Test(safe_stream, waits_have_a_time_limit)
{
    enum { MILLISECOND = 1000000 };
    cushim_stream stream = CUSHIM_NONE, other = CUSHIM_NONE;
    cushim_event event = CUSHIM_NONE;
    cushim_slice slice;
    struct world w;

    atomic_store(&let_go, false);
    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_stream_new(w.context, NULL, &other));
    assert_ok(cushim_event_new(w.context, 0, &event));
    slice = filled(stream, 1);
    assert_ok(cushim_stream_synchronize(stream));
    assert_ok(cushim_slice_query(slice, true));
    assert_ok(cushim_stream_host_function(stream, last, NULL, NULL));
    assert_ok(cushim_slice_fill(stream, slice, 2));
    assert_ok(cushim_event_record(event, stream));
    cushim_error_clear();
    assert_status(cushim_slice_query(slice, false), 600);
    assert_status(cushim_stream_query(stream), 600);
    assert_status(cushim_event_query(event), 600);
    cr_expect(eq(int, cushim_error_status(), 0), "not ready is no error");
    assert_refused(cushim_stream_synchronize_for(stream, 5 * MILLISECOND), 600,
                   "cushim_stream_synchronize_for: the work is not done after 5000 us");
    assert_refused(cushim_event_synchronize_for(event, 5 * MILLISECOND), 600,
                   "cushim_event_synchronize_for: the work is not done after 5000 us");
    assert_refused(cushim_stream_synchronize_for(stream, 0), 600, "after 0 us");
    assert_ok(cushim_stream_synchronize_for(other, 0));
    atomic_store(&let_go, true);
    assert_ok(cushim_event_synchronize_for(event, UINT64_MAX));
    assert_ok(cushim_stream_synchronize_for(stream, UINT64_MAX));
    assert_ok(cushim_slice_query(slice, true));
    assert_refused(cushim_slice_query((cushim_slice){stream.id}, false), CUSHIM_ERROR_WRONG_HANDLE,
                   "this is the handle of a stream");
    cushim_slice_free(&slice);
    cushim_event_free(&event);
    cushim_stream_free(&stream);
    cushim_stream_free(&other);
    close_world(&w);
}
