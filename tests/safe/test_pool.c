/* SPDX-License-Identifier: MIT */
/* Memory pools. The mock's pools reserve memory in blocks of 32 MiB. */
#include <stdio.h>

#include "support.h"

SUITE(safe_pool);

#define BLOCK ((uint64_t) 32 << 20)

struct fixture {
    struct world w;
    cushim_context far; /* of device 1 */
    cushim_stream a, b;
    cushim_pool pool;
};

static void open_fixture_with(struct fixture *f, const struct cushim_pool_params *params)
{
    open_world(&f->w);
    f->pool = (cushim_pool){0};
    assert_ok(cushim_context_primary(f->w.driver, 1, &f->far));
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->a));
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->b));
    assert_ok(cushim_pool_new(f->w.context, params, &f->pool));
}

static void open_fixture(struct fixture *f)
{
    open_fixture_with(f, NULL);
}

static void close_fixture(struct fixture *f)
{
    cushim_pool_free(&f->pool);
    cushim_stream_free(&f->a);
    cushim_stream_free(&f->b);
    cushim_context_free(&f->far);
    close_world(&f->w);
}

static cushim_slice from_pool(const struct fixture *f, size_t bytes)
{
    cushim_slice slice = CUSHIM_NONE;

    assert_ok(cushim_slice_alloc_from(f->a, f->pool, 1, bytes, &slice));
    return slice;
}

