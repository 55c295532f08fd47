/* SPDX-License-Identifier: MIT */
/* Conditional nodes: which can be made, and what may stand in their bodies. */
#include "conditional.h"

enum { IF = CU_GRAPH_COND_TYPE_IF, WHILE = CU_GRAPH_COND_TYPE_WHILE };
enum { SWITCH = CU_GRAPH_COND_TYPE_SWITCH };

static void host_function(void *unused)
{
    (void) unused;
}

static void ask_handles(struct conditional *c)
{
    CUgraphConditionalHandle handle = 0, other = 0;

    ASK("handle", cuGraphConditionalHandleCreate, (&handle, c->graph, c->context, 0, 0));
    ASK("handle_two", cuGraphConditionalHandleCreate, (&other, c->graph, c->context, 1, 0));
    report("handle_differ", handle != other);
    ASK("handle_null_out", cuGraphConditionalHandleCreate, (NULL, c->graph, c->context, 0, 0));
    ASK("handle_null_graph", cuGraphConditionalHandleCreate, (&handle, NULL, c->context, 0, 0));
    ASK("handle_null_context", cuGraphConditionalHandleCreate, (&handle, c->graph, NULL, 0, 0));
    ASK("handle_bad_flags", cuGraphConditionalHandleCreate, (&handle, c->graph, c->context, 0, 2));
}

/* A node of a new graph with a new handle. */
static void ask_node(struct conditional *c, const char *key, int type, unsigned size)
{
    CUgraphNodeParams params;
    CUgraphNode node = NULL;

    conditional_renew(c);
    params = conditional_params(c, conditional_handle(c, c->graph, 0), type, size);
    report(key, conditional_add(c->graph, NULL, &params, &node));
}

static void ask_nodes(struct conditional *c)
{
    ask_node(c, "if_0", IF, 0);
    ask_node(c, "if_1", IF, 1);
    ask_node(c, "if_2", IF, 2);
    ask_node(c, "if_3", IF, 3);
    ask_node(c, "while_0", WHILE, 0);
    ask_node(c, "while_1", WHILE, 1);
    ask_node(c, "while_2", WHILE, 2);
    ask_node(c, "switch_0", SWITCH, 0);
    ask_node(c, "switch_1", SWITCH, 1);
    ask_node(c, "switch_9", SWITCH, 9);
    ask_node(c, "type_3", 3, 1);
}

static void ask_outputs(struct conditional *c)
{
    CUgraphNodeType type = (CUgraphNodeType) 99;
    CUgraphNodeParams params;
    CUgraphNode node = NULL, again = NULL;
    size_t count = 99;

    conditional_renew(c);
    params = conditional_params(c, conditional_handle(c, c->graph, 0), IF, 2);
    ASK("add_v1", cuGraphAddNode, (&node, c->graph, NULL, 0, &params));
    report("bodies", params.conditional.phGraph_out != NULL);
    if (!params.conditional.phGraph_out)
        return;
    report("bodies_differ", params.conditional.phGraph_out[0] != params.conditional.phGraph_out[1]);
    ASK("type", cuGraphNodeGetType, (node, &type));
    report("type_v", type);
    ASK("body_nodes", cuGraphGetNodes, (params.conditional.phGraph_out[0], NULL, &count));
    report("body_nodes_v", (long long) count);
    ASK("nodes", cuGraphGetNodes, (c->graph, NULL, &count));
    report("nodes_v", (long long) count);
    ASK("destroy_body", cuGraphDestroy, (params.conditional.phGraph_out[0]));
    report("handle_again", conditional_add(c->graph, NULL, &params, &again));
    ASK("set_params", cuGraphNodeSetParams, (node, &params));
}

static void ask_wrong_handles(struct conditional *c)
{
    CUgraph other = NULL;
    CUgraphNodeParams params;
    CUgraphNode node = NULL;

    conditional_renew(c);
    CALL(cuGraphCreate, (&other, 0));
    params = conditional_params(c, 0, IF, 1);
    report("handle_0", conditional_add(c->graph, NULL, &params, &node));
    params = conditional_params(c, conditional_handle(c, other, 0), IF, 1);
    report("handle_of_other_graph", conditional_add(c->graph, NULL, &params, &node));
    params = conditional_params(c, conditional_handle(c, c->graph, 0), IF, 1);
    params.conditional.ctx = NULL;
    report("node_null_context", conditional_add(c->graph, NULL, &params, &node));
}

