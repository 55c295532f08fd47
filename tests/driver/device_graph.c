/* SPDX-License-Identifier: MIT */
/* Graphs that kernels may launch: what they may hold, and how they are made ready. */
#include <stdio.h>
#include <string.h>

#include "ask.h"

static CUstream stream;
static CUcontext context;
static CUfunction nop;

#define FOR_DEVICE CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH
#define UPLOAD     CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD
#define AUTO_FREE  CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH
#define PRIORITY   CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY

static CUgraph new_graph(void)
{
    CUgraph graph = NULL;

    CALL(cuGraphCreate, (&graph, 0));
    return graph;
}

static CUgraphNode add_kernel(CUgraph graph)
{
    CUDA_KERNEL_NODE_PARAMS params = {.func = nop,
                                      .gridDimX = 1,
                                      .gridDimY = 1,
                                      .gridDimZ = 1,
                                      .blockDimX = 1,
                                      .blockDimY = 1,
                                      .blockDimZ = 1};
    CUgraphNode node = NULL;

    CALL(cuGraphAddKernelNode_v2, (&node, graph, NULL, 0, &params));
    return node;
}

/* Instantiates with flags, and tells how that went. */
static CUgraphExec instantiate(const char *key, CUgraph graph, unsigned long long flags)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {.flags = flags, .hUploadStream = stream};
    CUgraphExec exec = NULL;
    cuuint64_t got = 99;

    report(key, CALL(cuGraphInstantiateWithParams, (&exec, graph, &params)));
    report_numbered(params.result_out, "%s_why", key);
    report_numbered(params.hErrNode_out != NULL, "%s_node", key);
    if (exec)
        CALL(cuGraphExecGetFlags, (exec, &got));
    report_numbered((long long) got, "%s_flags", key);
    return exec;
}

static void ask_flags(void)
{
    CUgraph graph = new_graph();
    CUgraphExec exec = NULL;

    add_kernel(graph);
    for (unsigned flags = 0; flags < 17; flags++) {
        char key[32];

        snprintf(key, sizeof(key), "flags%u", flags);
        exec = instantiate(key, graph, flags);
        if (exec)
            CALL(cuGraphExecDestroy, (exec));
    }
    for (unsigned flags = 0; flags < 17; flags++) {
        exec = NULL;
        report_numbered(CALL(cuGraphInstantiateWithFlags, (&exec, graph, flags)), "with%u", flags);
        if (exec)
            CALL(cuGraphExecDestroy, (exec));
    }
}

static void CUDA_CB do_nothing(void *unused)
{
    (void) unused;
}

static void ask_nodes(void)
{
    const CUdeviceptr p = new_memory(64);
    CUDA_MEMSET_NODE_PARAMS fill = {.dst = p, .elementSize = 1, .width = 16, .height = 1};
    CUDA_HOST_NODE_PARAMS host = {.fn = do_nothing};
    CUDA_MEMCPY3D copy;
    CUgraph graph = new_graph(), inner = new_graph();
    CUgraphNode node = NULL;
    CUevent event = NULL;
    char buffer[16];

    memset(&copy, 0, sizeof(copy));
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = p;
    copy.dstDevice = p + 32;
    copy.WidthInBytes = 16;
    copy.Height = copy.Depth = 1;
    CALL(cuGraphAddMemcpyNode, (&node, graph, NULL, 0, &copy, context));
    instantiate("copy", graph, FOR_DEVICE);
    add_kernel(graph);
    instantiate("copy_kernel", graph, FOR_DEVICE);
    CALL(cuGraphAddMemsetNode, (&node, graph, NULL, 0, &fill, context));
    instantiate("fill", graph, FOR_DEVICE);
    add_kernel(inner);
    CALL(cuGraphAddChildGraphNode, (&node, graph, NULL, 0, inner));
    instantiate("child", graph, FOR_DEVICE);
    CALL(cuGraphAddEmptyNode, (&node, graph, NULL, 0));
    instantiate("empty_node", graph, FOR_DEVICE);
    graph = new_graph();
    CALL(cuGraphAddEmptyNode, (&node, graph, NULL, 0));
    instantiate("only_empty_node", graph, FOR_DEVICE);
    graph = new_graph();
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = buffer;
    CALL(cuGraphAddMemcpyNode, (&node, graph, NULL, 0, &copy, context));
    add_kernel(graph);
    instantiate("copy_pageable", graph, FOR_DEVICE);
    graph = new_graph();
    CALL(cuGraphAddHostNode, (&node, graph, NULL, 0, &host));
    add_kernel(graph);
    instantiate("host", graph, FOR_DEVICE);
    instantiate("host_usual", graph, 0);
    CALL(cuEventCreate, (&event, CU_EVENT_DEFAULT));
    graph = new_graph();
    add_kernel(graph);
    CALL(cuGraphAddEventRecordNode, (&node, graph, NULL, 0, event));
    instantiate("record", graph, FOR_DEVICE);
    graph = new_graph();
    add_kernel(graph);
    CALL(cuGraphAddEventWaitNode, (&node, graph, NULL, 0, event));
    instantiate("wait", graph, FOR_DEVICE);
}

