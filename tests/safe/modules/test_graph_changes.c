/* SPDX-License-Identifier: MIT */
/* Changes of graphs that must be refused, or must be right, where they meet something else. */
#include "recording.h"

SUITE(graph_changes);

enum { FAILURE = 910 /* CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE */, FORKS = 12 };

static cushim_stream begin_recording(const struct cushim_capture_params *params)
{
    cushim_stream recorder = CUSHIM_NONE;

    assert_ok(cushim_capture_begin_with(w.context, params, &recorder));
    return recorder;
}

static cushim_graph end_recording(cushim_stream *recorder)
{
    cushim_graph graph = CUSHIM_NONE;

    assert_ok(cushim_capture_end(recorder, &graph));
    return graph;
}

static cushim_stream begin_update(cushim_graph graph)
{
    cushim_stream recorder = CUSHIM_NONE;

    assert_ok(cushim_graph_update_begin(graph, &recorder));
    return recorder;
}

static void name(cushim_stream recorder, cushim_graph graph, size_t number)
{
    cushim_node node = {0, 0};

    assert_ok(cushim_graph_node(graph, number, &node));
    assert_ok(cushim_graph_update_node(recorder, node));
}

/* One node for each slice. */
static cushim_graph fill_both(cushim_slice x, cushim_slice y)
{
    cushim_stream recorder = begin_recording(NULL);

    assert_ok(cushim_slice_fill(recorder, x, 1.0f));
    assert_ok(cushim_slice_fill(recorder, y, 2.0f));
    return end_recording(&recorder);
}

