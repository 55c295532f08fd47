/* SPDX-License-Identifier: MIT */
/* Executable graphs: which changes they take, and what the functions answer to wrong ones. */
#include "ask.h"

struct subject {
    CUcontext context, other_context;
    CUfunction addk, nop, other_addk;
    CUstream stream;
    CUdeviceptr p, q;
    CUgraph graph;
    CUgraphNode kernel, copy, fill, host;
    CUgraphExec exec;
    unsigned v, n;
    void *params[3];
};

static void host_function(void *unused)
{
    (void) unused;
}

static CUDA_KERNEL_NODE_PARAMS kernel_params(struct subject *s, CUfunction function)
{
    s->params[0] = &s->p;
    s->params[1] = &s->v;
    s->params[2] = &s->n;
    return (CUDA_KERNEL_NODE_PARAMS){.func = function,
                                     .gridDimX = 1,
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = 4,
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .kernelParams = function == s->nop ? NULL : s->params};
}

static CUDA_MEMCPY3D copy_params(const struct subject *s, size_t bytes)
{
    return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = s->p,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = s->q,
                           .WidthInBytes = bytes,
                           .Height = 1,
                           .Depth = 1};
}

static CUDA_MEMSET_NODE_PARAMS fill_params(const struct subject *s, size_t width)
{
    return (CUDA_MEMSET_NODE_PARAMS){
        .dst = s->p + 32, .value = 1, .elementSize = 4, .width = width, .height = 1};
}

/* A row of a kernel, a copy, a memset and a host function, in a new graph. */
static void build(struct subject *s, CUfunction function, size_t copied, size_t filled)
{
    const CUDA_KERNEL_NODE_PARAMS kernel = kernel_params(s, function);
    const CUDA_MEMCPY3D copy = copy_params(s, copied);
    const CUDA_MEMSET_NODE_PARAMS fill = fill_params(s, filled);
    const CUDA_HOST_NODE_PARAMS host = {host_function, NULL};

    CALL(cuGraphCreate, (&s->graph, 0));
    CALL(cuGraphAddKernelNode_v2, (&s->kernel, s->graph, NULL, 0, &kernel));
    CALL(cuGraphAddMemcpyNode, (&s->copy, s->graph, &s->kernel, 1, &copy, s->context));
    CALL(cuGraphAddMemsetNode, (&s->fill, s->graph, &s->copy, 1, &fill, s->context));
    CALL(cuGraphAddHostNode, (&s->host, s->graph, &s->fill, 1, &host));
}

static void set_up(struct subject *s)
{
    CUmodule module;

    *s = (struct subject){.context = begin(), .v = 2, .n = 4};
    module = load_kernels();
    s->addk = get_kernel(module, "addk");
    s->nop = get_kernel(module, "nop");
    s->p = new_memory(64);
    s->q = new_memory(64);
    s->stream = new_stream();
    CALL(cuDevicePrimaryCtxRetain, (&s->other_context, 1));
    CALL(cuCtxSetCurrent, (s->other_context));
    s->other_addk = get_kernel(load_kernels(), "addk");
    CALL(cuCtxSetCurrent, (s->context));
    build(s, s->addk, 16, 4);
    ASK("inst", cuGraphInstantiateWithFlags, (&s->exec, s->graph, 0));
}

/* --- single nodes --- */

static void ask_kernels(struct subject *s)
{
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(s, s->nop);

    ASK("kernel_other", cuGraphExecKernelNodeSetParams_v2, (s->exec, s->kernel, &params));
    params = kernel_params(s, s->other_addk);
    ASK("kernel_other_context", cuGraphExecKernelNodeSetParams_v2, (s->exec, s->kernel, &params));
    params = kernel_params(s, s->addk);
    params.gridDimX = 0;
    ASK("kernel_grid_0", cuGraphExecKernelNodeSetParams_v2, (s->exec, s->kernel, &params));
    params = kernel_params(s, s->addk);
    params.gridDimX = 3;
    ASK("kernel_grid_3", cuGraphExecKernelNodeSetParams_v2, (s->exec, s->kernel, &params));
    ASK("kernel_of_copy", cuGraphExecKernelNodeSetParams_v2, (s->exec, s->copy, &params));
    params = kernel_params(s, s->addk);
    ASK("kernel", cuGraphExecKernelNodeSetParams_v2, (s->exec, s->kernel, &params));
}

