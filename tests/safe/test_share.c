/* SPDX-License-Identifier: MIT */
/*
 * What names are made of and what is refused, in one process; two_processes.c has two. The mock
 * does not share events, so a hook answers for the driver there.
 */
#include <unistd.h>

#include "support.h"

SUITE(safe_share);

struct fixture {
    struct world w;
    cushim_context far;
    cushim_stream a;
};

static void open_fixture(struct fixture *f)
{
    open_world(&f->w);
    assert_ok(cushim_context_primary(f->w.driver, 1, &f->far));
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->a));
}

static void close_fixture(struct fixture *f)
{
    cushim_stream_free(&f->a);
    cushim_context_free(&f->far);
    close_world(&f->w);
}

#define assert_wrong(expr, part) assert_refused(expr, CUSHIM_ERROR_INVALID_ARGUMENT, part)

/* Shared memory is never kept for another slice, which the other processes could then see. */
Test(safe_share, memory_of_its_own)
{
    cushim_slice x = CUSHIM_NONE;
    struct fixture f;
    size_t kept = 1;
    int value = 0;

    run_alone();
    setenv("CUSHIM_MOCK_CHECK", "0", 1);
    open_fixture(&f);
    forget_calls(&f.w);
    assert_ok(cushim_slice_alloc_shared(f.a, 4, 100, &x));
    cr_expect(eq(u64, count(&f.w, "cuMemAlloc_v2"), 1));
    assert_ok(cushim_slice_fill(f.a, x, 7));
    assert_ok(cushim_label(x, "shared"));
    cushim_slice_free(&x);
    cr_expect(eq(u64, count(&f.w, "cuMemFree_v2"), 1));
    assert_ok(cushim_memory_stats(f.w.context, &kept, NULL, NULL));
    cr_expect(eq(sz, kept, 0));
    assert_ok(cushim_slice_alloc_shared(f.a, 4, 1, &x));
    assert_ok(cushim_slice_fill(f.a, x, 8));
    assert_ok(cushim_slice_reclaim(f.a, &x, &value, 1));
    cr_expect(eq(int, value, 8));
    inject(&f.w, "cuMemAlloc_v2 nth=1 result=out_of_memory\n");
    assert_status(cushim_slice_alloc_shared(f.a, 4, 1, &x), 2);
    cr_expect(eq(u64, x.id, 0));
    close_fixture(&f);
}

/* Adopted memory may be a part of an allocation. */
/* Without memory pools each slice can be shared. Only what was shared is not kept. */
Test(safe_share, memory_of_a_device_without_pools)
{
    cushim_stream a = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE;
    struct cushim_shared_slice name;
    struct world w;
    size_t kept = 1;

    run_alone();
    setenv("CUSHIM_MOCK_CHECK", "0", 1);
    open_world_with(&w, "device.*.memory_pools_supported = 0");
    assert_ok(cushim_stream_new(w.context, NULL, &a));
    for (int shared = 0; shared < 2; shared++) {
        assert_ok(cushim_slice_zeros(a, 4, 100, &x));
        if (shared)
            assert_ok(cushim_slice_share(x, &name));
        cushim_slice_free(&x);
        assert_ok(cushim_memory_stats(w.context, &kept, NULL, NULL));
        cr_expect(eq(sz, kept, shared ? 0 : 400));
    }
    cushim_stream_free(&a);
    close_world(&w);
}

