/* SPDX-License-Identifier: MIT */
/* Memory that graphs allocate and free: launched again, freed elsewhere, freed twice, never. */
#include <stdbool.h>
#include <string.h>

#include "ask.h"

struct memory_graph {
    CUgraph graph;
    CUgraphNode alloc, free;
    CUdeviceptr address;
};

static CUDA_MEM_ALLOC_NODE_PARAMS params_of(size_t bytes)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params;

    memset(&params, 0, sizeof(params));
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.bytesize = bytes;
    return params;
}

/* With a node that frees, or without. */
static struct memory_graph new_graph(bool with_free)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params = params_of(1 << 20);
    struct memory_graph g = {.graph = NULL};

    CALL(cuGraphCreate, (&g.graph, 0));
    CALL(cuGraphAddMemAllocNode, (&g.alloc, g.graph, NULL, 0, &params));
    g.address = params.dptr;
    if (with_free)
        CALL(cuGraphAddMemFreeNode, (&g.free, g.graph, &g.alloc, 1, g.address));
    return g;
}

static CUgraphExec instantiate(const char *key, CUgraph graph, unsigned long long flags)
{
    CUgraphExec exec = NULL;

    report(key, CALL(cuGraphInstantiateWithFlags, (&exec, graph, flags)));
    return exec;
}

static long long usage(CUgraphMem_attribute attribute)
{
    cuuint64_t value = 0;

    CALL(cuDeviceGetGraphMemAttribute, (0, attribute, &value));
    return (long long) value;
}

static void report_usage(const char *key)
{
    report_numbered(usage(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), "%s_used", key);
    report_numbered(usage(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) > 0, "%s_reserved", key);
}

static void ask_alone(void)
{
    struct memory_graph g = new_graph(false);
    CUgraphExec exec = instantiate("alone", g.graph, 0);

    report_usage("alone_before");
    ASK("alone_launch", cuGraphLaunch, (exec, NULL));
    ASK("alone_sync", cuCtxSynchronize, ());
    report_usage("alone_after");
    ASK("alone_write", cuMemsetD8_v2, (g.address, 1, 4));
    ASK("alone_launch_again", cuGraphLaunch, (exec, NULL));
    ASK("alone_inst_again", cuGraphInstantiateWithFlags, ((CUgraphExec[]){NULL}, g.graph, 0));
    ASK("alone_free", cuMemFree_v2, (g.address));
    ASK("alone_free_twice", cuMemFree_v2, (g.address));
    report_usage("alone_freed");
    ASK("alone_launch_freed", cuGraphLaunch, (exec, NULL));
    ASK("alone_free_async", cuMemFreeAsync, (g.address, NULL));
    ASK("alone_launch_freed2", cuGraphLaunch, (exec, NULL));
    ASK("alone_sync2", cuCtxSynchronize, ());
    ASK("alone_exec_destroy", cuGraphExecDestroy, (exec));
    report_usage("alone_destroyed");
    ASK("alone_free_destroyed", cuMemFree_v2, (g.address));
    ASK("alone_graph_destroy", cuGraphDestroy, (g.graph));
    report_usage("alone_end");
}

static void ask_auto(void)
{
    struct memory_graph g = new_graph(false);
    CUgraphExec exec =
        instantiate("auto", g.graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);

    for (int i = 0; i < 3; i++)
        report_numbered(CALL(cuGraphLaunch, (exec, NULL)), "auto_launch%d", i);
    ASK("auto_sync", cuCtxSynchronize, ());
    report_usage("auto_after");
    ASK("auto_free", cuMemFreeAsync, (g.address, NULL));
    ASK("auto_launch_freed", cuGraphLaunch, (exec, NULL));
    ASK("auto_sync2", cuCtxSynchronize, ());
    ASK("auto_exec_destroy", cuGraphExecDestroy, (exec));
    report_usage("auto_destroyed");
    ASK("auto_free_end", cuMemFree_v2, (g.address));
    CALL(cuGraphDestroy, (g.graph));
}