static void ask_copies(struct subject *s)
{
    static char host[64];
    CUDA_MEMCPY3D params = copy_params(s, 8);

    ASK("copy_less", cuGraphExecMemcpyNodeSetParams, (s->exec, s->copy, &params, s->context));
    params.WidthInBytes = 32;
    ASK("copy_more", cuGraphExecMemcpyNodeSetParams, (s->exec, s->copy, &params, s->context));
    params.WidthInBytes = 8;
    params.Height = 2;
    ASK("copy_rows", cuGraphExecMemcpyNodeSetParams, (s->exec, s->copy, &params, s->context));
    params = copy_params(s, 16);
    params.dstMemoryType = CU_MEMORYTYPE_HOST;
    params.dstHost = host;
    ASK("copy_to_host", cuGraphExecMemcpyNodeSetParams, (s->exec, s->copy, &params, s->context));
    params = copy_params(s, 16);
    params.dstDevice = s->q + 16;
    ASK("copy_elsewhere", cuGraphExecMemcpyNodeSetParams, (s->exec, s->copy, &params, s->context));
    ASK("copy_other_context", cuGraphExecMemcpyNodeSetParams,
        (s->exec, s->copy, &params, s->other_context));
    params = copy_params(s, 16);
    ASK("copy", cuGraphExecMemcpyNodeSetParams, (s->exec, s->copy, &params, s->context));
}

static void ask_fills(struct subject *s)
{
    CUDA_MEMSET_NODE_PARAMS params = fill_params(s, 2);

    ASK("fill_less", cuGraphExecMemsetNodeSetParams, (s->exec, s->fill, &params, s->context));
    params = fill_params(s, 8);
    ASK("fill_more", cuGraphExecMemsetNodeSetParams, (s->exec, s->fill, &params, s->context));
    params = fill_params(s, 4);
    params.elementSize = 1;
    ASK("fill_element", cuGraphExecMemsetNodeSetParams, (s->exec, s->fill, &params, s->context));
    params = fill_params(s, 1);
    params.height = 2;
    params.pitch = 16;
    ASK("fill_rows", cuGraphExecMemsetNodeSetParams, (s->exec, s->fill, &params, s->context));
    params = fill_params(s, 4);
    params.dst = s->q;
    params.value = 9;
    ASK("fill_elsewhere", cuGraphExecMemsetNodeSetParams, (s->exec, s->fill, &params, s->context));
    ASK("fill_other_context", cuGraphExecMemsetNodeSetParams,
        (s->exec, s->fill, &params, s->other_context));
    params = fill_params(s, 4);
    ASK("fill", cuGraphExecMemsetNodeSetParams, (s->exec, s->fill, &params, s->context));
}

static void ask_generic(struct subject *s)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_HOST};
    CUDA_HOST_NODE_PARAMS host = {host_function, s};

    ASK("host", cuGraphExecHostNodeSetParams, (s->exec, s->host, &host));
    host.fn = NULL;
    ASK("host_null", cuGraphExecHostNodeSetParams, (s->exec, s->host, &host));
    params.host.fn = host_function;
    ASK("generic", cuGraphExecNodeSetParams, (s->exec, s->host, &params));
    ASK("generic_other_type", cuGraphExecNodeSetParams, (s->exec, s->kernel, &params));
    ASK("generic_of_graph", cuGraphNodeSetParams, (s->host, &params));
    ASK("generic_of_graph_other_type", cuGraphNodeSetParams, (s->kernel, &params));
    params.type = (CUgraphNodeType) 77;
    ASK("generic_bad_type", cuGraphExecNodeSetParams, (s->exec, s->host, &params));
    params.type = CU_GRAPH_NODE_TYPE_EMPTY;
    ASK("generic_empty", cuGraphExecNodeSetParams, (s->exec, s->host, &params));
}

/* A node of a graph that the executable one was not made from. */
static void ask_strangers(struct subject *s)
{
    struct subject other = *s;
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(s, s->addk);
    unsigned enabled = 99;

    build(&other, s->addk, 16, 4);
    ASK("stranger", cuGraphExecKernelNodeSetParams_v2, (s->exec, other.kernel, &params));
    ASK("stranger_enabled", cuGraphNodeSetEnabled, (s->exec, other.kernel, 0));
    ASK("stranger_asked", cuGraphNodeGetEnabled, (s->exec, other.kernel, &enabled));
}

static void ask_of_enabled(struct subject *s, const char *key, CUgraphNode node)
{
    unsigned enabled = 99;

    report_numbered(CALL(cuGraphNodeSetEnabled, (s->exec, node, 0)), "disable_%s", key);
    report_numbered(CALL(cuGraphNodeGetEnabled, (s->exec, node, &enabled)), "enabled_%s", key);
    report_numbered(enabled, "enabled_%s_v", key);
}

