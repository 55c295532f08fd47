/* SPDX-License-Identifier: MIT */
/*
 * What a child of fork() can do with the objects of its parent: it submits work that is never done,
 * waits for nothing, and leaves the parent's memory and work alone. It says so whatever the threads
 * of the parent do at that time, or refuses everything.
 */
#include <cushim/mock.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mock/functions.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

/* They look for leaks as a process ends, and a child leaves what its parent has made. */
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) ||                           \
    defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

enum { BYTES = 4 << 20, CHILDREN = 60, N_THREADS = 2 };

static CUcontext context;
static CUstream stream;
static CUevent event;
static CUarray array;
static CUgraphExec exec;
static CUdeviceptr memory, from_pool;
static atomic_bool stop, let_go;
static atomic_int calls;

static int expect(const char *call, int got, int expected)
{
    if (got == expected)
        return 0;
    printf("%s answered %d, expected %d\n", call, got, expected);
    return 1;
}

#define EXPECT(expected, call) expect(#call, (int) (call), (int) (expected))

static void CUDA_CB wait_for_main(void *unused)
{
    (void) unused;
    while (!atomic_load(&let_go))
        usleep(1000);
}

static void CUDA_CB count(void *unused)
{
    (void) unused;
    atomic_fetch_add(&calls, 1);
}

/* A graph that sets all the memory to nines. */
static int make_graph(void)
{
    const CUDA_MEMSET_NODE_PARAMS nines = {
        .dst = memory, .value = 9, .elementSize = 1, .width = BYTES, .height = 1};
    CUgraph graph = NULL;
    CUgraphNode node = NULL;

    return EXPECT(0, mock_cuGraphCreate(&graph, 0)) +
           EXPECT(0, mock_cuGraphAddMemsetNode(&node, graph, NULL, 0, &nines, context)) +
           EXPECT(0, mock_cuGraphInstantiateWithFlags(&exec, graph, 0)) +
           EXPECT(0, mock_cuGraphDestroy(graph));
}

static int make_objects(void)
{
    const CUDA_ARRAY_DESCRIPTOR descriptor = {
        .Width = 1024, .Height = 1024, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};

    return EXPECT(0, mock_cuInit(0)) + EXPECT(0, mock_cuDevicePrimaryCtxRetain(&context, 0)) +
           EXPECT(0, mock_cuCtxSetCurrent(context)) +
           EXPECT(0, mock_cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING)) +
           EXPECT(0, mock_cuEventCreate(&event, CU_EVENT_DEFAULT)) +
           EXPECT(0, mock_cuArrayCreate_v2(&array, &descriptor)) +
           EXPECT(0, mock_cuMemAlloc_v2(&memory, BYTES)) +
           EXPECT(0, mock_cuMemAllocAsync(&from_pool, BYTES, stream)) +
           EXPECT(0, mock_cuMemsetD8Async(memory, 7, BYTES, stream)) +
           EXPECT(0, mock_cuMemsetD8Async(from_pool, 7, BYTES, stream)) +
           EXPECT(0, mock_cuStreamSynchronize(stream)) + make_graph();
}

static int forget_objects(void)
{
    return EXPECT(0, mock_cuGraphExecDestroy(exec)) + EXPECT(0, mock_cuMemFree_v2(memory)) +
           EXPECT(0, mock_cuMemFreeAsync(from_pool, stream)) +
           EXPECT(0, mock_cuArrayDestroy(array)) + EXPECT(0, mock_cuEventDestroy_v2(event)) +
           EXPECT(0, mock_cuStreamDestroy_v2(stream)) +
           EXPECT(0, mock_cuDevicePrimaryCtxRelease_v2(0));
}

/* Are all bytes what the parent has made them? */
static int is_untouched(CUdeviceptr address)
{
    static unsigned char bytes[BYTES];
    size_t n = 0;

    memset(bytes, 0, BYTES);
    if (EXPECT(0, mock_cuMemcpyDtoH_v2(bytes, address, BYTES)))
        return 1;
    while (n < BYTES && bytes[n] == 7)
        n++;
    if (n == BYTES)
        return 0;
    printf("byte %zu is %d, expected 7\n", n, bytes[n]);
    return 1;
}

/* What was written to the pipe, until nobody can write any more. */
static size_t read_all(int from)
{
    size_t all = 0;
    char bytes[256];
    ssize_t n;

    while ((n = read(from, bytes, sizeof(bytes))) > 0) {
        printf("%.*s", (int) n, bytes);
        all += (size_t) n;
    }
    close(from);
    return all;
}

/*
 * Runs a part in a child; what it returns, 98 if the child prints something as it ends, or 99 if it
 * hangs or dies.
 */
