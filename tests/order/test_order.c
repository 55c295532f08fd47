/* SPDX-License-Identifier: MIT */
/* Streams and events: what waits for what, and what does not. */
#include <cushim/mock.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "mock/queue/schedule.h"
#include "support.h"

enum { SEEDS = 32, N = 64 };

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry add(.param .u64 p, .param .u32 v) { ret; }\n"
                          ".visible .entry twice(.param .u64 p, .param .u32 v) { ret; }\n";

static CUfunction add_function, twice_function;
static CUstream one, two;
static CUevent event;

/* p[i] += v */
static void add(const struct cushim_mock_launch *launch, void *const *args)
{
    unsigned *words = cushim_mock_pointer(*(uint64_t *) args[0], N * sizeof(*words));

    (void) launch;
    for (unsigned i = 0; words && i < N; i++)
        words[i] += *(unsigned *) args[1];
}

/* p[i] *= v: with addition, an order that shows in the result */
static void twice(const struct cushim_mock_launch *launch, void *const *args)
{
    unsigned *words = cushim_mock_pointer(*(uint64_t *) args[0], N * sizeof(*words));

    (void) launch;
    for (unsigned i = 0; words && i < N; i++)
        words[i] *= *(unsigned *) args[1];
}

static void begin(unsigned flags)
{
    CUmodule module = NULL;

    start();
    cr_assert(eq(int, cushim_mock_register_kernel("add", add, NULL), CUSHIM_OK));
    cr_assert(eq(int, cushim_mock_register_kernel("twice", twice, NULL), CUSHIM_OK));
    OK(mock_cuModuleLoadData(&module, ptx));
    OK(mock_cuModuleGetFunction(&add_function, module, "add"));
    OK(mock_cuModuleGetFunction(&twice_function, module, "twice"));
    OK(mock_cuStreamCreate(&one, flags));
    OK(mock_cuStreamCreate(&two, flags));
    OK(mock_cuEventCreate(&event, 0));
}

static void launch(CUfunction f, CUstream stream, CUdeviceptr p, unsigned value)
{
    void *params[] = {&p, &value};

    OK(mock_cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
}

static CUdeviceptr zeroes(void)
{
    const CUdeviceptr p = allocate(N * sizeof(unsigned));

    OK(mock_cuMemsetD8_v2(p, 0, N * sizeof(unsigned)));
    OK(mock_cuCtxSynchronize());
    return p;
}

static unsigned last_word(CUdeviceptr p)
{
    unsigned words[N];

    OK(mock_cuCtxSynchronize());
    OK(mock_cuMemcpyDtoH_v2(words, p, sizeof(words)));
    return words[N - 1];
}

Test(order, a_stream_keeps_its_order_under_every_seed)
{
    CUdeviceptr p;

    begin(CU_STREAM_NON_BLOCKING);
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        mock__schedule_seed(seed);
        p = zeroes();
        launch(add_function, one, p, 3);
        launch(twice_function, one, p, 2);
        launch(add_function, one, p, 1);
        cr_expect(eq(uint, last_word(p), 7), "seed %u", seed);
        OK(mock_cuMemFree_v2(p));
    }
}

Test(order, an_event_orders_two_streams_under_every_seed)
{
    CUdeviceptr p;

    begin(CU_STREAM_NON_BLOCKING);
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        mock__schedule_seed(seed);
        p = zeroes();
        launch(add_function, one, p, 3);
        OK(mock_cuEventRecord(event, one));
        OK(mock_cuStreamWaitEvent(two, event, 0));
        launch(twice_function, two, p, 2);
        cr_expect(eq(uint, last_word(p), 6), "seed %u", seed);
        OK(mock_cuMemFree_v2(p));
    }
}

/* 6 is what the program meant, 3 what it gets where the second stream was faster. */
static unsigned without_a_wait(unsigned seed)
{
    unsigned result;
    CUdeviceptr p;

    mock__schedule_seed(seed);
    p = zeroes();
    launch(add_function, one, p, 3);
    launch(twice_function, two, p, 2);
    result = last_word(p);
    OK(mock_cuMemFree_v2(p));
    return result;
}

Test(order, a_missing_wait_shows_under_some_seed_and_always_under_that)
{
    unsigned wrong = 0;

    begin(CU_STREAM_NON_BLOCKING);
    for (unsigned seed = 0; seed < SEEDS && !wrong; seed++)
        wrong = without_a_wait(seed) == 3 ? seed : 0;
    cr_assert(ne(uint, wrong, 0), "no seed below %d shows the missing wait", SEEDS);
    for (int i = 0; i < 100; i++)
        cr_assert(eq(uint, without_a_wait(wrong), 3), "seed %u, the %d-th time", wrong, i);
}