#define assert_bytes(f, what, now, high)                                                           \
    do {                                                                                           \
        uint64_t bytes_ = 1, high_ = 1;                                                            \
        assert_ok(cushim_pool_##what((f)->pool, &bytes_, &high_));                                 \
        cr_assert(eq(u64, bytes_, now));                                                           \
        cr_assert(eq(u64, high_, high));                                                           \
    } while (0)

Test(safe_pool, statistics)
{
    cushim_slice x, y;
    struct fixture f;
    uint64_t only = 0;

    open_fixture(&f);
    assert_bytes(&f, used, 0, 0);
    x = from_pool(&f, 1024);
    y = from_pool(&f, BLOCK);
    assert_bytes(&f, used, BLOCK + 1024, BLOCK + 1024);
    assert_bytes(&f, reserved, 2 * BLOCK, 2 * BLOCK);
    cushim_slice_free(&y);
    assert_ok(cushim_stream_synchronize(f.a));
    assert_bytes(&f, used, 1024, BLOCK + 1024);
    assert_bytes(&f, reserved, BLOCK, 2 * BLOCK);
    assert_ok(cushim_pool_reset_high(f.pool));
    assert_bytes(&f, used, 1024, 1024);
    assert_bytes(&f, reserved, BLOCK, BLOCK);
    assert_ok(cushim_pool_used(f.pool, NULL, &only));
    cr_expect(eq(u64, only, 1024));
    assert_ok(cushim_pool_reserved(f.pool, &only, NULL));
    cr_expect(eq(u64, only, BLOCK));
    cushim_slice_free(&x);
    close_fixture(&f);
}

Test(safe_pool, threshold_and_trim)
{
    const struct cushim_pool_params *params =
        cushim_pool_params(.release_threshold = 2 * BLOCK, .label = "mine");
    cushim_slice x, y;
    struct fixture f;
    uint64_t bytes = 0;

    open_fixture_with(&f, params);
    assert_ok(cushim_pool_release_threshold(f.pool, &bytes));
    cr_expect(eq(u64, bytes, 2 * BLOCK));
    x = from_pool(&f, 2 * BLOCK);
    y = from_pool(&f, BLOCK);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    assert_ok(cushim_stream_synchronize(f.a));
    assert_bytes(&f, reserved, 2 * BLOCK, 3 * BLOCK);
    assert_ok(cushim_pool_set_release_threshold(f.pool, UINT64_MAX));
    assert_ok(cushim_pool_release_threshold(f.pool, &bytes));
    cr_expect(eq(u64, bytes, UINT64_MAX));
    assert_ok(cushim_pool_trim(f.pool, BLOCK));
    assert_bytes(&f, reserved, 2 * BLOCK, 3 * BLOCK);
    assert_ok(cushim_pool_trim(f.pool, 0));
    assert_bytes(&f, reserved, 0, 3 * BLOCK);
    assert_refused(cushim_label(f.pool, "again"), CUSHIM_ERROR_BUSY,
                   "this memory pool is called 'mine' already");
    close_fixture(&f);
}

/* The memory goes back to its pool, and not to what the context keeps. */
Test(safe_pool, slices_go_back)
{
    size_t kept = 1;
    cushim_slice x;
    struct fixture f;

    run_alone();
    setenv("CUSHIM_MOCK_CHECK", "0", 1);
    open_fixture(&f);
    x = from_pool(&f, 1024);
    assert_ok(cushim_slice_fill(f.b, x, (char) 7));
    forget_calls(&f.w);
    cushim_slice_free(&x);
    cr_expect(eq(u64, count(&f.w, "cuMemFreeAsync"), 1));
    assert_ok(cushim_memory_stats(f.w.context, &kept, NULL, NULL));
    cr_expect(eq(sz, kept, 0));
    /* Nor does memory that the context keeps come instead of the pool's. */
    assert_ok(cushim_slice_alloc(f.a, 1, 1024, &x));
    cushim_slice_free(&x);
    assert_ok(cushim_memory_stats(f.w.context, &kept, NULL, NULL));
    cr_expect(eq(sz, kept, 1024));
    forget_calls(&f.w);
    x = from_pool(&f, 1024);
    cr_expect(eq(u64, count(&f.w, "cuMemAllocFromPoolAsync"), 1));
    cushim_slice_free(&x);
    close_fixture(&f);
}

/* In whichever order the handles are freed. */
Test(safe_pool, lives_as_long_as_its_slices)
{
    cushim_slice x, left = CUSHIM_NONE, right = CUSHIM_NONE;
    uint64_t address = 0;
    char values[64];
    struct fixture f;

    open_fixture(&f);
    x = from_pool(&f, 64);
    cushim_pool_free(&f.pool);
    cr_expect(eq(u64, count(&f.w, "cuMemPoolDestroy"), 0));
    assert_ok(cushim_slice_split(&x, 32, &left, &right));
    cushim_slice_free(&left);
    assert_ok(cushim_slice_fill(f.b, right, (char) 3));
    assert_ok(cushim_slice_read(f.a, right, values, 32));
    cr_expect(eq(int, values[31], 3));
    cushim_slice_free(&right);
    cr_expect(eq(u64, count(&f.w, "cuMemPoolDestroy"), 1));
    /* Memory that is given away outlives the driver's pool. */
    assert_ok(cushim_pool_new(f.w.context, NULL, &f.pool));
    x = from_pool(&f, 64);
    assert_ok(cushim_slice_fill(f.b, x, (char) 5));
    forget_calls(&f.w);
    assert_ok(cushim_slice_leak(f.a, &x, &address));
    cushim_pool_free(&f.pool);
    cr_expect(eq(u64, count(&f.w, "cuMemPoolDestroy"), 1));
    cr_expect(eq(u64, count(&f.w, "cuEventSynchronize") + count(&f.w, "cuStreamSynchronize"), 0),
              "nothing is freed, so nothing waits");
    assert_ok(cushim_slice_adopt(f.a, address, 1, 64, CUSHIM_ADOPTED_ASYNC, &x));
    assert_ok(cushim_slice_fill(f.a, x, (char) 4));
    cushim_slice_free(&x);
    close_fixture(&f);
}

static char logged[400];

static void keep_log(enum cushim_log_level level, const char *message, void *user)
{
    (void) user;
    (void) level;
    snprintf(logged, sizeof(logged), "%s", message);
}

/* A slice of a pool that is not freed is told, unlike a variable of a module. */
Test(safe_pool, leaks_are_told)
{
    cushim_slice x;
    struct fixture f;

    open_fixture(&f);
    x = from_pool(&f, 64);
    assert_ok(cushim_label(x, "leaked"));
    cushim_pool_free(&f.pool);
    cushim_stream_free(&f.a);
    cushim_stream_free(&f.b);
    cushim_context_free(&f.far);
    cushim_context_free(&f.w.context);
    cushim_log_set(CUSHIM_LOG_WARNING, keep_log, NULL);
    cushim_close(&f.w.driver);
    cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
    assert_contains(logged, "slice 'leaked'");
    cushim_slice_free(&x);
    close_world(&f.w);
}

Test(safe_pool, of_the_device)
{
    cushim_pool mine;
    cushim_slice x = CUSHIM_NONE;
    struct fixture f;
    void *raw = NULL, *again = NULL;

    open_fixture(&f);
    mine = f.pool;
    assert_ok(cushim_pool_default(f.w.context, &f.pool));
    assert_ok(cushim_pool_raw(f.pool, &raw));
    assert_ok(cushim_slice_alloc(f.a, 1, 1024, &x));
    assert_bytes(&f, used, 1024, 1024);
    cushim_slice_free(&x);
    assert_ok(cushim_stream_synchronize(f.a));
    x = from_pool(&f, 512);
    assert_bytes(&f, used, 512, 1024);
    cushim_slice_free(&x);
    cushim_pool_free(&f.pool);
    cr_expect(eq(u64, count(&f.w, "cuMemPoolDestroy"), 0), "it is the driver's");
    /* The program may have set another one. */
    assert_ok(cushim_context_set_current(f.w.context));
    assert_ok(cushim_pool_raw(mine, &again));
    cr_expect(ne(ptr, raw, again));
    cr_assert(eq(int, RAW(&f.w, cuDeviceSetMemPool, (int, void *), 0, again), 0));
    assert_ok(cushim_pool_default(f.w.context, &f.pool));
    assert_ok(cushim_pool_raw(f.pool, &raw));
    cr_expect(eq(ptr, raw, again));
    cushim_pool_free(&mine);
    close_fixture(&f);
}

/* Work in all streams is in order, also for memory that is made and freed in others. */
Test(safe_pool, order)
{
    cushim_slice x, y;
    char values[256];
    struct fixture f;

    open_fixture(&f);
    for (int i = 0; i < 10; i++) {
        x = from_pool(&f, 256);
        assert_ok(cushim_slice_fill(f.b, x, (char) i));
        assert_ok(cushim_slice_clone(f.a, x, &y));
        cushim_slice_free(&x);
        assert_ok(cushim_slice_reclaim(f.b, &y, values, 256));
        cr_assert(eq(int, values[255], i));
    }
    close_fixture(&f);
}

Test(safe_pool, peers)
{
    static const char ptx[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .entry store(.param .u64 p, .param .u32 n) {\n.reg .u64 %p; .reg .u32 %n;\n"
        "ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; st.global.u32 [%p], %n; ret; }\n";
    enum cushim_pool_access access = CUSHIM_POOL_ACCESS_READ;
    cushim_module module = CUSHIM_NONE;
    cushim_stream stream = CUSHIM_NONE;
    cushim_function store;
    cushim_slice x, there = CUSHIM_NONE;
    uint64_t address = 0;
    struct fixture f;
    unsigned value = 0;

    open_fixture(&f);
    assert_ok(cushim_pool_access(f.pool, f.far, &access));
    cr_expect(eq(int, (int) access, CUSHIM_POOL_ACCESS_NONE));
    assert_ok(cushim_pool_access(f.pool, f.w.context, &access));
    cr_expect(eq(int, (int) access, CUSHIM_POOL_ACCESS_READ_WRITE));
    assert_ok(cushim_slice_alloc_from(f.a, f.pool, 4, 1, &x));
    assert_ok(cushim_pool_allow(f.pool, f.far, CUSHIM_POOL_ACCESS_READ_WRITE));
    assert_ok(cushim_pool_access(f.pool, f.far, &access));
    cr_expect(eq(int, (int) access, CUSHIM_POOL_ACCESS_READ_WRITE));
    assert_ok(cushim_stream_new(f.far, NULL, &stream));
    assert_ok(cushim_module_load_text(f.far, ptx, NULL, &module));
    assert_ok(cushim_module_function(module, "store", &store));
    assert_ok(cushim_slice_use(f.a, x, true, &address));
    assert_ok(cushim_stream_join(stream, f.a));
    assert_ok(cushim_slice_adopt(stream, address, 4, 1, CUSHIM_ADOPTED_BORROWED, &there));
    assert_ok(
        cushim_launch(stream, store, cushim_for_elements(1), CUSHIM_OUT(there), CUSHIM_VALUE(77u)));
    assert_ok(cushim_stream_join(f.a, stream));
    assert_ok(cushim_slice_used(f.a, x, true));
    assert_ok(cushim_slice_read(f.b, x, &value, 1));
    cr_expect(eq(uint, value, 77));
    cushim_slice_free(&there);
    assert_ok(cushim_pool_allow(f.pool, f.far, CUSHIM_POOL_ACCESS_NONE));
    assert_ok(cushim_pool_access(f.pool, f.far, &access));
    cr_expect(eq(int, (int) access, CUSHIM_POOL_ACCESS_NONE));
    assert_refused(cushim_pool_allow(f.pool, f.far, CUSHIM_POOL_ACCESS_READ), 801,
                   "drivers so far know no access for reading alone");
    assert_refused(cushim_pool_allow(f.pool, f.w.context, CUSHIM_POOL_ACCESS_NONE),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "peer is of the pool's own device");
    assert_refused(cushim_pool_allow(f.pool, f.w.context, CUSHIM_POOL_ACCESS_READ),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "peer is of the pool's own device");
    assert_ok(cushim_pool_allow(f.pool, f.w.context, CUSHIM_POOL_ACCESS_READ_WRITE));
    assert_refused(cushim_pool_allow(f.pool, f.far, (enum cushim_pool_access) 2),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "access is 2, it must be one of enum");
    cushim_slice_free(&x);
    cushim_module_free(&module);
    cushim_stream_free(&stream);
    close_fixture(&f);
}

Test(safe_pool, has_a_limit)
{
    cushim_slice x = CUSHIM_NONE;
    struct fixture f;
    char words[100];

    open_fixture_with(&f, cushim_pool_params(.max_bytes = BLOCK));
    assert_refused(cushim_slice_alloc_from(f.a, f.pool, 1, BLOCK + 1, &x), 2,
                   "cuMemAllocFromPoolAsync");
    snprintf(words, sizeof(words),
             "the pool has at most %zu, which is its .max_bytes, and 0 of them are in use",
             (size_t) BLOCK);
    assert_text(words);
    cr_expect(eq(u64, x.id, 0));
    x = from_pool(&f, BLOCK);
    assert_refused(cushim_slice_alloc_from(f.a, f.pool, 1, BLOCK, &x), 2, ".max_bytes");
    snprintf(words, sizeof(words), "and %zu of them are in use", (size_t) BLOCK);
    assert_text(words);
    cushim_slice_free(&x);
    close_fixture(&f);
}

Test(safe_pool, misuse)
{
    cushim_stream far = CUSHIM_NONE, recorder = CUSHIM_NONE;
    enum cushim_pool_access access;
    cushim_slice x = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_pool copy;
    struct fixture f;
    uint64_t bytes;
    void *raw;

    open_fixture(&f);
    assert_ok(cushim_stream_new(f.far, NULL, &far));
    assert_refused(cushim_slice_alloc_from(far, f.pool, 4, 1, &x), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "cushim_slice_alloc_from: the memory pool belongs to another context");
    assert_refused(cushim_slice_alloc_from(f.a, f.pool, 0, 1, &x), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "an element of 0 bytes");
    assert_refused(cushim_slice_alloc_from(f.a, f.pool, 8, SIZE_MAX / 4, &x),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "are more than there can be");
    assert_refused(cushim_slice_alloc_from(f.a, f.pool, 4, 1, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "ret_slice is NULL");
    assert_refused(cushim_slice_alloc_from(f.a, (cushim_pool){0}, 4, 1, &x),
                   CUSHIM_ERROR_STALE_HANDLE, "the memory pool handle is zero");
    assert_refused(cushim_slice_alloc_from(f.a, (cushim_pool){f.a.id}, 4, 1, &x),
                   CUSHIM_ERROR_WRONG_HANDLE, "expected a memory pool, this is the handle of a");
    assert_refused(cushim_slice_alloc_from((cushim_stream){f.pool.id}, f.pool, 4, 1, &x),
                   CUSHIM_ERROR_WRONG_HANDLE, "expected a stream");
    assert_refused(cushim_pool_new(f.w.context, NULL, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "ret_pool is NULL");
    assert_refused(cushim_pool_default(f.w.context, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "ret_pool is NULL");
    assert_refused(cushim_pool_raw(f.pool, NULL), CUSHIM_ERROR_INVALID_ARGUMENT, "is NULL");
    assert_refused(cushim_pool_release_threshold(f.pool, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "ret_bytes is NULL");
    assert_refused(cushim_pool_access(f.pool, f.far, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "ret_access is NULL");
    assert_refused(cushim_pool_allow(f.pool, (cushim_context){0}, CUSHIM_POOL_ACCESS_NONE),
                   CUSHIM_ERROR_STALE_HANDLE, "the context handle is zero");
    assert_ok(cushim_slice_alloc_from(f.a, f.pool, 4, 0, &x));
    cushim_slice_free(&x);
    assert_ok(cushim_capture_begin(f.w.context, &recorder));
    assert_refused(cushim_slice_alloc_from(recorder, f.pool, 4, 1, &x), CUSHIM_ERROR_CAPTURING,
                   "allocating from a pool is not possible");
    assert_ok(cushim_capture_end(&recorder, &graph));
    cushim_graph_free(&graph);
    copy = f.pool;
    cushim_pool_free(&f.pool);
    assert_refused(cushim_slice_alloc_from(f.a, copy, 4, 1, &x), CUSHIM_ERROR_STALE_HANDLE,
                   "the memory pool was freed by test_pool.c:");
    assert_refused(cushim_pool_trim(copy, 0), CUSHIM_ERROR_STALE_HANDLE, "freed by");
    assert_refused(cushim_pool_set_release_threshold(copy, 0), CUSHIM_ERROR_STALE_HANDLE, "freed");
    assert_refused(cushim_pool_release_threshold(copy, &bytes), CUSHIM_ERROR_STALE_HANDLE, "freed");
    assert_refused(cushim_pool_used(copy, &bytes, NULL), CUSHIM_ERROR_STALE_HANDLE, "freed by");
    assert_refused(cushim_pool_reserved(copy, &bytes, NULL), CUSHIM_ERROR_STALE_HANDLE, "freed by");
    assert_refused(cushim_pool_reset_high(copy), CUSHIM_ERROR_STALE_HANDLE, "freed by");
    assert_refused(cushim_pool_allow(copy, f.far, CUSHIM_POOL_ACCESS_NONE),
                   CUSHIM_ERROR_STALE_HANDLE, "freed by");
    assert_refused(cushim_pool_access(copy, f.far, &access), CUSHIM_ERROR_STALE_HANDLE, "freed by");
    assert_refused(cushim_pool_raw(copy, &raw), CUSHIM_ERROR_STALE_HANDLE, "freed by");
    cushim_pool_free(NULL);
    cushim_stream_free(&far);
    close_fixture(&f);
}

Test(safe_pool, a_device_without_pools)
{
    cushim_pool pool = CUSHIM_NONE;
    struct world w;

    open_world_with(&w, "device.*.memory_pools_supported = 0");
    forget_calls(&w);
    assert_refused(cushim_pool_new(w.context, NULL, &pool), 801,
                   "cushim_pool_new: the device has no memory pools");
    assert_refused(cushim_pool_default(w.context, &pool), 801,
                   "cushim_pool_default: the device has no memory pools");
    cr_expect(eq(u64, pool.id, 0));
    cr_expect(eq(u64, count(&w, "cuMemPoolCreate"), 0));
    close_world(&w);
}
