/* SPDX-License-Identifier: MIT */
/*
 * What calls cost where there is much of something. Some is counted, of a number and of four times
 * as many: the bytes that are moved, and how often clocks and queues are looked at. The rest are
 * cases so large that they would take minutes if each call looked at everything.
 */
#include <string.h>

#include "mock/base/finding.h"
#include "mock/ptx/machine/heap.h"
#include "mock/queue/clock.h"
#include "mock/queue/schedule.h"
#include "watch.h"

TestSuite(growth, .timeout = 100);

/* Four times as many may cost this much more: a list that doubles may have just done so. */
enum { FOUR_TIMES = 7 };

/* --- what is counted: the linker leads the mock's calls here --- */

static size_t counted;

void *__real_memmove(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n);
bool __real_mock__clock_reached(const struct mock__clock *clock, unsigned slot, uint64_t number);
bool __wrap_mock__clock_reached(const struct mock__clock *clock, unsigned slot, uint64_t number);
bool __real_mock__queue_ready(const struct mock__queue *queue);
bool __wrap_mock__queue_ready(const struct mock__queue *queue);

void *__wrap_memmove(void *to, const void *from, size_t n)
{
    counted += n;
    return __real_memmove(to, from, n);
}

bool __wrap_mock__clock_reached(const struct mock__clock *clock, unsigned slot, uint64_t number)
{
    counted++;
    return __real_mock__clock_reached(clock, slot, number);
}

bool __wrap_mock__queue_ready(const struct mock__queue *queue)
{
    counted++;
    return __real_mock__queue_ready(queue);
}

static size_t count_of(void (*use)(int n), int n)
{
    counted = 0;
    use(n);
    return counted;
}

static void grows_with_the_number(void (*use)(int n), int n)
{
    const size_t few = count_of(use, n), many = count_of(use, 4 * n);

    cr_expect(le(sz, many, FOUR_TIMES * (few + (size_t) n)));
}

static void *many(int n, size_t size)
{
    void *memory = calloc((size_t) n + 1, size);

    cr_assert(memory != NULL);
    return memory;
}

/* --- counted --- */

static void allocate_and_free(int n)
{
    CUdeviceptr *all = many(n, sizeof(*all));

    for (int i = 0; i < n; i++)
        all[i] = allocate(1);
    for (int i = 0; i < n; i++)
        OK(mock_cuMemFree_v2(all[i]));
    free(all);
}

Test(growth, of_allocations)
{
    start();
    grows_with_the_number(allocate_and_free, 2000);
}

/* Each into its own part of pinned memory, while all accesses of the host are watched. */
static void copy_to_pinned(int n)
{
    const CUdeviceptr memory = allocate((size_t) n * 256);
    CUstream stream = a_stream();
    char *pinned = NULL;

    OK(mock_cuMemAllocHost_v2((void **) &pinned, (size_t) n * 256));
    OK(mock_cuMemsetD8_v2(memory, 0, (size_t) n * 256));
    OK(mock_cuCtxSynchronize());
    for (int i = 0; i < n; i++)
        OK(mock_cuMemcpyDtoHAsync_v2(pinned + 256 * (size_t) i, memory + 256 * (CUdeviceptr) i, 256,
                                     stream));
    OK(mock_cuStreamSynchronize(stream));
    OK(mock_cuMemFreeHost(pinned));
    OK(mock_cuMemFree_v2(memory));
    OK(mock_cuStreamDestroy_v2(stream));
}

Test(growth, of_watched_copies)
{
    setenv("CUSHIM_MOCK_CHECK", "1", 1);
    start();
    grows_with_the_number(copy_to_pinned, 500);
}

static void use_streams(int n)
{
    const CUdeviceptr memory = allocate((size_t) n);
    CUstream *all = many(n, sizeof(*all));

    for (int i = 0; i < n; i++)
        all[i] = a_stream();
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < n; i++)
            OK(mock_cuMemsetD8Async(memory + (CUdeviceptr) i, 1, 1, all[i]));
    for (int i = 0; i < n; i++) {
        OK(mock_cuStreamSynchronize(all[i]));
        OK(mock_cuStreamDestroy_v2(all[i]));
    }
    free(all);
}

Test(growth, of_streams_in_an_order_that_is_drawn)
{
    start();
    mock__schedule_seed(1);
    grows_with_the_number(use_streams, 500);
}

/* --- large --- */

