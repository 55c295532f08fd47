/* SPDX-License-Identifier: MIT */
/*
 * Holes that layers of this kind have had. Each test has work that is wrong without the wait,
 * the bind or the check that its name tells of: the result, the mock's happens-before check
 * at the end, or the calls that were made show it.
 */
#include "support.h"

SUITE(safe_holes);

enum { N = 64 };

struct fixture {
    struct world w;
    cushim_context other; /* of device 1 where there are two */
    cushim_stream a, b, c, far;
};

static void open_fixture(struct fixture *f)
{
    open_world(&f->w);
    open_other_context(&f->w, &f->other);
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->a));
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->b));
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->c));
    assert_ok(cushim_stream_new(f->other, NULL, &f->far));
}

static void close_fixture(struct fixture *f)
{
    cushim_stream_free(&f->a);
    cushim_stream_free(&f->b);
    cushim_stream_free(&f->c);
    cushim_stream_free(&f->far);
    cushim_context_free(&f->other);
    close_world(&f->w);
}

static cushim_slice filled(cushim_stream stream, int value)
{
    cushim_slice slice = CUSHIM_NONE;

    assert_ok(cushim_slice_alloc(stream, sizeof(int), N, &slice));
    assert_ok(cushim_slice_fill(stream, slice, value));
    return slice;
}

static void expect_all(cushim_stream stream, cushim_slice slice, int wanted)
{
    int values[N] = {0};

    assert_ok(cushim_slice_read(stream, slice, values, N));
    for (int i = 0; i < N; i++)
        cr_assert(eq(int, values[i], wanted), "element %d", i);
}

/* S1 */
Test(safe_holes, a_write_and_a_free_wait_for_all_readers)
{
    cushim_slice x, to_b, to_c;
    struct fixture f;

    open_fixture(&f);
    for (int free = 0; free < 2; free++) {
        x = filled(f.a, 1);
        to_b = filled(f.b, 0);
        to_c = filled(f.c, 0);
        assert_ok(cushim_slice_copy(f.b, to_b, x));
        assert_ok(cushim_slice_copy(f.c, to_c, x));
        forget_calls(&f.w);
        if (free)
            cushim_slice_free(&x);
        else
            assert_ok(cushim_slice_fill(f.a, x, 2));
        cr_expect(eq(u64, count(&f.w, "cuStreamWaitEvent"), 2), "one for each reader");
        expect_all(f.b, to_b, 1);
        expect_all(f.c, to_c, 1);
        cushim_slice_free(&x);
        cushim_slice_free(&to_b);
        cushim_slice_free(&to_c);
    }
    close_fixture(&f);
}

/* S2 */
Test(safe_holes, a_stream_that_is_freed_leaves_its_work_in_order)
{
    cushim_stream base = CUSHIM_NONE, last = CUSHIM_NONE;
    cushim_slice x, y;
    struct world w;

    open_world(&w);
    assert_ok(cushim_stream_default(w.context, &base));
    x = filled(base, 1);
    y = filled(base, 5);
    assert_ok(cushim_stream_new(w.context, NULL, &last));
    assert_ok(cushim_slice_fill(last, x, 2));
    assert_ok(cushim_slice_copy(last, y, x));
    cushim_stream_free(&last);
    expect_all(base, y, 2);
    assert_ok(cushim_slice_fill(base, x, 3));
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    close_world(&w);
}

/* S3 */
Test(safe_holes, work_from_before_the_first_new_stream_is_seen)
{
    cushim_stream base = CUSHIM_NONE, forked = CUSHIM_NONE, made = CUSHIM_NONE;
    cushim_slice x;
    struct world w;

    open_world(&w);
    assert_ok(cushim_stream_default(w.context, &base));
    x = filled(base, 1);
    assert_ok(cushim_slice_fill(base, x, 2));
    assert_ok(cushim_stream_fork(base, &forked));
    assert_ok(cushim_slice_fill(base, x, 3));
    assert_ok(cushim_stream_new(w.context, NULL, &made));
    expect_all(made, x, 3);
    cushim_slice_free(&x);
    cushim_stream_free(&forked);
    cushim_stream_free(&made);
    close_world(&w);
}

