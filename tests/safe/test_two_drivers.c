/* SPDX-License-Identifier: MIT */
/*
 * Memory of one driver and work of another one in the same process. The other one is made of the
 * functions below: its device's memory is the host's, and its work is done at once.
 */
#include <stdatomic.h>

#include "support.h"

SUITE(safe_two_drivers);

enum { N = 100 };

static int succeed(void)
{
    return 0;
}

/* An event is the other driver's own, or nothing is known of it. */
static int refuse(void)
{
    return 400;
}

static int give_one(int *ret_number)
{
    *ret_number = 1;
    return 0;
}

static int give_version(int *ret_number)
{
    *ret_number = 13000;
    return 0;
}

static int give_pointer(void **ret_pointer)
{
    *ret_pointer = (void *) 0x1000;
    return 0;
}

/* No two streams of a driver have the same address. */
static int give_stream(void **ret_stream)
{
    static atomic_uintptr_t last = 0x2000;

    *ret_stream = (void *) (atomic_fetch_add(&last, 16) + 16);
    return 0;
}

static int allocate(void **ret_pointer, size_t bytes)
{
    *ret_pointer = calloc(1, bytes);
    return 0;
}

static int give_back(void *pointer)
{
    free(pointer);
    return 0;
}

static int copy_to_device(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return 0;
}

static int copy_to_host(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return 0;
}

typedef void entry(void);

static void *resolve(const char *symbol, void *user)
{
    static const struct {
        const char *symbol;
        entry *function;
    } own[] = {
        {"cuDriverGetVersion", (entry *) give_version},
        {"cuDeviceGetAttribute", (entry *) give_one},
        {"cuDeviceGetCount", (entry *) give_one},
        {"cuDevicePrimaryCtxRetain", (entry *) give_pointer},
        {"cuCtxGetCurrent", (entry *) give_pointer},
        {"cuStreamCreateWithPriority", (entry *) give_stream},
        {"cuMemAllocAsync", (entry *) allocate},
        {"cuMemFreeAsync", (entry *) give_back},
        {"cuMemHostAlloc", (entry *) allocate},
        {"cuMemFreeHost", (entry *) give_back},
        {"cuMemcpyHtoDAsync", (entry *) copy_to_device},
        {"cuMemcpyDtoHAsync", (entry *) copy_to_host},
        {"cuEventRecord", (entry *) refuse},
        {"cuEventSynchronize", (entry *) refuse},
        {"cuStreamWaitEvent", (entry *) refuse},
    };

    (void) user;
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (!strncmp(symbol, own[i].symbol, strlen(own[i].symbol)))
            return (void *) (intptr_t) own[i].function;
    return (void *) (intptr_t) succeed;
}

struct fixture {
    struct world w;
    cushim_stream here, there;
    cushim_driver other;
    cushim_context far;
    cushim_pinned pinned; /* of the driver that is tested */
    cushim_slice near, x; /* x is of the other one */
    int *host;
};

static void open_fixture(struct fixture *f)
{
    void *host = NULL;

    *f = (struct fixture){0};
    open_world(&f->w);
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->here));
    assert_ok(cushim_open(cushim_open_params(.resolver = resolve), &f->other));
    assert_ok(cushim_context_primary(f->other, 0, &f->far));
    assert_ok(cushim_stream_new(f->far, NULL, &f->there));
    assert_ok(cushim_memory_set_limit(f->far, 0));
    assert_ok(cushim_pinned_alloc(f->w.context, 4, N, 0, &f->pinned));
    assert_ok(cushim_pinned_write(f->pinned, &host));
    f->host = host;
    assert_ok(cushim_slice_zeros(f->here, 4, N, &f->near));
    assert_ok(cushim_slice_alloc(f->there, 4, N, &f->x));
}

static void close_fixture(struct fixture *f)
{
    cushim_slice_free(&f->x);
    cushim_slice_free(&f->near);
    cushim_pinned_free(&f->pinned);
    cushim_stream_free(&f->there);
    cushim_stream_free(&f->here);
    cushim_context_free(&f->far);
    cushim_close(&f->other);
    close_world(&f->w);
}

