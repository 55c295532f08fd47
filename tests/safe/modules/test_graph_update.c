/* SPDX-License-Identifier: MIT */
/* Changes of graphs that can be launched. */
#include "recording.h"

SUITE(graph_update);

enum { FAILURE = 910 /* CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE */ };

static void add_call(void *user)
{
    ++*(int *) user;
}

static void count_release(void *user)
{
    ++*(int *) user;
}

static cushim_node node(cushim_graph graph, size_t number)
{
    cushim_node found = {0, 0};

    assert_ok(cushim_graph_node(graph, number, &found));
    return found;
}

static cushim_stream begin_update(cushim_graph graph)
{
    cushim_stream recorder = CUSHIM_NONE;

    assert_ok(cushim_graph_update_begin(graph, &recorder));
    return recorder;
}

static cushim_stream begin_change(cushim_graph graph, size_t number)
{
    cushim_stream recorder = begin_update(graph);

    assert_ok(cushim_graph_update_node(recorder, node(graph, number)));
    return recorder;
}

static void expect_refusal(cushim_stream *recorder, const char *why)
{
    assert_refused(cushim_graph_update_end(recorder), FAILURE, why);
    cr_expect(eq(u64, recorder->id, 0));
}

/* x += 1, y += 2, to = x + y */
struct sums {
    cushim_slice x, y, to;
    cushim_graph graph;
};

static void record_sums(cushim_stream recorder, const struct sums *s, float a, float b)
{
    record_add(recorder, s->x, a);
    record_add(recorder, s->y, b);
    record_sum(recorder, s->to, s->x, s->y);
}

static struct sums make_sums(void)
{
    struct sums s = {zeros(), zeros(), zeros(), CUSHIM_NONE};
    cushim_stream recorder = CUSHIM_NONE;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    record_sums(recorder, &s, 1, 2);
    assert_ok(cushim_capture_end(&recorder, &s.graph));
    return s;
}

static void free_sums(struct sums *s)
{
    cushim_graph_free(&s->graph);
    cushim_slice_free(&s->x);
    cushim_slice_free(&s->y);
    cushim_slice_free(&s->to);
}

Test(graph_update, a_value_of_one_node, .init = begin)
{
    struct sums s = make_sums();
    cushim_stream recorder;

    run(s.graph);
    recorder = begin_change(s.graph, 1);
    record_add(recorder, s.y, 10);
    assert_ok(cushim_graph_update_end(&recorder));
    cr_expect(eq(u64, recorder.id, 0));
    run(s.graph);
    expect(s.to, 1 + 2 + 1 + 10);
    free_sums(&s);
    finish();
}

Test(graph_update, everything_is_recorded_again, .init = begin)
{
    struct sums s = make_sums();
    cushim_slice other = zeros(), old = s.x;
    cushim_stream recorder;

    for (int i = 0; i < 3; i++) {
        recorder = begin_update(s.graph);
        s.x = i % 2 ? old : other;
        record_sums(recorder, &s, (float) i, (float) i);
        assert_ok(cushim_graph_update_end(&recorder));
        run(s.graph);
    }
    expect(old, 1);
    expect(s.x, 2);
    expect(s.y, 3);
    expect(s.to, 5);
    s.x = old;
    free_sums(&s);
    cushim_slice_free(&other);
    finish();
}

/* What takes part in the order is what the graph uses now. */
Test(graph_update, other_memory_is_ordered_and_kept, .init = begin)
{
    struct sums s = make_sums();
    cushim_slice other = zeros();
    cushim_stream recorder, second = CUSHIM_NONE;

    assert_ok(cushim_stream_new(w.context, NULL, &second));
    recorder = begin_change(s.graph, 1);
    assert_refused(cushim_launch(recorder, add, cushim_for_elements(N), CUSHIM_INOUT(s.x)),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "argument");
    cushim_stream_free(&recorder);
    recorder = begin_update(s.graph);
    assert_ok(cushim_graph_update_node(recorder, node(s.graph, 1)));
    record_add(recorder, other, 5);
    assert_ok(cushim_graph_update_node(recorder, node(s.graph, 2)));
    record_sum(recorder, s.to, s.x, other);
    assert_ok(cushim_graph_update_end(&recorder));
    for (int i = 0; i < 8; i++) {
        assert_ok(cushim_slice_fill(second, other, (float) i)); /* before and after each launch */
        run(s.graph);
    }
    cushim_slice_free(&other); /* the graph keeps it */
    run(s.graph);
    expect(s.to, 9 + 7 + 5 + 5);
    expect(s.y, 0);
    cushim_stream_free(&second);
    free_sums(&s);
    finish();
}

