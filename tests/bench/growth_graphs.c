/* SPDX-License-Identifier: MIT */
/* Graphs and captures. */
#include "growth_calls.h"

static void graphs(void)
{
    CUgraph *all = MANY(CUgraph);

    for (int i = 0; i < n; i++)
        TRY(cu->cuGraphCreate(&all[i], 0));
    for (int i = 0; i < n; i++)
        TRY(cu->cuGraphDestroy(all[i]));
}

static CUDA_MEMSET_NODE_PARAMS fill_of(CUdeviceptr memory, int i)
{
    return (CUDA_MEMSET_NODE_PARAMS){.dst = memory + (CUdeviceptr) i,
                                     .value = (unsigned) i & 255,
                                     .elementSize = 1,
                                     .width = 1,
                                     .height = 1};
}

static CUcontext current(void)
{
    CUcontext context;

    TRY(cu->cuCtxGetCurrent(&context));
    return context;
}

/* A graph of memsets: in a row, or all behind the first one and before a last one. */
static CUgraph new_graph(bool wide, CUdeviceptr memory, CUgraphNode *nodes)
{
    CUgraph graph;

    TRY(cu->cuGraphCreate(&graph, 0));
    for (int i = 0; i < n; i++) {
        const CUDA_MEMSET_NODE_PARAMS fill = fill_of(memory, i);
        const CUgraphNode *before = i ? &nodes[wide ? 0 : i - 1] : NULL;

        TRY(cu->cuGraphAddMemsetNode(&nodes[i], graph, before, i > 0, &fill, current()));
    }
    if (wide)
        TRY(cu->cuGraphAddEmptyNode(&nodes[n], graph, nodes, (size_t) n));
    return graph;
}

static void launch_graph(bool wide)
{
    CUgraph graph = new_graph(wide, some_memory((size_t) n), MANY(CUgraphNode));
    const CUstream stream = new_stream();
    CUgraphExec exec;

    TRY(cu->cuGraphInstantiateWithFlags(&exec, graph, 0));
    TRY(cu->cuGraphLaunch(exec, stream));
    TRY(cu->cuGraphLaunch(exec, stream));
    TRY(cu->cuStreamSynchronize(stream));
    TRY(cu->cuGraphExecDestroy(exec));
    TRY(cu->cuGraphDestroy(graph));
}

static void graph_in_a_row(void)
{
    launch_graph(false);
}

static void graph_side_by_side(void)
{
    launch_graph(true);
}

/* Layers of 64, each node behind eight of the layer before. */
static void graph_of_layers(void)
{
    enum { WIDTH = 64, EDGES = 8 };
    const CUdeviceptr memory = some_memory((size_t) n);
    CUgraphNode *nodes = MANY(CUgraphNode), before[EDGES];
    const CUstream stream = new_stream();
    CUgraphExec exec;
    CUgraph graph;

    TRY(cu->cuGraphCreate(&graph, 0));
    for (int i = 0; i < n; i++) {
        const CUDA_MEMSET_NODE_PARAMS fill = fill_of(memory, i);
        const int layer = i / WIDTH * WIDTH;

        for (int k = 0; k < EDGES && layer; k++)
            before[k] = nodes[layer - WIDTH + (i * 5 + k * 7) % WIDTH];
        TRY(cu->cuGraphAddMemsetNode(&nodes[i], graph, before, layer ? EDGES : 0, &fill,
                                     current()));
    }
    TRY(cu->cuGraphInstantiateWithFlags(&exec, graph, 0));
    TRY(cu->cuGraphLaunch(exec, stream));
    TRY(cu->cuStreamSynchronize(stream));
}

static void nodes_destroyed(void)
{
    CUgraphNode *nodes = MANY(CUgraphNode);

    new_graph(true, some_memory((size_t) n), nodes);
    for (int i = 0; i < n; i++)
        TRY(cu->cuGraphDestroyNode(nodes[i]));
}

static void nodes_set(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    CUgraphNode *nodes = MANY(CUgraphNode);
    CUgraph graph = new_graph(false, memory, nodes);
    CUgraphExec exec;

    TRY(cu->cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 0; i < n; i++) {
        const CUDA_MEMSET_NODE_PARAMS fill = fill_of(memory, i ^ 1);

        TRY(cu->cuGraphExecMemsetNodeSetParams(exec, nodes[i], &fill, current()));
    }
}

static void nodes_in_clone(void)
{
    CUgraphNode *nodes = MANY(CUgraphNode), node;
    CUgraph graph = new_graph(false, some_memory((size_t) n), nodes), copy;

    TRY(cu->cuGraphClone(&copy, graph));
    for (int i = 0; i < n; i++) {
        TRY(cu->cuGraphNodeFindInClone(&node, nodes[mixed(i)], copy));
        TRY(cu->cuGraphDestroyNode(node));
    }
}

