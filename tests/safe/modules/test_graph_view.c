/* SPDX-License-Identifier: MIT */
/* Looking at graphs: the picture, the numbers, and single nodes. */
#include <stdio.h>
#include <string.h>

#include "graph_view.h"

SUITE(graph_view);

static void nothing(void *user)
{
    (void) user;
}

static void expect_text(cushim_graph graph, const char *wanted)
{
    const char *text = dot(graph);

    cr_expect(eq(str, (char *) text, (char *) wanted));
    cushim_graph_dot_free(&text);
    cr_expect(eq(ptr, (void *) text, NULL));
}

static void expect_part(cushim_graph graph, const char *part)
{
    const char *drawn = dot(graph);

    assert_contains(drawn, part);
    cushim_graph_dot_free(&drawn);
}

static cushim_node node(cushim_graph graph, size_t number)
{
    cushim_node found = {0, 0};

    assert_ok(cushim_graph_node(graph, number, &found));
    return found;
}

static struct cushim_node_info info(cushim_graph graph, size_t number)
{
    struct cushim_node_info found = {.size = sizeof(found)};

    assert_ok(cushim_graph_node_info(graph, node(graph, number), &found));
    return found;
}

#define HEAD   "    node [shape=box, fontname=\"sans-serif\"];\n    edge [fontname=\"sans-serif\"];\n"
#define LAUNCH "grid 1 x 1 x 1, block 256 x 1 x 1\\l"

/* --- the picture --- */

