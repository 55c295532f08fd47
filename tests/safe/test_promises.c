/* SPDX-License-Identifier: MIT */
/* What calls promise when they fail, and what frees promise in any case. */
#include <stdatomic.h>
#include <stdio.h>

#include "support.h"

SUITE(safe_promises);

enum { N = 16 };

/* Counts down to the allocation of an object that fails; 0 means none. */
static int allocations_until_failure;

/* Takes the place of libc's function in this program, also for the library. */
__attribute__((visibility("default"))) void *aligned_alloc(size_t alignment, size_t bytes)
{
    void *memory = NULL;

    if (allocations_until_failure && --allocations_until_failure == 0)
        return NULL;
    return posix_memalign(&memory, alignment, bytes) ? NULL : memory;
}

/* Everything is freed while every call of the driver fails that a free may make. */
Test(safe_promises, frees_leave_the_last_error)
{
    struct world w;
    cushim_stream a = CUSHIM_NONE, b = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE, y = CUSHIM_NONE;
    cushim_pinned pinned = CUSHIM_NONE;
    cushim_event event = CUSHIM_NONE;
    int values[N] = {0};
    char text[1024];

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &a));
    assert_ok(cushim_stream_new(w.context, NULL, &b));
    assert_ok(cushim_slice_zeros(a, sizeof(int), N, &x));
    assert_ok(cushim_slice_clone(b, x, &y));
    assert_ok(cushim_pinned_alloc(w.context, sizeof(int), N, 0, &pinned));
    assert_ok(cushim_slice_copy(a, pinned, x));
    assert_ok(cushim_event_new(w.context, 0, &event));
    assert_refused(cushim_slice_read(a, x, values, N + 1), CUSHIM_ERROR_INVALID_ARGUMENT, "");
    snprintf(text, sizeof(text), "%s", cushim_error_text());
    inject(&w, "cuEventCreate result=719\ncuEventRecord result=719\ncuStreamWaitEvent result=719\n"
               "cuMemFreeAsync result=719\ncuMemFree_v2 result=719\ncuMemFreeHost result=719\n"
               "cuEventDestroy_v2 result=719\ncuStreamDestroy_v2 result=719\n");
    cushim_slice_free(&x);
    cushim_stream_free(&a);
    cushim_slice_free(&y);
    cushim_pinned_free(&pinned);
    cushim_stream_free(&b);
    cushim_event_free(&event);
    cr_expect(eq(str, S(cushim_error_text()), text));
    cr_expect(eq(int, cushim_error_status(), CUSHIM_ERROR_INVALID_ARGUMENT));
    cr_expect(ne(int, cushim_context_check(w.context), CUSHIM_OK));
}

Test(safe_promises, memory_that_is_not_adopted_is_not_freed)
{
    struct world w;
    cushim_stream stream = CUSHIM_NONE;
    cushim_slice owner = CUSHIM_NONE, slice = CUSHIM_NONE;
    uint64_t address = 0;

#ifdef HAVE_VALGRIND
    if (RUNNING_ON_VALGRIND)
        cr_skip("valgrind has an aligned_alloc() of its own");
#endif
    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_slice_zeros(stream, sizeof(int), N, &owner));
    assert_ok(cushim_slice_leak(stream, &owner, &address));
    for (int nth = 1; nth <= 2; nth++) {
        allocations_until_failure = nth;
        assert_refused(
            cushim_slice_adopt(stream, address, sizeof(int), N, CUSHIM_ADOPTED_ASYNC, &slice),
            CUSHIM_ERROR_NO_MEMORY, "memory");
        cr_expect(eq(int, allocations_until_failure, 0));
        cr_expect(eq(u64, slice.id, 0));
    }
    assert_ok(cushim_slice_adopt(stream, address, sizeof(int), N, CUSHIM_ADOPTED_ASYNC, &slice));
    assert_ok(cushim_slice_fill(stream, slice, 7));
    cushim_slice_free(&slice);
    cushim_stream_free(&stream);
    close_world(&w);
}

Test(safe_promises, waiting_for_a_context_leaves_its_recordings)
{
    struct world w;
    cushim_stream stream = CUSHIM_NONE, recorder = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    int values[N] = {0};

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_slice_zeros(stream, sizeof(int), N, &x));
    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_slice_fill(recorder, x, 5));
    assert_refused(cushim_context_synchronize(w.context), CUSHIM_ERROR_CAPTURING,
                   "1 of its streams record");
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_ok(cushim_context_synchronize(w.context));
    assert_ok(cushim_graph_launch(graph, stream));
    assert_ok(cushim_slice_read(stream, x, values, N));
    cr_expect(eq(int, values[N - 1], 5));
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_stream_free(&stream);
    close_world(&w);
}

Test(safe_promises, a_recording_that_was_dropped_is_no_recording)
{
    struct world w;
    cushim_stream recorder = CUSHIM_NONE;

    open_world(&w);
    assert_ok(cushim_capture_begin(w.context, &recorder));
    cushim_stream_free(&recorder);
    assert_ok(cushim_context_synchronize(w.context));
    close_world(&w);
}

