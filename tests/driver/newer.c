/* SPDX-License-Identifier: MIT */
/*
 * Functions of CUDA 13.1 and later, which the recorded driver lacks: numbers of graphs and nodes,
 * parameters of any node, copies with attributes, and where memory is.
 */
#include <string.h>

#include "ask.h"

/* The headers of CUDA 13.0 declare none of them. */
#if CUDA_VERSION < 13010
CUresult cuGraphGetId(CUgraph graph, unsigned *id);
CUresult cuGraphExecGetId(CUgraphExec exec, unsigned *id);
CUresult cuGraphNodeGetLocalId(CUgraphNode node, unsigned *id);
CUresult cuGraphNodeGetToolsId(CUgraphNode node, unsigned long long *id);
#endif
#if CUDA_VERSION < 13020
CUresult cuGraphNodeGetParams(CUgraphNode node, CUgraphNodeParams *params);
CUresult cuMemcpyWithAttributesAsync(CUdeviceptr dst, CUdeviceptr src, size_t size,
                                     CUmemcpyAttributes *attributes, CUstream stream);
CUresult cuMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP *op, unsigned long long flags,
                                       CUstream stream);
#endif
#if CUDA_VERSION < 13040
CUresult cuMemGetLocationInfo(CUdeviceptr p, size_t size, size_t summary, size_t sampling,
                              CUmemLocation *places);
#endif

static CUcontext context;
static CUstream stream;
static CUfunction nop;

static CUgraph new_graph(void)
{
    CUgraph graph = NULL;

    CALL(cuGraphCreate, (&graph, 0));
    return graph;
}

static CUgraphNode add(CUgraph graph, CUgraphNodeParams *params)
{
    CUgraphNode node = NULL;

    CALL(cuGraphAddNode_v2, (&node, graph, NULL, NULL, 0, params));
    return node;
}

static CUgraphNode add_empty(CUgraph graph)
{
    CUgraphNodeParams params;

    memset(&params, 0, sizeof(params));
    params.type = CU_GRAPH_NODE_TYPE_EMPTY;
    return add(graph, &params);
}

static void ask_ids(void)
{
    CUgraph graph = new_graph(), other = new_graph();
    CUgraphNode first = add_empty(graph), second = add_empty(graph), third = add_empty(other);
    CUgraphExec exec = NULL;
    unsigned id = 0, other_id = 0, node = 9, next = 9, exec_id = 0;
    unsigned long long tools = 0, other_tools = 0;

    ASK("id", cuGraphGetId, (graph, &id));
    CALL(cuGraphGetId, (other, &other_id));
    report("ids_differ", id != other_id);
    ASK("id_null", cuGraphGetId, (graph, NULL));
    ASK("id_nothing", cuGraphGetId, (NULL, &id));
    CALL(cuGraphInstantiateWithFlags, (&exec, graph, 0));
    ASK("exec", cuGraphExecGetId, (exec, &exec_id));
    ASK("exec_null", cuGraphExecGetId, (exec, NULL));
    ASK("exec_nothing", cuGraphExecGetId, (NULL, &exec_id));
    ASK("local", cuGraphNodeGetLocalId, (first, &node));
    CALL(cuGraphNodeGetLocalId, (second, &next));
    report("locals_differ", node != next);
    ASK("local_null", cuGraphNodeGetLocalId, (first, NULL));
    ASK("local_nothing", cuGraphNodeGetLocalId, (NULL, &node));
    ASK("tools", cuGraphNodeGetToolsId, (first, &tools));
    CALL(cuGraphNodeGetToolsId, (third, &other_tools));
    report("tools_differ", tools != other_tools);
    ASK("tools_null", cuGraphNodeGetToolsId, (first, NULL));
    ASK("tools_nothing", cuGraphNodeGetToolsId, (NULL, &tools));
}

static void ask_type(const char *key, CUgraphNode node, CUgraphNodeParams *params)
{
    memset(params, 0xff, sizeof(*params));
    report_numbered(CALL(cuGraphNodeGetParams, (node, params)), "params_%s", key);
    report_numbered((int) params->type, "params_%s_type", key);
}

