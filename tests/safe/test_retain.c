/* SPDX-License-Identifier: MIT */
/* Several handles of one object: it lives until all of them are freed, in any order. */
#include <stdio.h>

#include "support.h"

static const char ptx[] = ".version 7.0\n.target sm_52\n.address_size 64\n"
                          ".visible .entry nothing() { ret; }\n";

static struct world w;
static cushim_stream stream;

static void begin(void)
{
    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
}

static void end(void)
{
    cushim_stream_free(&stream);
    close_world(&w);
}

Test(safe_retain, slice_lives_until_both_are_freed, .init = begin, .fini = end)
{
    const int numbers[4] = {1, 2, 3, 4};
    cushim_slice x = CUSHIM_NONE, again = CUSHIM_NONE, copy;
    int got[4] = {0};

    assert_ok(cushim_slice_from(stream, numbers, 4, &x));
    assert_ok(cushim_slice_retain(x, &again));
    cr_assert(ne(u64, x.id, again.id));
    copy = x;
    cushim_slice_free(&x);
    assert_refused(cushim_slice_read(stream, copy, got, 4), CUSHIM_ERROR_STALE_HANDLE, "freed");
    assert_ok(cushim_slice_read(stream, again, got, 4));
    cr_assert(eq(int, got[3], 4));
    copy = again;
    cushim_slice_free(&again);
    assert_refused(cushim_slice_read(stream, copy, got, 4), CUSHIM_ERROR_STALE_HANDLE, "freed");
}

Test(safe_retain, handles_of_handles, .init = begin, .fini = end)
{
    cushim_slice x[4] = {CUSHIM_NONE}, copy;

    assert_ok(cushim_slice_alloc(stream, 4, 4, &x[0]));
    for (int i = 0; i < 3; i++)
        assert_ok(cushim_slice_retain(x[i], &x[i + 1]));
    /* The first one first, then one in the middle. */
    cushim_slice_free(&x[0]);
    cushim_slice_free(&x[2]);
    assert_ok(cushim_slice_retain(x[1], &x[0]));
    assert_ok(cushim_slice_fill(stream, x[3], 7));
    cushim_slice_free(&x[3]);
    cushim_slice_free(&x[1]);
    assert_ok(cushim_slice_fill(stream, x[0], 8));
    copy = x[0];
    cushim_slice_free(&x[0]);
    assert_status(cushim_slice_retain(copy, &x[0]), CUSHIM_ERROR_STALE_HANDLE);
}

Test(safe_retain, the_same_memory, .init = begin, .fini = end)
{
    cushim_slice x = CUSHIM_NONE, again = CUSHIM_NONE;
    uint64_t address = 0;
    int got[4];

    assert_ok(cushim_slice_alloc(stream, 4, 4, &x));
    assert_ok(cushim_label(x, "weights"));
    assert_ok(cushim_slice_retain(x, &again));
    assert_refused(cushim_slice_copy(stream, x, again), CUSHIM_ERROR_OVERLAP, "weights");
    assert_refused(cushim_slice_leak(stream, &x, &address), CUSHIM_ERROR_BUSY,
                   "cushim_slice_retain()");
    assert_ok(cushim_slice_fill(stream, again, 7));
    assert_ok(cushim_slice_reclaim(stream, &x, got, 4));
    cr_assert(eq(int, got[2], 7));
    assert_ok(cushim_slice_leak(stream, &again, &address));
    assert_ok(cushim_slice_adopt(stream, address, 4, 4, CUSHIM_ADOPTED_ASYNC, &x));
    cushim_slice_free(&x);
}

struct retaining {
    uint64_t slice, again;
};

static bool retain_at_wait(struct cushim_call *call, void *user)
{
    struct retaining *r = user;

    if (call->row == CUSHIM_ROW_cuStreamWaitEvent)
        assert_ok(cushim_handle_retain(r->slice, &r->again));
    return false;
}

/* The hook runs where another thread may run: while cushim_slice_leak() waits for earlier work. */
Test(safe_retain, a_slice_that_is_retained_during_the_call_is_not_given_away, .init = begin,
     .fini = end)
{
    struct retaining r = {0};
    const struct cushim_hooks hooks = {.before = retain_at_wait, .user = &r};
    cushim_slice x = CUSHIM_NONE, again = CUSHIM_NONE;
    cushim_stream here = CUSHIM_NONE, there = CUSHIM_NONE;
    cushim_context context = CUSHIM_NONE;
    cushim_driver hooked = CUSHIM_NONE;
    uint64_t address = 0;

    assert_ok(cushim_interpose(w.driver, &hooks, 1, &hooked));
    assert_ok(cushim_context_primary(hooked, 0, &context));
    assert_ok(cushim_stream_new(context, NULL, &here));
    assert_ok(cushim_stream_new(context, NULL, &there));
    assert_ok(cushim_slice_zeros(there, 4, 4, &x));
    r.slice = x.id;
    assert_refused(cushim_slice_leak(here, &x, &address), CUSHIM_ERROR_BUSY,
                   "cushim_slice_retain()");
    again.id = r.again;
    cushim_slice_free(&again);
    assert_ok(cushim_slice_leak(here, &x, &address));
    assert_ok(cushim_slice_adopt(here, address, 4, 4, CUSHIM_ADOPTED_ASYNC, &x));
    cushim_slice_free(&x);
    cushim_stream_free(&here);
    cushim_stream_free(&there);
    cushim_context_free(&context);
    cushim_close(&hooked);
}

