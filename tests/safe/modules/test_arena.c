/* SPDX-License-Identifier: MIT */
/* Memory that is allocated while a stream records. */
#include "arena.h"

SUITE(arena);

Test(arena, a_recording_allocates_at_addresses_that_stay, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;

    assert_ok(cushim_slice_fill(stream, x, 3.0f));
    assert_ok(cushim_capture_begin(w.context, &recorder));
    record_twice(recorder, x, y, 1);
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 4, 3); /* no node allocates */
    forget_calls(&w);
    for (int i = 0; i < 3; i++) {
        assert_ok(cushim_slice_fill(stream, x, (float) i));
        run(graph);
        expect(y, 2 * (float) i + 1);
    }
    cr_assert(eq(u64, count(&w, "cuMemAllocAsync") + count(&w, "cuMemMap"), 0));
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

/* The second slice has the place of the first one, so its work waits for the last use of that. */
Test(arena, what_is_freed_is_given_again_in_order, .init = begin)
{
    cushim_slice x = zeros(), y = zeros(), a, b, c;
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_arena arena = CUSHIM_NONE;
    uint64_t first;

    assert_ok(cushim_arena_new(w.context, NULL, &arena));
    recorder = begin_in(arena);
    a = alloc_on(recorder);
    first = address_of(recorder, a);
    record_sum(recorder, a, x, x);
    assert_ok(cushim_slice_copy(recorder, y, a));
    cushim_slice_free(&a);
    cr_assert(eq(sz, used_of(arena), 0));
    b = alloc_on(recorder);
    c = alloc_on(recorder);
    cr_assert(eq(u64, address_of(recorder, b), first));
    cr_assert(eq(u64, address_of(recorder, c), first + UNIT));
    assert_ok(cushim_slice_fill(recorder, b, 1.0f)); /* after the copy, which read the place */
    assert_ok(cushim_slice_fill(recorder, c, 2.0f)); /* after nothing */
    cr_assert(eq(sz, used_of(arena), 2 * UNIT));
    cr_assert(eq(sz, peak_of(arena), 2 * UNIT));
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 4, 2);
    assert_ok(cushim_slice_fill(stream, x, 2.0f));
    run(graph);
    expect(y, 4);
    expect(b, 1);
    expect(c, 2);
    cushim_slice_free(&b);
    cushim_slice_free(&c);
    cr_assert(eq(sz, used_of(arena), 0));
    cushim_arena_free(&arena);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

Test(arena, a_slice_outlives_the_recording_and_the_graph, .init = begin)
{
    cushim_stream recorder = CUSHIM_NONE, forked = CUSHIM_NONE;
    cushim_slice kept, left = CUSHIM_NONE, right = CUSHIM_NONE, zero = CUSHIM_NONE;
    float half[N / 2];
    cushim_graph graph = CUSHIM_NONE;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_stream_fork(recorder, &forked));
    kept = alloc_on(forked);
    assert_ok(cushim_slice_zeros(forked, CUSHIM_ELEMENT(float), N, &zero));
    cushim_stream_free(&forked);
    assert_ok(cushim_slice_fill(recorder, kept, 5.0f));
    record_add(recorder, kept, 1);
    assert_ok(cushim_capture_end(&recorder, &graph));
    run(graph);
    cushim_graph_free(&graph);
    expect(kept, 6);
    expect(zero, 0);
    record_add(stream, kept, 1);
    assert_ok(cushim_slice_split(&kept, N / 2, &left, &right));
    assert_ok(cushim_slice_fill(stream, left, 1.0f));
    cushim_slice_free(&left);
    assert_ok(cushim_slice_read(stream, right, half, N / 2));
    cr_assert(eq(flt, half[0], 7));
    cushim_slice_free(&right);
    cushim_slice_free(&zero); /* the arena goes here */
    finish();
}