Test(graph_update, edges_that_are_not_there, .init = begin)
{
    struct sums s = make_sums();
    cushim_stream recorder = begin_change(s.graph, 1);

    record_add(recorder, s.x, 1); /* beside node 0, which writes x */
    expect_refusal(&recorder,
                   "node 1, the launch of 'add': it would use memory at the same time as "
                   "node 0, the launch of 'add'");
    recorder = begin_update(s.graph);
    record_add(recorder, s.x, 1);
    record_add(recorder, s.x, 1);
    record_sum(recorder, s.to, s.x, s.y);
    expect_refusal(&recorder, "node 1, the launch of 'add': it must come after node 0");
    recorder = begin_update(s.graph); /* it has fewer edges than the graph */
    record_add(recorder, s.x, 4);
    record_add(recorder, s.y, 4);
    record_add(recorder, s.to, 4);
    assert_ok(cushim_graph_update_end(&recorder));
    run(s.graph);
    expect(s.to, 4);
    free_sums(&s);
    finish();
}

Test(graph_update, reasons_are_told_node_by_node, .init = begin)
{
    struct sums s = make_sums();
    cushim_stream recorder = begin_update(s.graph);

    assert_ok(cushim_slice_fill(recorder, s.x, 1.0f));
    record_add(recorder, s.y, 1);
    assert_ok(cushim_slice_copy(recorder, s.to, s.x));
    expect_refusal(&recorder,
                   "2 of its nodes cannot be changed: node 0, the launch of 'add': it is a launch, "
                   "and a fill was recorded; node 2, the launch of 'sum': it is a launch, and a "
                   "copy was recorded");
    recorder = begin_update(s.graph);
    record_add(recorder, s.x, 1);
    expect_refusal(&recorder, "it has 3 nodes, and the update 1; record all");
    run(s.graph);
    expect(s.to, 3); /* as it was */
    free_sums(&s);
    finish();
}

/* Every kind of node that can be changed, and what was kept is released. */
Test(graph_update, every_kind, .init = begin)
{
    cushim_slice x = zeros(), y = zeros(), z = zeros();
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_event first = CUSHIM_NONE, second = CUSHIM_NONE, before = CUSHIM_NONE;
    int calls[2] = {0};

    assert_ok(cushim_event_new(w.context, 0, &first));
    assert_ok(cushim_event_new(w.context, 0, &second));
    assert_ok(cushim_event_new(w.context, 0, &before));
    assert_ok(cushim_event_record(before, stream));
    for (int i = 0; i < 2; i++) {
        if (i)
            recorder = begin_update(graph);
        else
            assert_ok(cushim_capture_begin(w.context, &recorder));
        assert_ok(cushim_slice_fill(recorder, x, (float) (i + 1)));
        assert_ok(cushim_slice_copy(recorder, i ? z : y, x));
        assert_ok(cushim_stream_wait(recorder, before));
        assert_ok(cushim_event_record(i ? second : first, recorder));
        assert_ok(cushim_stream_host_function(recorder, add_call, &calls[i], NULL));
        assert_ok(cushim_capture_empty(recorder));
        if (i)
            assert_ok(cushim_graph_update_end(&recorder));
        else
            assert_ok(cushim_capture_end(&recorder, &graph));
        run(graph);
        assert_ok(cushim_stream_synchronize(stream));
    }
    expect(x, 2);
    expect(y, 1);
    expect(z, 2);
    cr_expect(eq(int, calls[0], 1));
    cr_expect(eq(int, calls[1], 1));
    assert_ok(cushim_event_synchronize(second));
    cushim_event_free(&first);
    cushim_event_free(&second);
    cushim_event_free(&before);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_slice_free(&z);
    finish();
}

