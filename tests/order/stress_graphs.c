/* SPDX-License-Identifier: MIT */
/*
 * stress_graphs SEED ROUNDS: 8 threads at once capture, build, change, launch and destroy graphs,
 * each on memory of its own, and compare with the same work done in program order. Plain, so
 * that the thread sanitizer can watch it. Status 1 if anything differs.
 */
#include <cushim/mock.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../mock/check.h"
#include "mock/functions.h"

enum { THREADS = 8, STREAMS = 3, BUFFERS = 3, STEPS = 12 };

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry affine(.param .u64 p, .param .u32 factor, .param .u32 term) { ret; }\n";

static unsigned rounds;
static CUcontext context;
static CUmodule module;
static CUfunction function;

static void affine(const struct cushim_mock_launch *launch, void *const *args)
{
    unsigned *p = cushim_mock_pointer(*(uint64_t *) args[0], sizeof(*p));

    (void) launch;
    if (p)
        *p = *p * *(unsigned *) args[1] + *(unsigned *) args[2];
}

/* One thread's world: each stream works on a word of its own, and the first reads all. */
struct world {
    unsigned random;
    CUstream streams[STREAMS];
    CUevent event, recorded;
    CUdeviceptr words[BUFFERS];
    unsigned expected[BUFFERS];
    unsigned factor[STEPS], term[STEPS], word[STEPS], n; /* what the captured graph does */
    unsigned calls, expected_calls, ends, expected_ends;
};

static unsigned draw(struct world *w, unsigned below)
{
    w->random = w->random * 1664525u + 1013904223u;
    return (w->random >> 16) % below;
}

static void CUDA_CB count_call(void *world)
{
    ((struct world *) world)->calls++;
}

static void join(const struct world *w, CUstream from, CUstream to)
{
    CHECK(mock_cuEventRecord(w->event, from));
    CHECK(mock_cuStreamWaitEvent(to, w->event, 0));
}

static void launch(struct world *w, unsigned word)
{
    void *params[] = {&w->words[word], &w->factor[w->n], &w->term[w->n]};

    w->factor[w->n] = 1 + draw(w, 5);
    w->term[w->n] = draw(w, 100);
    w->word[w->n] = word;
    CHECK(mock_cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, w->streams[word], params, NULL));
    w->n++;
}