static void ask_enabled(struct subject *s)
{
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(s, s->addk);
    unsigned enabled = 99;
    int value = -1;

    ask_of_enabled(s, "kernel", s->kernel);
    ask_of_enabled(s, "copy", s->copy);
    ask_of_enabled(s, "fill", s->fill);
    ask_of_enabled(s, "host", s->host);
    ASK("launch_disabled", cuGraphLaunch, (s->exec, s->stream));
    wait_for(s->stream);
    read_ints(&value, s->p, sizeof(value));
    report("launch_disabled_v", value);
    ASK("change_disabled", cuGraphExecKernelNodeSetParams_v2, (s->exec, s->kernel, &params));
    ASK("change_disabled_asked", cuGraphNodeGetEnabled, (s->exec, s->kernel, &enabled));
    report("change_disabled_v", enabled);
    ASK("enable_2", cuGraphNodeSetEnabled, (s->exec, s->kernel, 2));
    CALL(cuGraphNodeGetEnabled, (s->exec, s->kernel, &enabled));
    report("enable_2_v", enabled);
    ASK("enabled_null", cuGraphNodeGetEnabled, (s->exec, s->kernel, NULL));
}

/* --- whole graphs --- */

static void ask_update(struct subject *s, const char *key)
{
    CUgraphExecUpdateResultInfo info = {0};

    report_numbered(CALL(cuGraphExecUpdate_v2, (s->exec, s->graph, &info)), "%s", key);
    report_numbered(info.result, "%s_result", key);
    report_numbered(info.errorNode != NULL, "%s_node", key);
    report_numbered(info.errorFromNode != NULL, "%s_from", key);
}

static void ask_updates(struct subject *s)
{
    CUgraphNode more = NULL;
    unsigned enabled = 99;
    const CUgraphNode first = s->kernel;

    CALL(cuGraphNodeSetEnabled, (s->exec, first, 0));
    build(s, s->addk, 16, 4);
    ask_update(s, "update");
    CALL(cuGraphNodeGetEnabled, (s->exec, first, &enabled));
    report("update_enabled", enabled);
    build(s, s->nop, 16, 4);
    ask_update(s, "update_function");
    build(s, s->other_addk, 16, 4);
    ask_update(s, "update_context");
    build(s, s->addk, 8, 4);
    ask_update(s, "update_copy");
    build(s, s->addk, 16, 2);
    ask_update(s, "update_fill");
    build(s, s->addk, 16, 4);
    CALL(cuGraphAddEmptyNode, (&more, s->graph, NULL, 0));
    ask_update(s, "update_more");
    build(s, s->addk, 16, 4);
    CALL(cuGraphRemoveDependencies, (s->graph, &s->copy, &s->fill, 1));
    ask_update(s, "update_less_edges");
    build(s, s->addk, 16, 4);
    CALL(cuGraphAddDependencies, (s->graph, &s->kernel, &s->host, 1));
    ask_update(s, "update_more_edges");
    build(s, s->addk, 16, 4);
    CALL(cuGraphDestroyNode, (s->host));
    CALL(cuGraphAddEmptyNode, (&s->host, s->graph, &s->fill, 1));
    ask_update(s, "update_type");
}

static void ask_instantiations(struct subject *s)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {.flags = 0x100};
    CUgraphExec exec = NULL;
    CUgraph empty = NULL;

    ASK("inst_bad_flags", cuGraphInstantiateWithParams, (&exec, s->graph, &params));
    report("inst_bad_flags_v", params.result_out);
    params = (CUDA_GRAPH_INSTANTIATE_PARAMS){.flags = 4};
    ASK("inst_device_host_node", cuGraphInstantiateWithParams, (&exec, s->graph, &params));
    report("inst_device_host_node_v", params.result_out);
    report("inst_device_host_node_node", params.hErrNode_out != NULL);
    CALL(cuGraphCreate, (&empty, 0));
    params = (CUDA_GRAPH_INSTANTIATE_PARAMS){.flags = 4};
    ASK("inst_device_empty", cuGraphInstantiateWithParams, (&exec, empty, &params));
    report("inst_device_empty_v", params.result_out);
    params = (CUDA_GRAPH_INSTANTIATE_PARAMS){.flags = 0};
    ASK("inst_empty", cuGraphInstantiateWithParams, (&exec, empty, &params));
    report("inst_empty_v", params.result_out);
}

/* --- captures to a graph --- */

