/* SPDX-License-Identifier: MIT */
/* When faults are injected, and what they do. */
#include "support_faults.h"

SUITE(faults);

Test(faults, without_rules_nothing_happens)
{
    struct faulty f;

    faulty_open(&f, 0);
    expect_calls(f, call_count, "...");
    expect_injected(f, NULL, 0);
    faulty_close(&f);
}

Test(faults, every_call_and_its_result)
{
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "cuDeviceGetCount", .result = 100);
    fake_seen()->calls = 0;
    cr_expect(eq(int, fake_count(f.table), -100));
    cr_expect(eq(int, fake_count(f.table), -100));
    cr_expect(eq(uint, fake_seen()->calls, 0), "the driver was called");
    cr_expect(eq(int, fake_count(fake_functions(f.below)), FAKE_COUNT(0)));
    expect_injected(f, "cuDeviceGetCount", 2);
    faulty_close(&f);
}

static int count_names(struct faulty f)
{
    int failed = 0;

    for (int i = 0; i < 3; i++) {
        const char *name = NULL;

        failed += CALL(f.table, cuGetErrorString, (int, const char **), 0, &name) == 77;
    }
    return failed;
}

/* The first function of the list is no other than the rest. */
Test(faults, of_the_first_function)
{
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "cuGetErrorString", .result = 77);
    cr_expect(eq(int, count_names(f), 3));
    expect_injected(f, "cuGetErrorString", 3);
    expect_injected(f, NULL, 3);
    faulty_close(&f);
}

Test(faults, of_allocations_alone)
{
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "*", .above_bytes = 1, .result = 77);
    cr_expect(eq(int, count_names(f), 0));
    faulty_close(&f);
}

Test(faults, the_nth)
{
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "cuDeviceGetCount", .nth = 3, .result = 1);
    expect_calls(f, call_count, "..X...");
    faulty_close(&f);
}

Test(faults, every_kth)
{
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "cuDeviceGetCount", .every = 3, .result = 1);
    expect_calls(f, call_count, "..X..X..X.");
    expect_injected(f, NULL, 3);
    faulty_close(&f);
}

Test(faults, at_most_so_many)
{
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "cuDeviceGetCount", .every = 2, .count = 2, .result = 1);
    expect_calls(f, call_count, ".X.X....");
    faulty_close(&f);
}

/* --- Probabilities --- */

static char *drawn(uint64_t seed, double probability, bool among_others)
{
    static char text[512];
    struct faulty f;

    faulty_open(&f, seed);
    ADD(f, "cu*", .probability = probability, .result = 1);
    for (size_t i = 0; i < 500; i++) {
        if (among_others)
            call_upload(f.table);
        text[i] = call_count(f.table) ? 'X' : '.';
    }
    text[500] = '\0';
    faulty_close(&f);
    return text;
}

static size_t hits(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += *text == 'X';
    return n;
}

Test(faults, the_same_seed_hits_the_same_calls)
{
    SCOPED_FREE char *first = strdup(drawn(7, 0.1, false));
    SCOPED_FREE char *again = strdup(drawn(7, 0.1, false));
    SCOPED_FREE char *among = strdup(drawn(7, 0.1, true));
    SCOPED_FREE char *other = strdup(drawn(8, 0.1, false));

    cr_expect(eq(str, first, again));
    cr_expect(eq(str, first, among), "calls of other functions changed what is hit");
    cr_expect(ne(str, first, other));
    /* 50 expected, with a standard deviation of 6.7. */
    cr_expect(hits(first) > 15 && hits(first) < 90, "%zu of 500 at 0.1", hits(first));
}

Test(faults, probabilities_at_the_ends)
{
    cr_expect(eq(sz, hits(drawn(1, 1, false)), 500));
    cr_expect(eq(sz, hits(drawn(1, 1e-12, false)), 0));
}

Test(faults, functions_and_rules_are_drawn_apart)
{
    SCOPED_FREE char *first = NULL, *second = NULL;
    struct faulty f;

    faulty_open(&f, 3);
    ADD(f, "cuMemcpy*", .probability = 0.5, .result = 1);
    first = strdup(calls(f.table, call_upload, 200));
    second = strdup(calls(f.table, call_download, 200));
    cr_expect(ne(str, first, second));
    faulty_close(&f);
}

