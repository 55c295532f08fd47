/* SPDX-License-Identifier: MIT */
/* Events whose CUevent the program has, and what a wait for an event says about other streams. */
#include <pthread.h>

#include "two_streams.h"

SUITE(safe_event);

enum { N = 64 };

/* An event after a fill on a, and its CUevent. */
struct late {
    struct fixture f;
    cushim_stream c;
    cushim_slice slice;
    cushim_event event;
    void *cu;
};

static void open_late(struct late *l)
{
    *l = (struct late){.cu = NULL};
    open_fixture(&l->f);
    assert_ok(cushim_stream_new(l->f.w.context, NULL, &l->c));
    assert_ok(cushim_event_new(l->f.w.context, 0, &l->event));
    assert_ok(cushim_slice_alloc(l->f.a, sizeof(int), N, &l->slice));
    assert_ok(cushim_slice_fill(l->f.a, l->slice, 1));
}

static void close_late(struct late *l)
{
    cushim_slice_free(&l->slice);
    cushim_event_free(&l->event);
    cushim_stream_free(&l->c);
    close_fixture(&l->f);
}

/* The program records the event itself, in a stream without work. */
static void record_elsewhere(struct late *l)
{
    void *idle = NULL;

    assert_ok(cushim_event_raw(l->event, &l->cu));
    assert_ok(cushim_stream_raw(l->f.b, &idle));
    cr_assert(eq(int, RAW(&l->f.w, cuEventRecord, (void *, void *), l->cu, idle), 0));
}

static void expect_wait(struct late *l)
{
    const uint64_t before = count(&l->f.w, "cuStreamWaitEvent");

    assert_ok(cushim_slice_fill(l->c, l->slice, 2));
    cr_expect(eq(u64, count(&l->f.w, "cuStreamWaitEvent"), before + 1), "c waits for a");
}

Test(safe_event, a_wait_for_an_event_that_the_program_has_recorded_orders_nothing)
{
    struct late l;

    open_late(&l);
    assert_ok(cushim_event_record(l.event, l.f.a));
    record_elsewhere(&l);
    assert_ok(cushim_stream_wait(l.c, l.event));
    expect_wait(&l);
    close_late(&l);
}

static void check_told(cushim_status (*wait)(cushim_event event))
{
    struct late l;

    open_late(&l);
    assert_ok(cushim_event_record(l.event, l.f.a));
    record_elsewhere(&l);
    assert_ok(wait(l.event));
    expect_wait(&l);
    close_late(&l);
}

Test(safe_event, waiting_for_an_event_that_the_program_has_recorded_tells_nothing_of_a)
{
    check_told(cushim_event_synchronize);
}

static cushim_status poll(cushim_event event)
{
    return cushim_event_synchronize_for(event, 1000000000);
}

Test(safe_event, asking_for_an_event_that_the_program_has_recorded_tells_nothing_of_a)
{
    check_told(poll);
}

Test(safe_event, a_record_after_the_program_has_the_event_is_not_trusted)
{
    struct late l;
    void *cu = NULL;

    open_late(&l);
    assert_ok(cushim_event_raw(l.event, &cu));
    assert_ok(cushim_event_record(l.event, l.f.a));
    record_elsewhere(&l);
    assert_ok(cushim_stream_wait(l.c, l.event));
    expect_wait(&l);
    close_late(&l);
}

/* Without a handle of the driver's the books are right, and the wait is not repeated. */
Test(safe_event, a_wait_for_an_event_of_cushim_is_enough)
{
    struct late l;

    open_late(&l);
    assert_ok(cushim_event_record(l.event, l.f.a));
    assert_ok(cushim_stream_wait(l.c, l.event));
    assert_ok(cushim_slice_fill(l.c, l.slice, 2));
    cr_expect(eq(u64, count(&l.f.w, "cuStreamWaitEvent"), 1));
    close_late(&l);
}

/* --- the per-thread stream waits, and another thread waits for it --- */

static void *read_unified(void *user)
{
    const void *pointer = NULL;

    assert_ok(cushim_unified_read(*(cushim_unified *) user, &pointer));
    return NULL;
}

/* What comes last in such a stream is a wait, which its own thread alone can mark. */
static void check_per_thread(bool join)
{
    cushim_unified unified = CUSHIM_NONE;
    cushim_stream mine = CUSHIM_NONE, other = CUSHIM_NONE;
    cushim_event event = CUSHIM_NONE;
    pthread_t thread;
    struct world w;

    open_world_with(&w, "device.*.concurrent_managed_access = 0");
    assert_ok(cushim_stream_per_thread(w.context, &mine));
    assert_ok(cushim_stream_new(w.context, NULL, &other));
    assert_ok(cushim_event_new(w.context, 0, &event));
    assert_ok(cushim_unified_alloc(w.context, sizeof(int), N, CUSHIM_ATTACH_HOST, &unified));
    assert_ok(cushim_unified_attach(mine, unified, CUSHIM_ATTACH_SINGLE));
    assert_ok(cushim_event_record(event, other));
    if (join)
        assert_ok(cushim_stream_join(mine, other));
    else
        assert_ok(cushim_stream_wait(mine, event));
    cr_assert(eq(int, pthread_create(&thread, NULL, read_unified, &unified), 0));
    pthread_join(thread, NULL);
    cushim_unified_free(&unified);
    cushim_event_free(&event);
    cushim_stream_free(&mine);
    cushim_stream_free(&other);
    close_world(&w);
}

Test(safe_event, another_thread_waits_for_a_per_thread_stream_that_waits)
{
    MOCK_ONLY("it needs a device that shares no memory with the host");
    check_per_thread(false);
}

Test(safe_event, another_thread_waits_for_a_per_thread_stream_that_joins)
{
    MOCK_ONLY("it needs a device that shares no memory with the host");
    check_per_thread(true);
}
