/* SPDX-License-Identifier: MIT */
/* Each mistake is found and named; its twin without the mistake is silent. */
#include <pthread.h>
#include <semaphore.h>

#include "findings.h"

Test(findings, two_streams_with_and_without_an_event)
{
    CUdeviceptr p, q;

    begin();
    p = allocate(BYTES);
    q = allocate(BYTES);
    launch_fill(one, p, BYTES);
    OK(mock_cuEventRecord(event, one));
    OK(mock_cuStreamWaitEvent(two, event, 0));
    launch_copy(two, q, p, BYTES);
    OK(mock_cuCtxSynchronize());
    silent();
    launch_fill(one, p, BYTES);
    launch_copy(two, q, p, BYTES);
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "kernel 'fill' in stream", "kernel 'copy' in stream");
}

/* The host's wait orders, also where the event was reached long before anybody waited. */
Test(findings, a_host_that_waits_orders_two_streams)
{
    CUdeviceptr p;

    begin();
    p = allocate(BYTES);
    launch_fill(one, p, BYTES);
    OK(mock_cuStreamSynchronize(one));
    launch_fill(two, p, BYTES);
    OK(mock_cuEventRecord(event, two));
    OK(mock_cuEventSynchronize(event));
    launch_fill(one, p, BYTES);
    OK(mock_cuEventRecord(event, one));
    OK(mock_cuCtxSynchronize());
    OK(mock_cuStreamWaitEvent(two, event, 0));
    launch_fill(two, p, BYTES);
    OK(mock_cuCtxSynchronize());
    launch_fill(one, p, BYTES);
    OK(mock_cuCtxSynchronize());
    silent();
}

static sem_t told;

static void CUDA_CB tell(void *unused)
{
    (void) unused;
    sem_post(&told);
}

/* A host function says that the work before it is done, and nothing of the work after it. */
Test(findings, what_a_host_function_tells_orders_two_streams)
{
    CUdeviceptr p;

    begin();
    cr_assert(eq(int, sem_init(&told, 0, 0), 0));
    p = allocate(BYTES);
    launch_fill(one, p, BYTES);
    OK(mock_cuLaunchHostFunc(one, tell, NULL));
    sem_wait(&told);
    launch_fill(two, p, BYTES);
    OK(mock_cuCtxSynchronize());
    silent();
    OK(mock_cuLaunchHostFunc(one, tell, NULL));
    launch_fill(one, p, BYTES);
    sem_wait(&told);
    launch_fill(two, p, BYTES);
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "kernel 'fill' in stream", "kernel 'fill' in stream");
}

static CUdeviceptr shared;

/* A thread may call the driver; the host function that waits for it may not. */
static void *fill_in_two(void *context)
{
    OK(mock_cuCtxSetCurrent(context));
    launch_fill(two, shared, BYTES);
    return NULL;
}

static void CUDA_CB let_a_thread_fill(void *context)
{
    pthread_t thread;

    cr_assert(eq(int, pthread_create(&thread, NULL, fill_in_two, context), 0));
    pthread_join(thread, NULL);
}

static CUresult synchronize_one(void)
{
    return mock_cuStreamSynchronize(one);
}

static CUresult synchronize_event(void)
{
    OK(mock_cuEventRecord(event, one));
    return mock_cuEventSynchronize(event);
}

/* The wait has begun before the other thread submits, and ends after it. So it orders nothing. */
Test(findings, what_another_thread_submits_while_the_host_waits)
{
    static CUresult (*const waits[])(void) = {synchronize_one, mock_cuCtxSynchronize,
                                              synchronize_event};
    CUcontext context = NULL;

    begin();
    OK(mock_cuCtxGetCurrent(&context));
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
        shared = allocate(BYTES);
        OK(mock_cuLaunchHostFunc(one, let_a_thread_fill, context));
        launch_fill(one, shared, BYTES);
        OK(waits[i]());
        OK(mock_cuCtxSynchronize());
        found(CUSHIM_MOCK_DATA_RACE, "kernel 'fill' in stream", "nothing orders them");
        cushim_mock_findings_clear();
        OK(mock_cuMemFree_v2(shared));
    }
}

Test(findings, the_legacy_stream_orders_blocking_streams_only)
{
    CUstream blocking;
    CUdeviceptr p;

    begin();
    OK(mock_cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    p = allocate(BYTES);
    launch_fill(NULL, p, BYTES);
    launch_fill(blocking, p, BYTES);
    launch_fill(NULL, p, BYTES);
    launch_fill(CU_STREAM_PER_THREAD, p, BYTES);
    OK(mock_cuCtxSynchronize());
    silent();
    launch_fill(NULL, p, BYTES);
    launch_fill(one, p, BYTES);
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "kernel 'fill'", "made by cuMemAlloc");
}

