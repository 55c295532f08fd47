/* SPDX-License-Identifier: MIT */
/*
 * A driver that refuses what destructors need: to make a context current, to record an event, to
 * wait. What may still run must not be freed, and no call may be made in another context.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

SUITE(safe_refused);

enum { N = 64, REFUSED = 2 };

/* A world whose driver refuses the next calls of some functions. */
struct fixture {
    struct world w;
    cushim_driver driver; /* above that of the world */
    cushim_context context, other;
    const char *names[4];
    atomic_int first, last; /* of the calls of these names that are refused; 0: none */
    atomic_int calls;
};

static bool refuse(struct cushim_call *call, void *user)
{
    struct fixture *f = user;
    int n;

    for (size_t i = 0; i < 4 && f->names[i]; i++)
        if (!strcmp(call->name, f->names[i])) {
            n = ++f->calls;
            call->result = REFUSED;
            return n >= f->first && n <= f->last;
        }
    return false;
}

static void open_fixture(struct fixture *f)
{
    const struct cushim_hooks hooks = {.before = refuse, .user = f};

    *f = (struct fixture){.driver = CUSHIM_NONE};
    open_world(&f->w);
    assert_ok(cushim_interpose(f->w.driver, &hooks, 1, &f->driver));
    assert_ok(cushim_context_primary(f->driver, 0, &f->context));
    assert_ok(cushim_context_create(f->driver, 0, 0, &f->other));
    if (!on_the_mock())
        assert_ok(cushim_memory_set_limit(f->context, 0));
}

static void close_drivers(struct fixture *f)
{
    cushim_context_free(&f->other);
    cushim_context_free(&f->context);
    cushim_close(&f->driver);
}

static void close_fixture(struct fixture *f)
{
    close_drivers(f);
    close_world(&f->w);
}

/* Refuses the calls number first to last from now on of the functions. */
#define REFUSE(f, from, to, ...)                                                                   \
    do {                                                                                           \
        memcpy((f)->names, ((const char *[4]){__VA_ARGS__}), sizeof((f)->names));                  \
        (f)->calls = 0;                                                                            \
        (f)->first = (from);                                                                       \
        (f)->last = (to);                                                                          \
    } while (0)

static void refuse_nothing(struct fixture *f)
{
    f->last = 0;
}

/* A host function that takes its time, and what became of it. */
struct slow {
    atomic_int begun, ended, released_early, released;
};

static void be_slow(void *user)
{
    struct slow *slow = user;

    slow->begun++;
    usleep(50000);
    slow->ended++;
}

static void release(void *user)
{
    struct slow *slow = user;

    slow->released_early += slow->begun > slow->ended;
    slow->released++;
}

static void wait_until(const atomic_int *n, int wanted)
{
    for (int i = 0; i < 5000 && *n < wanted; i++)
        usleep(1000);
    cr_assert(eq(int, *n, wanted));
}

static cushim_stream new_stream(cushim_context context)
{
    cushim_stream stream = CUSHIM_NONE;

    assert_ok(cushim_stream_new(context, NULL, &stream));
    return stream;
}

static cushim_slice filled(cushim_stream stream, int value)
{
    cushim_slice slice = CUSHIM_NONE;

    assert_ok(cushim_slice_alloc(stream, sizeof(int), N, &slice));
    assert_ok(cushim_slice_fill(stream, slice, value));
    return slice;
}

/* Frees a context whose host function runs, while the driver refuses these calls. */
static void free_while_refused(const char *first, const char *second)
{
    struct slow slow = {0};
    struct fixture f;
    cushim_stream stream;

    run_alone();
    open_fixture(&f);
    stream = new_stream(f.other);
    assert_ok(cushim_stream_host_function(stream, be_slow, &slow, release));
    wait_until(&slow.begun, 1);
    cushim_stream_free(&stream);
    assert_ok(cushim_context_set_current(f.context));
    REFUSE(&f, 1, 1000, first, second);
    cushim_context_free(&f.other);
    if (second)
        cr_expect(eq(int, slow.ended, 0), "nothing could wait for it");
    wait_until(&slow.released, 1);
    cr_expect(eq(int, slow.released_early, 0));
    refuse_nothing(&f);
    close_drivers(&f);
}

