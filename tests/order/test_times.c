/* SPDX-License-Identifier: MIT */
/*
 * The times of events: of kernels in different streams they overlap where a device has room for
 * both. How long anything takes is nobody's promise, so what may be late once is tried again.
 */
#include <unistd.h>

#include "watch.h"

enum { LONG_US = 20000, TRIES = 50 };

static CUstream one, two;
static CUevent begins[2], ends[2];
static CUfunction sleeper;

static void sleep_long(const struct cushim_mock_launch *launch, void *const *args)
{
    (void) launch;
    (void) args;
    usleep(LONG_US);
}

static void begin(void)
{
    static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                              ".visible .entry sleeper() { ret; }\n";
    CUmodule module = NULL;

    start();
    cr_assert(eq(int, cushim_mock_register_kernel("sleeper", sleep_long, NULL), CUSHIM_OK));
    OK(mock_cuModuleLoadData(&module, ptx));
    OK(mock_cuModuleGetFunction(&sleeper, module, "sleeper"));
    one = a_stream();
    two = a_stream();
    for (int i = 0; i < 2; i++) {
        OK(mock_cuEventCreate(&begins[i], 0));
        OK(mock_cuEventCreate(&ends[i], 0));
    }
}

static void launch(int i, CUstream stream, unsigned blocks)
{
    OK(mock_cuEventRecord(begins[i], stream));
    OK(mock_cuLaunchKernel(sleeper, blocks, 1, 1, 1024, 1, 1, 0, stream, NULL, NULL));
    OK(mock_cuEventRecord(ends[i], stream));
}

static float between(CUevent from, CUevent to)
{
    float milliseconds = 0;

    OK(mock_cuEventElapsedTime(&milliseconds, from, to));
    return milliseconds;
}

/* From the end of the first kernel to that of the second. */
static float apart(CUstream first, CUstream second, unsigned blocks)
{
    launch(0, first, blocks);
    launch(1, second, blocks);
    OK(mock_cuCtxSynchronize());
    cr_expect(ge(flt, between(begins[0], ends[0]), LONG_US / 1e3f));
    cr_expect(ge(flt, between(begins[1], ends[1]), LONG_US / 1e3f));
    return between(ends[0], ends[1]);
}

Test(times, small_kernels_in_two_streams_overlap)
{
    int tries = 0;

    begin();
    while (apart(one, two, 1) >= LONG_US / 1e3f && tries < TRIES)
        tries++;
    cr_expect(lt(int, tries, TRIES));
}

Test(times, kernels_of_one_stream_do_not_overlap)
{
    begin();
    cr_expect(ge(flt, apart(one, one, 1), LONG_US / 1e3f));
    cr_expect(ge(flt, between(ends[0], begins[1]), 0));
}

Test(times, kernels_that_fill_the_device_do_not_overlap)
{
    begin();
    cr_expect(ge(flt, apart(one, two, 264), LONG_US / 1e3f));
    cr_expect(ge(flt, apart(one, two, 200), LONG_US / 1e3f));
}

Test(times, a_kernel_that_waits_for_another_does_not_overlap)
{
    begin();
    launch(0, one, 1);
    OK(mock_cuStreamWaitEvent(two, ends[0], 0));
    launch(1, two, 1);
    OK(mock_cuCtxSynchronize());
    cr_expect(ge(flt, between(ends[0], begins[1]), 0));
    cr_expect(ge(flt, between(ends[0], ends[1]), LONG_US / 1e3f));
}

/* That it is done late is nothing that a device does. */
Test(times, what_is_waited_for_late_is_not_long)
{
    float shortest = 1e9f;

    begin();
    for (int i = 0; i < TRIES && shortest >= 100; i++) {
        float took;

        launch(0, one, 1);
        usleep(100000);
        OK(mock_cuCtxSynchronize());
        took = between(begins[0], ends[0]);
        shortest = took < shortest ? took : shortest;
    }
    cr_expect(lt(flt, shortest, 100));
}
