/* SPDX-License-Identifier: MIT */
#include "graphs.h"

#include <string.h>

#include "world.h"

static struct {
    CUgraph graph, memory_graph;
    CUgraphExec exec;
    CUgraphNode kernel, copy, set, host, empty, second, child, record, wait, batch, alloc, free;
    CUgraph alloc_graph;
    CUgraphNode unfreed;
    CUdeviceptr address;
} scene, kept;

void forget_graphs(void)
{
    memset(&scene, 0, sizeof(scene));
}

void other_graphs_begin(void)
{
    kept = scene;
    forget_graphs();
}

void other_graphs_end(void)
{
    scene = kept;
}

static CUgraph new_graph(void)
{
    CUgraph graph = NULL;

    if (made(CALL(cuGraphCreate, (&graph, 0))))
        later(destroy_graph, (uint64_t) graph);
    return graph;
}

uint64_t make_empty_graph(const struct param *param)
{
    (void) param;
    return (uint64_t) new_graph();
}

static void add_kernel(CUgraph graph)
{
    CUDA_KERNEL_NODE_PARAMS kernel = {.func = make_kernel_named("nop"),
                                      .gridDimX = 1,
                                      .gridDimY = 1,
                                      .gridDimZ = 1,
                                      .blockDimX = 1,
                                      .blockDimY = 1,
                                      .blockDimZ = 1};

    made(CALL(cuGraphAddKernelNode_v2, (&scene.kernel, graph, NULL, 0, &kernel)));
}

static void add_copy(CUgraph graph)
{
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = make_memory(NULL),
                          .srcPitch = 64,
                          .srcHeight = 1,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = make_memory(NULL),
                          .dstPitch = 64,
                          .dstHeight = 1,
                          .WidthInBytes = 64,
                          .Height = 1,
                          .Depth = 1};

    made(CALL(cuGraphAddMemcpyNode, (&scene.copy, graph, NULL, 0, &copy, world_context())));
}

static void add_set(CUgraph graph)
{
    CUDA_MEMSET_NODE_PARAMS set = {
        .dst = make_memory(NULL), .elementSize = 1, .width = 64, .height = 1};

    made(CALL(cuGraphAddMemsetNode, (&scene.set, graph, NULL, 0, &set, world_context())));
}

static void add_host(CUgraph graph)
{
    CUDA_HOST_NODE_PARAMS host = {.fn = (CUhostFn) (uintptr_t) make_callback(NULL)};

    made(CALL(cuGraphAddHostNode, (&scene.host, graph, NULL, 0, &host)));
}

static void add_child(CUgraph graph)
{
    CUgraph child = new_graph();
    CUgraphNode inner;

    made(CALL(cuGraphAddEmptyNode, (&inner, child, NULL, 0)));
    made(CALL(cuGraphAddChildGraphNode, (&scene.child, graph, NULL, 0, child)));
}

static void add_batch(CUgraph graph)
{
    CUstreamBatchMemOpParams write = {
        .writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, .address = make_memory(NULL)}};
    CUDA_BATCH_MEM_OP_NODE_PARAMS batch = {
        .ctx = world_context(), .count = 1, .paramArray = &write};

    made(CALL(cuGraphAddBatchMemOpNode, (&scene.batch, graph, NULL, 0, &batch)));
}

static void add_events(CUgraph graph)
{
    made(CALL(cuGraphAddEventRecordNode,
              (&scene.record, graph, NULL, 0, (CUevent) make_event(NULL))));
    made(CALL(cuGraphAddEventWaitNode, (&scene.wait, graph, NULL, 0, (CUevent) make_event(NULL))));
}

/* Two empty nodes, the second after the first. */
static void add_empty(CUgraph graph)
{
    made(CALL(cuGraphAddEmptyNode, (&scene.empty, graph, NULL, 0)));
    made(CALL(cuGraphAddEmptyNode, (&scene.second, graph, &scene.empty, 1)));
}

static CUgraph the_graph(void)
{
    if (scene.graph)
        return scene.graph;
    scene.graph = new_graph();
    add_kernel(scene.graph);
    add_copy(scene.graph);
    add_set(scene.graph);
    add_host(scene.graph);
    add_child(scene.graph);
    add_batch(scene.graph);
    add_events(scene.graph);
    add_empty(scene.graph);
    return scene.graph;
}

static CUgraph the_memory_graph(void)
{
    CUDA_MEM_ALLOC_NODE_PARAMS alloc = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}},
        .bytesize = 64};

    if (scene.memory_graph)
        return scene.memory_graph;
    scene.memory_graph = new_graph();
    made(CALL(cuGraphAddMemAllocNode, (&scene.alloc, scene.memory_graph, NULL, 0, &alloc)));
    made(CALL(cuGraphAddMemFreeNode,
              (&scene.free, scene.memory_graph, &scene.alloc, 1, alloc.dptr)));
    return scene.memory_graph;
}