/* The first of them is never given back: its host function may still run. */
Test(safe_refused, a_context_that_cannot_be_waited_for_keeps_its_host_calls)
{
    MOCK_ONLY("it leaves a context to the driver");
    free_while_refused("cuCtxSetCurrent", "cuCtxPushCurrent_v2");
}

Test(safe_refused, a_wait_for_a_context_that_fails_keeps_its_host_calls)
{
    MOCK_ONLY("it leaves a context to the driver");
    free_while_refused("cuCtxSynchronize", NULL);
}

/* Records a host function, and launches it. Another stream of the context records, too. */
static void launch_slow(struct fixture *f, struct slow *slow, cushim_stream stream,
                        cushim_graph *ret_graph, cushim_stream *ret_recorder)
{
    cushim_stream recorder = CUSHIM_NONE;

    assert_ok(cushim_capture_begin(f->context, &recorder));
    assert_ok(cushim_stream_host_function(recorder, be_slow, slow, release));
    assert_ok(cushim_capture_end(&recorder, ret_graph));
    assert_ok(cushim_capture_begin(f->context, ret_recorder));
    assert_ok(cushim_graph_launch(*ret_graph, stream));
    wait_until(&slow->begun, 1);
}

Test(safe_refused, a_graph_waits_for_its_streams_where_no_event_can_be_recorded)
{
    cushim_stream stream, recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    struct slow slow = {0};
    struct fixture f;

    open_fixture(&f);
    stream = new_stream(f.context);
    launch_slow(&f, &slow, stream, &graph, &recorder);
    REFUSE(&f, 1, 1000, "cuEventRecord");
    cushim_graph_free(&graph);
    cr_expect(eq(int, slow.ended, 1));
    cr_expect(eq(int, slow.released, 1));
    cr_expect(eq(int, slow.released_early, 0));
    cr_expect(eq(u64, count(&f.w, "cuCtxSynchronize"), 0), "it would ruin the recording");
    refuse_nothing(&f);
    assert_ok(cushim_capture_end(&recorder, &graph));
    cushim_graph_free(&graph);
    assert_status(cushim_context_check(f.context), REFUSED);
    cushim_stream_free(&stream);
    close_fixture(&f);
}

Test(safe_refused, a_graph_that_cannot_wait_keeps_its_host_calls)
{
    cushim_stream stream, recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    struct slow slow = {0};
    struct fixture f;

    open_fixture(&f);
    stream = new_stream(f.context);
    launch_slow(&f, &slow, stream, &graph, &recorder);
    REFUSE(&f, 1, 1000, "cuEventRecord", "cuStreamSynchronize", "cuCtxSynchronize");
    cushim_graph_free(&graph);
    cr_expect(eq(int, slow.ended, 0), "nothing could wait for it");
    cr_expect(eq(int, slow.released, 0));
    refuse_nothing(&f);
    wait_until(&slow.ended, 1);
    assert_ok(cushim_capture_end(&recorder, &graph));
    cushim_graph_free(&graph);
    assert_status(cushim_context_check(f.context), REFUSED);
    cushim_stream_free(&stream);
    close_fixture(&f);
    cr_expect(eq(int, slow.released, 1), "with its context");
}

/* Adopts memory of cuMemAlloc(), which is freed after a wait, and keeps the stream busy with it. */
static cushim_slice busy_memory(struct fixture *f, cushim_stream stream, struct slow *slow)
{
    cushim_slice slice = CUSHIM_NONE;

    assert_ok(cushim_slice_alloc_shared(stream, sizeof(int), N, &slice));
    assert_ok(cushim_stream_host_function(stream, be_slow, slow, release));
    assert_ok(cushim_slice_fill(stream, slice, 1));
    (void) f;
    return slice;
}

Test(safe_refused, memory_is_freed_after_its_streams)
{
    cushim_stream stream, recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    struct slow slow = {0};
    cushim_slice slice;
    struct fixture f;

    open_fixture(&f);
    stream = new_stream(f.context);
    slice = busy_memory(&f, stream, &slow);
    assert_ok(cushim_capture_begin(f.context, &recorder));
    REFUSE(&f, 1, 1000, "cuEventRecord");
    cushim_slice_free(&slice);
    cr_expect(eq(int, slow.ended, 1));
    cr_expect(eq(u64, count(&f.w, "cuMemFree_v2"), 1));
    cr_expect(eq(u64, count(&f.w, "cuCtxSynchronize"), 0), "it would ruin the recording");
    refuse_nothing(&f);
    assert_ok(cushim_capture_end(&recorder, &graph));
    cushim_graph_free(&graph);
    cushim_stream_free(&stream);
    close_fixture(&f);
}

