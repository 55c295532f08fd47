/* SPDX-License-Identifier: MIT */
/* Conditional nodes: what a launch does, as a number in memory says. */
#include <stdint.h>

#include "conditions.h"

SUITE(condition);

Test(condition, a_loop_runs_as_long_as_its_condition, .init = begin_conditions)
{
    NEEDS(12030);
    for (int order = 0; order < 3; order++) {
        cushim_slice flag = number(0), x = number(0), times = number(0);
        cushim_stream recorder = begin_graph((enum cushim_capture_order) order), body;
        cushim_graph graph = CUSHIM_NONE;
        cushim_node last;

        assert_ok(cushim_slice_copy(recorder, flag, times));
        assert_ok(cushim_capture_node(recorder, &last));
        assert_ok(cushim_capture_after(recorder, &last, 1));
        assert_ok(cushim_capture_while(recorder, flag, &body));
        record_step(body, flag, x);
        assert_ok(cushim_capture_end_body(&body));
        cr_expect(eq(u64, body.id, 0));
        assert_ok(cushim_capture_end(&recorder, &graph));
        for (unsigned i = 0; i < 4; i++) {
            assert_ok(cushim_slice_fill(stream, times, i));
            run(graph);
        }
        cr_expect(eq(uint, value_of(x), 0 + 1 + 2 + 3), "order %d", order);
        cushim_slice_free(&flag); /* the graph keeps it */
        run(graph);
        cr_expect(eq(uint, value_of(x), 6 + 3));
        cushim_graph_free(&graph);
        cushim_slice_free(&x);
        cushim_slice_free(&times);
    }
    end_conditions();
}

/* Work on the memory of a body comes before and after the node, as the memory demands. */
Test(condition, the_memory_of_bodies_makes_order, .init = begin_conditions)
{
    cushim_slice flag, x, y;
    cushim_stream recorder, then, second = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;

    NEEDS(12030);
    flag = number(1), x = number(0), y = number(0);
    assert_ok(cushim_stream_new(w.context, NULL, &second));
    recorder = begin_graph(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    assert_ok(cushim_slice_fill(recorder, x, 5u)); /* before the node, which adds to it */
    assert_ok(cushim_slice_fill(recorder, y, 1u)); /* beside all of it */
    assert_ok(cushim_capture_if(recorder, flag, &then, NULL));
    record_step(then, flag, x);
    assert_ok(cushim_capture_end_body(&then));
    assert_ok(cushim_slice_copy(recorder, y, x)); /* after the node */
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 5, 4);
    run(graph);
    cr_expect(eq(uint, value_of(y), 6));
    cr_expect(eq(uint, value_of(flag), 0));
    run(graph); /* not now */
    cr_expect(eq(uint, value_of(y), 5));
    for (unsigned i = 0; i < 8; i++) { /* other streams wait for the memory of the body */
        assert_ok(cushim_slice_fill(second, flag, 1u));
        run(graph);
        assert_ok(cushim_slice_fill(second, x, 9u));
    }
    cr_expect(eq(uint, value_of(y), 6));
    cr_expect(eq(uint, value_of(x), 9));
    cushim_graph_free(&graph);
    cushim_stream_free(&second);
    cushim_slice_free(&flag);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    end_conditions();
}