Test(graph_update, what_was_used_before_is_released, .init = begin)
{
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    int calls = 0;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_stream_host_function(recorder, add_call, &calls, NULL));
    assert_ok(cushim_capture_end(&recorder, &graph));
    for (int i = 0; i < 100; i++) {
        recorder = begin_update(graph);
        assert_ok(cushim_stream_host_function(recorder, count_release, &calls, count_release));
        assert_ok(cushim_graph_update_end(&recorder));
    }
    cr_expect(eq(int, calls, 99), "each function that is replaced was released");
    run(graph);
    assert_ok(cushim_stream_synchronize(stream));
    cr_expect(eq(int, calls, 100));
    cushim_graph_free(&graph);
    cr_expect(eq(int, calls, 101));
    finish();
}

Test(graph_update, what_cannot_be_changed, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph inner = CUSHIM_NONE, other = CUSHIM_NONE, graph = CUSHIM_NONE;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    record_add(recorder, x, 1);
    assert_ok(cushim_capture_end(&recorder, &inner));
    assert_ok(cushim_capture_begin(w.context, &recorder));
    record_add(recorder, y, 1);
    assert_ok(cushim_capture_end(&recorder, &other));
    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_graph_launch(inner, recorder));
    record_add(recorder, y, 1);
    assert_ok(cushim_capture_end(&recorder, &graph));
    recorder = begin_update(graph);
    assert_ok(cushim_graph_launch(inner, recorder)); /* the same */
    record_add(recorder, y, 2);
    assert_ok(cushim_graph_update_end(&recorder));
    recorder = begin_change(graph, 0);
    assert_ok(cushim_graph_launch(other, recorder));
    expect_refusal(&recorder, "a graph in a graph cannot be changed");
    recorder = begin_change(inner, 0);
    record_add(recorder, x, 10);
    assert_ok(cushim_graph_update_end(&recorder));
    recorder = begin_change(graph, 0);
    assert_ok(cushim_graph_launch(inner, recorder)); /* it was updated since */
    expect_refusal(&recorder, "a graph in a graph cannot be changed");
    run(graph);
    run(inner);
    expect(x, 11);
    expect(y, 2);
    cushim_graph_free(&inner);
    cushim_graph_free(&other);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

struct three {
    float a, b, c;
};

/* The driver's node that the work ends with is not all of it. */
Test(graph_update, a_fill_of_several_calls_is_not_changed_in_part, .init = begin)
{
    const struct three first = {1, 2, 3}, other = {4, 5, 6};
    cushim_slice x = CUSHIM_NONE, by = CUSHIM_NONE;
    struct cushim_node_info info = {.size = sizeof(info)};
    struct three found[2] = {{0}};
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;

    assert_ok(cushim_slice_zeros(stream, sizeof(first), 2, &x));
    assert_ok(cushim_slice_zeros(stream, sizeof(first), 2, &by));
    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_slice_fill(recorder, x, first));
    assert_ok(cushim_capture_end(&recorder, &graph));
    recorder = begin_change(graph, 0);
    assert_ok(cushim_slice_fill(recorder, x, other));
    expect_refusal(&recorder, "node 0: it takes several nodes of the driver");
    assert_refused(cushim_graph_replace(graph, x, by), FAILURE, "it takes several nodes");
    assert_refused(cushim_graph_set_enabled(graph, node(graph, 0), 0),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "node 0 cannot be switched off: it takes");
    assert_ok(cushim_graph_node_info(graph, node(graph, 0), &info));
    cr_expect(eq(int, info.kind, CUSHIM_NODE_FILL));
    cr_expect(eq(sz, info.bytes, sizeof(found)));
    run(graph);
    assert_ok(cushim_slice_read(stream, x, found, 2));
    for (int i = 0; i < 2; i++) {
        cr_expect(eq(flt, found[i].a, first.a));
        cr_expect(eq(flt, found[i].b, first.b));
        cr_expect(eq(flt, found[i].c, first.c));
    }
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&by);
    finish();
}

Test(graph_update, a_graph_is_not_lost_in_itself, .init = begin)
{
    struct sums s = make_sums();
    cushim_stream recorder = begin_change(s.graph, 1);

    assert_ok(cushim_graph_launch(s.graph, recorder));
    expect_refusal(&recorder, "node 1, the launch of 'add': it is a launch, and a graph was");
    free_sums(&s);
    finish(); /* finds what is not freed */
}

