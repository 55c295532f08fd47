/* SPDX-License-Identifier: MIT */
/* Conditional nodes where they meet something else: errors, updates, dry runs, strict modes. */
#include <stdint.h>

#include "conditions.h"

SUITE(condition_meets);

/* What was refused leaves nothing behind that keeps the recording from becoming a graph. */
Test(condition_meets, a_refused_node_does_no_harm, .init = begin_conditions)
{
    cushim_slice flag, x, made = CUSHIM_NONE;
    cushim_stream recorder, other, body;
    cushim_graph graph = CUSHIM_NONE;
    cushim_node node = {0, 0};

    NEEDS(12030);
    flag = number(1), x = number(0);
    assert_ok(
        cushim_capture_begin_with(w.context, cushim_capture_params(.memory_nodes = 1), &other));
    assert_ok(cushim_slice_zeros(other, CUSHIM_ELEMENT(unsigned), 1, &made));
    recorder = begin_graph(CUSHIM_CAPTURE_ORDER_BY_HAND);
    assert_refused(cushim_capture_if(recorder, made, &body, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "memory_nodes");
    assert_ok(cushim_slice_fill(recorder, flag, 1u));
    assert_refused(cushim_capture_if(recorder, flag, &body, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "this must come after node 0");
    assert_ok(cushim_capture_node(recorder, &node));
    assert_ok(cushim_capture_after(recorder, &node, 1));
    assert_ok(cushim_capture_if(recorder, flag, &body, NULL));
    record_step(body, flag, x);
    assert_ok(cushim_capture_end_body(&body));
    assert_ok(cushim_capture_end(&recorder, &graph));
    run(graph);
    cr_expect(eq(uint, value_of(x), 1));
    cushim_graph_free(&graph);
    cushim_slice_free(&made);
    cushim_stream_free(&other);
    cushim_slice_free(&flag);
    cushim_slice_free(&x);
    end_conditions();
}

/* Work in a body is refused like any other: the node must come after what its memory demands. */
Test(condition_meets, bodies_have_the_order_by_hand, .init = begin_conditions)
{
    cushim_slice flag, x, y;
    cushim_stream recorder, outer, inner;
    cushim_graph graph = CUSHIM_NONE;
    cushim_node fill_y = {0, 0};

    NEEDS(12030);
    flag = number(1), x = number(0), y = number(0);
    recorder = begin_graph(CUSHIM_CAPTURE_ORDER_BY_HAND);
    assert_ok(cushim_slice_fill(recorder, x, 5u));
    assert_ok(cushim_slice_fill(recorder, y, 6u));
    assert_ok(cushim_capture_node(recorder, &fill_y));
    assert_ok(cushim_capture_after(recorder, &fill_y, 1));
    assert_ok(cushim_capture_if(recorder, flag, &outer, NULL));
    assert_refused(cushim_slice_fill(outer, x, 7u), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "this must come after node 0: both use the same memory");
    assert_ok(cushim_capture_if(outer, flag, &inner, NULL));
    assert_refused(cushim_slice_copy(inner, y, x), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "this must come after node 0");
    assert_ok(cushim_slice_fill(inner, y, 8u));
    assert_ok(cushim_capture_end_body(&inner));
    assert_ok(cushim_capture_end_body(&outer));
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 4, 2); /* fill y, the kernel that reads the condition, the node */
    run(graph);
    cr_expect(eq(uint, value_of(x), 5));
    cr_expect(eq(uint, value_of(y), 8));
    cushim_graph_free(&graph);
    cushim_slice_free(&flag);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    end_conditions();
}

Test(condition_meets, an_update_has_none, .init = begin_conditions)
{
    cushim_slice flag, x;
    cushim_stream recorder, body;
    cushim_graph graph = CUSHIM_NONE;
    cushim_node setter = {0, 0};

    NEEDS(12030);
    flag = number(1), x = number(0);
    recorder = begin_graph(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    assert_ok(cushim_capture_if(recorder, flag, &body, NULL));
    assert_ok(cushim_slice_fill(body, x, 5u));
    assert_ok(cushim_capture_end_body(&body));
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_ok(cushim_graph_node(graph, 0, &setter));
    assert_ok(cushim_graph_update_begin(graph, &recorder));
    assert_ok(cushim_graph_update_node(recorder, setter));
    assert_refused(cushim_capture_if(recorder, flag, &body, NULL), CUSHIM_ERROR_CAPTURING,
                   "an update cannot change conditional nodes");
    record_step(recorder, flag, x);
    assert_refused(cushim_graph_update_end(&recorder), 910, "sets the value of a conditional node");
    run(graph);
    cr_expect(eq(uint, value_of(x), 5));
    cushim_graph_free(&graph);
    cushim_slice_free(&flag);
    cushim_slice_free(&x);
    end_conditions();
}

Test(condition_meets, bodies_use_memory_of_a_dry_run, .init = begin_conditions)
{
    cushim_slice flag, made = CUSHIM_NONE;
    cushim_arena dry = CUSHIM_NONE;
    cushim_stream recorder, body, inner;
    cushim_graph graph = CUSHIM_NONE;

    NEEDS(12030);
    flag = number(1);
    assert_ok(cushim_arena_new(w.context, cushim_arena_params(.dry_run = 1, .limit = 64 << 20),
                               &dry));
    assert_ok(cushim_capture_begin_with(w.context, cushim_capture_params(.arena = dry), &recorder));
    assert_ok(cushim_slice_zeros(recorder, CUSHIM_ELEMENT(unsigned), 4, &made));
    assert_ok(cushim_capture_if(recorder, flag, &body, NULL));
    assert_ok(cushim_slice_fill(body, made, 1u));
    assert_ok(cushim_capture_if(body, flag, &inner, NULL));
    assert_ok(cushim_slice_fill(inner, made, 2u));
    assert_ok(cushim_capture_end_body(&inner));
    assert_ok(cushim_capture_end_body(&body));
    assert_ok(cushim_capture_end(&recorder, &graph));
    cushim_graph_free(&graph);
    cushim_slice_free(&made);
    cushim_arena_free(&dry);
    cushim_slice_free(&flag);
    end_conditions();
}

Test(condition_meets, strict_modes_have_them, .init = begin_conditions)
{
    cushim_slice flag, x;
    cushim_stream recorder, body;
    cushim_graph graph = CUSHIM_NONE;

    NEEDS(12030);
    flag = number(1), x = number(0);
    assert_ok(cushim_capture_begin_with(
        w.context, cushim_capture_params(.mode = CUSHIM_CAPTURE_MODE_GLOBAL), &recorder));
    assert_ok(cushim_capture_if(recorder, flag, &body, NULL));
    assert_ok(cushim_slice_fill(body, x, 5u));
    assert_ok(cushim_capture_end_body(&body));
    assert_ok(cushim_capture_end(&recorder, &graph));
    run(graph);
    cr_expect(eq(uint, value_of(x), 5));
    cushim_graph_free(&graph);
    cushim_slice_free(&flag);
    cushim_slice_free(&x);
    end_conditions();
}

static void fill_raw(cushim_stream recorder, cushim_slice slice)
{
    int (*fill)(uint64_t, unsigned, size_t, void *) =
        (int (*)(uint64_t, unsigned, size_t, void *)) cushim_driver_functions(
            w.driver, CUSHIM_CUDA_ROWS)[CUSHIM_ROW_cuMemsetD32Async];
    uint64_t address = 0;
    void *cu = NULL;

    assert_ok(cushim_slice_use(stream, slice, true, &address));
    assert_ok(cushim_slice_used(stream, slice, true));
    assert_ok(cushim_stream_raw(recorder, &cu));
    cr_assert(eq(int, fill(address, 4, 1, cu), 0));
}

/* The driver has an edge to the node, also if the program has submitted something meanwhile. */
Test(condition_meets, a_body_is_ordered_although_the_program_submits_work, .init = begin_conditions)
{
    cushim_slice flag, x, y, own;
    cushim_stream recorder, then, otherwise;
    cushim_graph graph = CUSHIM_NONE;

    NEEDS(12030);
    flag = number(0), x = number(0), y = number(0), own = number(0);
    recorder = begin_graph(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    assert_ok(cushim_slice_fill(recorder, y, 3u));
    assert_ok(cushim_capture_if(recorder, flag, &then, &otherwise));
    assert_ok(cushim_slice_fill(then, x, 1u));
    assert_ok(cushim_capture_end_body(&then));
    fill_raw(recorder, own);
    assert_refused(cushim_slice_fill(recorder, x, 2u), CUSHIM_ERROR_CAPTURING, "come first");
    assert_ok(cushim_slice_copy(otherwise, x, y));
    assert_ok(cushim_capture_end_body(&otherwise));
    assert_ok(cushim_slice_fill(recorder, y, 9u));
    assert_ok(cushim_capture_end(&recorder, &graph));
    run(graph);
    cr_expect(eq(uint, value_of(x), 3));
    cr_expect(eq(uint, value_of(y), 9));
    cr_expect(eq(uint, value_of(own), 4));
    cushim_graph_free(&graph);
    cushim_slice_free(&flag);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_slice_free(&own);
    end_conditions();
}

/* The recording cannot go on, and the log has said why. */
Test(condition_meets, memory_of_nodes_is_freed_before_or_after_bodies, .init = begin_conditions)
{
    cushim_slice flag, made = CUSHIM_NONE;
    cushim_stream recorder, body;
    cushim_graph graph = CUSHIM_NONE;

    NEEDS(12030);
    flag = number(1);
    assert_ok(
        cushim_capture_begin_with(w.context, cushim_capture_params(.memory_nodes = 1), &recorder));
    assert_ok(cushim_slice_zeros(recorder, CUSHIM_ELEMENT(unsigned), 1, &made));
    assert_ok(cushim_capture_if(recorder, flag, &body, NULL));
    cushim_slice_free(&made);
    assert_ok(cushim_capture_end_body(&body));
    assert_refused(cushim_capture_end(&recorder, &graph), 901, "could not be noted");
    cr_expect(eq(u64, recorder.id, 0));
    cushim_slice_free(&flag);
    end_conditions();
}

/* Bodies are drawn where their node is, with their own nodes, edges and bodies. */
Test(condition_meets, a_picture, .init = begin_conditions)
{
    static const char *const lines[] = {
        "n1 [label=\"1: conditional node\\l\", shape=diamond];",
        "subgraph \"cluster_n1_0_0\" {\n    style=rounded;\n    label=\"if\";",
        "n1_0_0 [label=\"0: launch of step",
        "n1_0_0 -> n1_0_1 [label=\"x: written, then written\\l\"];",
        "label=\"else\";\n    n1_1_0 [label=\"nothing\", shape=plaintext];",
        "label=\"while\";",
        "    }\n    n1_0_3 -> n1_0_3_0_0 [style=dotted];",
        "    }\n    n1 -> n1_1_0 [style=dotted];",
        "n1 -> n2 [label=\"",
    };
    cushim_slice flag, x, y;
    cushim_stream recorder, then, otherwise, body;
    cushim_graph graph = CUSHIM_NONE;
    const char *text = NULL;

    NEEDS(12080);
    flag = number(1), x = number(0), y = number(0);
    assert_ok(cushim_label(x, "x"));
    recorder = begin_graph(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    assert_ok(cushim_capture_if(recorder, flag, &then, &otherwise));
    record_step(then, flag, x);
    assert_ok(cushim_slice_copy(then, x, y));
    assert_ok(cushim_capture_while(then, flag, &body));
    record_step(body, flag, y);
    assert_ok(cushim_capture_end_body(&body));
    assert_ok(cushim_capture_end_body(&then));
    assert_ok(cushim_capture_end_body(&otherwise));
    assert_ok(cushim_slice_fill(recorder, y, 7u));
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_ok(cushim_graph_dot(graph, &text));
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
        cr_expect(ne(ptr, strstr(text, lines[i]), NULL), "%s\n%s", lines[i], text);
    cushim_graph_dot_free(&text);
    cushim_graph_free(&graph);
    cushim_slice_free(&flag);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    end_conditions();
}