/* --- Allocations --- */

Test(faults, allocations_above_a_size)
{
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "*", .above_bytes = 1000, .result = 2);
    cr_expect(eq(int, call_alloc(f.table, 1000), 0));
    cr_expect(eq(int, call_alloc(f.table, 1001), 2));
    cr_expect(eq(int, call_alloc(f.table, 999), 0));
    expect_calls(f, call_count, "..");
    expect_calls(f, call_upload, "..");
    expect_injected(f, NULL, 1);
    faulty_close(&f);
}

#define expect_above(table, result, ...)                                                           \
    do {                                                                                           \
        cr_expect(eq(int, CALL(table, __VA_ARGS__), result), "%s", #__VA_ARGS__);                  \
    } while (0)

/* Each function that allocates says its size in its own way. */
static void allocate_everywhere(fake_table t, size_t bytes, int result)
{
    uint64_t p = 0;
    uint32_t old = 0;
    size_t pitch = 0;
    void *host = NULL;

    expect_above(t, result, cuMemAlloc_v2, (uint64_t *, size_t), &p, bytes);
    expect_above(t, result, cuMemAlloc, (uint32_t *, uint32_t), &old, (uint32_t) bytes);
    expect_above(t, result, cuMemAllocAsync, (uint64_t *, size_t, void *), &p, bytes, NULL);
    expect_above(t, result, cuMemAllocAsync_ptsz, (uint64_t *, size_t, void *), &p, bytes, NULL);
    expect_above(t, result, cuMemAllocFromPoolAsync, (uint64_t *, size_t, void *, void *), &p,
                 bytes, NULL, NULL);
    expect_above(t, result, cuMemAllocFromPoolAsync_ptsz, (uint64_t *, size_t, void *, void *), &p,
                 bytes, NULL, NULL);
    expect_above(t, result, cuMemAllocHost_v2, (void **, size_t), &host, bytes);
    expect_above(t, result, cuMemHostAlloc, (void **, size_t, unsigned), &host, bytes, 0);
    expect_above(t, result, cuMemAllocManaged, (uint64_t *, size_t, unsigned), &p, bytes, 1);
    expect_above(t, result, cuMemCreate, (uint64_t *, size_t, void *, uint64_t), &p, bytes, NULL,
                 0);
    expect_above(t, result, cuMemAllocPitch_v2, (uint64_t *, size_t *, size_t, size_t, unsigned),
                 &p, &pitch, bytes / 4, 4, 4);
}

Test(faults, every_function_that_allocates)
{
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "*", .above_bytes = 4096, .result = 2);
    allocate_everywhere(f.table, 4096, 0);
    expect_injected(f, NULL, 0);
    allocate_everywhere(f.table, 4100, 2);
    expect_injected(f, NULL, 11);
    faulty_close(&f);
}

Test(faults, a_size_that_overflows_is_above_all)
{
    uint64_t p = 0;
    size_t pitch = 0;
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "cuMemAllocPitch", .above_bytes = UINT64_MAX - 1, .result = 2);
    expect_above(f.table, 2, cuMemAllocPitch_v2, (uint64_t *, size_t *, size_t, size_t, unsigned),
                 &p, &pitch, SIZE_MAX / 2, 16, 4);
    faulty_close(&f);
}

static int call_alloc_big(fake_table t)
{
    return call_alloc(t, 5000);
}

static int call_alloc_small(fake_table t)
{
    return call_alloc(t, 50);
}

Test(faults, conditions_hold_together)
{
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "cuMemAlloc*", .above_bytes = 1000, .nth = 2, .result = 2);
    expect_calls(f, call_alloc_small, "...");
    expect_calls(f, call_alloc_big, ".X.");
    faulty_close(&f);
}

/* --- After launches --- */

Test(faults, after_launches)
{
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "cuDeviceGetCount", .after_launches = 2, .result = 1);
    expect_calls(f, call_count, "..");
    expect_calls(f, call_launch, ".");
    expect_calls(f, call_count, "..");
    expect_calls(f, call_launch, "..");
    expect_calls(f, call_count, "XX");
    faulty_close(&f);
}