Test(arena, graphs_that_share_an_arena_do_not_overlap, .init = begin)
{
    cushim_slice x = zeros(), y[2] = {zeros(), zeros()};
    cushim_stream streams[2] = {CUSHIM_NONE, CUSHIM_NONE}, recorder;
    cushim_graph graphs[2] = {CUSHIM_NONE, CUSHIM_NONE};
    cushim_arena arena = CUSHIM_NONE;
    size_t bytes;

    assert_ok(cushim_arena_new(w.context, cushim_arena_params(.label = "shared"), &arena));
    for (int i = 0; i < 2; i++) {
        assert_ok(cushim_stream_new(w.context, NULL, &streams[i]));
        recorder = begin_in(arena);
        record_twice(recorder, x, y[i], (float) i);
        assert_ok(cushim_capture_end(&recorder, &graphs[i]));
    }
    bytes = bytes_of(arena);
    cr_assert(eq(sz, peak_of(arena), 2 * UNIT)); /* together as much as one of them */
    assert_ok(cushim_stream_synchronize(stream));
    forget_calls(&w);
    for (int i = 0; i < 100; i++) {
        if (i % 10 == 0)
            assert_ok(cushim_slice_fill(streams[0], x, (float) i));
        assert_ok(cushim_graph_launch(graphs[i % 2], streams[i % 2]));
    }
    /* Each launch but the first ones waits for the one before, on the other stream. */
    cr_assert(ge(u64, count(&w, "cuStreamWaitEvent"), 98));
    expect(y[0], 180);
    expect(y[1], 181);
    cr_assert(eq(sz, bytes_of(arena), bytes));
    cushim_arena_free(&arena); /* the graphs keep it */
    assert_ok(cushim_graph_launch(graphs[0], streams[1]));
    expect(y[0], 180);
    for (int i = 0; i < 2; i++) {
        cushim_graph_free(&graphs[i]);
        cushim_slice_free(&y[i]);
        cushim_stream_free(&streams[i]);
    }
    cushim_slice_free(&x);
    finish();
}

/* Graphs with arenas of their own share nothing, so nothing waits. */
Test(arena, graphs_with_arenas_of_their_own_may_overlap, .init = begin)
{
    cushim_slice x = zeros(), y[2] = {zeros(), zeros()};
    cushim_stream streams[2] = {CUSHIM_NONE, CUSHIM_NONE}, recorder = CUSHIM_NONE;
    cushim_graph graphs[2] = {CUSHIM_NONE, CUSHIM_NONE};

    for (int i = 0; i < 2; i++) {
        assert_ok(cushim_stream_new(w.context, NULL, &streams[i]));
        assert_ok(cushim_capture_begin(w.context, &recorder));
        record_twice(recorder, x, y[i], (float) i);
        assert_ok(cushim_capture_end(&recorder, &graphs[i]));
    }
    assert_ok(cushim_context_synchronize(w.context));
    forget_calls(&w);
    for (int i = 0; i < 20; i++)
        assert_ok(cushim_graph_launch(graphs[i % 2], streams[i % 2]));
    cr_assert(eq(u64, count(&w, "cuStreamWaitEvent"), 0));
    for (int i = 0; i < 2; i++) {
        expect(y[i], (float) i);
        cushim_graph_free(&graphs[i]);
        cushim_slice_free(&y[i]);
        cushim_stream_free(&streams[i]);
    }
    cushim_slice_free(&x);
    finish();
}

/* The same calls get the same places, so code that allocates can be recorded again for an update.
 */