Test(graph_update, misuse, .init = begin)
{
    struct sums s = make_sums(), t = make_sums();
    cushim_stream recorder = begin_update(s.graph);
    cushim_node found;

    assert_refused(cushim_graph_update_node(stream, node(s.graph, 0)),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "not a stream of cushim_graph_update_begin");
    assert_refused(cushim_graph_update_node(recorder, node(t.graph, 0)),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "not one of the graph");
    assert_refused(cushim_graph_node(s.graph, 3, &found), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "node 3 of a graph that has 3 nodes");
    assert_ok(cushim_graph_update_node(recorder, node(s.graph, 0)));
    record_add(recorder, s.x, 1);
    assert_refused(cushim_slice_fill(recorder, s.x, 1.0f), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "whose place does this take?");
    assert_refused(cushim_graph_update_node(recorder, node(s.graph, 0)),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "node 0 was named already");
    assert_refused(cushim_graph_update_end(&stream), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "not a stream of cushim_graph_update_begin");
    cushim_stream_free(&recorder);
    recorder = begin_change(s.graph, 2);
    assert_ok(cushim_launch(recorder, add, cushim_for_elements(0), CUSHIM_INOUT(s.x),
                            CUSHIM_VALUE(1.0f), CUSHIM_VALUE(n))); /* no work at all */
    expect_refusal(&recorder, "no work was recorded for node 2, the launch of 'sum'");
    recorder = begin_update(s.graph);
    record_add(recorder, s.x, 1);
    assert_refused(cushim_graph_update_node(recorder, node(s.graph, 0)),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "without saying for which node");
    cushim_graph_free(&s.graph); /* the update keeps it */
    cushim_stream_free(&recorder);
    free_sums(&s);
    free_sums(&t);
    finish();
}

Test(graph_update, nodes_are_switched_off_and_on, .init = begin)
{
    struct sums s = make_sums();
    cushim_stream recorder = CUSHIM_NONE;
    int enabled = -1;

    assert_ok(cushim_graph_enabled(s.graph, node(s.graph, 1), &enabled));
    cr_expect(eq(int, enabled, 1));
    assert_ok(cushim_graph_set_enabled(s.graph, node(s.graph, 1), 0));
    assert_ok(cushim_graph_set_enabled(s.graph, node(s.graph, 1), 0));
    assert_ok(cushim_graph_enabled(s.graph, node(s.graph, 1), &enabled));
    cr_expect(eq(int, enabled, 0));
    run(s.graph);
    expect(s.to, 1);
    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_refused(cushim_graph_launch(s.graph, recorder), CUSHIM_ERROR_CAPTURING, "switched off");
    cushim_stream_free(&recorder);
    assert_ok(cushim_graph_set_enabled(s.graph, node(s.graph, 1), 7));
    run(s.graph);
    expect(s.to, 2 + 2);
    free_sums(&s);
    finish();
}

/* --- replacing a slice --- */

Test(graph_update, a_slice_is_replaced_everywhere, .init = begin)
{
    cushim_slice x = zeros(), y = zeros(), to = zeros(), by = zeros();
    cushim_slice half = CUSHIM_NONE;
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_slice_fill(recorder, x, 1.0f));
    record_add(recorder, x, 2);
    assert_ok(cushim_slice_copy(recorder, y, x));
    record_sum(recorder, to, x, y);
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_ok(cushim_graph_replace(graph, x, by));
    run(graph);
    expect(x, 0);
    expect(by, 3);
    expect(y, 3);
    expect(to, 6);
    assert_refused(cushim_graph_replace(graph, x, by), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "no node of the graph uses");
    assert_ok(cushim_graph_replace(graph, by, x)); /* and back */
    run(graph);
    expect(x, 3);
    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), N / 2, &half));
    assert_refused(cushim_graph_replace(graph, x, half), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "the old slice has 256 bytes, and the new one 128");
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_slice_free(&to);
    cushim_slice_free(&by);
    cushim_slice_free(&half);
    finish();
}

/* 10,000 updates of values and of memory, while launches run. */
Test(graph_update, many, .init = begin)
{
    struct sums s = make_sums();
    cushim_slice other = zeros();
    cushim_stream recorder;
    float wanted = 0;

    for (int i = 0; i < 10000; i++) {
        recorder = begin_change(s.graph, 0);
        record_add(recorder, i % 2 ? other : s.x, (float) (i % 3));
        assert_ok(cushim_graph_update_end(&recorder));
        if (i % 100 == 0) {
            run(s.graph);
            wanted += i % 2 ? 0 : (float) (i % 3);
        }
    }
    expect(s.x, wanted);
    free_sums(&s);
    cushim_slice_free(&other);
    finish();
}