/* Fork to the other streams, work in all of them, join. */
static CUgraph capture(struct world *w)
{
    CUgraph graph = NULL;

    w->n = 0;
    CHECK(mock_cuStreamBeginCapture_v2(w->streams[0], CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    for (int i = 1; i < STREAMS; i++)
        join(w, w->streams[0], w->streams[i]);
    while (w->n < STEPS)
        launch(w, draw(w, BUFFERS));
    for (int i = 1; i < STREAMS; i++)
        join(w, w->streams[i], w->streams[0]);
    CHECK(mock_cuLaunchHostFunc(w->streams[0], count_call, w));
    CHECK(mock_cuStreamEndCapture(w->streams[0], &graph));
    return graph;
}

static void expect_launch(struct world *w)
{
    for (unsigned i = 0; i < w->n; i++)
        w->expected[w->word[i]] = w->expected[w->word[i]] * w->factor[i] + w->term[i];
    w->expected_calls++;
}

/* Work that goes through memory of the graph's own, and sets the second word. */
static CUgraph capture_memory(struct world *w)
{
    CUgraph graph = NULL;
    CUdeviceptr scratch = 0;

    CHECK(mock_cuStreamBeginCapture_v2(w->streams[1], CU_STREAM_CAPTURE_MODE_RELAXED));
    CHECK(mock_cuMemAllocAsync(&scratch, 4096, w->streams[1]));
    CHECK(mock_cuMemsetD32Async(scratch, 9, 1024, w->streams[1]));
    CHECK(mock_cuMemcpyDtoDAsync_v2(w->words[1], scratch, 4, w->streams[1]));
    CHECK(mock_cuMemFreeAsync(scratch, w->streams[1]));
    CHECK(mock_cuStreamEndCapture(w->streams[1], &graph));
    return graph;
}

static void CUDA_CB count_end(void *world)
{
    __atomic_fetch_add(&((struct world *) world)->ends, 1, __ATOMIC_RELAXED);
}

/* The graph within a graph, kept by an object that is told when nothing needs it any more. */
static CUgraph wrap(struct world *w, CUgraph inner)
{
    CUuserObject object = NULL;
    CUgraphNode node = NULL;
    CUgraph graph = NULL;

    CHECK(mock_cuGraphCreate(&graph, 0));
    CHECK(mock_cuGraphAddChildGraphNode(&node, graph, NULL, 0, inner));
    CHECK(mock_cuGraphAddEventRecordNode(&node, graph, &node, 1, w->recorded));
    CHECK(mock_cuUserObjectCreate(&object, w, count_end, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    CHECK(mock_cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    w->expected_ends++;
    return graph;
}

/* A node behind the whole graph, which sets the first word. */
static void extend(struct world *w, CUgraph graph)
{
    CUDA_MEMSET_NODE_PARAMS fill = {.value = 7, .elementSize = 4, .width = 1, .height = 1};
    CUgraphNode nodes[STEPS + 2] = {NULL}, node;
    size_t n = STEPS + 2;

    fill.dst = w->words[0];
    CHECK(mock_cuGraphGetNodes(graph, nodes, &n));
    CHECK(mock_cuGraphAddMemsetNode(&node, graph, nodes, n, &fill, NULL));
}

static void check_words(struct world *w)
{
    for (int i = 0; i < BUFFERS; i++) {
        unsigned got = 0;

        CHECK(mock_cuMemcpyDtoHAsync_v2(&got, w->words[i], sizeof(got), w->streams[0]));
        if (got != w->expected[i]) {
            fprintf(stderr, "word %d is %u, expected %u\n", i, got, w->expected[i]);
            exit(1);
        }
    }
    CHECK(mock_cuStreamSynchronize(w->streams[0]));
    if (w->calls != w->expected_calls) {
        fprintf(stderr, "%u calls, expected %u\n", w->calls, w->expected_calls);
        exit(1);
    }
}

static void launch_updated(struct world *w, CUgraphExec exec, CUgraph graph)
{
    CUgraphExecUpdateResult result;
    CUgraphNode culprit;

    CHECK(mock_cuGraphExecUpdate(exec, graph, &culprit, &result));
    CHECK(mock_cuGraphLaunch(exec, w->streams[0]));
    CHECK(mock_cuEventSynchronize(w->recorded));
    expect_launch(w);
}

static void launch_memory(struct world *w)
{
    CUgraph graph = capture_memory(w);
    CUgraphExec exec = NULL;

    CHECK(mock_cuGraphInstantiate_v2(&exec, graph, NULL, NULL, 0));
    for (unsigned i = draw(w, 3); i; i--)
        CHECK(mock_cuGraphLaunch(exec, w->streams[0]));
    CHECK(mock_cuGraphLaunch(exec, w->streams[0]));
    CHECK(mock_cuGraphDestroy(graph));
    CHECK(mock_cuGraphExecDestroy(exec));
    w->expected[1] = 9;
}

static void launch_plain(struct world *w, CUgraph graph)
{
    CUgraphExec exec = NULL;

    CHECK(mock_cuGraphInstantiate_v2(&exec, graph, NULL, NULL, 0));
    for (unsigned i = draw(w, 3) + 1; i; i--) {
        CHECK(mock_cuGraphLaunch(exec, w->streams[0]));
        expect_launch(w);
    }
    CHECK(mock_cuGraphExecDestroy(exec));
}

static void launch_extended(struct world *w, CUgraph graph)
{
    CUgraphExec exec = NULL;
    CUgraph clone = NULL;

    CHECK(mock_cuGraphClone(&clone, graph));
    extend(w, clone);
    CHECK(mock_cuGraphInstantiate_v2(&exec, clone, NULL, NULL, 0));
    CHECK(mock_cuGraphDestroy(clone));
    CHECK(mock_cuGraphLaunch(exec, w->streams[0]));
    expect_launch(w);
    w->expected[0] = 7;
    CHECK(mock_cuGraphExecDestroy(exec));
}

static void launch_wrapped(struct world *w, CUgraph inner)
{
    CUgraph graph = wrap(w, inner);
    CUgraphExec exec = NULL;

    CHECK(mock_cuGraphInstantiate_v2(&exec, graph, NULL, NULL, 0));
    launch_updated(w, exec, graph);
    CHECK(mock_cuGraphLaunch(exec, w->streams[0]));
    expect_launch(w);
    CHECK(mock_cuGraphDestroy(graph));
    CHECK(mock_cuGraphExecDestroy(exec));
}

static void do_round(struct world *w)
{
    CUgraph graph = capture(w);

    launch_plain(w, graph);
    launch_extended(w, graph);
    if (draw(w, 2))
        check_words(w);
    launch_wrapped(w, graph);
    launch_memory(w);
    CHECK(mock_cuGraphDestroy(graph));
    check_words(w);
}

static void set_up(struct world *w)
{
    CHECK(mock_cuCtxSetCurrent(context));
    for (int i = 0; i < STREAMS; i++)
        CHECK(mock_cuStreamCreate(&w->streams[i], CU_STREAM_NON_BLOCKING));
    CHECK(mock_cuEventCreate(&w->event, CU_EVENT_DISABLE_TIMING));
    CHECK(mock_cuEventCreate(&w->recorded, CU_EVENT_DISABLE_TIMING));
    for (int i = 0; i < BUFFERS; i++) {
        CHECK(mock_cuMemAlloc_v2(&w->words[i], sizeof(unsigned)));
        CHECK(mock_cuMemsetD32Async(w->words[i], 0, 1, w->streams[0]));
    }
    CHECK(mock_cuStreamSynchronize(w->streams[0]));
}

static void tear_down(struct world *w)
{
    for (int i = 0; i < BUFFERS; i++)
        CHECK(mock_cuMemFreeAsync(w->words[i], w->streams[0]));
    for (int i = 0; i < STREAMS; i++)
        CHECK(mock_cuStreamDestroy_v2(w->streams[i]));
    CHECK(mock_cuEventDestroy_v2(w->event));
    CHECK(mock_cuEventDestroy_v2(w->recorded));
}

/* Destructors are called some time after the last launch is done. */
static void wait_for_ends(const struct world *w)
{
    for (int i = 0; i < 10000; i++) {
        if (__atomic_load_n(&w->ends, __ATOMIC_RELAXED) == w->expected_ends)
            return;
        usleep(1000);
    }
    fprintf(stderr, "%u destructors, expected %u\n", w->ends, w->expected_ends);
    exit(1);
}

static void *work(void *pointer)
{
    struct world *w = pointer;

    set_up(w);
    for (unsigned i = 0; i < rounds; i++)
        do_round(w);
    tear_down(w);
    wait_for_ends(w);
    return NULL;
}

static void begin(void)
{
    CHECK(cushim_mock_register_kernel("affine", affine, NULL));
    CHECK(mock_cuInit(0));
    CHECK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    CHECK(mock_cuCtxSetCurrent(context));
    CHECK(mock_cuModuleLoadData(&module, ptx));
    CHECK(mock_cuModuleGetFunction(&function, module, "affine"));
}

/* Mistakes, and what was not given back. */
static int report(void)
{
    const struct cushim_mock_finding *findings = NULL;
    size_t n;

    CHECK(mock_cuModuleUnload(module));
    CHECK(mock_cuDevicePrimaryCtxRelease_v2(0));
    cushim_mock_leaks();
    n = cushim_mock_findings(&findings);

    for (size_t i = 0; i < n; i++)
        fprintf(stderr, "%s\n", findings[i].text);
    return n != 0;
}

int main(int argc, char **argv)
{
    static struct world worlds[THREADS];
    pthread_t threads[THREADS];

    if (argc != 3) {
        fprintf(stderr, "usage: stress_graphs SEED ROUNDS\n");
        return 2;
    }
    setenv("CUSHIM_MOCK_SEED", argv[1], 1);
    rounds = (unsigned) atoi(argv[2]);
    begin();
    for (unsigned i = 0; i < THREADS; i++) {
        worlds[i].random = i + 1;
        CHECK(pthread_create(&threads[i], NULL, work, &worlds[i]));
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return report();
}