Test(arena, a_graph_is_updated_by_recording_it_again, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_stream recorder = CUSHIM_NONE;
    cushim_arena arena = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;

    assert_ok(cushim_arena_new(w.context, NULL, &arena));
    for (int own = 0; own < 2; own++) {
        assert_ok(cushim_capture_begin_with(
            w.context, cushim_capture_params(.arena = own ? (cushim_arena){0} : arena), &recorder));
        record_twice(recorder, x, y, 1);
        assert_ok(cushim_capture_end(&recorder, &graph));
        run(graph);
        expect(y, 1);
        for (int i = 0; i < 3; i++) {
            assert_ok(cushim_graph_update_begin(graph, &recorder));
            record_twice(recorder, x, y, (float) i);
            assert_ok(cushim_graph_update_end(&recorder));
            run(graph);
            expect(y, (float) i);
        }
        cushim_graph_free(&graph);
    }
    cr_assert(eq(sz, peak_of(arena), 2 * UNIT));
    cushim_arena_free(&arena);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

Test(arena, allocations_are_counted, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_stream recorder = CUSHIM_NONE;
    uint64_t before = 0, after = 0;

    assert_ok(cushim_memory_stats(w.context, NULL, &before, NULL));
    assert_ok(cushim_capture_begin(w.context, &recorder));
    record_twice(recorder, x, y, 1);
    assert_ok(cushim_memory_stats(w.context, NULL, &after, NULL));
    cr_assert(eq(u64, after - before, 2));
    cushim_stream_free(&recorder);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

/* A copy to another context waits for the graph, and the graph for the copy. */
Test(arena, slices_are_copied_to_other_contexts, .init = begin)
{
    cushim_context far = CUSHIM_NONE;
    cushim_stream there = CUSHIM_NONE, recorder = CUSHIM_NONE;
    cushim_slice x, copy = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    float values[N] = {0};

    open_other_context(&w, &far);
    assert_ok(cushim_stream_new(far, NULL, &there));
    assert_ok(cushim_capture_begin(w.context, &recorder));
    x = alloc_on(recorder);
    assert_ok(cushim_slice_fill(recorder, x, 4.0f));
    record_add(recorder, x, 1);
    assert_ok(cushim_capture_end(&recorder, &graph));
    run(graph);
    assert_ok(cushim_slice_alloc(there, CUSHIM_ELEMENT(float), N, &copy));
    assert_ok(cushim_slice_copy(there, copy, x));
    run(graph);
    assert_ok(cushim_slice_read(there, copy, values, N));
    cr_assert(eq(flt, values[N - 1], 5));
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&copy);
    cushim_stream_free(&there);
    cushim_context_free(&far);
    finish();
}

enum { SHAPES = 4, REPLAYS = 2000 };

/* A shape is a number of elements: allocations of that many, and of a shape's own number of layers.
 */
static void record_shape(cushim_stream recorder, unsigned shape, cushim_slice x, cushim_slice y)
{
    const unsigned length = N * (shape + 1);
    cushim_slice from = CUSHIM_NONE, to = CUSHIM_NONE;

    assert_ok(cushim_slice_zeros(recorder, CUSHIM_ELEMENT(float), length, &from));
    assert_ok(cushim_slice_copy(recorder, part_of(from, 0, N), x));
    for (unsigned layer = 0; layer <= shape; layer++) {
        assert_ok(cushim_slice_alloc(recorder, CUSHIM_ELEMENT(float), length, &to));
        assert_ok(cushim_launch(recorder, sum, cushim_for_elements(length), CUSHIM_OUT(to),
                                CUSHIM_IN(from), CUSHIM_IN(from), CUSHIM_VALUE(length)));
        cushim_slice_free(&from);
        from = to;
        to = (cushim_slice) CUSHIM_NONE;
    }
    assert_ok(cushim_slice_copy(recorder, y, part_of(from, 0, N)));
    cushim_slice_free(&from);
}

Test(arena, shapes_are_recorded_once_and_replayed_thousands_of_times, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_graph graphs[SHAPES] = {CUSHIM_NONE};
    cushim_arena arena = CUSHIM_NONE;
    size_t bytes, available = 0, before = 0, total;
    cushim_stream recorder;

    assert_ok(cushim_arena_new(w.context, NULL, &arena));
    for (unsigned i = 0; i < SHAPES; i++) {
        recorder = begin_in(arena);
        record_shape(recorder, i, x, y);
        assert_ok(cushim_capture_end(&recorder, &graphs[i]));
    }
    bytes = bytes_of(arena);
    cr_assert(eq(sz, peak_of(arena), 2 * SHAPES * N * sizeof(float))); /* of the largest */
    assert_ok(cushim_slice_fill(stream, x, 1.0f));
    assert_ok(cushim_context_memory(w.context, &before, &total));
    for (int i = 0; i < REPLAYS; i++) {
        const int shape = i * 7 / 3 % SHAPES;

        run(graphs[shape]);
        if (i % 100 == 0)
            expect(y, (float) (2 << shape));
    }
    assert_ok(cushim_stream_synchronize(stream));
    cr_assert(eq(sz, bytes_of(arena), bytes));
    cr_assert(eq(sz, used_of(arena), 0));
    assert_ok(cushim_context_memory(w.context, &available, &total));
    if (on_the_mock()) /* others may use another driver's device */
        cr_assert(eq(sz, available, before));
    for (int i = 0; i < SHAPES; i++)
        cushim_graph_free(&graphs[i]);
    cushim_arena_free(&arena);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}