#if CUDA_VERSION >= 13000
#define ADD(graph, from, to)    cu->cuGraphAddDependencies(graph, from, to, NULL, 1)
#define REMOVE(graph, from, to) cu->cuGraphRemoveDependencies(graph, from, to, NULL, 1)
#else
#define ADD(graph, from, to)    cu->cuGraphAddDependencies(graph, from, to, 1)
#define REMOVE(graph, from, to) cu->cuGraphRemoveDependencies(graph, from, to, 1)
#endif

static void edges(void)
{
    CUgraphNode *nodes = MANY(CUgraphNode);
    CUgraph graph;

    TRY(cu->cuGraphCreate(&graph, 0));
    for (int i = 0; i <= n; i++)
        TRY(cu->cuGraphAddEmptyNode(&nodes[i], graph, NULL, 0));
    for (int i = 1; i <= n; i++)
        TRY(ADD(graph, &nodes[0], &nodes[i]));
    for (int i = 1; i < n; i++)
        TRY(REMOVE(graph, &nodes[0], &nodes[i]));
}

/* Nodes that allocate, and as many that free. */
static void graph_memory(void)
{
    CUDA_MEM_ALLOC_NODE_PARAMS alloc = {
        .bytesize = 512,
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}}};
    CUgraphNode *nodes = MANY(CUgraphNode), node;
    const CUstream stream = new_stream();
    CUgraphExec exec;
    CUgraph graph;

    TRY(cu->cuGraphCreate(&graph, 0));
    for (int i = 0; i < n; i++) {
        TRY(cu->cuGraphAddMemAllocNode(&nodes[i], graph, NULL, 0, &alloc));
        TRY(cu->cuGraphAddMemFreeNode(&node, graph, &nodes[i], 1, alloc.dptr));
    }
    TRY(cu->cuGraphInstantiateWithFlags(&exec, graph, 0));
    TRY(cu->cuGraphLaunch(exec, stream));
    TRY(cu->cuStreamSynchronize(stream));
}

static void update(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    CUgraph graph = new_graph(true, memory, MANY(CUgraphNode));
    CUgraph other = new_graph(true, memory, MANY(CUgraphNode));
    CUgraphExecUpdateResultInfo info;
    CUgraphExec exec;

    TRY(cu->cuGraphInstantiateWithFlags(&exec, graph, 0));
    TRY(cu->cuGraphExecUpdate(exec, other, &info));
}

/* One capture that takes along all streams, and joins them. */
static void capture_of_streams(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    const CUstream one = new_stream();
    const CUevent event = new_event();
    CUstream *all = new_streams();
    CUgraph graph;

    TRY(cu->cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_GLOBAL));
    set_byte(memory, 0, one);
    for (int i = 1; i < n; i++) {
        follow(all[i], one, event);
        set_byte(memory, i, all[i]);
    }
    for (int i = 1; i < n; i++)
        follow(one, all[i], event);
    set_byte(memory, 0, one);
    TRY(cu->cuStreamEndCapture(one, &graph));
}

/* Short captures among many streams, one after the other. */
static void captures(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    CUstream *all = new_streams();
    CUgraph graph;

    for (int i = 0; i < n; i++) {
        TRY(cu->cuStreamBeginCapture(all[i], CU_STREAM_CAPTURE_MODE_RELAXED));
        set_byte(memory, i, all[i]);
        TRY(cu->cuStreamEndCapture(all[i], &graph));
        TRY(cu->cuGraphDestroy(graph));
    }
}

/* All of them at the same time, each of two streams. */
static void captures_together(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    const CUevent event = new_event();
    CUstream *all = new_streams();
    CUgraph graph;

    for (int i = 0; i < n; i += 2) {
        TRY(cu->cuStreamBeginCapture(all[i], CU_STREAM_CAPTURE_MODE_RELAXED));
        set_byte(memory, i, all[i]);
        follow(all[i + 1], all[i], event);
        set_byte(memory, i, all[i + 1]);
        follow(all[i], all[i + 1], event);
        some_memory(1);
    }
    for (int i = 0; i < n; i += 2)
        TRY(cu->cuStreamEndCapture(all[i], &graph));
}

const struct growth_case growth_graphs[] = {
    CASE(graphs),
    CASE(graph_in_a_row),
    CASE(graph_side_by_side),
    CASE(graph_of_layers),
    CASE(nodes_destroyed),
    CASE(nodes_set),
    CASE(nodes_in_clone),
    CASE(edges),
    CASE(graph_memory),
    CASE(update),
    CASE(capture_of_streams),
    CASE(captures),
    CASE(captures_together),
    {NULL, NULL},
};