static void ask_memory_nodes(void)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params;
    CUgraph graph = new_graph();
    CUgraphNode node = NULL, end = NULL;

    memset(&params, 0, sizeof(params));
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.bytesize = 64;
    add_kernel(graph);
    CALL(cuGraphAddMemAllocNode, (&node, graph, NULL, 0, &params));
    CALL(cuGraphAddMemFreeNode, (&end, graph, &node, 1, params.dptr));
    instantiate("memory", graph, FOR_DEVICE);
}

static void ask_conditional_node(void)
{
    CUgraph graph = new_graph();
    CUgraphConditionalHandle handle = 0;
    CUgraphNodeParams params;
    CUgraphNode node = NULL;

    memset(&params, 0, sizeof(params));
    CALL(cuGraphConditionalHandleCreate, (&handle, graph, context, 1, 1));
    params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    params.conditional.handle = handle;
    params.conditional.type = CU_GRAPH_COND_TYPE_IF;
    params.conditional.size = 1;
    params.conditional.ctx = context;
    CALL(cuGraphAddNode_v2, (&node, graph, NULL, NULL, 0, &params));
    add_kernel(graph);
    instantiate("conditional", graph, FOR_DEVICE);
}

static void ask_contexts(void)
{
    CUcontext second = NULL;
    CUgraph graph = new_graph();
    CUfunction usual = nop;

    add_kernel(graph);
    CALL(cuCtxCreate_v2, (&second, 0, 0));
    nop = get_kernel(load_kernels(), "nop");
    add_kernel(graph);
    nop = usual;
    CALL(cuCtxSetCurrent, (context));
    instantiate("two_contexts", graph, FOR_DEVICE);
    CALL(cuCtxDestroy_v2, (second));
}

/* Launched by the host, which may do it like any other. */
static void ask_launches(void)
{
    CUgraph graph = new_graph();
    CUgraphExec exec, second = NULL;
    CUgraphExecUpdateResultInfo info;

    add_kernel(graph);
    exec = instantiate("run_inst", graph, FOR_DEVICE);
    ASK("run_before", cuGraphLaunch, (exec, stream));
    ASK("run_upload", cuGraphUpload, (exec, stream));
    ASK("run", cuGraphLaunch, (exec, stream));
    ASK("run_twice", cuGraphLaunch, (exec, stream));
    ASK("run_sync", cuStreamSynchronize, (stream));
    ASK("run_update", cuGraphExecUpdate_v2, (exec, graph, &info));
    second = instantiate("run_second", graph, FOR_DEVICE | UPLOAD);
    ASK("run_second_launch", cuGraphLaunch, (second, stream));
    ASK("run_second_sync", cuStreamSynchronize, (stream));
    ASK("run_destroy", cuGraphExecDestroy, (exec));
    ASK("run_second_destroy", cuGraphExecDestroy, (second));
    exec = instantiate("run_usual", graph, PRIORITY);
    ASK("flags_null", cuGraphExecGetFlags, (exec, NULL));
    ASK("flags_nothing", cuGraphExecGetFlags, (NULL, (cuuint64_t[]){0}));
}

/* Nodes whose kernels a kernel may update. */
static void ask_updatable(void)
{
    CUgraph graph = new_graph();
    CUgraphNode node = add_kernel(graph);
    CUkernelNodeAttrValue value;

    memset(&value, 0, sizeof(value));
    value.deviceUpdatableKernelNode.deviceUpdatable = 1;
    ASK("updatable", cuGraphKernelNodeSetAttribute,
        (node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &value));
    report("updatable_node", value.deviceUpdatableKernelNode.devNode != NULL);
    memset(&value, 0, sizeof(value));
    ASK("updatable_get", cuGraphKernelNodeGetAttribute,
        (node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &value));
    report("updatable_get_v", value.deviceUpdatableKernelNode.deviceUpdatable);
    report("updatable_get_node", value.deviceUpdatableKernelNode.devNode != NULL);
    value.deviceUpdatableKernelNode.deviceUpdatable = 0;
    ASK("updatable_off", cuGraphKernelNodeSetAttribute,
        (node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &value));
    ASK("updatable_destroy", cuGraphDestroyNode, (node));
    ASK("updatable_clone", cuGraphClone, ((CUgraph[]){NULL}, graph));
    instantiate("updatable_inst", graph, 0);
    instantiate("updatable_inst_again", graph, 0);
    instantiate("updatable_device", graph, FOR_DEVICE);
}

void ask_device_graph(void)
{
    context = begin();
    stream = new_stream();
    nop = get_kernel(load_kernels(), "nop");
    ask_flags();
    ask_nodes();
    ask_memory_nodes();
    ask_conditional_node();
    ask_contexts();
    ask_launches();
    ask_updatable();
}
