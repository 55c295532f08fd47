/* SPDX-License-Identifier: MIT */
/* Launches, tilings and graphs as operations. */
#include "async.h"

#include <pthread.h>

SUITE(op_launch);

static cushim_function tile;

static void begin_tiles(void)
{
    begin();
    assert_ok(cushim_module_function(module, "tile", &tile));
}

/* A launch on 1024 floats in tiles of 64. */
static cushim_op on_tiles(struct cushim_launch_config config, const struct cushim_tiling *tiling)
{
    const unsigned n = 1024;

    return cushim_op_launch(
        tile, config,
        CUSHIM_OP_OUT(cushim_op_partition(cushim_op_alloc(CUSHIM_ELEMENT(float), n), tiling)),
        CUSHIM_VALUE(n));
}

Test(op_launch, arguments_are_checked_as_by_a_launch, .init = begin)
{
    const size_t n = N;
    const float one = 1;

    assert_refused(
        cushim_op_run(cushim_op_launch(add, cushim_for_elements(n), CUSHIM_OP_INOUT(floats(1)),
                                       CUSHIM_VALUE(one), CUSHIM_VALUE(n)),
                      stream, NULL),
        CUSHIM_ERROR_INVALID_ARGUMENT, "launch of add (test_op_launch.c:");
    assert_refused(cushim_op_run(cushim_op_launch(add, cushim_for_elements(n), CUSHIM_VALUE(one)),
                                 stream, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "argument");
    assert_refused(cushim_op_run(cushim_op_launch((cushim_function) CUSHIM_NONE,
                                                  cushim_for_elements(n), CUSHIM_VALUE(one)),
                                 stream, NULL),
                   CUSHIM_ERROR_STALE_HANDLE, "function");
    assert_refused(cushim_op_run(cushim_op_launch_arguments(add, NULL, NULL, 0), stream, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "config is NULL");
    finish();
}

Test(op_launch, operations_belong_to_operations, .init = begin)
{
    cushim_op x = floats(1);
    const unsigned n = N;
    const float one = 1;

    /* A plain launch runs now, and takes no operation. */
    assert_refused(cushim_launch(stream, add, cushim_for_elements(n), CUSHIM_OP_INOUT(x),
                                 CUSHIM_VALUE(one), CUSHIM_VALUE(n)),
                   CUSHIM_ERROR_WRONG_HANDLE, "operation");
    assert_refused(cushim_launch(stream, add, cushim_for_elements(n), CUSHIM_OP_SAME(2),
                                 CUSHIM_VALUE(one), CUSHIM_VALUE(n)),
                   CUSHIM_ERROR_STALE_HANDLE, "zero");
    expect_floats(x, 1);
    finish();
}

Test(op_launch, the_outputs_of_a_launch, .init = begin)
{
    const unsigned n = N;
    cushim_future future;
    cushim_output *list;
    cushim_slice mine;
    cushim_view view;

    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), N, &mine));
    assert_ok(
        cushim_op_run(cushim_op_launch(sum, cushim_for_elements(n), CUSHIM_OUT(mine),
                                       CUSHIM_OP_IN(floats(1)), CUSHIM_OP_SAME(1), CUSHIM_VALUE(n)),
                      stream, &future));
    cushim_slice_free(&mine);
    assert_ok(cushim_future_output(future, &list));
    cr_assert(eq(sz, cushim_output_length(list), 4));
    cr_assert(eq(int, (int) cushim_output_kind(cushim_output_item(list, 0)), CUSHIM_OUTPUT_MEMORY));
    cr_assert(eq(int, (int) cushim_output_kind(cushim_output_item(list, 1)), CUSHIM_OUTPUT_SLICE));
    cr_assert(
        eq(int, (int) cushim_output_kind(cushim_output_item(list, 2)), CUSHIM_OUTPUT_NOTHING));
    assert_ok(cushim_output_view(cushim_output_item(list, 0), &view));
    assert_refused(cushim_output_take_slice(cushim_output_item(list, 0), &mine),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "the program's already");
    cushim_future_free(&future);
    finish();
}

Test(op_launch, a_grid_from_tiles, .init = begin_tiles)
{
    const struct cushim_tiling *tiles = cushim_tiling(.shape = {1024}, .tile = {64});
    float host[1024];

    assert_ok(cushim_op_run(cushim_op_to_host(cushim_op_unpartition(on_tiles(
                                                  cushim_launch_config(.block = {64}), tiles)),
                                              host, 1024),
                            stream, NULL));
    cr_assert(eq(flt, host[63], 0));
    cr_assert(eq(flt, host[64], 1));
    cr_assert(eq(flt, host[1023], 15));
    finish();
}