Test(order, blocking_streams_take_turns_with_the_legacy_stream)
{
    CUdeviceptr p;

    begin(CU_STREAM_DEFAULT);
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        mock__schedule_seed(seed);
        p = zeroes();
        launch(add_function, one, p, 3);
        launch(twice_function, NULL, p, 2);
        launch(add_function, two, p, 1);
        launch(twice_function, CU_STREAM_LEGACY, p, 2);
        launch(add_function, CU_STREAM_PER_THREAD, p, 1);
        cr_expect(eq(uint, last_word(p), 15), "seed %u", seed);
        OK(mock_cuMemFree_v2(p));
    }
}

Test(order, nothing_is_done_before_somebody_waits)
{
    CUdeviceptr p;
    unsigned *pinned;

    begin(CU_STREAM_NON_BLOCKING);
    OK(mock_cuMemHostAlloc((void **) &pinned, N * sizeof(*pinned), 0));
    memset(pinned, 0, N * sizeof(*pinned));
    p = zeroes();
    launch(add_function, one, p, 3);
    OK(mock_cuMemcpyDtoHAsync_v2(pinned, p, N * sizeof(*pinned), one));
    cr_expect(eq(uint, pinned[0], 0), "the copy was done before anybody waited");
    EXPECT(CUDA_ERROR_NOT_READY, mock_cuStreamQuery(one));
    OK(mock_cuStreamSynchronize(one));
    cr_expect(eq(uint, pinned[0], 3));
    EXPECT(CUDA_SUCCESS, mock_cuStreamQuery(one));
}

Test(order, an_asynchronous_copy_reads_pinned_memory_late_and_pageable_memory_at_once)
{
    unsigned *pinned, pageable[N] = {1}, words[N];
    CUdeviceptr p, q;

    begin(CU_STREAM_NON_BLOCKING);
    OK(mock_cuMemHostAlloc((void **) &pinned, sizeof(pageable), 0));
    pinned[0] = 1;
    p = zeroes();
    q = zeroes();
    OK(mock_cuMemcpyHtoDAsync_v2(p, pinned, sizeof(pageable), one));
    OK(mock_cuMemcpyHtoDAsync_v2(q, pageable, sizeof(pageable), one));
    pinned[0] = pageable[0] = 2;
    OK(mock_cuStreamSynchronize(one));
    OK(mock_cuMemcpyDtoH_v2(words, p, sizeof(words)));
    cr_expect(eq(uint, words[0], 2), "pinned memory is read when the copy is done");
    OK(mock_cuMemcpyDtoH_v2(words, q, sizeof(words)));
    cr_expect(eq(uint, words[0], 1), "pageable memory is read before the call returns");
}

Test(order, a_copy_to_pageable_memory_is_done_when_the_call_returns)
{
    unsigned words[N] = {0};
    CUdeviceptr p;

    begin(CU_STREAM_NON_BLOCKING);
    p = zeroes();
    launch(add_function, one, p, 3);
    OK(mock_cuMemcpyDtoHAsync_v2(words, p, sizeof(words), one));
    cr_expect(eq(uint, words[0], 3));
}

Test(order, asking_again_and_again_ends)
{
    CUdeviceptr p;
    int asked = 0;

    begin(CU_STREAM_NON_BLOCKING);
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        mock__schedule_seed(seed);
        p = zeroes();
        for (int i = 0; i < 10; i++)
            launch(add_function, i % 2 ? one : two, p, 1);
        OK(mock_cuEventRecord(event, one));
        while (mock_cuEventQuery(event) == CUDA_ERROR_NOT_READY)
            cr_assert(lt(int, asked++, 100000));
        while (mock_cuStreamQuery(two) == CUDA_ERROR_NOT_READY)
            cr_assert(lt(int, asked++, 100000));
        EXPECT(CUDA_SUCCESS, mock_cuStreamQuery(one));
        OK(mock_cuMemFree_v2(p));
    }
}

Test(order, an_event_has_its_time_when_it_is_reached)
{
    CUevent end = NULL;
    float milliseconds = -1;
    CUdeviceptr p;

    begin(CU_STREAM_NON_BLOCKING);
    OK(mock_cuEventCreate(&end, 0));
    p = zeroes();
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuEventElapsedTime(&milliseconds, event, end));
    OK(mock_cuEventRecord(event, one));
    launch(add_function, one, p, 1);
    OK(mock_cuEventRecord(end, one));
    EXPECT(CUDA_ERROR_NOT_READY, mock_cuEventElapsedTime(&milliseconds, event, end));
    OK(mock_cuEventSynchronize(end));
    EXPECT(CUDA_SUCCESS, mock_cuEventElapsedTime(&milliseconds, event, end));
    cr_expect(ge(flt, milliseconds, 0));
}