Test(safe_refused, memory_that_may_be_in_use_stays)
{
    struct slow slow = {0};
    cushim_slice slice;
    struct fixture f;
    cushim_stream stream;

    MOCK_ONLY("it leaves memory to the driver");
    run_alone();
    open_fixture(&f);
    stream = new_stream(f.context);
    slice = busy_memory(&f, stream, &slow);
    REFUSE(&f, 1, 1000, "cuEventRecord", "cuStreamSynchronize", "cuCtxSynchronize");
    cushim_slice_free(&slice);
    cr_expect(eq(u64, count(&f.w, "cuMemFree_v2"), 0));
    refuse_nothing(&f);
    assert_ok(cushim_stream_synchronize(stream));
    cushim_stream_free(&stream);
    close_drivers(&f);
}

static const char nothing[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                              ".visible .entry nothing()\n{\n  ret;\n}\n";

static void run_module(struct fixture *f, cushim_stream stream, struct slow *slow,
                       cushim_module *ret_module)
{
    cushim_function function;

    assert_ok(cushim_module_load(f->context, nothing, sizeof(nothing), NULL, ret_module));
    assert_ok(cushim_module_function(*ret_module, "nothing", &function));
    assert_ok(cushim_stream_host_function(stream, be_slow, slow, release));
    assert_ok(cushim_launch(stream, function, cushim_for_elements(1)));
}

Test(safe_refused, a_module_is_unloaded_after_its_streams)
{
    cushim_stream stream, recorder = CUSHIM_NONE;
    cushim_module module = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    struct slow slow = {0};
    struct fixture f;

    open_fixture(&f);
    stream = new_stream(f.context);
    run_module(&f, stream, &slow, &module);
    assert_ok(cushim_capture_begin(f.context, &recorder));
    REFUSE(&f, 1, 1000, "cuEventRecord");
    cushim_module_free(&module);
    cr_expect(eq(int, slow.ended, 1));
    cr_expect(eq(u64, count(&f.w, "cuModuleUnload"), 1));
    cr_expect(eq(u64, count(&f.w, "cuCtxSynchronize"), 0), "it would ruin the recording");
    refuse_nothing(&f);
    assert_ok(cushim_capture_end(&recorder, &graph));
    cushim_graph_free(&graph);
    cushim_stream_free(&stream);
    close_fixture(&f);
}

Test(safe_refused, a_module_that_may_run_stays_loaded)
{
    cushim_module module = CUSHIM_NONE;
    struct slow slow = {0};
    struct fixture f;
    cushim_stream stream;

    MOCK_ONLY("it leaves a module to the driver");
    run_alone();
    open_fixture(&f);
    stream = new_stream(f.context);
    run_module(&f, stream, &slow, &module);
    REFUSE(&f, 1, 1000, "cuEventRecord", "cuStreamSynchronize", "cuCtxSynchronize");
    cushim_module_free(&module);
    cr_expect(eq(u64, count(&f.w, "cuModuleUnload"), 0));
    refuse_nothing(&f);
    assert_ok(cushim_stream_synchronize(stream));
    cushim_stream_free(&stream);
    close_drivers(&f);
}

/* Other streams can wait for its work only as long as it is there. */
Test(safe_refused, a_stream_whose_work_cannot_be_marked_stays)
{
    cushim_stream a, b;
    struct slow slow = {0};
    cushim_slice slice;
    struct fixture f;

    MOCK_ONLY("it leaves a stream to the driver");
    run_alone();
    open_fixture(&f);
    a = new_stream(f.context);
    b = new_stream(f.context);
    slice = filled(a, 1);
    assert_ok(cushim_stream_host_function(a, be_slow, &slow, release));
    assert_ok(cushim_slice_fill(a, slice, 2));
    REFUSE(&f, 1, 1000, "cuEventRecord", "cuStreamSynchronize");
    cushim_stream_free(&a);
    cr_expect(eq(u64, count(&f.w, "cuStreamDestroy_v2"), 0));
    refuse_nothing(&f);
    assert_ok(cushim_slice_fill(b, slice, 3));
    cr_expect(eq(u64, count(&f.w, "cuStreamWaitEvent"), 1), "b waits for a");
    assert_ok(cushim_stream_synchronize(b));
    cr_expect(eq(int, slow.ended, 1));
    cushim_slice_free(&slice);
    cushim_stream_free(&b);
    close_drivers(&f);
}

/* Copies what a stream of another context has filled, which takes a mark in that context. */
static cushim_status copy_from_other(struct fixture *f, cushim_stream stream, cushim_stream far,
                                     int from, int to)
{
    cushim_slice x, y;
    cushim_status status;

    y = filled(stream, 0);
    x = filled(far, 1);
    assert_ok(cushim_context_set_current(f->context));
    forget_calls(&f->w);
    REFUSE(f, from, to, "cuCtxSetCurrent");
    status = cushim_slice_copy(stream, y, x);
    refuse_nothing(f);
    cr_expect(eq(ptr, current(&f->w), raw_context(f->context)), "refused: %d to %d", from, to);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    return status;
}

Test(safe_refused, no_call_is_made_in_another_context)
{
    struct fixture f;
    cushim_stream stream, far;

    open_fixture(&f);
    stream = new_stream(f.context);
    far = new_stream(f.other);
    assert_ok(copy_from_other(&f, stream, far, 2, 2));
    assert_status(copy_from_other(&f, stream, far, 2, 3), REFUSED);
    cr_expect(eq(u64, count(&f.w, "cuMemcpyPeerAsync"), 0));
    assert_ok(copy_from_other(&f, stream, far, 0, 0));
    cushim_stream_free(&stream);
    cushim_stream_free(&far);
    close_fixture(&f);
}

/* An event of another context would be recorded again and again, and refused each time. */
Test(safe_refused, a_destructor_makes_no_event_in_another_context)
{
    cushim_slice x, y;
    struct fixture f;
    cushim_stream a, b;

    MOCK_ONLY("it leaves memory to the driver");
    run_alone();
    open_fixture(&f);
    a = new_stream(f.context);
    b = new_stream(f.context);
    x = filled(a, 1);
    y = filled(a, 1);
    assert_ok(cushim_slice_fill(b, x, 2));
    assert_ok(cushim_slice_fill(b, y, 2));
    assert_ok(cushim_context_set_current(f.other));
    forget_calls(&f.w);
    REFUSE(&f, 1, 1000, "cuCtxSetCurrent", "cuCtxPushCurrent_v2");
    cushim_slice_free(&x);
    cr_expect(eq(u64, count(&f.w, "cuEventCreate"), 0));
    cr_expect(eq(u64, count(&f.w, "cuEventRecord"), 0));
    cr_expect(eq(u64, count(&f.w, "cuMemFreeAsync"), 0));
    refuse_nothing(&f);
    assert_status(cushim_context_check(f.context), REFUSED);
    assert_ok(cushim_slice_fill(a, y, 3));
    cushim_slice_free(&y);
    assert_ok(cushim_context_check(f.context));
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    close_drivers(&f);
}

/* A destructor has a second way to bind, and the caller's contexts stay as they were. */
Test(safe_refused, a_destructor_pushes_its_context_where_it_cannot_be_set)
{
    static const char *const names[] = {"cuCtxGetCurrent", "cuCtxSetCurrent"};
    struct fixture f;
    cushim_stream a;

    open_fixture(&f);
    for (int i = 0; i < 2; i++) {
        cushim_slice x;

        a = new_stream(f.context);
        x = filled(a, 1);
        assert_ok(cushim_context_set_current(f.other));
        forget_calls(&f.w);
        REFUSE(&f, 1, 1, names[i]);
        cushim_slice_free(&x);
        refuse_nothing(&f);
        cr_expect(eq(u64, count(&f.w, "cuMemFreeAsync"), 1), "refused: %s", names[i]);
        cr_expect(eq(ptr, current(&f.w), raw_context(f.other)), "refused: %s", names[i]);
        cushim_stream_free(&a);
    }
    close_fixture(&f);
}