/* A recorder is freed in every case, and its stream no longer captures. */
Test(safe_promises, the_end_of_a_recording_frees_the_recorder)
{
    struct world w;
    cushim_stream recorder = CUSHIM_NONE, stream = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;

    open_world(&w);
    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_refused(cushim_capture_end(&recorder, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "ret_graph is NULL");
    cr_expect(eq(u64, recorder.id, 0));
    assert_ok(cushim_capture_begin(w.context, &recorder));
    inject(&w, "cuCtxGetCurrent nth=1 result=999");
    assert_refused(cushim_capture_end(&recorder, &graph), 999, "cuCtxGetCurrent");
    cr_expect(eq(u64, recorder.id, 0));
    cr_expect(eq(u64, graph.id, 0));
    assert_ok(cushim_context_synchronize(w.context));
    /* Any other stream stays the caller's. */
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_refused(cushim_capture_end(&stream, NULL), CUSHIM_ERROR_INVALID_ARGUMENT, "");
    assert_refused(cushim_capture_end(&stream, &graph), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "not a stream");
    cushim_stream_free(&stream);
    close_world(&w);
}

/* The address of pinned memory means that memory, wherever it is passed. */
Test(safe_promises, addresses_of_pinned_memory_are_ordered)
{
    struct world w;
    cushim_stream a = CUSHIM_NONE, b = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE, y = CUSHIM_NONE;
    cushim_pinned pinned = CUSHIM_NONE;
    void *pointer = NULL;
    const void *seen = NULL;
    int values[N], *host;

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &a));
    assert_ok(cushim_stream_new(w.context, NULL, &b));
    assert_ok(cushim_slice_zeros(a, sizeof(int), N, &x));
    assert_ok(cushim_slice_zeros(b, sizeof(int), N, &y));
    assert_ok(cushim_pinned_alloc(w.context, sizeof(int), N, 0, &pinned));
    assert_ok(cushim_pinned_write(pinned, &pointer));
    host = pointer;
    memset(host, 0, sizeof(values));
    /* The device writes it: the host waits before it reads. */
    assert_ok(cushim_slice_fill(a, x, 5));
    assert_ok(cushim_slice_read_async(a, x, host, N));
    assert_ok(cushim_pinned_read(pinned, &seen));
    cr_expect(eq(int, host[N - 1], 5));
    /* The device reads it: the host waits before it writes. */
    assert_ok(cushim_slice_write_async(a, x, host, N));
    assert_ok(cushim_pinned_write(pinned, &pointer));
    host[N - 1] = 6;
    assert_ok(cushim_slice_read(a, x, values, N));
    cr_expect(eq(int, values[N - 1], 5));
    /* Another stream copies a part of it, and a call that waits reads it from there. */
    assert_ok(cushim_slice_fill(a, x, 7));
    assert_ok(cushim_slice_read_async(a, x, host, N));
    assert_ok(cushim_slice_write_async(b, y, host, N));
    assert_ok(cushim_slice_fill(a, x, 8));
    assert_ok(cushim_slice_read_async(a, x, host, N));
    assert_ok(cushim_slice_read(b, y, values, N));
    cr_expect(eq(int, values[N - 1], 7));
    assert_ok(cushim_slice_write(b, y, host, N));
    assert_ok(cushim_slice_read(b, y, values, N));
    cr_expect(eq(int, values[N - 1], 8));
    cushim_pinned_free(&pinned);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    close_world(&w);
}

/* What a host function or a hook frees, and what a call of it answers. */
struct callback {
    cushim_stream stream;
    cushim_slice slice;
    cushim_event event;
    cushim_status status;
    char text[200];
    bool done;
};

static void free_and_call(struct callback *c)
{
    if (c->done)
        return;
    c->done = true;
    cushim_slice_free(&c->slice);
    cushim_event_free(&c->event);
    c->status = cushim_stream_synchronize(c->stream);
    snprintf(c->text, sizeof(c->text), "%s", cushim_error_text());
}

static void host_function(void *user)
{
    free_and_call(user);
}

static bool before_launch(struct cushim_call *call, void *user)
{
    if (!strcmp(call->name, "cuMemsetD32Async"))
        free_and_call(user);
    return false;
}

static void open_callback(struct callback *c, cushim_context context)
{
    assert_ok(cushim_stream_new(context, NULL, &c->stream));
    assert_ok(cushim_slice_zeros(c->stream, sizeof(int), N, &c->slice));
    assert_ok(cushim_event_new(context, 0, &c->event));
}

static void close_callback(struct callback *c, const char *words)
{
    cr_expect(c->done);
    cr_expect(eq(int, c->status, 800));
    assert_contains(c->text, words);
    cr_expect(eq(u64, c->slice.id | c->event.id, 0));
    cushim_stream_free(&c->stream);
}