static void ask_pair(void)
{
    struct memory_graph g = new_graph(true);
    CUgraphExec exec = instantiate("pair", g.graph, 0), second = NULL;
    CUgraph clone = NULL;
    CUdeviceptr address = 0;
    CUDA_MEM_ALLOC_NODE_PARAMS params;

    report("pair_auto",
           CALL(cuGraphInstantiateWithFlags,
                (&second, g.graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH)));
    for (int i = 0; i < 3; i++)
        report_numbered(CALL(cuGraphLaunch, (exec, NULL)), "pair_launch%d", i);
    ASK("pair_sync", cuCtxSynchronize, ());
    report_usage("pair_after");
    ASK("pair_free", cuMemFree_v2, (g.address));
    ASK("pair_clone", cuGraphClone, (&clone, g.graph));
    ASK("pair_get_alloc", cuGraphMemAllocNodeGetParams, (g.alloc, &params));
    report("pair_get_alloc_bytes", (long long) params.bytesize);
    report("pair_get_alloc_v", params.dptr == g.address);
    ASK("pair_get_free", cuGraphMemFreeNodeGetParams, (g.free, &address));
    report("pair_get_free_v", address == g.address);
    ASK("pair_destroy_node", cuGraphDestroyNode, (g.free));
    ASK("pair_remove_edge", cuGraphRemoveDependencies_v2, (g.graph, &g.alloc, &g.free, NULL, 1));
    ASK("pair_upload", cuGraphUpload, (exec, NULL));
    CALL(cuGraphExecDestroy, (exec));
    ASK("pair_inst_again", cuGraphInstantiateWithFlags, (&exec, g.graph, 0));
    ASK("pair_end", cuGraphLaunch, (exec, NULL));
    ASK("pair_end_sync", cuCtxSynchronize, ());
    CALL(cuGraphExecDestroy, (exec));
    CALL(cuGraphDestroy, (g.graph));
}

/* One graph allocates, another one frees. */
static void ask_other_graph(void)
{
    struct memory_graph g = new_graph(false);
    CUgraphExec exec = instantiate("other_first", g.graph, 0), freeing = NULL;
    CUgraph second = NULL;
    CUgraphNode node = NULL;

    CALL(cuGraphCreate, (&second, 0));
    ASK("other_node", cuGraphAddMemFreeNode, (&node, second, NULL, 0, g.address));
    ASK("other_node_twice", cuGraphAddMemFreeNode, (&node, second, NULL, 0, g.address));
    freeing = instantiate("other_inst", second, 0);
    ASK("other_free_first", cuGraphLaunch, (freeing, NULL));
    ASK("other_alloc", cuGraphLaunch, (exec, NULL));
    ASK("other_free", cuGraphLaunch, (freeing, NULL));
    ASK("other_free_twice", cuGraphLaunch, (freeing, NULL));
    ASK("other_alloc_again", cuGraphLaunch, (exec, NULL));
    ASK("other_free_again", cuGraphLaunch, (freeing, NULL));
    ASK("other_sync", cuCtxSynchronize, ());
    report_usage("other_end");
    CALL(cuGraphExecDestroy, (exec));
    CALL(cuGraphExecDestroy, (freeing));
}

