/* SPDX-License-Identifier: MIT */
/* Graphs: what is recorded, what a launch waits for, and what a graph keeps. */
#include "launch_kernels.h"

SUITE(graph);

static const size_t n = N;
static const float one = 1;

static void expect(cushim_slice slice, float wanted)
{
    float values[N] = {0};

    assert_ok(cushim_slice_read(stream, slice, values, N));
    for (int i = 0; i < N; i++)
        cr_assert(eq(flt, values[i], wanted), "element %d", i);
}

/* y += x */
static void add(cushim_stream where, cushim_slice x, cushim_slice y)
{
    assert_ok(cushim_launch(where, saxpy, cushim_for_elements(n), CUSHIM_VALUE(one), CUSHIM_IN(x),
                            CUSHIM_INOUT(y), CUSHIM_VALUE(n)));
}

static cushim_graph record_add(cushim_slice x, cushim_slice y)
{
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    add(recorder, x, y);
    assert_ok(cushim_capture_end(&recorder, &graph));
    cr_assert(eq(u64, recorder.id, 0));
    return graph;
}

Test(graph, runs_when_it_is_launched_and_not_before, .init = begin)
{
    cushim_slice x = ones(N), y = ones(N);
    cushim_graph graph = record_add(x, y);

    expect(y, 1);
    for (int i = 0; i < 3; i++)
        assert_ok(cushim_graph_launch(graph, stream));
    expect(y, 4);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

/* S9: a graph that keeps nothing reads and writes memory that was given back. */
Test(graph, keeps_memory_and_module_that_are_freed_before_it, .init = begin)
{
    cushim_slice x = ones(N), y = ones(N), z = ones(N);
    cushim_graph graph = record_add(x, y);
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph copy = CUSHIM_NONE;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_slice_copy(recorder, z, y));
    assert_ok(cushim_capture_end(&recorder, &copy));
    forget_calls(&w);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_module_free(&module);
    cr_assert(eq(u64, count(&w, "cuMemFreeAsync"), 0));
    cr_assert(eq(u64, count(&w, "cuModuleUnload"), 0));
    assert_ok(cushim_graph_launch(graph, stream));
    assert_ok(cushim_graph_launch(graph, stream));
    assert_ok(cushim_graph_launch(copy, stream));
    expect(z, 3);
    cushim_graph_free(&graph);
    cr_assert(eq(u64, count(&w, "cuModuleUnload"), 1));
    cr_assert(eq(u64, count(&w, "cuMemFreeAsync"), 1)); /* x: y is the other one's, too */
    cushim_graph_free(&copy);
    cr_assert(eq(u64, count(&w, "cuMemFreeAsync"), 2));
    cushim_slice_free(&z);
    finish();
}

/* Two streams and a graph between them: without the waits, the mock finds races. */
Test(graph, is_in_order_with_what_uses_its_memory, .init = begin)
{
    cushim_slice x = ones(N), y = ones(N);
    cushim_graph graph = record_add(x, y);
    cushim_stream other = CUSHIM_NONE;

    assert_ok(cushim_stream_new(w.context, NULL, &other));
    assert_ok(cushim_slice_fill(other, x, 5.0f));
    forget_calls(&w);
    assert_ok(cushim_graph_launch(graph, stream));
    cr_assert(eq(u64, count(&w, "cuEventRecord"), 1));
    cr_assert(eq(u64, count(&w, "cuStreamWaitEvent"), 1));
    cr_assert(eq(u64, count(&w, "cuGraphLaunch"), 1));
    assert_ok(cushim_slice_fill(other, x, 7.0f));
    assert_ok(cushim_graph_launch(graph, other));
    add(stream, x, y);
    expect(y, 1 + 5 + 7 + 7);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_graph_free(&graph);
    cushim_stream_free(&other);
    finish();
}