Test(safe_share, the_place_in_the_allocation)
{
    struct cushim_shared_slice whole, part;
    cushim_slice x = CUSHIM_NONE, y = CUSHIM_NONE;
    uint64_t address = 0;
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_slice_alloc_shared(f.a, 8, 100, &x));
    assert_ok(cushim_slice_share(x, &whole));
    cr_expect(eq(u64, whole.offset, 0));
    cr_expect(eq(u64, whole.element, 8));
    cr_expect(eq(u64, whole.length, 100));
    cr_expect(eq(u64, whole.of_pool & 0xffff, 0));
    assert_ok(cushim_slice_use(f.a, x, false, &address));
    assert_ok(cushim_slice_adopt(f.a, address + 64, 2, 5, CUSHIM_ADOPTED_BORROWED, &y));
    assert_ok(cushim_slice_share(y, &part));
    cr_expect(eq(u64, part.offset, 64));
    cr_expect(eq(u64, part.element, 2));
    cr_expect(eq(u64, part.length, 5));
    cr_expect(eq(int, memcmp(part.handle, whole.handle, sizeof(part.handle)), 0));
    cushim_slice_free(&y);
    /* Where the allocation ends, there is nothing, or another one. */
    assert_ok(cushim_slice_split(&x, 100, &x, &y));
    assert_ok(cushim_slice_share(y, &part));
    cr_expect(eq(u64, part.offset, 800));
    cr_expect(eq(u64, part.length, 0));
    cr_expect(eq(int, memcmp(part.handle, whole.handle, sizeof(part.handle)), 0));
    cushim_slice_free(&y);
    cushim_slice_free(&x);
    close_fixture(&f);
}

/* As a program may that calls the driver itself. */
static void share_by_hand(const struct world *w, cushim_pool pool)
{
    void *cu = NULL;
    int fd = -1;

    assert_ok(cushim_pool_raw(pool, &cu));
    cr_assert(eq(int,
                 RAW(w, cuMemPoolExportToShareableHandle, (int *, void *, int, uint64_t), &fd, cu,
                     1, (uint64_t) 0),
                 0));
    close(fd);
}

Test(safe_share, what_cannot_be_shared)
{
    static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                              ".visible .global .align 4 .b8 table[64];\n";
    struct cushim_shared_slice name = {.offset = 77};
    cushim_slice x = CUSHIM_NONE, copy, table;
    cushim_module module = CUSHIM_NONE;
    cushim_pool pool = CUSHIM_NONE;
    struct fixture f;
    int fd = 77;

    open_fixture(&f);
    assert_ok(cushim_slice_alloc(f.a, 4, 1, &x));
    assert_wrong(cushim_slice_share(x, &name),
                 "of the device's memory pool; cushim_slice_alloc_sh");
    assert_wrong(cushim_slice_share(x, NULL), "ret_name is NULL");
    copy = x;
    cushim_slice_free(&x);
    assert_refused(cushim_slice_share(copy, &name), CUSHIM_ERROR_STALE_HANDLE, "freed by");
    assert_refused(cushim_slice_share((cushim_slice){f.a.id}, &name), CUSHIM_ERROR_WRONG_HANDLE,
                   "expected a slice");
    assert_ok(cushim_slice_alloc_shared(f.a, 4, 0, &x));
    assert_wrong(cushim_slice_share(x, &name), "the slice cannot be shared: it has no memory");
    cushim_slice_free(&x);
    assert_ok(cushim_module_load_text(f.w.context, ptx, NULL, &module));
    assert_ok(cushim_module_global(module, "table", &table));
    assert_wrong(cushim_slice_share(table, &name), "not of an allocation of its own");
    cushim_module_free(&module);
    assert_ok(cushim_pool_new(f.w.context, NULL, &pool));
    assert_wrong(cushim_pool_share(pool, &fd), "made without .shared");
    assert_wrong(cushim_pool_share(pool, NULL), "ret_fd is NULL");
    assert_ok(cushim_slice_alloc_from(f.a, pool, 4, 1, &x));
    assert_wrong(cushim_slice_share(x, &name), "its pool was made without .shared");
    cushim_slice_free(&x);
    cushim_pool_free(&pool);
    assert_ok(cushim_pool_new(f.w.context, cushim_pool_params(.shared = true), &pool));
    assert_ok(cushim_slice_alloc_from(f.a, pool, 4, 1, &x));
    assert_wrong(cushim_slice_share(x, &name), "cushim_pool_share() comes first");
    share_by_hand(&f.w, pool);
    assert_ok(cushim_slice_share(x, &(struct cushim_shared_slice){0}));
    cushim_slice_free(&x);
    cushim_pool_free(&pool);
    cr_expect(eq(int, fd, 77), "written on success only");
    cr_expect(eq(u64, name.offset, 77), "written on success only");
    close_fixture(&f);
}