static void ask_nodes(void)
{
    struct memory_graph g = new_graph(false), h;
    CUDA_MEM_ALLOC_NODE_PARAMS params = params_of(16);
    const CUdeviceptr usual = new_memory(64);
    CUgraphNode node = NULL, child = NULL;
    CUgraph outer = NULL;

    ASK("node_free", cuGraphAddMemFreeNode, (&node, g.graph, &g.alloc, 1, g.address));
    ASK("node_free_twice", cuGraphAddMemFreeNode, (&node, g.graph, &g.alloc, 1, g.address));
    ASK("node_free_usual", cuGraphAddMemFreeNode, (&node, g.graph, NULL, 0, usual));
    ASK("node_free_null", cuGraphAddMemFreeNode, (&node, g.graph, NULL, 0, 0));
    ASK("node_free_garbage", cuGraphAddMemFreeNode, (&node, g.graph, NULL, 0, 0x1234));
    h = new_graph(false);
    ASK("node_free_inside", cuGraphAddMemFreeNode, (&node, h.graph, &h.alloc, 1, h.address + 16));
    ASK("node_free_unordered", cuGraphAddMemFreeNode, (&node, h.graph, NULL, 0, h.address));
    ASK("node_null", cuGraphAddMemAllocNode, (&node, h.graph, NULL, 0, NULL));
    params.bytesize = 0;
    ASK("node_size0", cuGraphAddMemAllocNode, (&node, h.graph, NULL, 0, &params));
    params.bytesize = (size_t) 1 << 50;
    ASK("node_huge", cuGraphAddMemAllocNode, (&node, h.graph, NULL, 0, &params));
    params = params_of(16);
    params.poolProps.location.id = 99;
    ASK("node_device99", cuGraphAddMemAllocNode, (&node, h.graph, NULL, 0, &params));
    params = params_of(16);
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_HOST;
    ASK("node_host", cuGraphAddMemAllocNode, (&node, h.graph, NULL, 0, &params));
    params = params_of(16);
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
    ASK("node_type0", cuGraphAddMemAllocNode, (&node, h.graph, NULL, 0, &params));
    params = params_of(16);
    params.poolProps.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    ASK("node_handle", cuGraphAddMemAllocNode, (&node, h.graph, NULL, 0, &params));
    CALL(cuGraphCreate, (&outer, 0));
    ASK("node_child", cuGraphAddChildGraphNode, (&child, outer, NULL, 0, h.graph));
    ASK("node_destroy", cuGraphDestroyNode, (h.alloc));
    ASK("node_clone", cuGraphClone, (&outer, h.graph));
}

static void ask_attributes(void)
{
    cuuint64_t value = 0, high = 1 << 20;

    ASK("trim", cuDeviceGraphMemTrim, (0));
    ASK("trim_bad", cuDeviceGraphMemTrim, (99));
    ASK("get_bad", cuDeviceGetGraphMemAttribute, (0, (CUgraphMem_attribute) 9, &value));
    ASK("get_null", cuDeviceGetGraphMemAttribute, (0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, NULL));
    ASK("set_used", cuDeviceSetGraphMemAttribute, (0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &value));
    ASK("set_high", cuDeviceSetGraphMemAttribute, (0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &value));
    ASK("set_high_v", cuDeviceSetGraphMemAttribute, (0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &high));
    report("high", usage(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH));
}

/* Memory of a capture that is freed, and not. */
static void ask_captured(void)
{
    CUstream stream = new_stream();
    CUdeviceptr p = 0;
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;

    CALL(cuStreamBeginCapture_v2, (stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    ASK("cap_alloc", cuMemAllocAsync, (&p, 1 << 16, stream));
    ASK("cap_memset", cuMemsetD8Async, (p, 1, 1 << 16, stream));
    ASK("cap_free_usual", cuMemFree_v2, (p));
    ASK("cap_end", cuStreamEndCapture, (stream, &graph));
    ASK("cap_inst", cuGraphInstantiateWithFlags, (&exec, graph, 0));
    ASK("cap_launch", cuGraphLaunch, (exec, stream));
    ASK("cap_launch_again", cuGraphLaunch, (exec, stream));
    ASK("cap_free", cuMemFreeAsync, (p, stream));
    ASK("cap_launch_freed", cuGraphLaunch, (exec, stream));
    ASK("cap_sync", cuStreamSynchronize, (stream));
    report_usage("cap");
}

void ask_graph_memory(void)
{
    begin();
    ask_attributes();
    ask_alone();
    ask_auto();
    ask_pair();
    ask_other_graph();
    ask_nodes();
    ask_captured();
}