Test(graph, one_driver_call_a_launch, .init = begin)
{
    cushim_slice x = ones(N), y = ones(N);
    cushim_graph graph = record_add(x, y);

    assert_ok(cushim_graph_upload(graph, stream));
    assert_ok(cushim_graph_launch(graph, stream));
    forget_calls(&w);
    assert_ok(cushim_graph_launch(graph, stream));
    cr_assert(eq(u64, count(&w, "cuGraphLaunch"), 1));
    cr_assert(eq(u64, count_all(&w), 1 + count(&w, "cuCtxSetCurrent")));
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

Test(graph, copies_and_fills_are_recorded, .init = begin)
{
    cushim_slice x = ones(N), y = ones(N);
    cushim_pinned pinned = CUSHIM_NONE;
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    const void *host;
    uint64_t address;

    assert_ok(cushim_pinned_alloc(w.context, sizeof(float), N, 0, &pinned));
    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_slice_fill(recorder, x, 3.0f));
    assert_ok(cushim_slice_copy(recorder, y, x));
    assert_ok(cushim_slice_copy(recorder, pinned, y));
    assert_ok(cushim_slice_use(recorder, x, false, &address));
    assert_ok(cushim_slice_used(recorder, x, false));
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_ok(cushim_slice_fill(stream, y, 8.0f));
    assert_ok(cushim_graph_launch(graph, stream));
    assert_ok(cushim_pinned_read(pinned, &host));
    cr_assert(eq(flt, ((const float *) host)[N - 1], 3));
    expect(y, 3);
    cushim_graph_free(&graph);
    cushim_pinned_free(&pinned);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

static int called, released;

static void call(void *user)
{
    called += *(int *) user;
}

static void release(void *user)
{
    (void) user;
    released++;
}

Test(graph, host_functions_are_called_by_every_launch_and_released_once, .init = begin)
{
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    int by = 2;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_stream_host_function(recorder, call, &by, release));
    assert_ok(cushim_capture_end(&recorder, &graph));
    for (int i = 0; i < 5; i++)
        assert_ok(cushim_graph_launch(graph, stream));
    cr_assert(eq(int, released, 0));
    cushim_graph_free(&graph); /* waits for the calls */
    cr_assert(eq(int, called, 10));
    cr_assert(eq(int, released, 1));
    finish();
}

Test(graph, what_cannot_be_recorded_is_refused_and_the_rest_is_not, .init = begin)
{
    cushim_slice x = ones(N), y = ones(N), made = CUSHIM_NONE;
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    float values[N];

    assert_ok(cushim_capture_begin(w.context, &recorder));
    add(recorder, x, y);
#define REFUSED(call) assert_refused(call, CUSHIM_ERROR_CAPTURING, "records for a graph")
    REFUSED(cushim_slice_from(recorder, values, N, &made));
    REFUSED(cushim_slice_alloc_shared(recorder, 4, N, &made));
    REFUSED(cushim_slice_read(recorder, x, values, N));
    REFUSED(cushim_slice_write(recorder, x, values, N));
    REFUSED(cushim_stream_synchronize(recorder));
    REFUSED(cushim_stream_query(recorder));
    REFUSED(cushim_stream_join(recorder, stream));
    REFUSED(cushim_stream_join(stream, recorder));
    REFUSED(cushim_stream_query(recorder));
    add(recorder, x, y);
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_ok(cushim_graph_launch(graph, stream));
    expect(y, 3);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

/* Memory of cushim that is given by its address is the same memory. */
Test(graph, copies_with_pinned_memory_by_its_address, .init = begin)
{
    cushim_pinned from = CUSHIM_NONE, to = CUSHIM_NONE;
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_slice x = ones(N);
    float other[N] = {0}, *in;
    const void *out;
    void *pointer;

    assert_ok(cushim_pinned_alloc(w.context, CUSHIM_ELEMENT(float), N, 0, &from));
    assert_ok(cushim_pinned_alloc(w.context, CUSHIM_ELEMENT(float), N, 0, &to));
    assert_ok(cushim_pinned_read(to, &out));
    assert_ok(cushim_pinned_write(from, &pointer));
    in = pointer;
    for (int i = 0; i < N; i++)
        in[i] = 7;
    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_slice_write_async(recorder, x, in, N));
    assert_ok(cushim_slice_read_async(recorder, x, (float *) (uintptr_t) out, N));
    assert_refused(cushim_slice_write_async(recorder, x, other, N), CUSHIM_ERROR_CAPTURING,
                   "a copy with memory of the host that cushim_pinned_alloc() did not make is not "
                   "possible while it records");
    assert_refused(cushim_slice_write(recorder, x, in, N), CUSHIM_ERROR_CAPTURING,
                   "a copy that is done when the call returns is not possible");
    assert_ok(cushim_capture_end(&recorder, &graph));
    cushim_pinned_free(&from);
    assert_ok(cushim_graph_launch(graph, stream));
    assert_ok(cushim_pinned_read(to, &out));
    cr_assert(eq(flt, ((const float *) out)[N - 1], 7));
    expect(x, 7);
    cushim_graph_free(&graph);
    cushim_pinned_free(&to);
    cushim_slice_free(&x);
    finish();
}