static CUgraph the_alloc_graph(void)
{
    CUDA_MEM_ALLOC_NODE_PARAMS alloc = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}},
        .bytesize = 64};

    if (scene.alloc_graph)
        return scene.alloc_graph;
    scene.alloc_graph = new_graph();
    made(CALL(cuGraphAddMemAllocNode, (&scene.unfreed, scene.alloc_graph, NULL, 0, &alloc)));
    scene.address = alloc.dptr;
    return scene.alloc_graph;
}

uint64_t make_alloc_graph(const struct param *param)
{
    (void) param;
    return (uint64_t) the_alloc_graph();
}

uint64_t make_alloc_address(const struct param *param)
{
    (void) param;
    the_alloc_graph();
    return scene.address;
}

uint64_t make_owned_object(const struct param *param)
{
    uint64_t object = make_user_object(param);

    made(CALL(cuGraphRetainUserObject, (the_graph(), (CUuserObject) object, 1, 0)));
    return object;
}

uint64_t make_graph(const struct param *param)
{
    (void) param;
    return (uint64_t) the_graph();
}

uint64_t make_memory_graph(const struct param *param)
{
    (void) param;
    return (uint64_t) the_memory_graph();
}

/* A graph like that of the question. */
uint64_t make_other_graph(const struct param *param)
{
    CUgraph other;

    (void) param;
    other_graphs_begin();
    other = the_graph();
    other_graphs_end();
    return (uint64_t) other;
}

uint64_t make_node_of_other_graph(const struct param *param)
{
    CUgraph graph = new_graph();
    CUgraphNode node = NULL;

    (void) param;
    made(CALL(cuGraphAddEmptyNode, (&node, graph, NULL, 0)));
    return (uint64_t) node;
}

uint64_t make_clone(const struct param *param)
{
    CUgraph clone = NULL;

    (void) param;
    if (made(CALL(cuGraphClone, (&clone, the_graph()))))
        later(destroy_graph, (uint64_t) clone);
    return (uint64_t) clone;
}

static uint64_t instantiated(CUgraph graph)
{
    CUgraphExec exec = NULL;

    if (made(CALL(cuGraphInstantiateWithFlags, (&exec, graph, 0))))
        later(destroy_exec, (uint64_t) exec);
    return (uint64_t) exec;
}

uint64_t make_exec(const struct param *param)
{
    (void) param;
    if (!scene.exec)
        scene.exec = (CUgraphExec) instantiated(the_graph());
    return (uint64_t) scene.exec;
}

uint64_t make_other_exec(const struct param *param)
{
    return instantiated((CUgraph) make_other_graph(param));
}

#define NODE(function, of_graph, member)                                                           \
    uint64_t function(const struct param *param)                                                   \
    {                                                                                              \
        (void) param;                                                                              \
        of_graph();                                                                                \
        return (uint64_t) scene.member;                                                            \
    }

NODE(make_kernel_node, the_graph, kernel)
NODE(make_copy_node, the_graph, copy)
NODE(make_set_node, the_graph, set)
NODE(make_host_node, the_graph, host)
NODE(make_empty_node, the_graph, empty)
NODE(make_second_empty_node, the_graph, second)
NODE(make_child_node, the_graph, child)
NODE(make_record_node, the_graph, record)
NODE(make_wait_node, the_graph, wait)
NODE(make_batch_node, the_graph, batch)
NODE(make_alloc_node, the_memory_graph, alloc)
NODE(make_unfreed_node, the_alloc_graph, unfreed)
NODE(make_free_node, the_memory_graph, free)

uint64_t make_child_graph(const struct param *param)
{
    CUgraph child = new_graph();
    CUgraphNode inner;

    (void) param;
    made(CALL(cuGraphAddEmptyNode, (&inner, child, NULL, 0)));
    return (uint64_t) child;
}

uint64_t make_condition(const struct param *param)
{
    CUgraphConditionalHandle handle = 0;

    (void) param;
    made(CALL(cuGraphConditionalHandleCreate, (&handle, the_graph(), world_context(), 0, 0)));
    return handle;
}

uint64_t make_condition_node(const struct param *param)
{
    CUgraphNode node = NULL;
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};

    params.conditional.handle = make_condition(param);
    params.conditional.type = CU_GRAPH_COND_TYPE_IF;
    params.conditional.size = 1;
    params.conditional.ctx = world_context();
    made(CALL(cuGraphAddNode_v2, (&node, the_graph(), NULL, NULL, 0, &params)));
    return (uint64_t) node;
}
