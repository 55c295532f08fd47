/* SPDX-License-Identifier: MIT */
/* What is recorded for a graph, and in which order: several recorders, events, graphs in graphs. */
#include "recording.h"

#include <math.h>

SUITE(recording);

enum { MANY = 20 };

Test(recording, only_memory_makes_edges, .init = begin)
{
    cushim_slice x[4], to = zeros();
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    for (int i = 0; i < 4; i++) {
        x[i] = zeros();
        record_add(recorder, x[i], (float) i);
    }
    record_sum(recorder, to, x[2], x[3]);
    record_add(recorder, to, 1);
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 6, 3);
    run(graph);
    expect(to, 6);
    expect(x[1], 1);
    cushim_graph_free(&graph);
    for (int i = 0; i < 4; i++)
        cushim_slice_free(&x[i]);
    cushim_slice_free(&to);
    finish();
}

/* Two works that read, and one that writes after both: a diamond. */
Test(recording, what_follows_from_other_edges_is_no_edge, .init = begin)
{
    cushim_slice x = zeros(), a = zeros(), b = zeros();
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    record_add(recorder, x, 3);
    assert_ok(cushim_slice_copy(recorder, a, x));
    assert_ok(cushim_slice_copy(recorder, b, x));
    record_sum(recorder, x, a, b);
    record_sum(recorder, a, x, b);
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 5, 5);
    run(graph);
    expect(a, 9);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&a);
    cushim_slice_free(&b);
    finish();
}

static void add_call(void *user)
{
    ++*(int *) user;
}

/* A host function comes after all of its recorder, and before the rest, but not of another one. */
Test(recording, forks_and_joins_keep_their_own_order, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_stream recorder = CUSHIM_NONE, forked = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    int calls = 0;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_stream_fork(recorder, &forked));
    record_add(recorder, x, 1);
    assert_ok(
        cushim_stream_host_function(recorder, add_call, &calls, NULL));     /* after the addition */
    record_add(forked, y, 1);                                               /* after nothing */
    assert_ok(cushim_stream_host_function(forked, add_call, &calls, NULL)); /* after that */
    assert_ok(cushim_stream_join(recorder, forked));
    assert_ok(cushim_stream_host_function(recorder, add_call, &calls, NULL)); /* after both */
    record_add(forked, x, 1); /* after its own function and the other one's addition */
    cushim_stream_free(&forked);
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 6, 6);
    run(graph);
    expect(x, 2);
    assert_ok(cushim_stream_synchronize(stream));
    cr_assert(eq(int, calls, 3));
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

Test(recording, the_first_recorder_ends_it_for_all, .init = begin)
{
    cushim_slice x = zeros();
    cushim_stream recorder = CUSHIM_NONE, forked = CUSHIM_NONE, other = CUSHIM_NONE;
    cushim_stream again = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE, none = CUSHIM_NONE;
    uint64_t before;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_stream_fork(recorder, &forked));
    assert_ok(cushim_stream_fork(forked, &other));
    before = forked.id;
    assert_refused(cushim_capture_end(&forked, &none), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "a fork of the recorder");
    cr_assert(eq(u64, forked.id, before));
    record_add(other, x, 1);
    assert_ok(cushim_stream_retain(recorder, &again));
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_status(cushim_slice_fill(again, x, 1.0f), CUSHIM_ERROR_STALE_HANDLE);
    assert_status(cushim_stream_fork(again, &recorder), CUSHIM_ERROR_STALE_HANDLE);
    cushim_stream_free(&again);
    assert_status(cushim_slice_fill(forked, x, 1.0f), CUSHIM_ERROR_STALE_HANDLE);
    assert_status(cushim_stream_fork(other, &forked), CUSHIM_ERROR_STALE_HANDLE);
    assert_status(cushim_stream_synchronize(other), CUSHIM_ERROR_STALE_HANDLE);
    assert_status(cushim_stream_host_function(other, add_call, NULL, NULL),
                  CUSHIM_ERROR_STALE_HANDLE);
    run(graph);
    expect(x, 1);
    cushim_stream_free(&forked);
    cushim_stream_free(&other);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    finish();
}

Test(recording, recorders_of_two_recordings_are_not_joined, .init = begin)
{
    cushim_stream one = CUSHIM_NONE, two = CUSHIM_NONE, forked = CUSHIM_NONE;

    assert_ok(cushim_capture_begin(w.context, &one));
    assert_ok(cushim_capture_begin(w.context, &two));
    assert_ok(cushim_stream_fork(two, &forked));
    assert_refused(cushim_stream_join(one, two), CUSHIM_ERROR_CAPTURING, "of the same recording");
    assert_refused(cushim_stream_join(one, stream), CUSHIM_ERROR_CAPTURING, "cushim_stream_fork()");
    assert_refused(cushim_stream_join(stream, forked), CUSHIM_ERROR_CAPTURING, "joining");
    assert_ok(cushim_stream_join(two, forked));
    assert_ok(cushim_stream_join(two, two));
    cushim_stream_free(&one);
    cushim_stream_free(&two); /* the fork has nothing to record for any more */
    assert_status(cushim_stream_join(forked, stream), CUSHIM_ERROR_STALE_HANDLE);
    cushim_stream_free(&forked);
    finish();
}

