/* SPDX-License-Identifier: MIT */
/*
 * Faults in front of a driver, the mock unless CUSHIM_TEST_LIBRARY names another: the program goes
 * on after them, and on the mock, whose memory is this process's alone, nothing is left behind.
 */
#include <stdio.h>

#include "../support/driver.h"
#include "support_faults.h"

SUITE(fault_mock);

struct mock {
    struct faulty f;
    size_t free_bytes; /* before */
    void *context;
};

static size_t free_bytes(cushim_driver driver)
{
    size_t bytes = 0, total = 0;

    cr_assert(zero(
        int, CALL(fake_functions(driver), cuMemGetInfo_v2, (size_t *, size_t *), &bytes, &total)));
    return bytes;
}

static void open_mock(struct mock *m, const char *rules)
{
    struct cushim_hooks hooks;

    *m = (struct mock){0};
    assert_ok(cushim_open(cushim_open_params(.library = test_library()), &m->f.below));
    assert_ok(cushim_faults_create(NULL, &m->f.faults));
    hooks = cushim_faults_hooks(m->f.faults);
    assert_ok(cushim_interpose(m->f.below, &hooks, 1, &m->f.driver));
    m->f.table = fake_functions(m->f.driver);
    cr_assert(
        zero(int, CALL(m->f.table, cuDevicePrimaryCtxRetain, (void **, int), &m->context, 0)));
    cr_assert(zero(int, CALL(m->f.table, cuCtxSetCurrent, (void *), m->context)));
    m->free_bytes = free_bytes(m->f.below);
    READ(m->f, rules);
}

/* All memory is free again, where nobody else uses the device. */
static void expect_all_free(const struct mock *m)
{
    if (on_the_mock())
        cr_expect(eq(sz, free_bytes(m->f.below), m->free_bytes), "memory is left behind");
}

/* Whatever happened. */
static void close_mock(struct mock *m)
{
    expect_all_free(m);
    CALL(m->f.table, cuDevicePrimaryCtxRelease_v2, (int), 0);
    faulty_close(&m->f);
}

Test(fault_mock, the_second_allocation_fails)
{
    uint64_t first = 0, second = 77;
    struct mock m;

    open_mock(&m, "cuMemAlloc* nth=2 result=out_of_memory");
    cr_expect(eq(int, fake_alloc(m.f.table, &first, 4096), 0));
    cr_expect(eq(int, fake_alloc(m.f.table, &second, 4096), 2));
    cr_expect(eq(u64, second, 77));
    cr_expect(eq(int, fake_alloc(m.f.table, &second, 4096), 0));
    cr_expect(eq(int, fake_free(m.f.table, first), 0));
    cr_expect(eq(int, fake_free(m.f.table, second), 0));
    close_mock(&m);
}

Test(fault_mock, large_allocations_fail)
{
    uint64_t small = 0, large = 0;
    struct mock m;

    open_mock(&m, "* above=64MiB result=2");
    cr_expect(eq(int, fake_alloc(m.f.table, &small, (size_t) 64 << 20), 0));
    cr_expect(eq(int, fake_alloc(m.f.table, &large, ((size_t) 64 << 20) + 1), 2));
    cr_expect(eq(int, fake_free(m.f.table, small), 0));
    close_mock(&m);
}

Test(fault_mock, a_free_that_fails_has_freed)
{
    uint64_t pointer = 0;
    struct mock m;

    open_mock(&m, "cuMemFree result=launch_failed");
    cr_expect(eq(int, fake_alloc(m.f.table, &pointer, 1 << 20), 0));
    cr_expect(eq(int, fake_free(m.f.table, pointer), 719));
    expect_all_free(&m);
    close_mock(&m);
}

static int launch_nothing(fake_table t)
{
    return call_launch(t); /* of no function: an error of its own, and counted all the same */
}

Test(fault_mock, a_lost_device)
{
    uint64_t pointer = 0, other = 0;
    unsigned char byte = 0;
    struct mock m;

    open_mock(&m, "device_lost after=2 result=unknown");
    cr_expect(eq(int, fake_alloc(m.f.table, &pointer, 4096), 0));
    launch_nothing(m.f.table);
    cr_expect(
        eq(int, CALL(m.f.table, cuMemsetD8_v2, (uint64_t, unsigned char, size_t), pointer, 1, 4096),
           0));
    launch_nothing(m.f.table);
    cr_expect(eq(int, launch_nothing(m.f.table), 999));
    cr_expect(eq(
        int, CALL(m.f.table, cuMemcpyDtoH_v2, (void *, uint64_t, size_t), &byte, pointer, 1), 999));
    cr_expect(eq(int, fake_alloc(m.f.table, &other, 4096), 999));
    cr_expect(eq(int, fake_synchronize(m.f.table), 999));
    cr_expect(eq(int, fake_free(m.f.table, pointer), 999));
    cr_expect(eq(int, CALL(m.f.table, cuCtxSetCurrent, (void *), m.context), 0));
    cr_expect(eq(int, call_count(m.f.table), 0));
    /* Only what goes through the faults is lost. */
    cr_expect(eq(int, fake_synchronize(fake_functions(m.f.below)), 0));
    close_mock(&m);
}

Test(fault_mock, slow_copies_copy)
{
    uint64_t pointer = 0, start;
    unsigned char from[16], to[16] = {0};
    struct mock m;

    memset(from, 0x5a, sizeof(from));
    open_mock(&m, "cuMemcpy* delay=2ms");
    cr_expect(eq(int, fake_alloc(m.f.table, &pointer, 16), 0));
    start = cushim__now_ns();
    cr_expect(eq(
        int, CALL(m.f.table, cuMemcpyHtoD_v2, (uint64_t, const void *, size_t), pointer, from, 16),
        0));
    cr_expect(
        eq(int, CALL(m.f.table, cuMemcpyDtoH_v2, (void *, uint64_t, size_t), to, pointer, 16), 0));
    cr_expect(ge(u64, cushim__now_ns() - start, 4000000));
    cr_expect(zero(int, memcmp(from, to, 16)));
    cr_expect(eq(int, fake_free(m.f.table, pointer), 0));
    close_mock(&m);
}

/* Random faults everywhere, in a program that frees whatever it got. */
static void work(fake_table t)
{
    uint64_t pointers[8] = {0};
    void *stream = NULL;

    CALL(t, cuStreamCreate, (void **, unsigned), &stream, 1);
    for (size_t i = 0; i < ARRAY_SIZE(pointers); i++)
        if (fake_alloc(t, &pointers[i], 4096 << i))
            pointers[i] = 0;
    for (size_t i = 0; i < ARRAY_SIZE(pointers); i++) {
        CALL(t, cuMemsetD8_v2, (uint64_t, unsigned char, size_t), pointers[i], 3, 4096);
        if (pointers[i])
            fake_free(t, pointers[i]);
    }
    fake_synchronize(t);
    if (stream)
        CALL(t, cuStreamDestroy_v2, (void *), stream);
}

Test(fault_mock, nothing_leaks_whatever_fails)
{
    for (int seed = 0; seed < 20; seed++) {
        char rules[100];
        struct mock m;

        snprintf(rules, sizeof(rules), "seed=%d; * probability=0.3 result=999", seed);
        open_mock(&m, rules);
        for (int i = 0; i < 20; i++)
            work(m.f.table);
        close_mock(&m);
    }
}