Test(safe_promises, a_host_function_frees_later)
{
    struct callback c = {.done = false};
    struct world w;

    open_world(&w);
    open_callback(&c, w.context);
    assert_ok(cushim_stream_host_function(c.stream, host_function, &c, NULL));
    assert_ok(cushim_stream_synchronize(c.stream));
    assert_ok(cushim_context_synchronize(w.context));
    cr_expect(eq(u64, count(&w, "cuEventDestroy_v2"), 1));
    cr_expect(eq(u64, count(&w, "cuMemFreeAsync"), 1));
    close_callback(&c, "called from a host function");
    close_world(&w);
}

/* A host function that frees, and then runs until it may end. */
struct slow {
    struct callback callback;
    atomic_bool freed, may_end;
};

static void free_and_be_slow(void *user)
{
    struct slow *slow = user;

    free_and_call(&slow->callback);
    atomic_store(&slow->freed, true);
    while (!atomic_load(&slow->may_end))
        ;
}

/* Work of another stream is submitted meanwhile, and frees it. */
Test(safe_promises, what_a_host_function_freed_is_freed_by_any_call)
{
    struct slow slow = {.callback = {.done = false}};
    cushim_stream other = CUSHIM_NONE;
    cushim_slice slice = CUSHIM_NONE;
    int value = 0;
    struct world w;

    open_world(&w);
    open_callback(&slow.callback, w.context);
    assert_ok(cushim_stream_new(w.context, NULL, &other));
    assert_ok(cushim_slice_zeros(other, sizeof(int), 1, &slice));
    assert_ok(cushim_stream_host_function(slow.callback.stream, free_and_be_slow, &slow, NULL));
    while (!atomic_load(&slow.freed))
        CUSHIM_IGNORE(cushim_stream_query(slow.callback.stream));
    assert_ok(cushim_slice_fill(other, slice, 7));
    assert_ok(cushim_slice_fill(other, slice, 8));
    cr_expect(eq(u64, count(&w, "cuEventDestroy_v2"), 1));
    atomic_store(&slow.may_end, true);
    assert_ok(cushim_slice_read(other, slice, &value, 1));
    cr_expect(eq(int, value, 8));
    close_callback(&slow.callback, "called from a host function");
    cushim_slice_free(&slice);
    cushim_stream_free(&other);
    close_world(&w);
}

/* The hook runs while cushim fills, with locks held. */
Test(safe_promises, a_hook_frees_later_and_does_not_hang)
{
    struct callback c = {.done = true};
    const struct cushim_hooks hooks = {.before = before_launch, .user = &c};
    cushim_driver hooked = CUSHIM_NONE;
    cushim_context context = CUSHIM_NONE;
    cushim_slice other = CUSHIM_NONE;
    struct world w;

    open_world(&w);
    assert_ok(cushim_interpose(w.driver, &hooks, 1, &hooked));
    assert_ok(cushim_context_primary(hooked, 0, &context));
    open_callback(&c, context);
    assert_ok(cushim_slice_alloc(c.stream, sizeof(int), N, &other));
    c.done = false;
    assert_ok(cushim_slice_fill(c.stream, other, 1));
    assert_ok(cushim_context_synchronize(context));
    cr_expect(eq(u64, count(&w, "cuEventDestroy_v2"), 1));
    cushim_slice_free(&other);
    close_callback(&c, "called from a hook");
    cushim_context_free(&context);
    cushim_close(&hooked);
    close_world(&w);
}

/* The end of the range does not fit into a size_t. */
Test(safe_promises, a_part_that_overflows_is_told_as_it_was_asked_for)
{
    struct world w;
    cushim_stream stream = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE;
    cushim_view view;

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_slice_zeros(stream, sizeof(int), N, &x));
    assert_refused(cushim_view_part(CUSHIM_VIEW(x), SIZE_MAX, 2, &view),
                   CUSHIM_ERROR_INVALID_ARGUMENT,
                   "2 elements from element 18446744073709551615 on, the view has 16");
    assert_refused(cushim_view_split(CUSHIM_VIEW(x), 17, &view, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "at 17 of 16 elements");
    cushim_slice_free(&x);
    cushim_stream_free(&stream);
    close_world(&w);
}

Test(safe_promises, more_than_the_driver_knows_is_not_adopted)
{
    struct world w;
    cushim_stream stream = CUSHIM_NONE;
    cushim_slice owner = CUSHIM_NONE, slice = CUSHIM_NONE;
    uint64_t address = 0;

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_slice_zeros(stream, sizeof(int), N, &owner));
    assert_ok(cushim_slice_use(stream, owner, true, &address));
    assert_refused(cushim_slice_adopt(stream, address, 1 << 20, 4, CUSHIM_ADOPTED_BORROWED, &slice),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "there are 64 bytes, and not 4194304");
    assert_ok(cushim_slice_adopt(stream, address + 32, 1, 32, CUSHIM_ADOPTED_BORROWED, &slice));
    cushim_slice_free(&slice);
    assert_refused(cushim_slice_copy(stream, owner, owner), CUSHIM_ERROR_OVERLAP, "in 64 bytes");
    cr_expect(eq(ptr, strchr(cushim_error_text(), '\''), NULL), "no empty name");
    cushim_slice_free(&owner);
    cushim_stream_free(&stream);
    close_world(&w);
}