Test(findings, readers_and_disjoint_ranges_do_not_race)
{
    CUdeviceptr p, q, r;

    begin();
    p = allocate(BYTES);
    q = allocate(BYTES);
    r = allocate(BYTES);
    launch_fill(one, p, BYTES);
    OK(mock_cuStreamSynchronize(one));
    launch_copy(one, q, p, BYTES);
    launch_copy(two, r, p, BYTES);
    OK(mock_cuCtxSynchronize());
    launch_fill(one, p, BYTES / 2);
    launch_fill(two, p + BYTES / 2, BYTES / 2);
    OK(mock_cuCtxSynchronize());
    silent();
    launch_fill(one, p, BYTES / 2 + 1);
    launch_fill(two, p + BYTES / 2, BYTES / 2);
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "1 bytes", "offset 128");
}

Test(findings, memory_that_nothing_has_written)
{
    unsigned words[N];
    CUdeviceptr p, q;

    begin();
    p = allocate(BYTES);
    q = allocate(BYTES);
    OK(mock_cuMemsetD8_v2(p, 0, 100));
    OK(mock_cuMemcpyDtoH_v2(words, p, 100));
    OK(mock_cuMemcpyDtoD_v2(q, p, 100));
    OK(mock_cuMemcpyDtoH_v2(words, q, 100));
    silent();
    OK(mock_cuMemcpyDtoH_v2(words, p, 101));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "offset 100", "256 bytes, made by cuMemAlloc");
}

Test(findings, a_kernel_that_reads_what_nothing_has_written)
{
    CUdeviceptr p, q;

    begin();
    p = allocate(BYTES);
    q = allocate(BYTES);
    launch_copy(one, q, p, 4);
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_UNINITIALISED_READ, "kernel 'copy'", "offset 0");
}

Test(findings, one_byte_too_far)
{
    unsigned char bytes[BYTES + 1] = {0};
    CUdeviceptr p;

    begin();
    p = allocate(BYTES);
    OK(mock_cuMemcpyHtoD_v2(p, bytes, BYTES));
    launch_fill(one, p, BYTES);
    OK(mock_cuCtxSynchronize());
    silent();
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyHtoD_v2(p, bytes, BYTES + 1));
    found(CUSHIM_MOCK_OUT_OF_BOUNDS, "257 bytes at offset 0", "(256 bytes, made by cuMemAlloc, ");
    cushim_mock_findings_clear();
    /* A device has a page there, so it goes on. */
    launch_fill(one, p + 1, BYTES);
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_OUT_OF_BOUNDS, "kernel 'fill': 256 bytes at offset 1", "made by cuMemAlloc");
    cushim_mock_findings_clear();
    launch_fill(one, p + ((size_t) 1 << 40), BYTES);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_OUT_OF_BOUNDS, "kernel 'fill': 256 bytes at", "never allocated");
}

/* Sums of addresses and sizes fit, up to the last address there is. */
Test(findings, as_far_as_addresses_go)
{
    unsigned char byte = 0;
    CUdeviceptr p;

    begin();
    p = allocate(BYTES);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyHtoD_v2(p, &byte, UINT64_MAX - p));
    found(CUSHIM_MOCK_OUT_OF_BOUNDS, "copy: ", "(256 bytes, made by cuMemAlloc, ");
    cushim_mock_findings_clear();
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyHtoD_v2(p, &byte, UINT64_MAX));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyDtoH_v2(&byte, p + 16, UINT64_MAX - 15));
}

Test(findings, memory_used_after_it_was_freed)
{
    CUdeviceptr p;

    begin();
    p = allocate(BYTES);
    launch_fill(one, p, BYTES);
    OK(mock_cuMemFree_v2(p));
    silent();
    launch_fill(one, p, BYTES);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_USE_AFTER_FREE, "kernel 'fill'", "which was freed");
}

Test(findings, memory_freed_twice)
{
    CUdeviceptr p;

    begin();
    p = allocate(BYTES);
    OK(mock_cuMemFree_v2(p));
    silent();
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFree_v2(p));
    found(CUSHIM_MOCK_DOUBLE_FREE, "256 bytes", "made by cuMemAlloc");
}

Test(findings, memory_freed_in_one_stream_while_a_kernel_of_another_may_run)
{
    CUdeviceptr p = 0;

    begin();
    for (int ordered = 1; ordered >= 0; ordered--) {
        OK(mock_cuMemAllocAsync(&p, BYTES, one));
        launch_fill(one, p, BYTES);
        OK(mock_cuEventRecord(event, one));
        if (ordered)
            OK(mock_cuStreamWaitEvent(two, event, 0));
        OK(mock_cuMemFreeAsync(p, two));
        OK(mock_cuCtxSynchronize());
        if (ordered)
            silent();
    }
    found(CUSHIM_MOCK_DATA_RACE, "free in stream", "kernel 'fill' in stream");
}

Test(findings, memory_used_by_work_behind_its_free)
{
    CUdeviceptr p = 0;

    begin();
    OK(mock_cuMemAllocAsync(&p, BYTES, one));
    OK(mock_cuMemsetD8Async(p, 0, BYTES, one));
    OK(mock_cuMemFreeAsync(p, one));
    silent();
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD8Async(p, 0, BYTES, one));
    found(CUSHIM_MOCK_USE_AFTER_FREE, "memset submitted to allocation",
          "made by cuMemAllocAsync, the program's 1st");
    OK(mock_cuCtxSynchronize());
}