/* What there was once costs nothing any more. */
Test(growth, of_captures_after_many_objects)
{
    enum { EVENTS = 1 << 20, CAPTURES = 50000 };
    CUevent *all = many(EVENTS, sizeof(*all));
    CUstream stream;
    CUgraph graph;

    start();
    stream = a_stream();
    for (int i = 0; i < EVENTS; i++)
        OK(mock_cuEventCreate(&all[i], 0));
    for (int i = 0; i < EVENTS; i++)
        OK(mock_cuEventDestroy_v2(all[i]));
    for (int i = 0; i < CAPTURES; i++) {
        OK(mock_cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
        OK(mock_cuStreamEndCapture(stream, &graph));
        OK(mock_cuGraphDestroy(graph));
    }
    free(all);
}

Test(growth, of_nodes_behind_one)
{
    enum { N = 400000 };
    CUgraphNode *nodes = many(N, sizeof(*nodes)), last = NULL;
    CUgraph graph = NULL;

    start();
    OK(mock_cuGraphCreate(&graph, 0));
    for (int i = 0; i < N; i++)
        OK(mock_cuGraphAddEmptyNode(&nodes[i], graph, nodes, i > 0));
    OK(mock_cuGraphAddEmptyNode(&last, graph, nodes, N));
    for (int i = 1; i < N; i++)
        OK(mock_cuGraphDestroyNode(nodes[i]));
    OK(mock_cuGraphDestroy(graph));
    free(nodes);
}

Test(growth, of_nodes_that_are_looked_for_in_a_copy)
{
    enum { N = 300000 };
    CUgraphNode *nodes = many(N, sizeof(*nodes)), found = NULL;
    CUgraph graph = NULL, copy = NULL;

    start();
    OK(mock_cuGraphCreate(&graph, 0));
    for (int i = 0; i < N; i++)
        OK(mock_cuGraphAddEmptyNode(&nodes[i], graph, NULL, 0));
    OK(mock_cuGraphClone(&copy, graph));
    for (int i = 0; i < N; i++)
        OK(mock_cuGraphNodeFindInClone(&found, nodes[i], copy));
    OK(mock_cuGraphDestroy(copy));
    OK(mock_cuGraphDestroy(graph));
    free(nodes);
}

/* Each has a queue of its own. */
Test(growth, of_nodes_side_by_side)
{
    enum { N = 100000 };
    CUgraphExec exec = NULL;
    CUgraph graph = NULL;
    CUgraphNode node;

    start();
    OK(mock_cuGraphCreate(&graph, 0));
    for (int i = 0; i < N; i++)
        OK(mock_cuGraphAddEmptyNode(&node, graph, NULL, 0));
    OK(mock_cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(mock_cuGraphExecDestroy(exec));
    OK(mock_cuGraphDestroy(graph));
}

/* A kernel that uses none of them does not cost more. */
Test(growth, of_launches_beside_many_allocations)
{
    enum { N = 60000, LAUNCHES = 30000 };
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".visible .entry k() { ret; }\n";
    CUfunction function = NULL;
    CUmodule module = NULL;

    start();
    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    for (int i = 0; i < N; i++)
        allocate(1);
    for (int i = 0; i < LAUNCHES; i++)
        OK(mock_cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(mock_cuCtxSynchronize());
}

/* Nor does one that uses four bytes of a large one. */
Test(growth, of_launches_in_a_large_allocation)
{
    enum { LAUNCHES = 200 };
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".visible .entry k(.param .u64 p) { .reg .u64 %p; ld.param.u64 %p, "
                               "[p]; st.global.u32 [%p], 7; ret; }\n";
    CUfunction function = NULL;
    CUmodule module = NULL;
    CUdeviceptr memory = 0;
    void *arguments[] = {&memory};
    unsigned value = 0;

    start();
    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    OK(mock_cuMemAlloc_v2(&memory, (size_t) 1 << 30));
    for (int i = 0; i < LAUNCHES; i++)
        OK(mock_cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    OK(mock_cuMemcpyDtoH_v2(&value, memory, sizeof(value)));
    cr_expect(eq(uint, value, 7));
    OK(mock_cuMemFree_v2(memory));
}

/* Of a stream each, in any order: the first piece of work of each waits for the one before. */
Test(growth, of_streams_that_wait_in_a_row)
{
    enum { N = 50000 };
    CUstream *all = many(N, sizeof(*all));
    CUevent event = NULL;

    start();
    mock__schedule_seed(1);
    OK(mock_cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    for (int i = 0; i < N; i++) {
        all[i] = a_stream();
        OK(mock_cuStreamWaitEvent(all[i], event, 0));
        OK(mock_cuEventRecord(event, all[i]));
    }
    OK(mock_cuEventSynchronize(event));
    free(all);
}

Test(growth, of_user_objects)
{
    enum { N = 200000 };
    CUuserObject *all = many(N, sizeof(*all));
    CUgraph graph = NULL;

    start();
    OK(mock_cuGraphCreate(&graph, 0));
    for (int i = 0; i < N; i++) {
        OK(mock_cuUserObjectCreate(&all[i], NULL, (CUhostFn) free, 1,
                                   CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
        OK(mock_cuGraphRetainUserObject(graph, all[i], 1, CU_GRAPH_USER_OBJECT_MOVE));
    }
    for (int i = N; i-- > 0;)
        OK(mock_cuGraphReleaseUserObject(graph, all[i], 1));
    OK(mock_cuGraphDestroy(graph));
    free(all);
}

/* Of the memory that kernels allocate, and of the parameters of kernels that they launch. */
Test(growth, of_parts_of_a_heap)
{
    enum { N = 700000, BYTES = 16 };
    const uint64_t begin = UINT64_C(1) << 32;
    struct ptx__heap *heap = ptx__heap_new(begin, (size_t) N * BYTES);

    for (uint64_t i = 0; i < N; i++)
        cr_assert(eq(u64, ptx__heap_take(heap, BYTES), begin + i * BYTES));
    cr_expect(eq(u64, ptx__heap_take(heap, 1), 0));
    for (uint64_t i = 0; i < N; i++)
        cr_assert(ptx__heap_give(heap, begin + i * BYTES));
    cr_expect(not(ptx__heap_give(heap, begin)));
    cr_expect(eq(u64, ptx__heap_take(heap, (uint64_t) N * BYTES), begin));
    ptx__heap_free(heap);
}