Test(condition, one_of_two_and_one_of_many, .init = begin_conditions)
{
    cushim_slice flag, x;
    cushim_stream recorder, bodies[3];
    cushim_graph graph = CUSHIM_NONE;

    NEEDS(12080);
    flag = number(1), x = number(0);
    recorder = begin_graph(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    assert_ok(cushim_capture_if(recorder, flag, &bodies[0], &bodies[1]));
    assert_ok(cushim_slice_fill(bodies[1], x, 20u));
    assert_ok(cushim_slice_fill(bodies[0], x, 10u));
    assert_ok(cushim_capture_end_body(&bodies[1]));
    assert_ok(cushim_capture_end_body(&bodies[0]));
    assert_ok(cushim_capture_end(&recorder, &graph));
    for (unsigned i = 0; i < 2; i++) {
        assert_ok(cushim_slice_fill(stream, flag, i));
        run(graph);
        cr_expect(eq(uint, value_of(x), i ? 10 : 20));
    }
    cushim_graph_free(&graph);
    recorder = begin_graph(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    assert_ok(cushim_capture_switch(recorder, flag, 3, bodies));
    for (unsigned i = 0; i < 3; i++) {
        assert_ok(cushim_slice_fill(bodies[i], x, 100 + i));
        assert_ok(cushim_capture_end_body(&bodies[i]));
    }
    assert_ok(cushim_capture_end(&recorder, &graph));
    for (unsigned i = 0; i < 5; i++) {
        assert_ok(cushim_slice_fill(stream, flag, i));
        run(graph);
        cr_expect(eq(uint, value_of(x), i < 3 ? 100 + i : 102));
    }
    cushim_graph_free(&graph);
    cushim_slice_free(&flag);
    cushim_slice_free(&x);
    end_conditions();
}

/* A loop in a loop, with a fork inside. */
Test(condition, bodies_may_have_bodies, .init = begin_conditions)
{
    cushim_slice outer, inner, x, y, three;
    cushim_stream recorder, body, nested, forked = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;

    NEEDS(12030);
    outer = number(2), inner = number(0), x = number(0), y = number(0), three = number(3);
    recorder = begin_graph(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    assert_ok(cushim_capture_while(recorder, outer, &body));
    assert_ok(cushim_slice_copy(body, inner, three));
    assert_ok(cushim_capture_while(body, inner, &nested));
    record_step(nested, inner, x);
    assert_refused(cushim_capture_end_body(&body), CUSHIM_ERROR_CAPTURING,
                   "the bodies of a conditional node come first");
    assert_ok(cushim_capture_end_body(&nested));
    assert_ok(cushim_stream_fork(body, &forked));
    record_step(forked, outer, y);
    cushim_stream_free(&forked);
    assert_ok(cushim_capture_end_body(&body));
    assert_ok(cushim_capture_end(&recorder, &graph));
    run(graph);
    cr_expect(eq(uint, value_of(x), 6));
    cr_expect(eq(uint, value_of(y), 2));
    cushim_graph_free(&graph);
    cushim_slice_free(&outer);
    cushim_slice_free(&inner);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_slice_free(&three);
    end_conditions();
}

static void no_call(void *user)
{
    (void) user;
}

Test(condition, what_bodies_cannot_have, .init = begin_conditions)
{
    cushim_slice flag, x, made = CUSHIM_NONE;
    cushim_stream recorder, body, other = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE, host = CUSHIM_NONE;
    cushim_event event = CUSHIM_NONE, before = CUSHIM_NONE;

    NEEDS(12030);
    flag = number(0), x = number(0);
    assert_ok(cushim_event_new(w.context, 0, &event));
    assert_ok(cushim_event_new(w.context, 0, &before));
    assert_ok(cushim_event_record(before, stream));
    recorder = begin_graph(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    assert_ok(cushim_stream_host_function(recorder, no_call, NULL, NULL));
    assert_ok(cushim_capture_end(&recorder, &host));
    recorder = begin_graph(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    assert_ok(cushim_capture_if(recorder, flag, &body, NULL));
    assert_refused(cushim_stream_host_function(body, no_call, NULL, NULL), CUSHIM_ERROR_CAPTURING,
                   "cannot have a host function");
    assert_refused(cushim_event_record(event, body), CUSHIM_ERROR_CAPTURING,
                   "cannot have the recording of an event");
    assert_refused(cushim_stream_wait(body, before), CUSHIM_ERROR_CAPTURING,
                   "cannot have a wait for an event");
    assert_refused(cushim_slice_zeros(body, CUSHIM_ELEMENT(float), 4, &made),
                   CUSHIM_ERROR_CAPTURING, "cannot have allocations");
    assert_refused(cushim_graph_launch(host, body), CUSHIM_ERROR_CAPTURING,
                   "cannot have a graph with host functions");
    assert_refused(cushim_stream_join(body, recorder), CUSHIM_ERROR_CAPTURING,
                   "a recording of its own");
    assert_refused(cushim_slice_fill(recorder, x, 1u), CUSHIM_ERROR_CAPTURING,
                   "the bodies of a conditional node come first");
    assert_refused(cushim_capture_end(&recorder, &graph), CUSHIM_ERROR_CAPTURING,
                   "the bodies of a conditional node come first");
    assert_refused(cushim_capture_end(&body, &graph), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "cushim_capture_end_body");
    assert_refused(cushim_graph_update_end(&body), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "not a stream of cushim_graph_update_begin");
    /* Neither has ended anything. */
    assert_ok(cushim_slice_fill(body, x, 2u));
    assert_ok(cushim_capture_end_body(&body));
    cr_expect(eq(u64, body.id, 0));
    assert_ok(cushim_capture_end(&recorder, &graph));
    cr_expect(eq(u64, recorder.id, 0));
    cushim_graph_free(&graph);
    cushim_stream_free(&other);
    cushim_event_free(&event);
    cushim_event_free(&before);
    cushim_graph_free(&host);
    cushim_slice_free(&flag);
    cushim_slice_free(&x);
    end_conditions();
}

Test(condition, misuse, .init = begin_conditions)
{
    cushim_slice flag, x;
    cushim_stream recorder, body = CUSHIM_NONE, bodies[2] = {CUSHIM_NONE, CUSHIM_NONE};
    cushim_graph graph = CUSHIM_NONE;

    NEEDS(12030);
    flag = number(0), x = zeros();
    recorder = begin_graph(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    assert_refused(cushim_capture_while(stream, flag, &body), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "records for no graph");
    assert_refused(cushim_capture_while(recorder, x, &body), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "one integer of 4 bytes");
    assert_refused(cushim_capture_switch(recorder, flag, 0, bodies), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "1 to 1024");
    assert_refused(cushim_capture_switch(recorder, flag, SIZE_MAX, bodies),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "1 to 1024");
    body = recorder;
    assert_refused(cushim_capture_end_body(&body), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "not the recorder of a body");
    cr_expect(eq(u64, body.id, recorder.id));
    assert_ok(cushim_capture_while(recorder, flag, &body));
    cushim_stream_free(&recorder); /* with a body that is recorded */
    assert_refused(cushim_slice_fill(body, flag, 0u), CUSHIM_ERROR_STALE_HANDLE, "");
    cushim_stream_free(&body);
    recorder = begin_graph(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    assert_ok(cushim_capture_while(recorder, flag, &body));
    cushim_stream_free(&body);
    assert_refused(cushim_capture_end(&recorder, &graph), 901, "was given up");
    cushim_slice_free(&flag);
    cushim_slice_free(&x);
    end_conditions();
}

/* The driver makes no graph in which a condition has no node. */
Test(condition, what_was_refused_is_not_recorded, .init = begin_conditions)
{
    cushim_slice flag, x;
    cushim_stream recorder, body = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_node node;

    NEEDS(12030);
    flag = number(0), x = number(0);
    recorder = begin_graph(CUSHIM_CAPTURE_ORDER_BY_HAND);
    assert_ok(cushim_slice_fill(recorder, flag, 1u));
    assert_ok(cushim_capture_node(recorder, &node));
    assert_refused(cushim_capture_if(recorder, flag, &body, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "must come after node 0");
    assert_ok(cushim_capture_after(recorder, &node, 1));
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

Test(condition, a_graph_with_conditions_stays_by_itself, .init = begin_conditions)
{
    cushim_slice flag, x, by;
    cushim_stream recorder, body;
    cushim_graph graph = CUSHIM_NONE;
    cushim_node node;
    const char *dot = NULL;

    NEEDS(12030);
    flag = number(1), x = number(0), by = number(0);
    recorder = begin_graph(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    assert_ok(cushim_capture_if(recorder, flag, &body, NULL));
    record_step(body, flag, x);
    assert_ok(cushim_capture_end_body(&body));
    assert_ok(cushim_capture_end(&recorder, &graph));
    recorder = begin_graph(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    assert_refused(cushim_graph_launch(graph, recorder), CUSHIM_ERROR_CAPTURING,
                   "has conditional nodes");
    cushim_stream_free(&recorder);
    assert_refused(cushim_graph_replace(graph, x, by), 910, "cannot be changed");
    assert_ok(cushim_graph_node(graph, 1, &node));
    assert_refused(cushim_graph_set_enabled(graph, node, 0), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "node 1 cannot be switched off: only launches, copies and fills can");
    assert_ok(cushim_graph_node(graph, 0, &node)); /* what reads the condition */
    assert_refused(cushim_graph_set_enabled(graph, node, 0), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "sets the value of a conditional node");
    assert_ok(cushim_graph_update_begin(graph, &recorder));
    assert_ok(cushim_graph_update_node(recorder, node));
    record_step(recorder, flag, x);
    assert_refused(cushim_graph_update_end(&recorder), 910,
                   "node 0, the launch of 'cushim_set_condition': it sets the value");
    assert_ok(cushim_graph_dot(graph, &dot));
    cr_expect(ne(ptr, strstr(dot, "conditional node"), NULL), "%s", dot);
    cr_expect(ne(ptr, strstr(dot, "n0 -> n1"), NULL), "%s", dot);
    cushim_graph_dot_free(&dot);
    run(graph);
    cr_expect(eq(uint, value_of(x), 1));
    cushim_graph_free(&graph);
    cushim_slice_free(&flag);
    cushim_slice_free(&x);
    cushim_slice_free(&by);
    end_conditions();
}
