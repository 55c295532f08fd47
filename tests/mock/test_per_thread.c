/* SPDX-License-Identifier: MIT */
/* The per-thread default streams: one for each host thread and context. */
#include <pthread.h>

#include "mock/base/objects.h"
#include "watch.h"

TestSuite(per_thread, .timeout = 60);

enum { BYTES = 4096 };

/* What a second thread does in the same context, and what it needs for that. */
struct other {
    CUcontext context;
    CUdeviceptr memory;
    unsigned long long id;
    CUresult result;
    void (*work)(struct other *other);
};

static void *run_other(void *user)
{
    struct other *other = user;

    other->result = mock_cuCtxSetCurrent(other->context);
    if (!other->result)
        other->work(other);
    return NULL;
}

static void in_another_thread(struct other *other)
{
    pthread_t thread;

    cr_assert(eq(int, pthread_create(&thread, NULL, run_other, other), 0));
    pthread_join(thread, NULL);
    cr_expect(eq(int, (int) other->result, CUDA_SUCCESS));
}

static void fill_own(struct other *other)
{
    other->result = mock_cuMemsetD8Async(other->memory, 7, BYTES, CU_STREAM_PER_THREAD);
    if (!other->result)
        other->result = mock_cuStreamSynchronize(CU_STREAM_PER_THREAD);
}

/* If both threads had one stream, the second one would wait here for ever. */
Test(per_thread, one_does_not_wait_for_the_other)
{
    struct other other = {.context = start(), .work = fill_own};
    CUdeviceptr flag = 0;
    CUstream third = NULL;

    other.memory = allocate(BYTES);
    flag = allocate(4);
    OK(mock_cuMemsetD32_v2(flag, 0, 1));
    OK(mock_cuStreamCreate(&third, CU_STREAM_NON_BLOCKING));
    OK(mock_cuStreamWaitValue32_v2(CU_STREAM_PER_THREAD, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    in_another_thread(&other);
    EXPECT(CUDA_ERROR_NOT_READY, mock_cuStreamQuery(CU_STREAM_PER_THREAD));
    OK(mock_cuStreamWriteValue32_v2(third, flag, 1, 0));
    OK(mock_cuStreamSynchronize(CU_STREAM_PER_THREAD));
}

Test(per_thread, a_capture_is_of_one_thread)
{
    struct other other = {.context = start(), .work = fill_own};
    CUgraph graph = NULL;
    size_t n = 1;

    other.memory = allocate(BYTES);
    OK(mock_cuStreamBeginCapture_v2(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_RELAXED));
    in_another_thread(&other);
    OK(mock_cuStreamEndCapture(CU_STREAM_PER_THREAD, &graph));
    OK(mock_cuGraphGetNodes(graph, NULL, &n));
    cr_expect(eq(sz, n, 0));
}

static void fill_by_kernel(struct other *other)
{
    void *params[] = {&other->memory, &(size_t){BYTES}};

    other->result = mock_cuLaunchKernel(fill_function, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_PER_THREAD,
                                        params, NULL);
}

/* The thread has ended, but nothing has waited for its work. */
Test(per_thread, a_race_between_two_is_found)
{
    struct other other = {.context = start_watched(), .work = fill_by_kernel};

    other.memory = allocate(BYTES);
    in_another_thread(&other);
    launch_fill(CU_STREAM_PER_THREAD, other.memory, BYTES);
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "fill");
}

/* The work of a thread that has ended is done all the same, and the legacy stream waits for it. */
Test(per_thread, the_legacy_stream_waits_for_one_whose_thread_has_ended)
{
    struct other other = {.context = start_watched(), .work = fill_by_kernel};
    unsigned char byte = 0;

    other.memory = allocate(BYTES);
    in_another_thread(&other);
    OK(mock_cuMemcpyDtoH_v2(&byte, other.memory, 1));
    cr_expect(eq(u8, byte, 1));
    silent();
}

#if CUDA_VERSION >= 12000
static void note_id(struct other *other)
{
    other->result = mock_cuStreamGetId(CU_STREAM_PER_THREAD, &other->id);
}

Test(per_thread, each_context_has_its_own)
{
    struct other other = {.context = start(), .work = note_id};
    unsigned long long id = 0, in_second = 0, again = 0;
    CUcontext second = NULL;

    OK(mock_cuStreamGetId(CU_STREAM_PER_THREAD, &id));
    in_another_thread(&other);
    cr_expect(ne(ulong, other.id, id));
    OK(mock_cuDevicePrimaryCtxRetain(&second, 1));
    OK(mock_cuCtxSetCurrent(second));
    OK(mock_cuStreamGetId(CU_STREAM_PER_THREAD, &in_second));
    cr_expect(ne(ulong, in_second, id));
    OK(mock_cuCtxSetCurrent(other.context));
    OK(mock_cuStreamGetId(CU_STREAM_PER_THREAD, &again));
    cr_expect(eq(ulong, again, id));
}
#endif

/* A context that goes takes the streams of all threads with it. */
Test(per_thread, a_thread_survives_its_context)
{
    struct other other = {.context = start(), .work = fill_own};
    CUcontext first = other.context;

    for (int i = 0; i < 3; i++) {
        OK(mock_cuDevicePrimaryCtxRetain(&other.context, 1));
        OK(mock_cuCtxSetCurrent(other.context));
        other.memory = allocate(BYTES);
        fill_own(&other);
        cr_expect(eq(int, (int) other.result, CUDA_SUCCESS));
        in_another_thread(&other);
        OK(mock_cuDevicePrimaryCtxReset_v2(1));
    }
    OK(mock_cuCtxSetCurrent(first));
    OK(mock_cuStreamSynchronize(CU_STREAM_PER_THREAD));
}

static size_t count_streams(void)
{
    size_t n = 0;

    for (size_t cursor = 0; mock__object_next(MOCK__STREAM, &cursor);)
        n++;
    return n;
}

/* The streams of threads that have ended are not kept. */
Test(per_thread, threads_come_and_go)
{
    struct other other = {.context = start(), .work = fill_own};

    other.memory = allocate(BYTES);
    for (int i = 0; i < 300; i++)
        in_another_thread(&other);
    cr_expect(lt(sz, count_streams(), 10));
}