static void ask_capture_to(struct subject *s)
{
    CUgraph graph = NULL, ended = NULL;
    CUgraphNode node = NULL;
    CUdeviceptr allocated = 0;
    CUgraphNodeType type = (CUgraphNodeType) 99;
    CUgraphExec exec = NULL;
    size_t n = 0;

    CALL(cuGraphCreate, (&graph, 0));
    CALL(cuGraphAddEmptyNode, (&node, graph, NULL, 0));
    ASK("to_null", cuStreamBeginCaptureToGraph, (s->stream, NULL, NULL, NULL, 0, 0));
    ASK("to_null_list", cuStreamBeginCaptureToGraph, (s->stream, graph, NULL, NULL, 1, 0));
    ASK("to_strange_node", cuStreamBeginCaptureToGraph, (s->stream, graph, &s->kernel, NULL, 1, 0));
    ASK("to_bad_mode", cuStreamBeginCaptureToGraph,
        (s->stream, graph, &node, NULL, 1, (CUstreamCaptureMode) 9));
    ASK("to", cuStreamBeginCaptureToGraph, (s->stream, graph, &node, NULL, 1, 0));
    ASK("to_twice", cuStreamBeginCaptureToGraph, (s->stream, graph, &node, NULL, 1, 0));
    ASK("to_destroy", cuGraphDestroy, (graph));
    ASK("to_inst", cuGraphInstantiateWithFlags, (&exec, graph, 0));
    ASK("to_alloc", cuMemAllocAsync, (&allocated, 64, s->stream));
    report("to_alloc_v", allocated != 0);
    ASK("to_free", cuMemFreeAsync, (allocated, s->stream));
    ASK("to_end", cuStreamEndCapture, (s->stream, &ended));
    report("to_end_v", ended == graph);
    CALL(cuGraphGetNodes, (graph, NULL, &n));
    report("to_nodes", (long long) n);
    CALL(cuGraphGetEdges, (graph, NULL, NULL, &n));
    report("to_edges", (long long) n);
    n = 1;
    CALL(cuGraphGetRootNodes, (graph, &node, &n));
    CALL(cuGraphNodeGetType, (node, &type));
    report("to_root", type);
}

/* --- graphs that were moved into others --- */

static CUgraph new_row(CUgraphNode *ret_node)
{
    CUgraph graph = NULL;

    CALL(cuGraphCreate, (&graph, 0));
    CALL(cuGraphAddEmptyNode, (ret_node, graph, NULL, 0));
    return graph;
}

static int move(CUgraph outer, CUgraph inner)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
    CUgraphNode node = NULL;

    params.graph.graph = inner;
    params.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    return CALL(cuGraphAddNode_v2, (&node, outer, NULL, NULL, 0, &params));
}

static void ask_moved(void)
{
    CUDA_MEM_ALLOC_NODE_PARAMS alloc = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}},
        .bytesize = 64};
    CUgraphExecUpdateResultInfo info = {0};
    CUgraphNode node = NULL, child = NULL;
    CUgraph inner = new_row(&node), outer = new_row(&node), same = new_row(&node), copy = NULL;
    CUgraphExec exec = NULL, of_same = NULL;

    CALL(cuGraphInstantiateWithFlags, (&of_same, same, 0));
    report("moved", move(outer, inner));
    ASK("moved_inst", cuGraphInstantiateWithFlags, (&exec, inner, 0));
    ASK("moved_destroy", cuGraphDestroy, (inner));
    ASK("moved_clone", cuGraphClone, (&copy, inner));
    ASK("moved_child", cuGraphAddChildGraphNode, (&child, same, NULL, 0, inner));
    report("moved_twice", move(same, inner));
    ASK("moved_update", cuGraphExecUpdate_v2, (of_same, inner, &info));
    ASK("moved_empty", cuGraphAddEmptyNode, (&node, inner, NULL, 0));
    ASK("moved_alloc", cuGraphAddMemAllocNode, (&node, inner, NULL, 0, &alloc));
    ASK("moved_inst_outer", cuGraphInstantiateWithFlags, (&exec, outer, 0));
    report("moved_to_itself", move(same, same));
}

void ask_exec_change(void)
{
    struct subject subject;

    set_up(&subject);
    ask_kernels(&subject);
    ask_copies(&subject);
    ask_fills(&subject);
    ask_generic(&subject);
    ask_strangers(&subject);
    ask_enabled(&subject);
    ask_updates(&subject);
    ask_instantiations(&subject);
    ask_capture_to(&subject);
    ask_moved();
}