Test(safe_share, what_cannot_be_opened)
{
    cushim_stream recorder = CUSHIM_NONE, remote = CUSHIM_NONE;
    struct cushim_shared_slice name, wrong, zeros;
    cushim_slice x = CUSHIM_NONE, y = CUSHIM_NONE;
    const cushim_pool none = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_pool pool = CUSHIM_NONE;
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_slice_alloc_shared(f.a, 4, 10, &x));
    assert_ok(cushim_slice_share(x, &name));
    assert_refused(cushim_slice_open(f.a, none, &name, &y), 201, "cuIpcOpenMemHandle");
    assert_wrong(cushim_slice_open(f.a, none, NULL, &y), "name is NULL");
    assert_wrong(cushim_slice_open(f.a, none, &name, NULL), "ret_slice is NULL");
    forget_calls(&f.w);
    memset(&zeros, 0, sizeof(zeros));
    wrong = name;
    wrong.element = 0;
    assert_wrong(cushim_slice_open(f.a, none, &wrong, &y), "an element of 0 bytes");
    wrong.element = SIZE_MAX / 4;
    assert_wrong(cushim_slice_open(f.a, none, &wrong, &y), "are more than there can be");
    wrong = name;
    wrong.offset = PTRDIFF_MAX - 39;
    assert_wrong(cushim_slice_open(f.a, none, &wrong, &y), "not the name of a slice");
    wrong = name;
    wrong.of_pool += 2;
    assert_wrong(cushim_slice_open(f.a, none, &wrong, &y), "not the name of a slice that");
    wrong.of_pool = 0;
    assert_wrong(
        cushim_slice_open(f.a, none, &wrong, &y),
        "these bytes are not the name of a slice that cushim_slice_share() of this version");
    assert_wrong(cushim_slice_open(f.a, none, &zeros, &y), "these bytes are not the name");
    wrong.of_pool = name.of_pool + 1;
    assert_wrong(cushim_slice_open(f.a, none, &wrong, &y), "is of a pool, and none is given");
    cr_expect(eq(u64, count(&f.w, "cuIpcOpenMemHandle_v2"), 0));
    assert_ok(cushim_pool_new(f.w.context, NULL, &pool));
    assert_wrong(cushim_slice_open(f.a, pool, &name, &y), "is not of a pool, and a pool is given");
    assert_refused(cushim_slice_open(f.a, pool, &wrong, &y), 1, "cuMemPoolImportPointer");
    assert_ok(cushim_stream_new(f.far, NULL, &remote));
    assert_refused(cushim_slice_open(remote, pool, &wrong, &y), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "memory pool");
    assert_refused(cushim_slice_open(f.a, (cushim_pool){f.a.id}, &wrong, &y),
                   CUSHIM_ERROR_WRONG_HANDLE, "expected a memory pool");
    assert_ok(cushim_capture_begin(f.w.context, &recorder));
    assert_refused(cushim_slice_open(recorder, none, &name, &y), CUSHIM_ERROR_CAPTURING,
                   "opening memory is not possible");
    assert_refused(cushim_slice_alloc_shared(recorder, 4, 1, &y), CUSHIM_ERROR_CAPTURING,
                   "allocating memory is not possible");
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_wrong(cushim_slice_alloc_shared(f.a, 4, 1, NULL), "ret_slice is NULL");
    assert_wrong(cushim_slice_alloc_shared(f.a, 0, 1, &y), "an element of 0 bytes");
    assert_wrong(cushim_slice_alloc_shared(f.a, 8, SIZE_MAX / 4, &y), "more than there can be");
    assert_wrong(cushim_pool_open(f.w.context, -1, &pool), "fd is -1");
    assert_wrong(cushim_pool_open(f.w.context, 0, NULL), "ret_pool is NULL");
    assert_refused(cushim_pool_open(f.w.context, 0, &(cushim_pool){0}), 1,
                   "cuMemPoolImportFromShareableHandle");
    cr_expect(eq(u64, y.id, 0));
    cushim_graph_free(&graph);
    cushim_pool_free(&pool);
    cushim_stream_free(&remote);
    cushim_slice_free(&x);
    close_fixture(&f);
}

/* --- events, for which a hook answers --- */

static void *shared;     /* the CUevent that was shared, and is opened */
static bool opens;       /* the hook answers at all */
static unsigned created; /* the flags of the last event */