Test(op_launch, grids_that_do_not_fit_tiles, .init = begin_tiles)
{
    const struct cushim_tiling *tiles = cushim_tiling(.shape = {1024}, .tile = {64}),
                               *some =
                                   cushim_tiling(.shape = {1024}, .tile = {64}, .at_most = true),
                               *one = cushim_tiling(.shape = {1024}, .tile = {1024});

    assert_ok(cushim_op_run(on_tiles(cushim_launch_config(.grid = {16}, .block = {64}), tiles),
                            stream, NULL));
    assert_refused(cushim_op_run(on_tiles(cushim_launch_config(.grid = {15}, .block = {64}), tiles),
                                 stream, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT,
                   "the grid is 15 x 1 x 1, the memory has 16 x 1 x 1 tiles");
    assert_ok(cushim_op_run(on_tiles(cushim_launch_config(.grid = {15}, .block = {64}), some),
                            stream, NULL));
    assert_refused(cushim_op_run(on_tiles(cushim_launch_config(.grid = {17}, .block = {64}), some),
                                 stream, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "may be fewer");
    assert_refused(cushim_op_run(on_tiles(cushim_launch_config(.block = {64}), some), stream, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "no grid");
    assert_refused(cushim_op_run(on_tiles(cushim_for_elements(1024), tiles), stream, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "no number of elements");
    /* A grid without blocks writes nothing of the one tile. */
    assert_refused(
        cushim_op_run(on_tiles(cushim_launch_config(.grid = {0, 1, 1}, .block = {64}), one), stream,
                      NULL),
        CUSHIM_ERROR_INVALID_ARGUMENT, "the grid is 0 x 1 x 1, the memory has 1 x 1 x 1 tiles");
    finish();
}

Test(op_launch, tilings_that_are_refused, .init = begin)
{
    const struct cushim_tiling *tiles = cushim_tiling(.shape = {10, 100}, .tile = {4, 8});
    cushim_op share;

    assert_ok(cushim_op_run(cushim_op_partition(floats(1), tiles), stream, NULL));
    assert_refused(
        cushim_op_run(cushim_op_partition(floats(1), cushim_tiling(.shape = {10, 10}, .tile = {1})),
                      stream, NULL),
        CUSHIM_ERROR_INVALID_ARGUMENT, "the shape is 10 x 10 x 1, the memory has 1000 elements");
    assert_refused(
        cushim_op_run(cushim_op_partition(floats(1), cushim_tiling(.shape = {N})), stream, NULL),
        CUSHIM_ERROR_INVALID_ARGUMENT, ".tile");
    assert_refused(cushim_op_run(cushim_op_partition(floats(1), NULL), stream, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "tiling is NULL");
    share = cushim_op_share(floats(1));
    assert_refused(cushim_op_run(cushim_op_partition(share, tiles), stream, NULL),
                   CUSHIM_ERROR_BUSY, "shared");
    finish();
}

Test(op_launch, an_operation_is_recorded_and_replayed, .init = begin)
{
    const unsigned n = N;
    const float one = 1;
    float host[N] = {0};
    cushim_slice x;
    cushim_graph graph;
    cushim_op again;

    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), N, &x));
    assert_ok(cushim_op_record(cushim_op_launch(add, cushim_for_elements(n), CUSHIM_INOUT(x),
                                                CUSHIM_VALUE(one), CUSHIM_VALUE(n)),
                               w.context, &graph));
    expect_floats(cushim_op_borrow(x), 0);
    for (int i = 1; i <= 3; i++)
        assert_ok(cushim_op_run(cushim_op_graph(graph), stream, NULL));
    expect_floats(cushim_op_borrow(x), 3);
    /* Another input, and the same graph. */
    for (int i = 0; i < N; i++)
        host[i] = 10;
    again = cushim_op_zip(cushim_op_copy(cushim_op_borrow(x), cushim_op_from(host, N)),
                          cushim_op_graph(graph));
    cushim_graph_free(&graph);
    assert_ok(cushim_op_run(again, stream, NULL));
    expect_floats(cushim_op_borrow(x), 11);
    cushim_slice_free(&x);
    finish();
}

/* What is allocated on the way is memory of the graph, so a replay allocates nothing. */
Test(op_launch, an_operation_that_allocates_is_recorded, .init = begin)
{
    cushim_slice x;
    cushim_graph graph;

    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), N, &x));
    assert_ok(cushim_op_record(
        cushim_op_copy(cushim_op_borrow(x), add_one(add_one(cushim_op_copy_of(x)))), w.context,
        &graph));
    forget_calls(&w);
    for (int i = 0; i < 3; i++)
        assert_ok(cushim_op_run(cushim_op_graph(graph), stream, NULL));
    cr_assert(eq(u64, count(&w, "cuGraphLaunch"), 3));
    cr_assert(eq(u64, count(&w, "cuMemAllocAsync") + count(&w, "cuMemFreeAsync"), 0));
    expect_floats(cushim_op_borrow(x), 6);
    cushim_graph_free(&graph);
    assert_ok(cushim_op_record(floats(1), w.context, &graph)); /* its slice is freed */
    assert_ok(cushim_op_run(cushim_op_graph(graph), stream, NULL));
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    finish();
}