/* S4 */
Test(safe_holes, a_copy_between_contexts_is_waited_for_on_both_sides)
{
    cushim_slice x, y;
    struct fixture f;

    open_fixture(&f);
    for (int free = 0; free < 2; free++) {
        x = filled(f.a, 1);
        y = filled(f.far, 0);
        assert_ok(cushim_slice_copy(f.far, y, x));
        forget_calls(&f.w);
        if (free)
            cushim_slice_free(&x);
        else
            assert_ok(cushim_slice_fill(f.a, x, 2));
        cr_expect(eq(u64, count(&f.w, "cuStreamWaitEvent"), 1), "a waits for the copy");
        expect_all(f.far, y, 1);
        /* And in the other direction, by the source's stream. */
        if (!free) {
            assert_ok(cushim_slice_copy(f.a, y, x));
            assert_ok(cushim_slice_copy(f.a, x, y));
            expect_all(f.far, y, 2);
        }
        cushim_slice_free(&x);
        cushim_slice_free(&y);
    }
    cr_expect(eq(u64, count(&f.w, "cuMemcpyDtoDAsync_v2"), 0));
    close_fixture(&f);
}

/* S5, S13 */
Test(safe_holes, an_error_of_a_destructor_disturbs_nobody_and_is_kept)
{
    cushim_event event = CUSHIM_NONE, second = CUSHIM_NONE;
    cushim_slice x, y;
    struct fixture f;

    open_fixture(&f);
    x = filled(f.a, 1);
    y = filled(f.b, 0);
    assert_ok(cushim_slice_copy(f.b, y, x));
    assert_ok(cushim_event_new(f.w.context, 0, &event));
    assert_ok(cushim_event_new(f.w.context, 0, &second));
    assert_ok(cushim_label(event, "the first"));
    inject(&f.w, "cuEventDestroy_v2 nth=1 result=719\n"
                 "cuEventDestroy_v2 nth=2 result=999\n");
    cushim_error_clear();
    cushim_event_free(&event);
    cushim_event_free(&second);
    cr_expect(eq(int, cushim_error_status(), 0), "freeing leaves the thread's error alone");
    forget_calls(&f.w);
    cushim_slice_free(&x);
    cr_expect(eq(u64, count(&f.w, "cuStreamWaitEvent"), 1), "the free waits for b all the same");
    assert_ok(cushim_slice_fill(f.a, y, 4));
    expect_all(f.b, y, 4);
    assert_ok(cushim_context_check(f.other));
    assert_refused(cushim_context_check(f.w.context), 719, "'the first'");
    cr_expect(eq(str, S(cushim_error_call()), S("cuEventDestroy_v2")));
    assert_ok(cushim_context_check(f.w.context));
    cushim_slice_free(&y);
    close_fixture(&f);
}

/* S6 */
Test(safe_holes, two_handles_of_one_context_share_everything)
{
    cushim_context twin = CUSHIM_NONE;
    cushim_stream stream = CUSHIM_NONE, base = CUSHIM_NONE, same = CUSHIM_NONE;
    cushim_slice x;
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_context_primary(f.w.driver, 0, &twin));
    assert_ok(cushim_stream_new(twin, NULL, &stream));
    assert_ok(cushim_stream_default(twin, &base));
    assert_ok(cushim_stream_default(f.w.context, &same));
    cr_expect(eq(u64, base.id, same.id));
    x = filled(stream, 1);
    cushim_context_free(&twin);
    assert_ok(cushim_slice_fill(f.a, x, 2));
    assert_ok(cushim_slice_fill(base, x, 3));
    expect_all(stream, x, 3);
    cushim_slice_free(&x);
    cushim_stream_free(&stream);
    close_fixture(&f);
}

/* S8: what a driver may copy late is still what it was when the call returned. */
Test(safe_holes, the_hosts_memory_may_be_used_again_at_once)
{
    void *pinned = NULL;
    struct fixture f;
    cushim_slice x;
    int *values;

    open_fixture(&f);
    assert_ok(cushim_context_push(f.w.context));
    cr_assert(
        eq(int, RAW(&f.w, cuMemHostAlloc, (void **, size_t, unsigned), &pinned, N * sizeof(int), 0),
           0));
    values = pinned;
    for (int i = 0; i < N; i++)
        values[i] = 7;
    x = filled(f.a, 0);
    assert_ok(cushim_slice_write(f.a, x, values, N));
    memset(values, 0, N * sizeof(int));
    expect_all(f.a, x, 7);
    assert_ok(cushim_slice_read(f.b, x, values, N));
    cr_expect(eq(int, values[N - 1], 7), "read when the call returned");
    cr_assert(eq(int, RAW(&f.w, cuMemFreeHost, (void *), pinned), 0));
    assert_ok(cushim_context_pop(f.w.driver, NULL));
    cushim_slice_free(&x);
    close_fixture(&f);
}