Test(graph, a_recorder_is_ended_whatever_happens, .init = begin)
{
    cushim_slice x = ones(N), y = ones(N);
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;

    /* Freed without an end. */
    assert_ok(cushim_capture_begin(w.context, &recorder));
    add(recorder, x, y);
    cushim_stream_free(&recorder);
    cr_assert(eq(u64, count(&w, "cuStreamEndCapture"), 1));

    /* The driver refuses to end it, or to make it ready. */
    assert_ok(cushim_capture_begin(w.context, &recorder));
    inject(&w, "cuStreamEndCapture result=901 nth=1");
    assert_status(cushim_capture_end(&recorder, &graph), 901);
    cr_assert(eq(u64, recorder.id, 0));
    assert_ok(cushim_capture_begin(w.context, &recorder));
    add(recorder, x, y);
    inject(&w, "cuGraphInstantiateWithFlags result=2 nth=1");
    assert_status(cushim_capture_end(&recorder, &graph), 2);
    cr_assert(eq(u64, recorder.id, 0));
    cr_assert(eq(u64, graph.id, 0));
    cr_assert(eq(u64, count(&w, "cuGraphDestroy"), 2));
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

Test(graph, misuse, .init = begin)
{
    cushim_slice x = ones(N), y = ones(N);
    cushim_graph graph = record_add(x, y), copy = graph, none = CUSHIM_NONE;
    cushim_context other = CUSHIM_NONE;
    cushim_stream far = CUSHIM_NONE, recorder = CUSHIM_NONE, again = stream;
    void *cu = NULL, *exec = NULL;

    assert_refused(cushim_capture_end(&again, &none), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "not a stream of cushim_capture_begin");
    cr_assert(eq(u64, again.id, stream.id)); /* which is not freed */
    open_other_context(&w, &other);
    assert_ok(cushim_stream_new(other, NULL, &far));
    assert_refused(cushim_graph_launch(graph, far), CUSHIM_ERROR_FOREIGN_CONTEXT, "stream");
    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_refused(cushim_graph_upload(graph, recorder), CUSHIM_ERROR_CAPTURING, "recorded");
    cushim_stream_free(&recorder);
    assert_ok(cushim_graph_raw(graph, &cu, &exec));
    cr_assert(cu != NULL && exec != NULL);
    cushim_graph_free(&graph);
    assert_refused(cushim_graph_launch(copy, stream), CUSHIM_ERROR_STALE_HANDLE, "freed");
    assert_refused(cushim_graph_upload(none, stream), CUSHIM_ERROR_STALE_HANDLE, "zero");
    assert_refused(cushim_graph_launch((cushim_graph){stream.id}, stream),
                   CUSHIM_ERROR_WRONG_HANDLE, "expected a graph");
    cushim_stream_free(&far);
    cushim_context_free(&other);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}