static bool before(struct cushim_call *call, void *user)
{
    (void) user;
    call->result = 0;
    if (call->row == CUSHIM_ROW_cuEventCreate)
        created = *(const unsigned *) call->args[1];
    if (!opens)
        return false;
    if (call->row == CUSHIM_ROW_cuIpcGetEventHandle) {
        shared = *(void *const *) call->args[1];
        memset(*(void **) call->args[0], 0x5a, 64);
        return true;
    }
    if (call->row != CUSHIM_ROW_cuIpcOpenEventHandle)
        return false;
    **(void ***) call->args[0] = shared;
    return true;
}

Test(safe_share, events)
{
    const struct cushim_hooks hooks = {.before = before};
    cushim_event made = CUSHIM_NONE, opened = CUSHIM_NONE, plain = CUSHIM_NONE, copy;
    cushim_context context = CUSHIM_NONE;
    cushim_driver watched = CUSHIM_NONE;
    struct cushim_shared_event name;
    cushim_stream stream = CUSHIM_NONE, other = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE;
    void *raw = NULL;
    struct fixture f;
    uint64_t waits;

    open_fixture(&f);
    opens = false;
    assert_ok(cushim_context_set_current(f.w.context));
    assert_ok(cushim_interpose(f.w.driver, &hooks, 1, &watched));
    assert_ok(cushim_context_primary(watched, 0, &context));
    assert_ok(cushim_stream_new(context, NULL, &stream));
    assert_ok(cushim_stream_new(context, NULL, &other));
    assert_wrong(cushim_event_new(context, CUSHIM_EVENT_INTERPROCESS | CUSHIM_EVENT_TIMING, &made),
                 "an event for other processes cannot have timing");
    assert_ok(cushim_event_new(context, CUSHIM_EVENT_INTERPROCESS, &made));
    cr_expect(eq(uint, created, 4 | 2));
    assert_refused(cushim_event_share(made, &name), 801, "cuIpcGetEventHandle");
    assert_refused(cushim_event_open(context, &name, &opened), 205, "cuIpcOpenEventHandle");
    opens = true;
    assert_ok(cushim_event_share(made, &name));
    cr_expect(eq(int, name.handle[63], 0x5a));
    assert_ok(cushim_event_raw(made, &raw));
    cr_expect(eq(ptr, raw, shared));
    /*
     * A wait for it may be a wait for another process's recording. So the work before our own is
     * not known to be passed.
     */
    assert_ok(cushim_slice_zeros(stream, 4, 1, &x));
    assert_ok(cushim_event_record(made, stream));
    assert_ok(cushim_stream_wait(other, made));
    waits = count(&f.w, "cuStreamWaitEvent");
    assert_ok(cushim_slice_fill(other, x, 1));
    cr_expect(eq(u64, count(&f.w, "cuStreamWaitEvent"), waits + 1));
    cushim_slice_free(&x);
    assert_ok(cushim_event_synchronize(made));
    assert_ok(cushim_event_query(made));
    /* Opening returns another CUevent in life, which is destroyed with its handle. */
    cr_assert(eq(int, RAW(&f.w, cuEventCreate, (void **, unsigned), &shared, 4 | 2), 0));
    assert_ok(cushim_event_open(context, &name, &opened));
    assert_ok(cushim_event_record(opened, other));
    assert_ok(cushim_stream_wait(stream, opened));
    assert_wrong(cushim_event_share(made, NULL), "ret_name is NULL");
    assert_wrong(cushim_event_open(context, NULL, &plain), "name is NULL");
    assert_wrong(cushim_event_open(context, &name, NULL), "ret_event is NULL");
    assert_ok(cushim_event_new(context, 0, &plain));
    assert_wrong(cushim_event_share(plain, &name), "made without CUSHIM_EVENT_INTERPROCESS");
    copy = plain;
    cushim_event_free(&plain);
    assert_refused(cushim_event_share(copy, &name), CUSHIM_ERROR_STALE_HANDLE, "freed by");
    cushim_event_free(&opened);
    cushim_event_free(&made);
    cushim_stream_free(&stream);
    cushim_stream_free(&other);
    cushim_context_free(&context);
    cushim_close(&watched);
    close_fixture(&f);
}