Test(order, a_destroyed_stream_and_event_leave_their_work_behind)
{
    CUdeviceptr p;

    begin(CU_STREAM_NON_BLOCKING);
    p = zeroes();
    launch(add_function, one, p, 3);
    OK(mock_cuEventRecord(event, one));
    OK(mock_cuStreamWaitEvent(two, event, 0));
    launch(twice_function, two, p, 2);
    OK(mock_cuStreamDestroy_v2(one));
    OK(mock_cuEventDestroy_v2(event));
    cr_expect(eq(uint, last_word(p), 6));
}

Test(order, memory_freed_in_stream_order_is_there_until_then_and_gone_afterwards)
{
    CUdeviceptr p = 0;

    begin(CU_STREAM_NON_BLOCKING);
    OK(mock_cuMemAllocAsync(&p, N * sizeof(unsigned), one));
    launch(add_function, one, p, 3);
    OK(mock_cuMemFreeAsync(p, one));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFreeAsync(p, one));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFree_v2(p));
    OK(mock_cuStreamSynchronize(one));
    launch(add_function, one, p, 3);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuStreamSynchronize(one));
}

static pthread_t caller;
static atomic_int calls;

static void CUDA_CB note_call(void *user)
{
    cr_expect(not(pthread_equal(pthread_self(), caller)), "called in the program's thread");
    cr_expect(eq(int, atomic_fetch_add(&calls, 1), (int) (intptr_t) user));
    EXPECT(CUDA_ERROR_NOT_PERMITTED, mock_cuCtxSynchronize());
}

Test(order, host_functions_are_called_in_order_by_another_thread)
{
    begin(CU_STREAM_NON_BLOCKING);
    caller = pthread_self();
    for (intptr_t i = 0; i < 20; i++)
        OK(mock_cuLaunchHostFunc(one, note_call, (void *) i));
    OK(mock_cuStreamSynchronize(one));
    cr_expect(eq(int, atomic_load(&calls), 20));
}

static void CUDA_CB wait_for_the_flag(void *flag)
{
    while (!atomic_load((atomic_int *) flag))
        usleep(100);
}

/* As a driver's would, the call waits in its own thread, and the program goes on. */
Test(order, a_host_function_may_wait_for_the_program)
{
    atomic_int flag = 0;
    CUdeviceptr p;

    begin(CU_STREAM_NON_BLOCKING);
    p = zeroes();
    OK(mock_cuLaunchHostFunc(one, wait_for_the_flag, &flag));
    launch(add_function, two, p, 3);
    OK(mock_cuStreamSynchronize(two));
    EXPECT(CUDA_ERROR_NOT_READY, mock_cuStreamQuery(one));
    atomic_store(&flag, 1);
    OK(mock_cuStreamSynchronize(one));
}

static void CUDA_CB set_the_flag(void *flag)
{
    atomic_store((atomic_int *) flag, 1);
}

Test(order, a_program_that_polls_its_own_memory_is_served, .timeout = 30)
{
    atomic_int flag = 0;

    begin(CU_STREAM_NON_BLOCKING);
    for (int i = 0; i < 3; i++) {
        atomic_store(&flag, 0);
        OK(mock_cuLaunchHostFunc(one, set_the_flag, &flag));
        while (!atomic_load(&flag))
            usleep(1000);
    }
}

static void CUDA_CB note_status(CUstream stream, CUresult status, void *user)
{
    cr_expect(eq(ptr, stream, one));
    atomic_store((atomic_int *) user, (int) status + 1);
}

static void fail(const struct cushim_mock_launch *launch, void *const *args)
{
    (void) launch;
    (void) args;
    cushim_mock_kernel_fail(CUDA_ERROR_LAUNCH_FAILED);
}

Test(order, work_behind_a_fault_is_dropped_and_callbacks_are_told)
{
    atomic_int flag = 0, told = 0;
    CUdeviceptr p;

    begin(CU_STREAM_NON_BLOCKING);
    p = zeroes();
    cr_assert(eq(int, cushim_mock_register_kernel("add", fail, NULL), CUSHIM_OK));
    launch(add_function, one, p, 1);
    OK(mock_cuLaunchHostFunc(one, set_the_flag, &flag));
    OK(mock_cuStreamAddCallback(one, note_status, &told, 0));
    EXPECT(CUDA_ERROR_LAUNCH_FAILED, mock_cuStreamSynchronize(one));
    cr_expect(eq(int, atomic_load(&flag), 0));
    cr_expect(eq(int, atomic_load(&told), CUDA_ERROR_LAUNCH_FAILED + 1));
}