Test(graph_changes, each_recorder_of_an_update_names_its_own_nodes, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_graph graph = fill_both(x, y);
    cushim_stream recorder = begin_update(graph), fork = CUSHIM_NONE;
    cushim_node node = {0, 0};

    assert_ok(cushim_stream_fork(recorder, &fork));
    name(recorder, graph, 0);
    name(fork, graph, 1);
    assert_ok(cushim_graph_node(graph, 1, &node));
    assert_refused(cushim_graph_update_node(recorder, node), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "node 1 was named already");
    assert_ok(cushim_slice_fill(recorder, x, 11.0f));
    assert_ok(cushim_slice_fill(fork, y, 12.0f));
    assert_ok(cushim_graph_update_end(&recorder));
    run(graph);
    expect(x, 11);
    expect(y, 12);
    cushim_stream_free(&fork);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

/* So many edges go through a node that does nothing. */
static void record_forks(cushim_stream recorder, const cushim_slice *slices, cushim_slice last,
                         float value)
{
    cushim_stream forks[FORKS];

    for (int i = 0; i < FORKS; i++) {
        assert_ok(cushim_stream_fork(recorder, &forks[i]));
        assert_ok(cushim_slice_fill(forks[i], slices[i], value));
    }
    for (int i = 0; i < FORKS; i++) {
        assert_ok(cushim_stream_join(recorder, forks[i]));
        cushim_stream_free(&forks[i]);
    }
    assert_ok(cushim_slice_fill(recorder, last, value));
}

Test(graph_changes, joins_of_many_recorders_are_recorded_again, .init = begin)
{
    cushim_slice slices[FORKS], last = zeros();
    cushim_stream recorder = begin_recording(NULL);
    cushim_graph graph;

    for (int i = 0; i < FORKS; i++)
        slices[i] = zeros();
    record_forks(recorder, slices, last, 1);
    graph = end_recording(&recorder);
    recorder = begin_update(graph);
    record_forks(recorder, slices, last, 2);
    assert_ok(cushim_graph_update_end(&recorder));
    run(graph);
    expect(last, 2);
    for (int i = 0; i < FORKS; i++) {
        expect(slices[i], 2);
        cushim_slice_free(&slices[i]);
    }
    cushim_graph_free(&graph);
    cushim_slice_free(&last);
    finish();
}

Test(graph_changes, nodes_in_an_order_by_hand_are_named_in_any_order, .init = begin)
{
    const struct cushim_capture_params *by_hand =
        cushim_capture_params(.order = CUSHIM_CAPTURE_ORDER_BY_HAND);
    cushim_slice x = zeros();
    cushim_stream recorder = begin_recording(by_hand);
    cushim_graph graph;
    cushim_node node = {0, 0};

    assert_ok(cushim_slice_fill(recorder, x, 1.0f));
    assert_ok(cushim_capture_node(recorder, &node));
    assert_ok(cushim_capture_after(recorder, &node, 1));
    record_add(recorder, x, 2);
    graph = end_recording(&recorder);
    recorder = begin_update(graph);
    name(recorder, graph, 1);
    record_add(recorder, x, 20);
    name(recorder, graph, 0);
    assert_ok(cushim_slice_fill(recorder, x, 10.0f));
    assert_ok(cushim_graph_update_end(&recorder));
    run(graph);
    expect(x, 30);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    finish();
}

/* What the outer graph launches has the old slice. */
Test(graph_changes, a_graph_whose_slice_was_replaced_is_another_one, .init = begin)
{
    cushim_slice x = zeros(), y = zeros(), by = zeros();
    cushim_graph inner = fill_both(x, y), outer;
    cushim_stream recorder = begin_recording(NULL);

    assert_ok(cushim_graph_launch(inner, recorder));
    outer = end_recording(&recorder);
    assert_ok(cushim_graph_replace(inner, x, by));
    recorder = begin_update(outer);
    assert_ok(cushim_graph_launch(inner, recorder));
    assert_refused(cushim_graph_update_end(&recorder), FAILURE, "a graph in a graph");
    run(outer);
    expect(x, 1);
    expect(by, 0);
    cushim_graph_free(&outer);
    cushim_graph_free(&inner);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_slice_free(&by);
    finish();
}

/* close_world() finds what stays. */
Test(graph_changes, a_refused_update_keeps_nothing, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_graph graph = fill_both(x, y), outer;
    cushim_stream recorder = begin_recording(NULL);

    assert_ok(cushim_graph_launch(graph, recorder));
    outer = end_recording(&recorder);
    recorder = begin_update(graph);
    name(recorder, graph, 0);
    assert_ok(cushim_graph_launch(graph, recorder));
    assert_refused(cushim_graph_update_end(&recorder), FAILURE, "a graph was recorded");
    recorder = begin_update(graph);
    name(recorder, graph, 0);
    assert_ok(cushim_graph_launch(outer, recorder));
    assert_refused(cushim_graph_update_end(&recorder), FAILURE, "a graph was recorded");
    cushim_graph_free(&graph);
    cushim_graph_free(&outer);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

Test(graph_changes, no_node_gets_the_same_memory_twice, .init = begin)
{
    cushim_slice x = zeros(), y = zeros(), to = zeros();
    cushim_stream recorder = begin_recording(NULL);
    cushim_graph graph;

    assert_ok(cushim_slice_copy(recorder, y, x));
    record_sum(recorder, to, x, y);
    graph = end_recording(&recorder);
    assert_refused(cushim_graph_replace(graph, y, x), FAILURE,
                   "node 0: it would use the same memory twice");
    assert_refused(cushim_graph_replace(graph, to, y), FAILURE,
                   "node 1, the launch of 'sum': it would use the same memory twice");
    run(graph);
    cushim_graph_free(&graph);
    /* Two reads are none. */
    recorder = begin_recording(NULL);
    record_sum(recorder, to, x, y);
    graph = end_recording(&recorder);
    assert_ok(cushim_graph_replace(graph, y, x));
    run(graph);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_slice_free(&to);
    finish();
}

static void expect_no_replacement(cushim_graph graph, cushim_slice x,
                                  const struct cushim_capture_params *params, const char *why)
{
    cushim_stream recorder = begin_recording(params);
    cushim_slice made = CUSHIM_NONE;

    assert_ok(cushim_slice_alloc(recorder, CUSHIM_ELEMENT(float), N, &made));
    assert_refused(cushim_graph_replace(graph, x, made), CUSHIM_ERROR_INVALID_ARGUMENT, why);
    cushim_slice_free(&made);
    cushim_stream_free(&recorder);
    run(graph);
    expect(x, 1);
}

Test(graph_changes, memory_of_one_recording_alone_replaces_no_other, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_graph graph = fill_both(x, y);
    cushim_arena dry = CUSHIM_NONE;

    expect_no_replacement(graph, x, cushim_capture_params(.memory_nodes = 1), "memory_nodes");
    assert_ok(cushim_arena_new(w.context, cushim_arena_params(.dry_run = 1, .limit = 64 << 20), &dry));
    expect_no_replacement(graph, x, cushim_capture_params(.arena = dry), "dry run");
    cushim_arena_free(&dry);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

static const char table_ptx[] =
    ".version 6.4\n.target sm_52\n.address_size 64\n.visible .global .align 4 .b8 table[4];\n"
    ".visible .entry read_table(.param .u64 to) {\n.reg .b32 %n; .reg .b64 %to, %t;\n"
    "ld.param.u64 %to, [to]; cvta.to.global.u64 %to, %to; mov.u64 %t, table;\n"
    "ld.global.u32 %n, [%t]; st.global.u32 [%to], %n; ret; }\n";

/* Every kernel of the module may use the variable. */
Test(graph_changes, a_variable_that_replaces_a_slice_is_ordered_with_its_module, .init = begin)
{
    cushim_slice x = CUSHIM_NONE, to = CUSHIM_NONE, table = CUSHIM_NONE;
    cushim_stream recorder;
    cushim_module tables = CUSHIM_NONE;
    cushim_function read_table;
    cushim_graph graph;

    assert_ok(cushim_module_load_text(w.context, table_ptx, NULL, &tables));
    assert_ok(cushim_module_function(tables, "read_table", &read_table));
    assert_ok(cushim_module_global(tables, "table", &table));
    assert_ok(cushim_slice_zeros(stream, 1, 4, &x));
    assert_ok(cushim_slice_zeros(stream, 4, 1, &to));
    recorder = begin_recording(NULL);
    assert_ok(cushim_slice_fill(recorder, x, (unsigned char) 1));
    assert_ok(cushim_launch(recorder, read_table, cushim_launch_config(.grid = {1}, .block = {1}),
                            CUSHIM_OUT(to)));
    graph = end_recording(&recorder);
    assert_refused(cushim_graph_replace(graph, x, table), FAILURE, "at the same time as node 1");
    run(graph);
    cushim_graph_free(&graph);
    recorder = begin_recording(NULL);
    assert_ok(cushim_slice_fill(recorder, x, (unsigned char) 1));
    graph = end_recording(&recorder);
    assert_ok(cushim_graph_replace(graph, x, table));
    run(graph);
    assert_ok(cushim_launch(stream, read_table, cushim_launch_config(.grid = {1}, .block = {1}),
                            CUSHIM_OUT(to)));
    assert_ok(cushim_stream_synchronize(stream));
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&to);
    cushim_module_free(&tables);
    finish();
}

/* What was recorded before it, and after, is in the update. */
Test(graph_changes, a_work_that_is_refused_is_not_in_it, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_graph graph = fill_both(x, y);
    cushim_stream recorder = begin_update(graph);

    name(recorder, graph, 0);
    assert_ok(cushim_slice_fill(recorder, x, 10.0f));
    name(recorder, graph, 1);
    assert_refused(cushim_slice_copy(recorder, y, y), CUSHIM_ERROR_OVERLAP, "overlap");
    assert_ok(cushim_slice_fill(recorder, y, 20.0f));
    assert_ok(cushim_graph_update_end(&recorder));
    run(graph);
    expect(x, 10);
    expect(y, 20);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

/* The function for the other kind of recording changes nothing. */
Test(graph_changes, ends_of_the_wrong_kind, .init = begin)
{
    cushim_slice x = zeros(), y = zeros(), z = zeros();
    cushim_graph graph = fill_both(x, y), other = CUSHIM_NONE;
    cushim_stream update = begin_update(graph), recorder = begin_recording(NULL);

    assert_ok(cushim_slice_fill(recorder, z, 30.0f));
    assert_refused(cushim_graph_update_end(&recorder), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "not a stream of cushim_graph_update_begin");
    name(update, graph, 0);
    assert_ok(cushim_slice_fill(update, x, 10.0f));
    assert_refused(cushim_capture_end(&update, &other), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "cushim_graph_update_end() ends");
    other = end_recording(&recorder);
    assert_ok(cushim_graph_update_end(&update));
    run(other);
    run(graph);
    expect(x, 10);
    expect(z, 30);
    cushim_graph_free(&other);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_slice_free(&z);
    finish();
}

static void count_call(void *user)
{
    ++*(int *) user;
}

/* The other graph calls what this one called then, and so this one keeps it, but no longer. */
Test(graph_changes, what_was_replaced_is_released_with_the_graph_that_has_it, .init = begin)
{
    cushim_graph graph, outer;
    cushim_stream recorder = begin_recording(NULL);
    int calls = 0;

    assert_ok(cushim_stream_host_function(recorder, count_call, &calls, count_call));
    graph = end_recording(&recorder);
    recorder = begin_recording(NULL);
    assert_ok(cushim_graph_launch(graph, recorder));
    assert_ok(cushim_graph_launch(graph, recorder)); /* twice a part of it */
    outer = end_recording(&recorder);
    for (int i = 0; i < 100; i++) {
        recorder = begin_update(graph);
        assert_ok(cushim_stream_host_function(recorder, count_call, &calls, count_call));
        assert_ok(cushim_graph_update_end(&recorder));
    }
    run(outer);
    assert_ok(cushim_stream_synchronize(stream));
    cr_expect(eq(int, calls, 2), "called twice, and not released");
    cushim_graph_free(&outer);
    cr_expect(eq(int, calls, 2 + 100), "each function that was replaced is released");
    cushim_graph_free(&graph);
    cr_expect(eq(int, calls, 2 + 101));
    finish();
}

/* The same CUstream records all of them. */
Test(graph_changes, updates_make_no_streams, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_graph graph = fill_both(x, y);
    cushim_stream recorder;

    forget_calls(&w);
    for (int i = 1; i <= 20; i++) {
        recorder = begin_update(graph);
        name(recorder, graph, 0);
        assert_ok(cushim_slice_fill(recorder, x, (float) i));
        assert_ok(cushim_graph_update_end(&recorder));
        run(graph);
        expect(x, (float) i);
    }
    cr_expect(zero(u64, count(&w, "cuStreamCreateWithPriority")));
    cr_expect(zero(u64, count(&w, "cuStreamDestroy_v2")));
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

/* The program may submit work to its CUstream, and one that is given up may still record. */
Test(graph_changes, only_streams_of_recordings_alone_are_kept, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_graph graph = fill_both(x, y);
    cushim_stream recorder, first, second;
    void *raw = NULL;

    forget_calls(&w);
    recorder = begin_update(graph);
    cr_expect(zero(u64, count(&w, "cuStreamCreateWithPriority")));
    assert_ok(cushim_stream_raw(recorder, &raw));
    assert_ok(cushim_slice_fill(recorder, x, 1.0f));
    assert_ok(cushim_slice_fill(recorder, y, 1.0f));
    assert_ok(cushim_graph_update_end(&recorder));
    cr_expect(eq(u64, count(&w, "cuStreamDestroy_v2"), 1));
    recorder = begin_update(graph);
    cr_expect(eq(u64, count(&w, "cuStreamCreateWithPriority"), 1));
    cushim_stream_free(&recorder);
    cr_expect(eq(u64, count(&w, "cuStreamDestroy_v2"), 2));
    /* One is kept. */
    first = begin_update(graph), second = begin_update(graph);
    cr_expect(eq(u64, count(&w, "cuStreamCreateWithPriority"), 3));
    assert_refused(cushim_graph_update_end(&first), FAILURE, "has 2 nodes, and the update 0");
    assert_refused(cushim_graph_update_end(&second), FAILURE, "has 2 nodes, and the update 0");
    cr_expect(eq(u64, count(&w, "cuStreamDestroy_v2"), 3));
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}