#define BOTH_WAYS(type, made, free, use)                                                           \
    do {                                                                                           \
        for (int i = 0; i < 2; i++) {                                                              \
            type a = CUSHIM_NONE, b = CUSHIM_NONE, old;                                            \
                                                                                                   \
            assert_ok(made(&a));                                                                   \
            assert_ok(type##_retain(a, &b));                                                       \
            old = i ? a : b;                                                                       \
            free(i ? &a : &b);                                                                     \
            assert_status(use(old), CUSHIM_ERROR_STALE_HANDLE);                                    \
            assert_ok(use(i ? b : a));                                                             \
            free(i ? &b : &a);                                                                     \
        }                                                                                          \
    } while (0)

static cushim_status make_context(cushim_context *ret)
{
    return cushim_context_create(w.driver, other_device(&w), 0, ret);
}

static cushim_status make_stream(cushim_stream *ret)
{
    return cushim_stream_new(w.context, NULL, ret);
}

static cushim_status make_event(cushim_event *ret)
{
    return cushim_event_new(w.context, 0, ret);
}

static cushim_status make_pinned(cushim_pinned *ret)
{
    return cushim_pinned_alloc(w.context, 4, 4, 0, ret);
}

static cushim_status read_pinned(cushim_pinned pinned)
{
    const void *p;

    return cushim_pinned_read(pinned, &p);
}

static cushim_status make_unified(cushim_unified *ret)
{
    return cushim_unified_alloc(w.context, 4, 4, CUSHIM_ATTACH_GLOBAL, ret);
}

static cushim_status use_unified(cushim_unified unified)
{
    return cushim_view_fill(stream, CUSHIM_VIEW(unified), &(int){1}, 4);
}

static cushim_status make_module(cushim_module *ret)
{
    return cushim_module_load_text(w.context, ptx, NULL, ret);
}

static cushim_status use_module(cushim_module module)
{
    cushim_function f;

    CUSHIM_TRY(cushim_module_function(module, "nothing", &f));
    return cushim_launch(stream, f, cushim_for_elements(1));
}

static cushim_status make_library(cushim_code_library *ret)
{
    return cushim_code_library_load(w.context, ptx, sizeof(ptx), NULL, ret);
}

static cushim_status use_library(cushim_code_library library)
{
    cushim_kernel kernel;

    return cushim_code_library_kernel(library, "nothing", &kernel);
}

static cushim_status make_graph(cushim_graph *ret)
{
    cushim_stream recorder;

    CUSHIM_TRY(cushim_capture_begin(w.context, &recorder));
    return cushim_capture_end(&recorder, ret);
}

static cushim_status use_graph(cushim_graph graph)
{
    return cushim_graph_launch(graph, stream);
}

static cushim_status make_trace(cushim_trace *ret)
{
    return cushim_trace_create(NULL, ret);
}

static cushim_status make_faults(cushim_faults *ret)
{
    return cushim_faults_create(NULL, ret);
}

static cushim_status make_driver(cushim_driver *ret)
{
    return cushim_open(cushim_open_params(.library = test_library()), ret);
}

static cushim_status use_driver(cushim_driver driver)
{
    int version;

    return cushim_driver_version(driver, &version);
}

Test(safe_retain, every_kind, .init = begin, .fini = end)
{
    BOTH_WAYS(cushim_context, make_context, cushim_context_free, cushim_context_synchronize);
    BOTH_WAYS(cushim_stream, make_stream, cushim_stream_free, cushim_stream_synchronize);
    BOTH_WAYS(cushim_event, make_event, cushim_event_free, cushim_event_query);
    BOTH_WAYS(cushim_pinned, make_pinned, cushim_pinned_free, read_pinned);
    BOTH_WAYS(cushim_unified, make_unified, cushim_unified_free, use_unified);
    BOTH_WAYS(cushim_module, make_module, cushim_module_free, use_module);
    BOTH_WAYS(cushim_code_library, make_library, cushim_code_library_free, use_library);
    BOTH_WAYS(cushim_graph, make_graph, cushim_graph_free, use_graph);
    BOTH_WAYS(cushim_trace, make_trace, cushim_trace_free, cushim_trace_reset);
    BOTH_WAYS(cushim_faults, make_faults, cushim_faults_free, cushim_faults_reset);
    BOTH_WAYS(cushim_driver, make_driver, cushim_close, use_driver);
}

Test(safe_retain, kernels_of_a_retained_library_stay, .init = begin, .fini = end)
{
    cushim_code_library library = CUSHIM_NONE, again = CUSHIM_NONE;
    cushim_kernel kernel;
    uint64_t other;

    assert_ok(make_library(&library));
    assert_ok(cushim_code_library_kernel(library, "nothing", &kernel));
    assert_ok(cushim_code_library_retain(library, &again));
    cushim_code_library_free(&library);
    assert_refused(cushim_handle_retain(kernel.id, &other), CUSHIM_ERROR_WRONG_HANDLE,
                   "a kernel lives as long as what it belongs to");
    cushim_code_library_free(&again);
}

Test(safe_retain, default_stream_outlives_its_context, .init = begin, .fini = end)
{
    cushim_context context = CUSHIM_NONE;
    cushim_stream original, kept = CUSHIM_NONE;

    assert_ok(make_context(&context));
    assert_ok(cushim_stream_default(context, &original));
    assert_ok(cushim_stream_retain(original, &kept));
    cushim_context_free(&context);
    assert_status(cushim_stream_synchronize(original), CUSHIM_ERROR_STALE_HANDLE);
    assert_ok(cushim_stream_synchronize(kept));
    cushim_stream_free(&kept);
}

Test(safe_retain, a_recording_ends_once, .init = begin, .fini = end)
{
    cushim_stream recorder = CUSHIM_NONE, again = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE, none = CUSHIM_NONE;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_stream_retain(recorder, &again));
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_refused(cushim_capture_end(&again, &none), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "the recording has ended, by another handle of the stream");
    cr_assert(eq(u64, again.id | none.id, 0));
    assert_ok(cushim_graph_launch(graph, stream));
    cushim_graph_free(&graph);
}