/* --- what stands in a body --- */

/* A new graph with an IF node; its body. */
static CUgraph new_body(struct conditional *c)
{
    CUgraphNodeParams params;
    CUgraphNode node = NULL;

    conditional_renew(c);
    params = conditional_params(c, conditional_handle(c, c->graph, 1), IF, 1);
    conditional_add(c->graph, NULL, &params, &node);
    return conditional_body(&params, 0);
}

/* Adds the node to a body, and instantiates. */
static void ask_within(struct conditional *c, const char *key, CUgraphNodeParams params)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS instantiation = {0};
    CUgraphNode node = NULL;
    CUgraphExec exec = NULL;
    CUgraph body = new_body(c);

    report_numbered(conditional_add(body, NULL, &params, &node), "%s", key);
    report_numbered(CALL(cuGraphInstantiateWithParams, (&exec, c->graph, &instantiation)),
                    "%s_inst", key);
    report_numbered(instantiation.result_out, "%s_inst_v", key);
    report_numbered(instantiation.hErrNode_out != NULL, "%s_inst_node", key);
}

static CUgraphNodeParams copy_params(const struct conditional *c, CUmemorytype from,
                                     const void *host)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};

    params.memcpy.copyCtx = c->context;
    params.memcpy.copyParams = (CUDA_MEMCPY3D){.srcMemoryType = from,
                                               .srcHost = host,
                                               .srcDevice = c->number,
                                               .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                               .dstDevice = c->number + 32,
                                               .WidthInBytes = 16,
                                               .Height = 1,
                                               .Depth = 1};
    return params;
}

static CUgraphNodeParams fill_params(const struct conditional *c)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEMSET};

    params.memset.dst = c->number;
    params.memset.elementSize = 4;
    params.memset.width = 1;
    params.memset.height = 1;
    params.memset.ctx = c->context;
    return params;
}

static void ask_bodies_of_memory(struct conditional *c)
{
    CUgraphNodeParams alloc = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC};
    static const char pageable[16];
    void *pinned = NULL;

    CALL(cuMemHostAlloc, (&pinned, 64, 0));
    ask_within(c, "in_copy", copy_params(c, CU_MEMORYTYPE_DEVICE, NULL));
    ask_within(c, "in_copy_pinned", copy_params(c, CU_MEMORYTYPE_HOST, pinned));
    ask_within(c, "in_copy_pageable", copy_params(c, CU_MEMORYTYPE_HOST, pageable));
    ask_within(c, "in_fill", fill_params(c));
    alloc.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    alloc.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    alloc.alloc.bytesize = 16;
    ask_within(c, "in_alloc", alloc);
}

static void ask_bodies_of_others(struct conditional *c)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
    CUevent event = NULL;
    CUgraph child = NULL;

    ask_within(c, "in_empty", params);
    params.type = CU_GRAPH_NODE_TYPE_HOST;
    params.host.fn = host_function;
    ask_within(c, "in_host", params);
    CALL(cuEventCreate, (&event, CU_EVENT_DISABLE_TIMING));
    params = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD};
    params.eventRecord.event = event;
    ask_within(c, "in_record", params);
    params = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT};
    params.eventWait.event = event;
    ask_within(c, "in_wait", params);
    CALL(cuGraphCreate, (&child, 0));
    params = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_GRAPH};
    params.graph.graph = child;
    ask_within(c, "in_child", params);
    CALL(cuGraphAddHostNode,
         (&(CUgraphNode){NULL}, child, NULL, 0, &(CUDA_HOST_NODE_PARAMS){host_function, NULL}));
    ask_within(c, "in_child_of_host", params);
}

/* A conditional node in a body, whose handle is of the outer graph, or of the body. */
static void ask_nested(struct conditional *c)
{
    CUgraph body = new_body(c);
    CUgraphNodeParams params;
    CUgraphNode node = NULL;

    params = conditional_params(c, conditional_handle(c, c->graph, 0), WHILE, 1);
    report("nested_outer_handle", conditional_add(body, NULL, &params, &node));
    conditional_instantiate(c, "nested_outer_handle_inst");
    body = new_body(c);
    params = conditional_params(c, conditional_handle(c, body, 0), WHILE, 1);
    report("nested_own_handle", conditional_add(body, NULL, &params, &node));
    conditional_instantiate(c, "nested_own_handle_inst");
}