Test(faults, launches_are_of_kernels_and_graphs)
{
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "cuLaunchKernel", .after_launches = 2, .result = 719);
    CALL(f.table, cuLaunchHostFunc, (void *, void *, void *), NULL, NULL, NULL);
    CALL(f.table, cuGraphLaunch, (void *, void *), NULL, NULL);
    expect_calls(f, call_launch, ".XX");
    faulty_close(&f);
}

/* --- Time --- */

static uint64_t ns_of(fake_table table, some_call *call)
{
    const uint64_t start = cushim__now_ns();

    call(table);
    return cushim__now_ns() - start;
}

Test(faults, delays)
{
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "cuMemcpyHtoD", .delay_ns = 3000000);
    ADD(f, "cuCtxSynchronize", .delay_ns = 2000000);
    ADD(f, "cuMemcpy*", .every = 2, .delay_ns = 4000000, .result = 1);
    fake_seen()->calls = 0;
    cr_expect(ge(u64, ns_of(f.table, call_upload), 3000000));
    cr_expect(eq(uint, fake_seen()->calls, 1), "a late call is made");
    cr_expect(ge(u64, ns_of(f.table, call_upload), 7000000), "delays add up");
    cr_expect(eq(uint, fake_seen()->calls, 1));
    cr_expect(ge(u64, ns_of(f.table, fake_synchronize), 2000000));
    cr_expect(eq(uint, fake_seen()->calls, 2));
    expect_injected(f, "cuMemcpyHtoD", 2);
    faulty_close(&f);
}

/* --- Functions that are called all the same --- */

static int call_free(fake_table t)
{
    return fake_free(t, 0x1000);
}

static int call_stream_synchronize(fake_table t)
{
    return CALL(t, cuStreamSynchronize, (void *), NULL);
}

Test(faults, what_gives_back_or_waits_is_called)
{
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "*", .every = 2, .result = 719);
    fake_seen()->calls = 0;
    expect_calls(f, call_free, ".X.X");
    cr_expect(eq(uint, fake_seen()->calls, 4));
    expect_calls(f, call_stream_synchronize, ".X");
    expect_calls(f, fake_synchronize, ".X");
    cr_expect(eq(uint, fake_seen()->calls, 8));
    expect_calls(f, call_upload, ".X");
    cr_expect(eq(uint, fake_seen()->calls, 9));
    faulty_close(&f);
}

/* --- A lost device --- */

static int call_stream_query(fake_table t)
{
    return CALL(t, cuStreamQuery, (void *), NULL);
}

static int call_set_current(fake_table t)
{
    return CALL(t, cuCtxSetCurrent, (void *), NULL);
}

static int call_destroy_context(fake_table t)
{
    return CALL(t, cuCtxDestroy_v2, (void *), NULL);
}

static int call_error_name(fake_table t)
{
    const char *name = NULL;

    return CALL(t, cuGetErrorName, (int, const char **), 719, &name);
}

static int call_init(fake_table t)
{
    return fake_init(t, 0);
}

static some_call *const refused[] = {call_alloc_small, call_free,      call_launch,
                                     call_upload,      call_download,  call_stream_query,
                                     fake_synchronize, call_alloc_big, call_stream_synchronize};
static some_call *const kept[] = {call_init,        call_count,           call_error_name,
                                  call_set_current, call_destroy_context, call_init};

static void expect_lost(const struct faulty *f, int result)
{
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
        cr_expect(eq(int, refused[i](f->table), result), "refused[%zu]", i);
    for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
        cr_expect(eq(int, kept[i](f->table), 0), "kept[%zu]", i);
}

Test(faults, a_lost_device)
{
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "device_lost", .after_launches = 3);
    expect_lost(&f, 0); /* one launch */
    expect_calls(f, call_launch, "..");
    for (int i = 0; i < 3; i++)
        expect_lost(&f, 719);
    assert_ok(cushim_faults_reset(f.faults));
    expect_lost(&f, 0);
    faulty_close(&f);
}

Test(faults, a_sticky_fault_of_one_function)
{
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "cuMemcpyDtoH", .nth = 2, .result = 700, .sticky = true);
    ADD(f, "cuDeviceGetCount", .result = 1, .nth = 100);
    expect_calls(f, call_upload, "..");
    expect_calls(f, call_download, ".X");
    expect_lost(&f, 700);
    faulty_close(&f);
}