/* S10 */
Test(safe_holes, sizes_that_wrap_are_refused)
{
    const size_t half = (SIZE_MAX >> 1) + 1;
    cushim_slice x = CUSHIM_NONE;
    cushim_pinned pinned = CUSHIM_NONE;
    cushim_unified unified = CUSHIM_NONE;
    struct fixture f;
    cushim_view view;

    open_fixture(&f);
    forget_calls(&f.w);
    assert_refused(cushim_slice_zeros(f.a, 8, ((size_t) 1 << 61) + 1, &x),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "more than there can be");
    assert_refused(cushim_slice_alloc(f.a, half, 2, &x), CUSHIM_ERROR_INVALID_ARGUMENT, "more");
    assert_refused(cushim_slice_alloc(f.a, 1, half, &x), CUSHIM_ERROR_INVALID_ARGUMENT, "more");
    assert_refused(cushim_pinned_alloc(f.w.context, 8, half, 0, &pinned),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "more");
    assert_refused(cushim_unified_alloc(f.w.context, 8, half, CUSHIM_ATTACH_GLOBAL, &unified),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "more");
    cr_expect(eq(u64, count_all(&f.w) - count(&f.w, "cuCtxSetCurrent"), 0));
    x = filled(f.a, 1);
    assert_refused(cushim_view_part(CUSHIM_VIEW(x), 1, SIZE_MAX, &view),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "the view has 64");
    assert_refused(cushim_view_part(CUSHIM_VIEW(x), SIZE_MAX, 2, &view),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "the view has 64");
    /* A view that was made up, not by a function. */
    view = (cushim_view){.object = x.id, .offset = 8, .length = half / 2, .element = 4};
    assert_refused(cushim_view_size(view, NULL, NULL), CUSHIM_ERROR_INVALID_ARGUMENT, "more");
    view = (cushim_view){.object = x.id, .offset = SIZE_MAX - 3, .length = 1, .element = 4};
    assert_refused(cushim_view_size(view, NULL, NULL), CUSHIM_ERROR_INVALID_ARGUMENT, "of 256");
    cushim_slice_free(&x);
    close_fixture(&f);
}

/* S11 */
Test(safe_holes, every_call_is_made_in_the_context_of_its_object)
{
    cushim_unified unified = CUSHIM_NONE;
    cushim_pinned pinned = CUSHIM_NONE;
    cushim_event event = CUSHIM_NONE;
    const void *pointer;
    struct fixture f;
    cushim_slice x;

    open_fixture(&f);
    for (int i = 0; i < 2; i++) {
        if (i)
            assert_ok(cushim_context_push(f.other));
        x = filled(f.a, 1);
        assert_ok(cushim_unified_alloc(f.w.context, 4, N, CUSHIM_ATTACH_GLOBAL, &unified));
        assert_ok(cushim_slice_copy(f.a, unified, x));
        assert_ok(cushim_unified_read(unified, &pointer));
        assert_ok(cushim_pinned_alloc(f.w.context, 4, N, 0, &pinned));
        assert_ok(cushim_slice_copy(f.b, pinned, x));
        assert_ok(cushim_event_new(f.w.context, 0, &event));
        assert_ok(cushim_event_record(event, f.b));
        assert_ok(cushim_stream_wait(f.far, event));
        cr_expect(eq(ptr, current(&f.w), i ? raw_context(f.other) : NULL));
        cushim_unified_free(&unified);
        cushim_pinned_free(&pinned);
        cushim_event_free(&event);
        cushim_slice_free(&x);
        cr_expect(eq(ptr, current(&f.w), i ? raw_context(f.other) : NULL));
        assert_ok(cushim_context_check(f.w.context));
    }
    assert_ok(cushim_context_pop(f.w.driver, NULL));
    close_fixture(&f);
}