/* --- the graph as a whole --- */

static void ask_copies(struct conditional *c)
{
    CUgraph body = new_body(c), outer = NULL, copy = NULL;
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
    CUgraphNode node = NULL;
    CUgraphExec exec = NULL;

    ASK("clone", cuGraphClone, (&copy, c->graph));
    ASK("clone_body", cuGraphClone, (&copy, body));
    CALL(cuGraphCreate, (&outer, 0));
    ASK("as_child", cuGraphAddChildGraphNode, (&node, outer, NULL, 0, c->graph));
    ASK("body_as_child", cuGraphAddChildGraphNode, (&node, outer, NULL, 0, body));
    params.graph.graph = c->graph;
    params.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    report("as_moved_child", conditional_add(outer, NULL, &params, &node));
    ASK("inst_body", cuGraphInstantiateWithFlags, (&exec, body, 0));
}

static void ask_instantiations(struct conditional *c)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS instantiation = {0};
    CUgraphExec first, exec = NULL;

    conditional_renew(c);
    conditional_handle(c, c->graph, 0);
    ASK("inst_unused", cuGraphInstantiateWithParams, (&exec, c->graph, &instantiation));
    report("inst_unused_v", instantiation.result_out);
    new_body(c);
    first = conditional_instantiate(c, "inst");
    ASK("inst_two", cuGraphInstantiateWithFlags, (&exec, c->graph, 0));
    ASK("inst_destroy", cuGraphExecDestroy, (first));
    ASK("inst_again", cuGraphInstantiateWithFlags, (&exec, c->graph, 0));
    CALL(cuGraphExecDestroy, (exec));
    ASK("dot", cuGraphDebugDotPrint, (c->graph, "/dev/null", 1 << 15));
    instantiation = (CUDA_GRAPH_INSTANTIATE_PARAMS){.flags = 4};
    ASK("inst_for_device", cuGraphInstantiateWithParams, (&exec, c->graph, &instantiation));
    report("inst_for_device_v", instantiation.result_out);
}

static void ask_destroyed_node(struct conditional *c)
{
    CUgraphNodeParams params;
    CUgraphNode node = NULL;

    conditional_renew(c);
    params = conditional_params(c, conditional_handle(c, c->graph, 0), IF, 1);
    conditional_add(c->graph, NULL, &params, &node);
    ASK("destroy_node", cuGraphDestroyNode, (node));
    conditional_instantiate(c, "destroy_node_inst");
    report("destroy_node_add", conditional_add(c->graph, NULL, &params, &node));
}

static void ask_capture_of_body(struct conditional *c)
{
    CUgraph body = new_body(c), ended = NULL, outer = NULL;
    unsigned digit = 1;
    CUdeviceptr number = c->number, allocated = 0;
    CUgraphExec exec = NULL;

    ASK("to_body", cuStreamBeginCaptureToGraph,
        (c->stream, body, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
    report("to_body_launch", launch(c->digit, 1, 1, c->stream, (void *[]){&number, &digit}));
    ASK("to_body_alloc", cuMemAllocAsync, (&allocated, 64, c->stream));
    ASK("to_body_end", cuStreamEndCapture, (c->stream, &ended));
    report("to_body_end_v", ended == body);
    conditional_instantiate(c, "to_body_inst");
    new_body(c);
    exec = conditional_instantiate(c, "to_stream_inst");
    CALL(cuStreamBeginCapture_v2, (c->stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    ASK("to_stream_launch", cuGraphLaunch, (exec, c->stream));
    ASK("to_stream_end", cuStreamEndCapture, (c->stream, &outer));
}

void ask_cond_make(void)
{
    struct conditional c = conditional_begin();

    ask_handles(&c);
    ask_nodes(&c);
    ask_outputs(&c);
    ask_wrong_handles(&c);
    ask_instantiations(&c);
    ask_destroyed_node(&c);
    ask_copies(&c);
    ask_capture_of_body(&c);
    ask_nested(&c);
    ask_bodies_of_memory(&c);
    ask_bodies_of_others(&c);
}
