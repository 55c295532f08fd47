/* SPDX-License-Identifier: MIT */
/* Arenas that grow, and how they end. */
#include "arena.h"

SUITE(arena_grows);

/* The arena that a recording makes has few addresses, and a larger one follows it. */
Test(arena_grows, a_recording_may_need_more_than_its_first_arena, .init = begin)
{
    static const struct {
        size_t gib;
        unsigned arenas; /* so far */
    } wanted[] = {{5, 1}, {3, 1}, {1, 2}, {15, 2}, {40, 3}};
    enum { PARTS = sizeof(wanted) / sizeof(wanted[0]) };
    cushim_slice parts[PARTS] = {CUSHIM_NONE}, again = CUSHIM_NONE;
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    uint64_t addresses[PARTS];

    MOCK_ONLY("it takes 64 GiB of the device");
    assert_ok(cushim_capture_begin(w.context, &recorder));
    forget_calls(&w);
    for (int i = 0; i < PARTS; i++) {
        assert_ok(cushim_slice_alloc(recorder, 1, wanted[i].gib << 30, &parts[i]));
        addresses[i] = address_of(recorder, parts[i]);
        assert_ok(cushim_slice_fill(recorder, part_of(parts[i], 0, 1), (char) i));
        cr_assert(eq(u64, count(&w, "cuMemAddressReserve"), wanted[i].arenas), "part %d", i);
    }
    cr_assert(eq(u64, addresses[1], addresses[0] + ((uint64_t) 5 << 30)));
    cr_assert(eq(u64, addresses[3], addresses[2] + ((uint64_t) 1 << 30)));
    cushim_slice_free(&parts[PARTS - 1]);
    assert_ok(cushim_slice_alloc(recorder, 1, 1, &again));
    cr_assert(eq(u64, address_of(recorder, again), addresses[PARTS - 1]));
    assert_ok(cushim_slice_fill(recorder, part_of(again, 0, 1), (char) 7));
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, PARTS + 1, 1);
    run(graph);
    cushim_graph_free(&graph);
    for (int i = 0; i < PARTS - 1; i++) {
        expect_byte(parts[i], (char) i);
        cushim_slice_free(&parts[i]);
    }
    expect_byte(again, 7);
    cushim_slice_free(&again);
    finish();
}

static int capture_mode(void)
{
    int mode = 2; /* the relaxed one */

    cr_assert(eq(int, RAW(&w, cuThreadExchangeStreamCaptureMode, (int *), &mode), 0));
    cr_assert(eq(int, RAW(&w, cuThreadExchangeStreamCaptureMode, (int *), &(int){mode}), 0));
    return mode;
}

/* What the driver forbids a thread that records strictly is not what an arena needs. */
Test(arena_grows, strict_modes_let_an_arena_grow, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_graph graph = CUSHIM_NONE;
    const int before = capture_mode();

    for (int mode = 0; mode < 3; mode++) {
        assert_ok(cushim_slice_fill(stream, x, (float) mode));
        assert_ok(cushim_capture_begin_on(
            stream, cushim_capture_params(.mode = (enum cushim_capture_mode) mode)));
        record_twice(stream, x, y, 1);
        cr_assert(eq(int, capture_mode(), before)); /* the thread's, as it was */
        assert_ok(cushim_capture_end(&stream, &graph));
        run(graph);
        expect(y, (float) (2 * mode + 1));
        cushim_graph_free(&graph);
    }
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

/* A part that could not be made accessible is not there, and is mapped again. */
Test(arena_grows, growth_that_fails_leaves_the_arena_as_it_was, .init = begin)
{
    cushim_slice x = zeros(), y = zeros(), none = CUSHIM_NONE;
    cushim_arena arena = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_stream recorder;

    assert_ok(cushim_arena_new(w.context, NULL, &arena));
    recorder = begin_in(arena);
    inject(&w, "cuMemSetAccess nth=1 result=1\ncuMemMap nth=2 result=1\n");
    for (int i = 0; i < 2; i++) {
        assert_status(cushim_slice_alloc(recorder, 4, N, &none), 1);
        cr_assert(eq(sz, bytes_of(arena), 0));
        cr_assert(eq(sz, peak_of(arena), 0));
    }
    record_twice(recorder, x, y, 1);
    assert_ok(cushim_capture_end(&recorder, &graph));
    run(graph);
    expect(y, 1);
    cushim_graph_free(&graph);
    cushim_arena_free(&arena);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

/* The driver must not unmap what work still uses, so the last free waits. */
Test(arena_grows, the_end_waits_for_the_last_work, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    record_twice(recorder, x, y, 1);
    assert_ok(cushim_capture_end(&recorder, &graph));
    run(graph);
    forget_calls(&w);
    cushim_graph_free(&graph);
    cr_assert(ge(u64, count(&w, "cuMemUnmap"), 1));
    cr_assert(ge(u64, count(&w, "cuEventSynchronize") + count(&w, "cuEventQuery"), 1));
    expect(y, 1);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

/* Without a name for what used the place before, the order by hand would be wrong. */
Test(arena_grows, an_order_by_hand_names_what_used_the_place, .init = begin)
{
    cushim_slice x = zeros(), a, b;
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_node copied;

    assert_ok(cushim_capture_begin_with(
        w.context, cushim_capture_params(.order = CUSHIM_CAPTURE_ORDER_BY_HAND), &recorder));
    a = alloc_on(recorder);
    assert_ok(cushim_slice_copy(recorder, x, a));
    assert_ok(cushim_capture_node(recorder, &copied));
    cushim_slice_free(&a);
    b = alloc_on(recorder);
    assert_refused(cushim_slice_fill(recorder, b, 1.0f), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "must come after node 0");
    assert_ok(cushim_capture_after(recorder, &copied, 1));
    assert_ok(cushim_slice_fill(recorder, b, 1.0f));
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 2, 1);
    cushim_graph_free(&graph);
    cushim_slice_free(&b);
    cushim_slice_free(&x);
    finish();
}