/* Every launch records the events, so the time between them is that of the last launch. */
Test(recording, events_are_recorded_by_every_launch, .init = begin)
{
    const struct cushim_launch_options *options;
    cushim_event first = CUSHIM_NONE, last = CUSHIM_NONE, start = CUSHIM_NONE, end = CUSHIM_NONE;
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_slice x = zeros();
    float time = -1;

    options = cushim_launch_options(.ret_start = &start, .ret_end = &end);
    assert_ok(cushim_event_new(w.context, CUSHIM_EVENT_TIMING, &first));
    assert_ok(cushim_event_new(w.context, CUSHIM_EVENT_TIMING, &last));
    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_event_record(first, recorder));
    assert_ok(cushim_launch(recorder, add, cushim_launch_config(.elements = N, .options = options),
                            CUSHIM_INOUT(x), CUSHIM_VALUE(1.0f), CUSHIM_VALUE(n)));
    assert_ok(cushim_event_record(last, recorder));
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 5, 4);
    run(graph);
    run(graph);
    assert_ok(cushim_event_synchronize(last));
    assert_ok(cushim_event_elapsed(first, last, &time));
    cr_expect(time >= 0 && isfinite(time));
    assert_ok(cushim_event_elapsed(start, end, &time));
    cr_expect(time >= 0 && isfinite(time));
    expect(x, 2);
    cushim_event_free(&first); /* the graph keeps them */
    cushim_event_free(&start);
    run(graph);
    expect(x, 3);
    cushim_event_free(&last);
    cushim_event_free(&end);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    finish();
}

Test(recording, waits_for_events_of_its_own_and_of_others, .init = begin)
{
    cushim_event inside = CUSHIM_NONE, outside = CUSHIM_NONE;
    cushim_stream recorder = CUSHIM_NONE, forked = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_slice x = zeros(), y = zeros();

    assert_ok(cushim_event_new(w.context, 0, &inside));
    assert_ok(cushim_event_new(w.context, 0, &outside));
    assert_ok(cushim_event_record(outside, stream));
    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_stream_fork(recorder, &forked));
    record_add(recorder, x, 1);
    assert_ok(cushim_event_record(inside, recorder)); /* a node, behind the addition */
    assert_ok(cushim_stream_wait(forked, inside));    /* no node */
    record_add(forked, y, 1);                         /* behind the event */
    assert_ok(cushim_stream_wait(forked, outside));   /* a node, behind that */
    record_add(forked, y, 1);                         /* behind that */
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 5, 4);
    run(graph);
    assert_ok(cushim_event_record(inside, stream)); /* an event like any other again */
    assert_ok(cushim_event_synchronize(inside));
    expect(y, 2);
    cushim_stream_free(&forked);
    cushim_event_free(&inside);
    cushim_event_free(&outside);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

/* x += 1 */
static cushim_graph graph_of_add(cushim_slice x, int *calls)
{
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    record_add(recorder, x, 1);
    if (calls)
        assert_ok(cushim_stream_host_function(recorder, add_call, calls, NULL));
    assert_ok(cushim_capture_end(&recorder, &graph));
    return graph;
}

Test(recording, a_graph_may_be_part_of_another, .init = begin)
{
    cushim_slice x = zeros(), y = zeros(), to = zeros();
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph inner, other, graph = CUSHIM_NONE;
    int calls = 0;

    inner = graph_of_add(x, &calls);
    other = graph_of_add(y, NULL);
    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_graph_launch(inner, recorder));
    assert_ok(cushim_graph_launch(other, recorder)); /* beside the first one */
    record_sum(recorder, to, x, y);                  /* after both */
    assert_ok(cushim_graph_launch(inner, recorder)); /* after the sum, which reads what it writes */
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 4, 3);
    cushim_graph_free(&inner); /* the outer one keeps it, and what it uses */
    cushim_slice_free(&y);
    run(graph);
    run(graph);
    expect(to, 3 + 2);
    expect(x, 4);
    assert_ok(cushim_stream_synchronize(stream));
    cr_assert(eq(int, calls, 4));
    cushim_graph_free(&graph);
    cushim_graph_free(&other);
    cushim_slice_free(&x);
    cushim_slice_free(&to);
    finish();
}