static void ask_kernel(void)
{
    CUgraphNodeParams params;

    memset(&params, 0, sizeof(params));
    params.type = CU_GRAPH_NODE_TYPE_KERNEL;
    params.kernel.func = nop;
    params.kernel.gridDimX = 3;
    params.kernel.gridDimY = params.kernel.gridDimZ = 1;
    params.kernel.blockDimX = 5;
    params.kernel.blockDimY = params.kernel.blockDimZ = 1;
    ask_type("kernel", add(new_graph(), &params), &params);
    report("kernel_func", params.kernel.func == nop);
    report("kernel_grid", params.kernel.gridDimX);
    report("kernel_block", params.kernel.blockDimX);
    report("kernel_ctx", params.kernel.ctx == context);
}

static void ask_copy_and_fill(CUdeviceptr p)
{
    CUgraphNodeParams params;

    memset(&params, 0, sizeof(params));
    params.type = CU_GRAPH_NODE_TYPE_MEMCPY;
    params.memcpy.copyCtx = context;
    params.memcpy.copyParams.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    params.memcpy.copyParams.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    params.memcpy.copyParams.srcDevice = p;
    params.memcpy.copyParams.dstDevice = p + 32;
    params.memcpy.copyParams.WidthInBytes = 16;
    params.memcpy.copyParams.Height = params.memcpy.copyParams.Depth = 1;
    ask_type("copy", add(new_graph(), &params), &params);
    report("copy_width", (long long) params.memcpy.copyParams.WidthInBytes);
    report("copy_dst", params.memcpy.copyParams.dstDevice == p + 32);
    report("copy_ctx", params.memcpy.copyCtx == context);
    memset(&params, 0, sizeof(params));
    params.type = CU_GRAPH_NODE_TYPE_MEMSET;
    params.memset.ctx = context;
    params.memset.dst = p;
    params.memset.value = 7;
    params.memset.elementSize = 4;
    params.memset.width = 4;
    params.memset.height = 1;
    ask_type("fill", add(new_graph(), &params), &params);
    report("fill_value", params.memset.value);
    report("fill_width", (long long) params.memset.width);
    report("fill_ctx", params.memset.ctx == context);
}

static void CUDA_CB do_nothing(void *unused)
{
    (void) unused;
}

static void ask_small_nodes(void)
{
    CUgraphNodeParams params;
    CUgraph graph = new_graph(), inner = new_graph();
    CUevent event = NULL;

    memset(&params, 0, sizeof(params));
    params.type = CU_GRAPH_NODE_TYPE_HOST;
    params.host.fn = do_nothing;
    params.host.userData = &stream;
    ask_type("host", add(graph, &params), &params);
    report("host_fn", params.host.fn == do_nothing && params.host.userData == &stream);
    CALL(cuEventCreate, (&event, CU_EVENT_DEFAULT));
    memset(&params, 0, sizeof(params));
    params.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD;
    params.eventRecord.event = event;
    ask_type("record", add(graph, &params), &params);
    report("record_event", params.eventRecord.event == event);
    memset(&params, 0, sizeof(params));
    params.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT;
    params.eventWait.event = event;
    ask_type("wait", add(graph, &params), &params);
    report("wait_event", params.eventWait.event == event);
    ask_type("empty", add_empty(graph), &params);
    add_empty(inner);
    memset(&params, 0, sizeof(params));
    params.type = CU_GRAPH_NODE_TYPE_GRAPH;
    params.graph.graph = inner;
    ask_type("child", add(graph, &params), &params);
    report("child_graph", params.graph.graph != NULL);
    ASK("params_null", cuGraphNodeGetParams, (add_empty(graph), NULL));
    ASK("params_nothing", cuGraphNodeGetParams, (NULL, &params));
}

static void ask_memory_nodes(void)
{
    CUgraphNodeParams params;
    CUgraph graph = new_graph();
    CUgraphNode node, end = NULL;
    CUdeviceptr address;

    memset(&params, 0, sizeof(params));
    params.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    params.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.alloc.bytesize = 64;
    node = add(graph, &params);
    address = params.alloc.dptr;
    ask_type("alloc", node, &params);
    report("alloc_bytes", (long long) params.alloc.bytesize);
    report("alloc_dptr", params.alloc.dptr == address);
    CALL(cuGraphAddMemFreeNode, (&end, graph, &node, 1, address));
    ask_type("free", end, &params);
    report("free_dptr", params.free.dptr == address);
}

