/* SPDX-License-Identifier: MIT */
/* Memory of recordings: dry runs, memory nodes, limits, and what is refused. */
#include "arena.h"

SUITE(arena_refused);

enum { STEP = 2 << 20 };

static cushim_stream begin_with(const struct cushim_capture_params *params)
{
    cushim_stream recorder = CUSHIM_NONE;

    assert_ok(cushim_capture_begin_with(w.context, params, &recorder));
    return recorder;
}

/* The same calls each time: y = 2 x + 1, with allocations of several sizes. */
static cushim_status record_some(cushim_stream recorder, cushim_slice x, cushim_slice y)
{
    cushim_slice slices[4] = {CUSHIM_NONE};
    cushim_status status = CUSHIM_OK;

    for (int i = 0; !status && i < 4; i++)
        status = cushim_slice_zeros(recorder, CUSHIM_ELEMENT(float), N + 300000 * (unsigned) i,
                                    &slices[i]);
    cushim_slice_free(&slices[1]);
    if (!status)
        status = cushim_slice_alloc(recorder, CUSHIM_ELEMENT(float), N, &slices[1]);
    if (!status) {
        record_sum(recorder, slices[1], x, x);
        record_add(recorder, slices[1], 1);
        status = cushim_slice_copy(recorder, y, slices[1]);
    }
    for (int i = 0; i < 4; i++)
        cushim_slice_free(&slices[i]);
    return status;
}