static int in_child(int (*part)(void))
{
    int status = 0, said[2];
    size_t n;
    pid_t child;

    fflush(stdout);
    if (pipe(said))
        return 99;
    child = fork();
    if (!child) {
        dup2(said[1], STDERR_FILENO);
        close(said[0]);
        close(said[1]);
        alarm(20);
        status = part();
        fflush(stdout);
        if (SANITIZED)
            _exit(status);
        exit(status);
    }
    close(said[1]);
    n = read_all(said[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 99;
    return n ? 98 : WEXITSTATUS(status);
}

static int waits_for_nothing(void)
{
    return EXPECT(0, mock_cuStreamQuery(stream)) + EXPECT(0, mock_cuStreamSynchronize(stream)) +
           EXPECT(0, mock_cuEventQuery(event)) + EXPECT(0, mock_cuEventSynchronize(event));
}

static int submits(void)
{
    const int failures = EXPECT(0, mock_cuMemsetD8Async(memory, 1, BYTES, stream)) +
                         EXPECT(0, mock_cuGraphLaunch(exec, stream)) +
                         EXPECT(0, mock_cuLaunchHostFunc(stream, count, NULL)) +
                         EXPECT(0, mock_cuEventRecord(event, stream)) + waits_for_nothing();

    return failures + EXPECT(0, atomic_load(&calls));
}

static int frees(void)
{
    return EXPECT(0, mock_cuMemFreeAsync(from_pool, stream)) +
           EXPECT(0, mock_cuArrayDestroy(array)) + EXPECT(0, mock_cuEventDestroy_v2(event)) +
           EXPECT(400, mock_cuEventDestroy_v2(event));
}

/* What needs the device: other memory, code, contexts, the default streams. */
static int is_without_device(void)
{
    CUdeviceptr p = 0;

    return EXPECT(2, mock_cuMemAllocAsync(&p, 16, stream)) + EXPECT(3, mock_cuMemAlloc_v2(&p, 16)) +
           EXPECT(3, mock_cuMemFree_v2(memory)) + EXPECT(3, mock_cuMemsetD8_v2(memory, 1, 1)) +
           EXPECT(3, mock_cuStreamSynchronize(NULL)) + EXPECT(3, mock_cuStreamDestroy_v2(stream)) +
           EXPECT(3, mock_cuCtxSynchronize()) + EXPECT(3, mock_cuGraphExecDestroy(exec)) +
           EXPECT(3, mock_cuInit(0));
}

static int uses_all(void)
{
    return waits_for_nothing() + submits() + is_without_device() + frees();
}

/* The stream waits for a host function of the parent, which no thread of the child runs. */
static int forks_while_work_waits(void)
{
    int failures = EXPECT(0, mock_cuLaunchHostFunc(stream, wait_for_main, NULL)) +
                   EXPECT(0, mock_cuEventRecord(event, stream)) +
                   EXPECT(0, mock_cuLaunchHostFunc(stream, count, NULL));

    failures += EXPECT(600, mock_cuStreamQuery(stream)) + EXPECT(0, in_child(uses_all)) +
                EXPECT(600, mock_cuEventQuery(event)) + is_untouched(memory);
    atomic_store(&let_go, true);
    return failures + EXPECT(0, mock_cuStreamSynchronize(stream)) +
           EXPECT(0, mock_cuEventQuery(event)) + EXPECT(1, atomic_load(&calls));
}

/* --- any state of the parent's threads --- */

static void *keep_working(void *unused)
{
    CUstream own = NULL;
    CUevent reached = NULL;
    int failures = EXPECT(0, mock_cuCtxSetCurrent(context)) +
                   EXPECT(0, mock_cuStreamCreate(&own, CU_STREAM_NON_BLOCKING)) +
                   EXPECT(0, mock_cuEventCreate(&reached, CU_EVENT_DEFAULT));

    while (!failures && !atomic_load(&stop))
        failures = EXPECT(0, mock_cuLaunchHostFunc(own, count, NULL)) +
                   EXPECT(0, mock_cuEventRecord(reached, own)) +
                   EXPECT(0, mock_cuStreamWaitEvent(stream, reached, 0)) +
                   EXPECT(0, mock_cuStreamSynchronize(own));
    failures += EXPECT(0, mock_cuStreamDestroy_v2(own)) + EXPECT(0, mock_cuEventDestroy_v2(reached));
    return failures ? NULL : unused;
}

/* All of it is there, or nothing. */
static int is_of_one_mind(void)
{
    const int first = (int) mock_cuStreamSynchronize(stream);

    if (first == 3)
        return EXPECT(3, mock_cuEventQuery(event)) + EXPECT(3, mock_cuGraphLaunch(exec, stream)) +
               EXPECT(3, mock_cuMemFreeAsync(from_pool, stream));
    return expect("cuStreamSynchronize", first, 0) + waits_for_nothing() +
           EXPECT(0, mock_cuGraphLaunch(exec, stream)) + frees();
}

static int forks_while_threads_work(void)
{
    pthread_t threads[N_THREADS];
    int failures = 0;
    void *result;

    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, keep_working, &stop);
    for (unsigned i = 0; !failures && i < CHILDREN; i++)
        failures = EXPECT(0, in_child(is_of_one_mind));
    atomic_store(&stop, true);
    for (unsigned i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], &result);
        failures += EXPECT(true, result != NULL);
    }
    return failures;
}

/* --- from inside of the driver --- */

static int is_refused(void)
{
    return EXPECT(3, mock_cuStreamQuery(stream)) + EXPECT(3, mock_cuEventQuery(event)) +
           EXPECT(3, mock_cuInit(0));
}

static void CUDA_CB fork_within(void *failures)
{
    *(int *) failures = EXPECT(0, in_child(is_refused));
}

static int forks_in_a_host_function(void)
{
    int failures = 1;

    if (EXPECT(0, mock_cuLaunchHostFunc(stream, fork_within, &failures)) +
        EXPECT(0, mock_cuStreamSynchronize(stream)))
        return 1;
    return failures;
}

static int grandchild(void)
{
    return uses_all();
}

static int has_a_child(void)
{
    return EXPECT(0, in_child(grandchild)) + uses_all();
}

int main(void)
{
    int failures;

    setenv("CUSHIM_MOCK_CHECK", "1", 1);
    failures = make_objects() + forks_while_work_waits() + forks_in_a_host_function();
    atomic_store(&calls, 0);
    failures += EXPECT(0, in_child(has_a_child)) + forks_while_threads_work();
    failures += is_untouched(memory) + is_untouched(from_pool) + forget_objects();
    return failures ? 1 : 0;
}