static void ask_conditional_node(void)
{
    CUgraphConditionalHandle handle = 0;
    CUgraphNodeParams params;
    CUgraph graph = new_graph(), body;
    CUgraphNode node;

    CALL(cuGraphConditionalHandleCreate, (&handle, graph, context, 1, 1));
    memset(&params, 0, sizeof(params));
    params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    params.conditional.handle = handle;
    params.conditional.type = CU_GRAPH_COND_TYPE_IF;
    params.conditional.size = 1;
    params.conditional.ctx = context;
    node = add(graph, &params);
    body = params.conditional.phGraph_out[0];
    ask_type("conditional", node, &params);
    report("conditional_handle", params.conditional.handle == handle);
    report("conditional_size", params.conditional.size);
    report("conditional_body", params.conditional.phGraph_out[0] == body);
    report("conditional_ctx", params.conditional.ctx == context);
}

static void ask_copies(CUdeviceptr p)
{
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    int values[4] = {1, 2, 3, 4}, back[4] = {0};
    const CUdeviceptr host = (CUdeviceptr) (uintptr_t) values;

    ASK("copy", cuMemcpyWithAttributesAsync, (p, host, 16, &attributes, stream));
    ASK("copy_default", cuMemcpyWithAttributesAsync, (p + 16, p, 16, &attributes, NULL));
    attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    ASK("copy_now", cuMemcpyWithAttributesAsync, (p + 32, host, 16, &attributes, stream));
    wait_for_all();
    read_ints(back, p + 16, sizeof(back));
    report("copy_v", back[3]);
    ASK("copy_null", cuMemcpyWithAttributesAsync, (p, host, 16, NULL, stream));
    attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
    ASK("copy_no_order", cuMemcpyWithAttributesAsync, (p, host, 16, &attributes, stream));
    attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    attributes.flags = 0x80;
    ASK("copy_flags", cuMemcpyWithAttributesAsync, (p, host, 16, &attributes, stream));
}

static void ask_boxes(CUdeviceptr p)
{
    CUDA_MEMCPY3D_BATCH_OP op;

    memset(&op, 0, sizeof(op));
    op.src.type = op.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    op.src.op.ptr.ptr = p;
    op.dst.op.ptr.ptr = p + 64;
    op.extent.width = 8;
    op.extent.height = 2;
    op.extent.depth = 1;
    op.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    ASK("box", cuMemcpy3DWithAttributesAsync, (&op, 0, stream));
    ASK("box_default", cuMemcpy3DWithAttributesAsync, (&op, 0, NULL));
    ASK("box_flags", cuMemcpy3DWithAttributesAsync, (&op, 1, stream));
    ASK("box_null", cuMemcpy3DWithAttributesAsync, (NULL, 0, stream));
    op.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
    ASK("box_no_order", cuMemcpy3DWithAttributesAsync, (&op, 0, stream));
    wait_for_all();
}

static void ask_places(void)
{
    const size_t page = 2 << 20;
    CUmemLocation places[4];
    CUdeviceptr p = 0, usual = new_memory(64);

    CALL(cuMemAllocManaged, (&p, 4 * page, CU_MEM_ATTACH_GLOBAL));
    CALL(cuMemPrefetchAsync_v2,
         (p + page, 2 * page, (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE}, 0, stream));
    wait_for_all();
    memset(places, 0xff, sizeof(places));
    ASK("place", cuMemGetLocationInfo, (p, 4 * page, page, 0, places));
    report("place_0", places[0].type);
    report("place_1", places[1].type);
    report("place_2", places[2].type);
    report("place_2_id", places[2].id);
    report("place_3", places[3].type);
    ASK("place_most", cuMemGetLocationInfo, (p + page / 2, 2 * page, 2 * page, page / 2, places));
    report("place_most_v", places[0].type);
    ASK("place_summary0", cuMemGetLocationInfo, (p, page, 0, 0, places));
    ASK("place_summary_large", cuMemGetLocationInfo, (p, page, 2 * page, 0, places));
    ASK("place_sampling_large", cuMemGetLocationInfo, (p, 2 * page, page, 2 * page, places));
    ASK("place_size0", cuMemGetLocationInfo, (p, 0, page, 0, places));
    ASK("place_null", cuMemGetLocationInfo, (p, page, page, 0, NULL));
    ASK("place_usual", cuMemGetLocationInfo, (usual, 64, 64, 0, places));
    CALL(cuMemFree_v2, (p));
}

void ask_newer(void)
{
    CUdeviceptr p;

    context = begin();
    stream = new_stream();
    nop = get_kernel(load_kernels(), "nop");
    p = new_memory(128);
    ask_ids();
    ask_kernel();
    ask_copy_and_fill(p);
    ask_small_nodes();
    ask_memory_nodes();
    ask_conditional_node();
    ask_copies(p);
    ask_boxes(p);
    ask_places();
}