Test(arena_refused, a_dry_run_says_how_much_is_needed, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_graph graph = CUSHIM_NONE;
    cushim_arena arena = CUSHIM_NONE, small = CUSHIM_NONE;
    cushim_stream recorder;
    size_t limit = 0, bytes = 0, used = 1, peak = 0, again = 0;

    assert_ok(cushim_arena_new(w.context, cushim_arena_params(.dry_run = 1), &arena));
    recorder = begin_with(cushim_capture_params(.arena = arena));
    assert_ok(record_some(recorder, x, y));
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_ok(cushim_arena_stats(arena, &limit, &bytes, &used, &peak));
    cr_assert(ge(sz, peak, (4 * N + 1800000) * sizeof(float)));
    cr_assert(lt(sz, peak, (4 * N + 1800000) * sizeof(float) + 5 * UNIT));
    cr_assert(gt(sz, limit, peak));
    cr_assert(lt(sz, bytes, peak)); /* the same bytes at all addresses */
    cr_assert(eq(sz, used, 0));
    assert_refused(cushim_graph_launch(graph, stream), CUSHIM_ERROR_INVALID_ARGUMENT, "a dry run");
    assert_refused(cushim_graph_upload(graph, stream), CUSHIM_ERROR_INVALID_ARGUMENT, "a dry run");
    cushim_graph_free(&graph);
    cushim_arena_free(&arena);

    assert_ok(
        cushim_arena_new(w.context, cushim_arena_params(.bytes = peak, .limit = peak), &arena));
    assert_ok(cushim_arena_new(w.context, cushim_arena_params(.limit = peak - UNIT), &small));
    recorder = begin_with(cushim_capture_params(.arena = small));
    assert_refused(record_some(recorder, x, y), 2, ".limit of cushim_arena_new()");
    cushim_stream_free(&recorder);
    cushim_arena_free(&small);
    forget_calls(&w);
    recorder = begin_with(cushim_capture_params(.arena = arena));
    assert_ok(record_some(recorder, x, y));
    assert_ok(cushim_capture_end(&recorder, &graph));
    cr_assert(eq(u64, count(&w, "cuMemCreate"), 0));
    assert_ok(cushim_arena_stats(arena, &limit, NULL, NULL, &again));
    cr_assert(eq(sz, again, peak));
    cr_assert(eq(sz, limit, peak));
    assert_ok(cushim_slice_fill(stream, x, 4.0f));
    run(graph);
    expect(y, 9);
    cushim_graph_free(&graph);
    cushim_arena_free(&arena);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

/* What lives on after a dry run is for other recordings of the same arena, and for nothing else. */
Test(arena_refused, memory_of_a_dry_run_is_no_memory, .init = begin)
{
    cushim_slice x = zeros(), dry;
    cushim_graph graph = CUSHIM_NONE, inner = CUSHIM_NONE;
    cushim_arena arena = CUSHIM_NONE;
    cushim_stream recorder;
    float values[N];

    assert_ok(cushim_arena_new(w.context, cushim_arena_params(.dry_run = 1), &arena));
    recorder = begin_with(cushim_capture_params(.arena = arena));
    dry = alloc_on(recorder);
    assert_ok(cushim_slice_fill(recorder, dry, 1.0f));
    assert_ok(cushim_capture_end(&recorder, &inner));
    assert_refused(cushim_slice_read(stream, dry, values, N), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "that of a dry run");
    assert_refused(cushim_slice_fill(stream, dry, 1.0f), CUSHIM_ERROR_INVALID_ARGUMENT, "dry run");
    assert_refused(cushim_slice_copy(stream, x, dry), CUSHIM_ERROR_INVALID_ARGUMENT, "dry run");
    assert_refused(cushim_launch(stream, add, cushim_for_elements(N), CUSHIM_INOUT(dry),
                                 CUSHIM_VALUE(1.0f), CUSHIM_VALUE(n)),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "dry run");
    recorder = begin_with(NULL);
    assert_refused(cushim_slice_copy(recorder, x, dry), CUSHIM_ERROR_INVALID_ARGUMENT, "dry run");
    assert_refused(cushim_graph_launch(inner, recorder), CUSHIM_ERROR_INVALID_ARGUMENT, "dry run");
    cushim_stream_free(&recorder);
    recorder = begin_with(cushim_capture_params(.arena = arena));
    assert_ok(cushim_slice_copy(recorder, x, dry));
    assert_ok(cushim_capture_end(&recorder, &graph));
    cushim_graph_free(&graph);
    cushim_graph_free(&inner);
    cushim_arena_free(&arena);
    cushim_slice_free(&dry);
    expect(x, 0);
    cushim_slice_free(&x);
    finish();
}

/* Also where a fill or a launch would need no call but its own: all of the memory, and nothing
 * else. */
Test(arena_refused, the_fast_paths_know_a_dry_run, .init = begin)
{
    cushim_arena arena = CUSHIM_NONE;
    cushim_stream recorder;
    cushim_slice dry = CUSHIM_NONE;

    assert_ok(
        cushim_arena_new(w.context, cushim_arena_params(.limit = UNIT, .dry_run = 1), &arena));
    recorder = begin_with(cushim_capture_params(.arena = arena));
    assert_ok(cushim_slice_alloc(recorder, CUSHIM_ELEMENT(float), UNIT / 4, &dry));
    cushim_stream_free(&recorder);
    assert_ok(cushim_context_set_current(w.context));
    assert_refused(cushim_slice_fill(stream, dry, 1.0f), CUSHIM_ERROR_INVALID_ARGUMENT, "dry run");
    assert_refused(cushim_launch(stream, add, cushim_for_elements(N), CUSHIM_INOUT(dry),
                                 CUSHIM_VALUE(1.0f), CUSHIM_VALUE(n)),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "dry run");
    cr_assert(eq(int, RAW(&w, cuCtxSetCurrent, (void *), NULL), 0));
    cushim_slice_free(&dry);
    cushim_arena_free(&arena);
    finish();
}

Test(arena_refused, nodes_of_the_graph_allocate_if_asked_for, .init = begin)
{
    cushim_slice x = zeros(), y = zeros(), a, b = CUSHIM_NONE;
    cushim_stream recorder, forked = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    size_t before = 0, after = 0, total;

    recorder = begin_with(cushim_capture_params(.memory_nodes = 1));
    assert_ok(cushim_stream_fork(recorder, &forked));
    a = alloc_on(recorder);
    record_sum(forked, a, x, x);
    assert_ok(cushim_slice_clone(forked, a, &b));
    cushim_slice_free(&a);
    record_add(recorder, b, 1);
    assert_ok(cushim_slice_copy(recorder, y, b));
    assert_refused(cushim_slice_fill(stream, b, 1.0f), CUSHIM_ERROR_INVALID_ARGUMENT,
                   ".memory_nodes");
    cushim_stream_free(&forked);
    cushim_slice_free(&b);
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 8, 7);
    assert_ok(cushim_slice_fill(stream, x, 1.0f));
    run(graph);
    expect(y, 3);
    assert_ok(cushim_context_memory(w.context, &before, &total));
    for (int i = 0; i < 200; i++) {
        assert_ok(cushim_slice_fill(stream, x, (float) i));
        run(graph);
    }
    expect(y, 2 * 199 + 1);
    assert_ok(cushim_context_memory(w.context, &after, &total));
    if (on_the_mock())
        cr_assert(eq(sz, before, after));
    recorder = begin_with(NULL);
    assert_refused(cushim_graph_launch(graph, recorder), CUSHIM_ERROR_CAPTURING, ".memory_nodes");
    cushim_stream_free(&recorder);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

Test(arena_refused, memory_nodes_must_free_what_they_allocate, .init = begin)
{
    cushim_slice x = zeros(), a = CUSHIM_NONE, b = CUSHIM_NONE, c;
    cushim_stream recorder;
    cushim_graph graph = CUSHIM_NONE;

    recorder = begin_with(cushim_capture_params(.memory_nodes = 1));
    cushim_source_location("model/layer.c:7");
    assert_ok((cushim_slice_alloc) (recorder, CUSHIM_ELEMENT(float), N, &a));
    b = alloc_on(recorder);
    assert_ok(cushim_slice_fill(recorder, a, 1.0f));
    assert_ok(cushim_slice_copy(recorder, x, a));
    cushim_slice_free(&b);
    assert_refused(cushim_capture_end(&recorder, &graph), CUSHIM_ERROR_BUSY,
                   "the slice of 256 bytes made by layer.c:7 is not");
    assert_refused(cushim_slice_copy(stream, x, a), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "their recording");
    recorder = begin_with(cushim_capture_params(.memory_nodes = 1));
    c = alloc_on(recorder);
    assert_refused(cushim_slice_copy(recorder, x, a), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "their recording");
    cushim_slice_free(&a); /* of the recording that is gone: nothing is recorded */
    cushim_stream_free(&recorder);
    cushim_slice_free(&c);
    recorder = begin_with(cushim_capture_params(.memory_nodes = 1));
    b = alloc_on(recorder);
    assert_ok(cushim_slice_fill(recorder, b, 1.0f));
    inject(&w, "cuMemFreeAsync nth=1 result=1");
    cushim_slice_free(&b);
    assert_refused(cushim_capture_end(&recorder, &graph), 1, "could not be noted");
    cushim_slice_free(&x);
    finish();
}

Test(arena_refused, parameters, .init = begin)
{
    struct cushim_arena_params params = {.size = sizeof(params), .bytes = 4096, .limit = 4095};
    cushim_arena arena = CUSHIM_NONE, other = CUSHIM_NONE;
    cushim_stream recorder = CUSHIM_NONE;
    cushim_context far = CUSHIM_NONE;
    size_t limit = 0, bytes = 0;

    assert_refused(cushim_arena_new(w.context, &params, &arena), CUSHIM_ERROR_INVALID_ARGUMENT,
                   ".limit is 4095, and .bytes is more: 4096");
    params = (struct cushim_arena_params){.size = sizeof(params), .limit = SIZE_MAX};
    assert_refused(cushim_arena_new(w.context, &params, &arena), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "more than there can be");
    assert_ok(cushim_arena_new(w.context, cushim_arena_params(.bytes = 1), &arena));
    assert_ok(cushim_arena_stats(arena, &limit, &bytes, NULL, NULL));
    cr_assert(ge(sz, bytes, 1));
    cr_assert(gt(sz, limit, bytes));
    assert_refused(
        cushim_capture_begin_with(
            w.context, cushim_capture_params(.arena = arena, .memory_nodes = 1), &recorder),
        CUSHIM_ERROR_INVALID_ARGUMENT, ".memory_nodes");
    assert_refused(
        cushim_capture_begin_with(
            w.context,
            cushim_capture_params(.memory_nodes = 1, .order = CUSHIM_CAPTURE_ORDER_BY_HAND),
            &recorder),
        CUSHIM_ERROR_INVALID_ARGUMENT, "by hand");
    open_other_context(&w, &far);
    assert_refused(cushim_capture_begin_with(far, cushim_capture_params(.arena = arena), &recorder),
                   CUSHIM_ERROR_FOREIGN_CONTEXT, "arena");
    cushim_context_free(&far);
    assert_ok(cushim_arena_retain(arena, &other));
    cushim_arena_free(&other);
    assert_refused(
        cushim_capture_begin_with(w.context, cushim_capture_params(.arena = other), NULL),
        CUSHIM_ERROR_INVALID_ARGUMENT, "ret_recorder");
    other = arena;
    cushim_arena_free(&arena);
    assert_status(cushim_capture_begin_on(stream, cushim_capture_params(.arena = other)),
                  CUSHIM_ERROR_STALE_HANDLE);
    finish();
}

Test(arena_refused, a_slice_of_an_arena_stays_there, .init = begin)
{
    cushim_stream recorder = begin_with(NULL);
    struct cushim_shared_slice name;
    cushim_slice x = alloc_on(recorder), y = CUSHIM_NONE;
    cushim_pool pool = CUSHIM_NONE;
    uint64_t address;

    assert_ok(cushim_pool_default(w.context, &pool));
    assert_refused(cushim_slice_alloc_from(recorder, pool, 4, N, &y), CUSHIM_ERROR_CAPTURING,
                   "allocating from a pool");
    assert_refused(cushim_slice_alloc_shared(recorder, 4, N, &y), CUSHIM_ERROR_CAPTURING,
                   "allocating memory");
    cushim_pool_free(&pool);
    cushim_stream_free(&recorder);
    assert_refused(cushim_slice_leak(stream, &x, &address), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "a part of an arena");
    assert_refused(cushim_slice_share(x, &name), CUSHIM_ERROR_INVALID_ARGUMENT, "stream recorded");
    assert_ok(cushim_slice_fill(stream, x, 1.0f));
    expect(x, 1);
    cushim_slice_free(&x);
    finish();
}

Test(arena_refused, a_device_may_have_too_little_memory)
{
    cushim_stream recorder;
    cushim_arena arena = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    size_t peak = 0, used = 0;

    open_world_with(&w, "device.0.memory = 2GiB");
    assert_refused(
        cushim_arena_new(w.context, cushim_arena_params(.bytes = (size_t) 4 << 30), &arena), 2,
        "needs 4294967296 more, the device has");
    assert_ok(cushim_arena_new(w.context, cushim_arena_params(.limit = (size_t) 4 << 30), &arena));
    recorder = begin_with(cushim_capture_params(.arena = arena));
    assert_refused(cushim_slice_alloc(recorder, 1, (size_t) 3 << 30, &x), 2,
                   "the arena has 0 bytes and needs 3221225472 more");
    assert_ok(cushim_slice_zeros(recorder, 1, STEP, &x));
    assert_ok(cushim_arena_stats(arena, NULL, NULL, &used, &peak));
    cr_assert(eq(sz, used, STEP));
    cr_assert(eq(sz, peak, STEP)); /* what was refused does not count */
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    run(graph);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_arena_free(&arena);
    cushim_stream_free(&stream);
    close_world(&w);
}

/* Without virtual memory management an arena is one allocation, and nothing else can be had. */
Test(arena_refused, a_device_may_not_map_memory)
{
    cushim_slice x, y, more = CUSHIM_NONE;
    cushim_arena arena = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_stream recorder;
    size_t limit = 0, bytes = 0, before = 0, after = 0, total;

    open_world_with(&w, "device.*.virtual_memory_management_supported = 0");
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_module_load_text(w.context, kernels_ptx, NULL, &module));
    assert_ok(cushim_module_function(module, "add", &add));
    assert_ok(cushim_module_function(module, "sum", &sum));
    x = zeros();
    y = zeros();
    assert_refused(cushim_arena_new(w.context, NULL, &arena), 801, "no arena without .bytes");
    assert_refused(
        cushim_arena_new(w.context, cushim_arena_params(.bytes = 9, .dry_run = 1), &arena), 801,
        "no dry run");
    recorder = begin_with(NULL);
    assert_refused(cushim_slice_alloc(recorder, 4, N, &more), 801, "cushim_capture_params(.arena)");
    cushim_stream_free(&recorder);
    assert_ok(cushim_context_memory(w.context, &before, &total));
    assert_ok(cushim_arena_new(w.context, cushim_arena_params(.bytes = 8 << 20), &arena));
    recorder = begin_with(cushim_capture_params(.arena = arena));
    assert_ok(record_some(recorder, x, y));
    assert_refused(cushim_slice_alloc(recorder, 1, (8 << 20) + 1, &more), 2, ".limit");
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_ok(cushim_arena_stats(arena, &limit, &bytes, NULL, NULL));
    cr_assert(eq(sz, limit, 8 << 20));
    cr_assert(eq(sz, bytes, 8 << 20));
    cushim_arena_free(&arena);
    run(graph);
    expect(y, 1);
    cushim_graph_free(&graph);
    assert_ok(cushim_context_memory(w.context, &after, &total));
    cr_assert(eq(sz, after, before)); /* it is freed with the last that uses it */
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}