static int calls;

static bool count_call(struct cushim_call *call, void *user)
{
    (void) call;
    (void) user;
    calls++;
    return false;
}

Test(safe_retain, hooks_stay_until_the_last_handle_is_closed, .init = begin, .fini = end)
{
    const struct cushim_hooks hooks = {.before = count_call};
    cushim_driver hooked = CUSHIM_NONE, again = CUSHIM_NONE;
    cushim_context context = CUSHIM_NONE;

    assert_ok(cushim_interpose(w.driver, &hooks, 1, &hooked));
    assert_ok(cushim_driver_retain(hooked, &again));
    cushim_close(&hooked);
    calls = 0;
    assert_ok(cushim_context_primary(again, 0, &context));
    cr_assert(gt(int, calls, 0));
    cushim_context_free(&context);
    cushim_close(&again);
}

static char leaks[512];

static void keep_leak(enum cushim_log_level level, const char *message, void *user)
{
    (void) level;
    (void) user;
    if (strstr(message, "handle of a slice"))
        snprintf(leaks + strlen(leaks), sizeof(leaks) - strlen(leaks), "%s\n", message);
}

Test(safe_retain, a_handle_that_is_not_freed_is_told, .init = begin, .fini = end)
{
    cushim_slice x = CUSHIM_NONE, again = CUSHIM_NONE, third = CUSHIM_NONE;

    assert_ok((cushim_source_location("train.c:7"), (cushim_slice_alloc) (stream, 4, 4, &x)));
    assert_ok((cushim_source_location("keep.c:9"), (cushim_slice_retain) (x, &again)));
    assert_ok((cushim_slice_retain) (x, &third));
    cushim_slice_free(&x);
    cushim_log_set(CUSHIM_LOG_WARNING, keep_leak, NULL);
    cushim_close(&w.driver);
    cushim_log_set(CUSHIM_LOG_WARNING, NULL, NULL);
    cr_assert(eq(str, (char *) leaks,
                 (char *) "not freed before its driver was closed: another handle of a slice, made "
                          "by keep.c:9\n"
                          "not freed before its driver was closed: another handle of a slice, made "
                          "by train.c:7\n"));
    cushim_slice_free(&again);
    cushim_slice_free(&third);
}

Test(safe_retain, bad_handles, .init = begin, .fini = end)
{
    cushim_slice none = CUSHIM_NONE, again = CUSHIM_NONE;
    uint64_t id = 7;

    assert_refused(cushim_slice_retain(none, &again), CUSHIM_ERROR_STALE_HANDLE, "zero");
    assert_refused(cushim_slice_retain(none, NULL), CUSHIM_ERROR_INVALID_ARGUMENT, "NULL");
    assert_refused(cushim_handle_retain(UINT64_MAX, &id), CUSHIM_ERROR_STALE_HANDLE, "no handle");
    assert_refused(cushim_handle_retain(5, &id), CUSHIM_ERROR_STALE_HANDLE, "no handle");
    cr_assert(eq(u64, id, 7));
    cr_assert(eq(u64, again.id, 0));
}
