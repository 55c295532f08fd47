/* SPDX-License-Identifier: MIT */
/* Recordings whose order the program says. */
#include "recording.h"

SUITE(recording_hand);

static void add_call(void *user)
{
    ++*(int *) user;
}

static cushim_stream begin_by_hand(void)
{
    cushim_stream recorder = CUSHIM_NONE;

    assert_ok(cushim_capture_begin_with(
        w.context, cushim_capture_params(.order = CUSHIM_CAPTURE_ORDER_BY_HAND), &recorder));
    return recorder;
}

static cushim_node node_of(cushim_stream recorder)
{
    cushim_node node = {0, 0};

    assert_ok(cushim_capture_node(recorder, &node));
    return node;
}

Test(recording_hand, edges_are_those_that_are_given, .init = begin)
{
    cushim_slice x = zeros(), y = zeros(), to = zeros();
    cushim_stream recorder = begin_by_hand();
    cushim_graph graph = CUSHIM_NONE;
    cushim_node before[3];

    record_add(recorder, x, 1);
    before[0] = node_of(recorder);
    record_add(recorder, y, 2);
    before[1] = node_of(recorder);
    before[2] = before[0];
    assert_ok(cushim_capture_after(recorder, before, 2));
    assert_ok(cushim_capture_after(recorder, &before[2], 1));
    record_sum(recorder, to, x, y);
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 3, 2);
    run(graph);
    expect(to, 3);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_slice_free(&to);
    finish();
}

Test(recording_hand, what_memory_demands_must_be_given, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_stream recorder = begin_by_hand();
    cushim_graph graph = CUSHIM_NONE;
    cushim_node first, second;

    record_add(recorder, x, 1);
    first = node_of(recorder);
    assert_refused(cushim_launch(recorder, add, cushim_for_elements(N), CUSHIM_INOUT(x),
                                 CUSHIM_VALUE(2.0f), CUSHIM_VALUE(n)),
                   CUSHIM_ERROR_INVALID_ARGUMENT,
                   "must come after node 0, the launch of 'add': both use the same memory");
    assert_ok(cushim_capture_after(recorder, &first, 1));
    assert_ok(cushim_capture_empty(recorder));
    second = node_of(recorder);
    cr_expect(eq(u64, second.number, first.number + 1));
    assert_ok(cushim_capture_after(recorder, &second, 1)); /* by way of the empty node */
    assert_ok(cushim_slice_fill(recorder, x, 7.0f));
    record_add(recorder, y, 3); /* beside all of it */
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 4, 2);
    run(graph);
    expect(x, 7);
    expect(y, 3);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

/* Without the order by hand, nodes are named besides what the memory demands. */
Test(recording_hand, edges_may_be_added_to_those_of_memory, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_node first;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    record_add(recorder, x, 1);
    first = node_of(recorder);
    assert_ok(cushim_capture_after(recorder, &first, 1));
    record_add(recorder, y, 1); /* shares no memory */
    record_add(recorder, y, 1); /* the node was for one work */
    assert_ok(cushim_capture_empty(recorder));
    record_add(recorder, x, 1);
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 5, 4);
    run(graph);
    expect(x, 2);
    expect(y, 2);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

/* Host functions and events have the order that is given, too. */
Test(recording_hand, host_functions_have_no_order_of_their_own, .init = begin)
{
    cushim_slice x = zeros();
    cushim_stream recorder = begin_by_hand();
    cushim_graph graph = CUSHIM_NONE;
    int calls[2] = {0};

    record_add(recorder, x, 1);
    assert_ok(cushim_stream_host_function(recorder, add_call, &calls[0], NULL));
    assert_ok(cushim_stream_host_function(recorder, add_call, &calls[1], NULL));
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 3, 0);
    run(graph);
    assert_ok(cushim_stream_synchronize(stream));
    cr_expect(eq(int, calls[0], 1));
    cr_expect(eq(int, calls[1], 1));
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    finish();
}

Test(recording_hand, wrong_nodes_are_refused, .init = begin)
{
    cushim_slice x = zeros();
    cushim_stream recorder = begin_by_hand(), other = begin_by_hand();
    cushim_node node = {0, 0}, wrong;

    assert_refused(cushim_capture_node(recorder, &node), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "nothing was recorded");
    assert_refused(cushim_capture_node(stream, &node), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "records for no graph");
    assert_refused(cushim_capture_empty(stream), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "records for no graph");
    assert_refused(cushim_capture_after(stream, NULL, 0), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "records for no graph");
    record_add(recorder, x, 1);
    node = node_of(recorder);
    assert_refused(cushim_capture_after(other, &node, 1), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "nodes[0] is not of this recording");
    wrong = node;
    wrong.number++;
    assert_refused(cushim_capture_after(recorder, &wrong, 1), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "nodes[0] is not of this recording");
    assert_refused(cushim_capture_after(recorder, NULL, 1), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "nodes is NULL");
    cushim_stream_free(&other);
    cushim_stream_free(&recorder);
    cushim_slice_free(&x);
    finish();
}