/* S14 */
Test(safe_holes, an_error_is_not_the_answer_not_ready)
{
    cushim_event event = CUSHIM_NONE;
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_event_new(f.w.context, 0, &event));
    assert_ok(cushim_event_record(event, f.a));
    inject(&f.w, "cuEventQuery nth=1 result=719\ncuStreamQuery nth=1 result=719\n");
    assert_refused(cushim_event_query(event), 719, "cuEventQuery");
    assert_refused(cushim_stream_query(f.a), 719, "cuStreamQuery");
    cushim_event_free(&event);
    close_fixture(&f);
}

/* S15 */
Test(safe_holes, a_view_for_reading_is_not_written)
{
    cushim_view view, part;
    struct fixture f;
    cushim_slice x, y;
    int values[N];

    open_fixture(&f);
    x = filled(f.a, 1);
    y = filled(f.a, 2);
    view = cushim_view_const(CUSHIM_VIEW(x));
    assert_ok(cushim_view_part(view, 0, N, &part));
    assert_ok(cushim_slice_read(f.a, part, values, N));
    forget_calls(&f.w);
    assert_refused(cushim_slice_copy(f.a, view, y), CUSHIM_ERROR_READ_ONLY, "reading only");
    assert_refused(cushim_slice_copy(f.a, part, y), CUSHIM_ERROR_READ_ONLY, "reading only");
    assert_refused(cushim_slice_fill(f.a, part, 3), CUSHIM_ERROR_READ_ONLY, "reading only");
    assert_refused(cushim_slice_write(f.a, part, values, N), CUSHIM_ERROR_READ_ONLY, "reading");
    assert_refused(cushim_slice_used(f.a, part, true), CUSHIM_ERROR_READ_ONLY, "reading");
    cr_expect(eq(u64, count_all(&f.w) - count(&f.w, "cuCtxSetCurrent"), 0));
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    close_fixture(&f);
}

/* S16: memory that is not freed by us, as globals of modules are, is ordered like any. */
Test(safe_holes, memory_of_others_is_in_order)
{
    cushim_slice x, global = CUSHIM_NONE;
    uint64_t address = 0;
    struct fixture f;

    open_fixture(&f);
    x = filled(f.a, 1);
    assert_ok(cushim_slice_use(f.a, x, true, &address));
    assert_ok(cushim_slice_adopt(f.a, address, 4, N, CUSHIM_ADOPTED_BORROWED, &global));
    forget_calls(&f.w);
    assert_ok(cushim_slice_fill(f.b, global, 2));
    cr_expect(eq(u64, count(&f.w, "cuStreamWaitEvent"), 1));
    expect_all(f.c, global, 2);
    assert_ok(cushim_stream_join(f.a, f.c));
    cushim_slice_free(&global);
    cushim_slice_free(&x);
    close_fixture(&f);
}

/*
 * S17: the memory through which a copy goes is not used for the next copy if the wait has failed:
 * the device may still write it.
 */
Test(safe_holes, memory_of_a_copy_that_may_still_run)
{
    enum { MANY = 1 << 18 }; /* one block of that memory, which then is an allocation of its own */
    static int values[MANY];
    struct fixture f;
    cushim_slice x;

    open_fixture(&f);
    assert_ok(cushim_slice_zeros(f.a, CUSHIM_ELEMENT(int), MANY, &x));
    forget_calls(&f.w);
    assert_ok(cushim_slice_read(f.a, x, values, MANY));
    assert_ok(cushim_slice_read(f.a, x, values, MANY));
    cr_expect(eq(u64, count(&f.w, "cuMemHostAlloc"), 1));
    inject(&f.w, "cuStreamSynchronize nth=1 result=unknown\n");
    assert_status(cushim_slice_read(f.a, x, values, MANY), 999);
    assert_ok(cushim_slice_read(f.b, x, values, MANY));
    cr_expect(eq(u64, count(&f.w, "cuMemHostAlloc"), 2));
    assert_ok(cushim_slice_read(f.b, x, values, MANY));
    cr_expect(eq(u64, count(&f.w, "cuMemHostAlloc"), 2));
    cushim_slice_free(&x);
    close_fixture(&f);
}