/* What the program submits itself comes after all that was recorded, and before the rest. */
Test(recording, the_programs_own_work_is_in_order, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_stream recorder = CUSHIM_NONE, forked = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    uint64_t address = 0;
    void *cu = NULL;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_stream_fork(recorder, &forked));
    record_add(recorder, x, 1);
    record_add(forked, y, 1);
    assert_ok(cushim_stream_raw(forked, &cu));
    assert_ok(cushim_view_use(recorder, CUSHIM_VIEW(x), true, &address));
    cr_assert(eq(int,
                 RAW(&w, cuMemsetD32Async, (uint64_t, unsigned, size_t, void *), address,
                     0x40a00000 /* 5.0f */, N, cu),
                 0));
    record_add(recorder, x, 1);
    record_add(forked, y, 1);
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 5, 4); /* from both to the program's, and from that to both */
    run(graph);
    expect(x, 6);
    expect(y, 2);
    cushim_stream_free(&forked);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

/* What is only declared has no node of its own: one edge is enough for two declarations. */
Test(recording, declared_uses_have_the_programs_node, .init = begin)
{
    cushim_slice x = zeros(), y = zeros(), to = zeros();
    cushim_stream recorder = CUSHIM_NONE, forked = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    uint64_t address = 0;
    void *cu = NULL;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_stream_raw(recorder, &cu));
    assert_ok(cushim_view_use(recorder, CUSHIM_VIEW(x), true, &address));
    cr_assert(eq(int,
                 RAW(&w, cuMemsetD32Async, (uint64_t, unsigned, size_t, void *), address, 0, N, cu),
                 0));
    assert_ok(cushim_view_used(recorder, CUSHIM_VIEW(x), true));
    assert_ok(cushim_view_used(recorder, CUSHIM_VIEW(y), true));
    assert_ok(cushim_stream_fork(recorder, &forked));
    record_sum(forked, to, x, y);
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 2, 1);
    run(graph);
    expect(to, 0);
    cushim_stream_free(&forked);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_slice_free(&to);
    finish();
}

/* Between many works that come before and many that come after there are not many times many. */
Test(recording, many_after_many_have_a_node_between_them, .init = begin)
{
    cushim_stream recorder = CUSHIM_NONE, forked = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_slice x[MANY], y[MANY];

    assert_ok(cushim_capture_begin(w.context, &recorder));
    for (int i = 0; i < MANY; i++) {
        x[i] = zeros();
        y[i] = zeros();
        record_add(recorder, x[i], 1);
    }
    assert_ok(cushim_stream_fork(recorder, &forked));
    for (int i = 0; i < MANY; i++)
        record_add(forked, y[i], 1);
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 2 * MANY + 1, 2 * MANY);
    run(graph);
    for (int i = 0; i < MANY; i++) {
        expect(y[i], 1);
        cushim_slice_free(&x[i]);
        cushim_slice_free(&y[i]);
    }
    cushim_stream_free(&forked);
    cushim_graph_free(&graph);
    finish();
}

/* A recording that the driver has lost a part of is no graph. */
/* There is room for it among the readers, in both pieces of what it reads. */
Test(recording, reading_a_part_twice, .init = begin)
{
    cushim_slice x = zeros(), to[5] = {zeros(), zeros(), zeros(), zeros(), zeros()};
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_view part;

    assert_ok(cushim_view_part(CUSHIM_VIEW(x), 16, 32, &part));
    assert_ok(cushim_capture_begin(w.context, &recorder));
    for (int i = 0; i < 4; i++)
        assert_ok(cushim_slice_copy(recorder, to[i], x));
    assert_ok(cushim_launch(recorder, sum, cushim_for_elements(32), CUSHIM_OUT(to[4]), CUSHIM_IN(x),
                            CUSHIM_IN(part), CUSHIM_VALUE(32u)));
    assert_ok(cushim_slice_fill(recorder, x, 1.0f));
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 6, 5);
    cushim_graph_free(&graph);
    for (int i = 0; i < 5; i++)
        cushim_slice_free(&to[i]);
    cushim_slice_free(&x);
    finish();
}

Test(recording, what_is_not_known_makes_no_graph, .init = begin)
{
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_slice x = zeros();

    assert_ok(cushim_capture_begin(w.context, &recorder));
    inject(&w, "cuStreamGetCaptureInfo_v2 result=999 nth=1");
    record_add(recorder, x, 1);
    assert_refused(cushim_capture_end(&recorder, &graph), 999, "there is no graph");
    cr_assert(eq(u64, recorder.id, 0));
    assert_ok(cushim_capture_begin(w.context, &recorder));
    inject(&w, "cuStreamUpdateCaptureDependencies result=999 nth=1");
    assert_status(cushim_slice_fill(recorder, x, 1.0f), 999);
    record_add(recorder, x, 1); /* it goes on without that */
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_size(graph, 1, 0);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    finish();
}