Test(safe_two_drivers, memory_of_another_driver_is_refused)
{
    struct fixture f;
    cushim_field pinned, far, near;

    open_fixture(&f);
    pinned = cushim_field_2d(CUSHIM_VIEW(f.pinned), 40, 9, 10);
    far = cushim_field_2d(CUSHIM_VIEW(f.x), 40, 9, 10);
    near = cushim_field_2d(CUSHIM_VIEW(f.near), 40, 9, 10);
    assert_refused(cushim_slice_copy(f.there, f.x, f.pinned), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "another driver");
    assert_refused(cushim_slice_copy(f.there, f.pinned, f.x), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "another driver");
    assert_refused(cushim_slice_fill(f.there, f.pinned, 1), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "another driver");
    assert_refused(cushim_slice_copy(f.there, f.x, f.near), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "another driver");
    assert_refused(cushim_slice_copy(f.here, f.x, f.near), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "another driver");
    assert_refused(cushim_field_copy(f.there, far, pinned), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "another driver");
    assert_refused(cushim_field_copy(f.here, far, near), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "another driver");
    close_fixture(&f);
}

Test(safe_two_drivers, streams_events_and_contexts_of_another_driver_are_refused)
{
    cushim_event near = CUSHIM_NONE, far = CUSHIM_NONE;
    float milliseconds = 0;
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_event_new(f.w.context, CUSHIM_EVENT_TIMING, &near));
    assert_ok(cushim_event_new(f.far, CUSHIM_EVENT_TIMING, &far));
    forget_calls(&f.w);
    assert_refused(cushim_stream_wait(f.here, far), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "the event is of another driver");
    assert_refused(cushim_stream_wait(f.there, near), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "another driver");
    assert_refused(cushim_stream_join(f.here, f.there), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "the other stream is of another driver");
    assert_refused(cushim_stream_join(f.there, f.here), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "another driver");
    assert_refused(cushim_event_elapsed(near, far, &milliseconds), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "the end event is of another driver");
    assert_refused(cushim_context_enable_peer(f.w.context, f.far), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "the peer is of another driver");
    assert_refused(cushim_context_disable_peer(f.w.context, f.far), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "another driver");
    cr_expect(eq(u64, count(&f.w, "cuStreamWaitEvent"), 0));
    cr_expect(eq(u64, count(&f.w, "cuEventElapsedTime"), 0));
    cr_expect(eq(u64, count(&f.w, "cuCtxEnablePeerAccess"), 0));
    cushim_event_free(&near);
    cushim_event_free(&far);
    close_fixture(&f);
}

Test(safe_two_drivers, memory_of_another_driver_is_not_recorded)
{
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_capture_begin(f.w.context, &recorder));
    assert_refused(cushim_slice_copy(recorder, f.near, f.x), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "another driver");
    assert_refused(cushim_slice_copy(recorder, f.x, f.near), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "another driver");
    assert_ok(cushim_capture_end(&recorder, &graph));
    cushim_graph_free(&graph);
    assert_ok(cushim_capture_begin(f.far, &recorder));
    assert_refused(cushim_slice_fill(recorder, f.pinned, 1), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "another driver");
    cushim_stream_free(&recorder);
    close_fixture(&f);
}

/* The memory that is pinned for one driver is the host's for the other, which waits for its work.
 */
Test(safe_two_drivers, memory_of_the_host_is_waited_for)
{
    struct fixture f;
    int got[N] = {0};

    open_fixture(&f);
    assert_ok(cushim_slice_fill(f.here, f.pinned, 7));
    assert_ok(cushim_slice_write(f.there, f.x, f.host, N));
    assert_ok(cushim_slice_read(f.there, f.x, got, N));
    cr_expect(eq(int, got[N - 1], 7));
    assert_ok(cushim_slice_fill(f.here, f.pinned, 8));
    assert_ok(cushim_slice_write_async(f.there, f.x, f.host, N));
    assert_ok(cushim_slice_read(f.there, f.x, got, N));
    cr_expect(eq(int, got[N - 1], 8));
    assert_ok(cushim_slice_fill(f.here, f.pinned, 9));
    assert_ok(cushim_slice_read_async(f.there, f.x, f.host, N));
    cr_expect(eq(int, f.host[N - 1], 8));
    close_fixture(&f);
}