Test(op_launch, what_cannot_be_recorded, .init = begin)
{
    cushim_graph graph;
    cushim_slice x;
    float host[N] = {0};

    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), N, &x));
    assert_refused(cushim_op_record(add_one(cushim_op_from(host, N)), w.context, &graph),
                   CUSHIM_ERROR_CAPTURING, "step 1 of 2, copy from the host");
    assert_refused(
        cushim_op_record(cushim_op_to_host(cushim_op_borrow(x), host, N), w.context, &graph),
        CUSHIM_ERROR_CAPTURING, "copy to the host");
    assert_refused(cushim_op_record(add_one(cushim_op_borrow(x)), w.context, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "ret_graph is NULL");
    cr_assert(eq(u64, count(&w, "cuStreamBeginCapture_v2"), count(&w, "cuStreamEndCapture")));
    expect_floats(floats(1), 1);
    cushim_slice_free(&x);
    finish();
}

static cushim_op wait_in_callback(const struct cushim_exec *exec, void *user)
{
    cr_assert(eq(int, exec->recording, true));
    *(cushim_status *) user = cushim_op_run(floats(1), stream, NULL);
    return cushim_op_value(NULL, NULL);
}

Test(op_launch, a_recording_does_not_wait, .init = begin)
{
    cushim_status status = CUSHIM_OK;
    cushim_graph graph;

    assert_ok(cushim_op_record(cushim_op_call(wait_in_callback, &status), w.context, &graph));
    cr_assert(eq(int, status, CUSHIM_ERROR_BUSY));
    cushim_graph_free(&graph);
    finish();
}

Test(op_launch, pinned_memory_is_recorded_by_its_address, .init = begin)
{
    cushim_pinned pinned;
    cushim_graph graph;
    cushim_slice x;
    void *host;

    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), N, &x));
    assert_ok(cushim_slice_fill(stream, x, 5.0f));
    assert_ok(cushim_pinned_alloc(w.context, CUSHIM_ELEMENT(float), N, 0, &pinned));
    assert_ok(cushim_pinned_write(pinned, &host));
    assert_ok(cushim_op_record(cushim_op_to_host(cushim_op_borrow(x), (float *) host, N), w.context,
                               &graph));
    assert_ok(cushim_op_run(cushim_op_graph(graph), stream, NULL));
    cr_assert(eq(flt, ((float *) host)[N - 1], 5));
    cushim_graph_free(&graph);
    cushim_pinned_free(&pinned);
    cushim_slice_free(&x);
    finish();
}

/* Records x += 1, and replays it once, many times. */
static void *record_often(void *user)
{
    cushim_stream own;
    cushim_slice x;

    (void) user;
    assert_ok(cushim_stream_new(w.context, NULL, &own));
    assert_ok(cushim_slice_zeros(own, CUSHIM_ELEMENT(float), N, &x));
    for (int i = 0; i < 20; i++) {
        cushim_graph graph;

        assert_ok(cushim_op_record(add_one(cushim_op_borrow(x)), w.context, &graph));
        assert_ok(cushim_op_run(cushim_op_graph(graph), own, NULL));
        cushim_graph_free(&graph);
    }
    cushim_stream_free(&own);
    return (void *) (uintptr_t) x.id;
}

Test(op_launch, threads_that_record_at_the_same_time, .init = begin)
{
    pthread_t threads[2];
    cushim_slice x;
    void *id;

    for (int i = 0; i < 2; i++)
        cr_assert(eq(int, pthread_create(&threads[i], NULL, record_often, NULL), 0));
    for (int i = 0; i < 20; i++)
        expect_floats(floats(2), 2);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &id);
        x.id = (uintptr_t) id;
        expect_floats(cushim_op_take(&x), 20);
    }
    finish();
}