Test(graph_view, a_picture_in_words, .init = begin)
{
    cushim_slice x = labelled("x \"one\"\\\n"), y = zeros(), to = labelled("to");
    cushim_stream recorder = begin_recording(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    cushim_graph graph;

    assert_ok(cushim_slice_fill(recorder, x, 1.0f));
    record_add(recorder, y, 2);
    record_sum(recorder, to, x, y);
    graph = end_recording(&recorder);
    assert_ok(cushim_label(graph, "step"));
    expect_text(graph,
                "digraph \"step\" {\n" HEAD
                "    n0 [label=\"0: fill, 256 bytes\\lwrites x \\\"one\\\"\\\\?: 256 "
                "bytes\\l\"];\n"
                "    n1 [label=\"1: launch of add\\l" LAUNCH "writes memory 1: 256 bytes\\l\"];\n"
                "    n2 [label=\"2: launch of sum\\l" LAUNCH
                "writes to: 256 bytes\\lreads x \\\"one\\\"\\\\?: 256 bytes\\lreads memory "
                "1: 256 bytes\\l\"];\n"
                "    n1 -> n2 [label=\"memory 1: written, then read\\l\"];\n"
                "    n0 -> n2 [label=\"x \\\"one\\\"\\\\?: written, then read\\l\"];\n"
                "}\n");
    cushim_slice_free(&to);
    expect_part(graph, "writes memory 2: 256 bytes");
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

Test(graph_view, parts_have_their_bytes, .init = begin)
{
    cushim_slice x = labelled("x");
    cushim_stream recorder = begin_recording(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    cushim_slice of_arena = CUSHIM_NONE, more = CUSHIM_NONE;
    cushim_view half;
    cushim_graph graph;

    assert_ok(cushim_view_part(CUSHIM_VIEW(x), N / 2, N / 2, &half));
    assert_ok(cushim_slice_fill(recorder, half, 1.0f));
    record_add(recorder, x, 1);
    assert_ok(cushim_slice_alloc(recorder, CUSHIM_ELEMENT(float), N, &more));
    assert_ok(cushim_slice_alloc(recorder, CUSHIM_ELEMENT(float), N, &of_arena));
    assert_ok(cushim_label(of_arena, "of the arena"));
    assert_ok(cushim_slice_fill(recorder, of_arena, 1.0f));
    graph = end_recording(&recorder);
    expect_part(graph, "fill, 128 bytes\\lwrites x [128..256): 128 bytes\\l");
    expect_part(graph, "n0 -> n1 [label=\"x [128..256): written, then written\\l\"]");
    expect_part(graph, "writes of the arena: 256 bytes\\l");
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&more);
    cushim_slice_free(&of_arena);
    finish();
}

Test(graph_view, what_no_memory_explains, .init = begin)
{
    static const struct {
        enum cushim_capture_order order;
        const char *reason;
    } orders[] = {
        {CUSHIM_CAPTURE_ORDER_BY_HAND, "named by cushim_capture_after()"},
        {CUSHIM_CAPTURE_ORDER_AS_RECORDED, "everything in order"},
        {CUSHIM_CAPTURE_ORDER_BY_MEMORY, "named by the program"},
    };
    cushim_slice x = zeros(), y = zeros();

    for (size_t i = 0; i < 3; i++) {
        cushim_stream recorder = begin_recording(orders[i].order);
        char wanted[100];
        cushim_node first;
        cushim_graph graph;

        record_add(recorder, x, 1);
        assert_ok(cushim_capture_node(recorder, &first));
        assert_ok(cushim_capture_after(recorder, &first, 1));
        record_add(recorder, y, 1);
        graph = end_recording(&recorder);
        snprintf(wanted, sizeof(wanted), "n0 -> n1 [label=\"%s\\l\"]", orders[i].reason);
        expect_part(graph, wanted);
        cushim_graph_free(&graph);
    }
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

Test(graph_view, other_kinds, .init = begin)
{
    cushim_slice x = labelled("x"), y = labelled("y");
    cushim_stream recorder = begin_recording(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    cushim_event event = CUSHIM_NONE;
    cushim_graph inner, graph;
    static const int kinds[] = {CUSHIM_NODE_GRAPH, CUSHIM_NODE_COPY, CUSHIM_NODE_HOST_FUNCTION,
                                CUSHIM_NODE_EVENT_RECORD, CUSHIM_NODE_EMPTY};

    record_add(recorder, x, 1);
    record_add(recorder, y, 1);
    inner = end_recording(&recorder);
    assert_ok(cushim_event_new(w.context, CUSHIM_EVENT_DEFAULT, &event));
    recorder = begin_recording(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    assert_ok(cushim_graph_launch(inner, recorder));
    assert_ok(cushim_slice_copy(recorder, y, x));
    assert_ok(cushim_stream_host_function(recorder, nothing, NULL, NULL));
    assert_ok(cushim_event_record(event, recorder));
    assert_ok(cushim_capture_empty(recorder));
    graph = end_recording(&recorder);
    for (size_t i = 0; i < 5; i++) {
        cr_expect(eq(int, (int) info(graph, i).kind, kinds[i]), "node %zu", i);
        cr_expect(eq(sz, stats(graph).of_kind[kinds[i]], 1));
    }
    cr_expect(eq(sz, info(graph, 0).inner_nodes, 2));
    expect_part(graph, "0: graph of 2 nodes\\l");
    expect_part(graph, "bytes\\l\", shape=box3d];\n");
    expect_part(graph, "n0 -> n1 [label=\"x: written, then read\\ly: written, then written\\l\"]");
    expect_part(graph, "n1 -> n2 [label=\"order of host functions and events\\l\"]");
    expect_part(graph, "n4 [label=\"4: empty\\l\"]");
    cr_expect(eq(u64, stats(inner).launches, 0));
    cushim_graph_free(&graph);
    cushim_graph_free(&inner);
    cushim_event_free(&event);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

/* --- numbers --- */

Test(graph_view, numbers_of_a_graph, .init = begin)
{
    cushim_slice x = zeros(), y = zeros(), to = zeros();
    cushim_stream recorder = begin_recording(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    struct cushim_graph_counts s;
    cushim_graph graph;

    assert_ok(cushim_slice_fill(recorder, x, 1.0f));
    record_add(recorder, y, 2);
    record_sum(recorder, to, x, y);
    assert_ok(cushim_slice_copy(recorder, x, to));
    graph = end_recording(&recorder);
    run(graph);
    run(graph);
    s = stats(graph);
    cr_expect(eq(sz, s.nodes, 4));
    cr_expect(eq(sz, s.edges, 3));
    cr_expect(eq(sz, s.first_nodes, 2));
    cr_expect(eq(sz, s.longest_chain, 3));
    cr_expect(eq(sz, s.widest_level, 2));
    cr_expect(eq(sz, s.of_kind[CUSHIM_NODE_LAUNCH], 2));
    cr_expect(eq(u64, s.copied_bytes, 256));
    cr_expect(eq(u64, s.filled_bytes, 256));
    cr_expect(eq(u64, s.memory_bytes, 3 * 256));
    cr_expect(eq(u64, s.launches, 2));
    cr_expect(eq(u64, s.updates, 0));
    assert_ok(cushim_graph_update_begin(graph, &recorder));
    assert_ok(cushim_graph_update_node(recorder, node(graph, 1)));
    record_add(recorder, y, 5);
    assert_ok(cushim_graph_update_end(&recorder));
    assert_ok(cushim_graph_set_enabled(graph, node(graph, 3), 0));
    s = stats(graph);
    cr_expect(eq(u64, s.copied_bytes, 0));
    cr_expect(eq(u64, s.updates, 1));
    expect_part(graph, "3: copy, 256 bytes, switched off\\l");
    expect_part(graph, "style=dashed];\n    n1 -> n2");
    cr_expect(eq(int, info(graph, 3).enabled, 0));
    cr_expect(eq(int, info(graph, 2).enabled, 1));
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_slice_free(&to);
    finish();
}

Test(graph_view, an_empty_graph, .init = begin)
{
    cushim_stream recorder = begin_recording(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    cushim_graph graph = end_recording(&recorder);
    const struct cushim_graph_counts s = stats(graph);

    expect_text(graph, "digraph \"graph\" {\n" HEAD "}\n");
    cr_expect(eq(sz, s.nodes + s.edges + s.longest_chain + s.widest_level, 0));
    cushim_graph_free(&graph);
    finish();
}

/* --- single nodes --- */

Test(graph_view, one_node, .init = begin)
{
    cushim_slice x = zeros(), y = zeros(), to = zeros();
    cushim_stream recorder = begin_recording(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    struct cushim_node_info i;
    struct cushim_graph_counts unsized = {0};
    cushim_node before[2] = {{0, 0}};
    cushim_graph graph;
    size_t n_before = 0;

    record_add(recorder, x, 1);
    record_add(recorder, y, 2);
    record_sum(recorder, to, x, y);
    graph = end_recording(&recorder);
    i = info(graph, 2);
    cr_expect(eq(str, (char *) i.kernel, "sum"));
    cr_expect(eq(uint, i.block[0], 256));
    cr_expect(eq(uint, i.grid[2], 1));
    cr_expect(eq(sz, i.n_before, 2));
    assert_ok(cushim_graph_node_before(graph, node(graph, 2), before, 1, &n_before));
    cr_expect(eq(sz, n_before, 2));
    cr_expect(eq(u64, before[1].recording, 0), "there is no room for it");
    assert_ok(cushim_graph_node_before(graph, node(graph, 2), before, 2, &n_before));
    cr_expect(eq(u64, before[0].number + before[1].number, 1));
    cr_expect(eq(u64, before[0].recording, node(graph, 0).recording));
    before[0].number = 3;
    assert_refused(cushim_graph_node_before(graph, before[0], NULL, 0, &n_before),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "not one of this graph");
    assert_refused(cushim_graph_node_info(graph, before[0], &i), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "not one of this graph");
    assert_refused(cushim_graph_node_before(graph, before[1], NULL, 1, &n_before),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "nodes is NULL");
    assert_status(cushim_graph_stats(graph, &unsized), CUSHIM_ERROR_INVALID_ARGUMENT);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_slice_free(&to);
    finish();
}
