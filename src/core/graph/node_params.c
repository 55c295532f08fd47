/* SPDX-License-Identifier: MIT */
#include "core/graph/node_params.h"

#define CALL(name, args) CU_FN(scope->table, name) args

static const char *const words[] = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = "a launch",
    [CU_GRAPH_NODE_TYPE_MEMCPY] = "a copy",
    [CU_GRAPH_NODE_TYPE_MEMSET] = "a fill",
    [CU_GRAPH_NODE_TYPE_HOST] = "a host function",
    [CU_GRAPH_NODE_TYPE_GRAPH] = "a graph",
    [CU_GRAPH_NODE_TYPE_EMPTY] = "an empty node",
    [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = "a wait for an event",
    [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = "the recording of an event",
    [CUSHIM__CU_NODE_ALLOCATION] = "an allocation",
    [CUSHIM__CU_NODE_FREE] = "a free",
    [CUSHIM__CU_NODE_CONDITIONAL] = "a conditional node",
};

const char *cushim__node_kind_words(int kind)
{
    return (size_t) kind < ARRAY_SIZE(words) && words[kind] ? words[kind]
                                                            : "a node of another kind";
}

bool cushim__node_kind_changes(int kind)
{
    return kind <= CU_GRAPH_NODE_TYPE_EVENT_RECORD && kind != CU_GRAPH_NODE_TYPE_GRAPH;
}

int cushim__node_kind(const struct cushim__scope *scope, CUgraphNode node, int *ret_kind)
{
    return CALL(cuGraphNodeGetType, (node, ret_kind));
}

int cushim__node_params_get(const struct cushim__scope *scope, CUgraphNode node,
                            struct cushim__node_params *ret_params)
{
    const int result = cushim__node_kind(scope, node, &ret_params->kind);

    if (result)
        return result;
    switch (ret_params->kind) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return CALL(cuGraphKernelNodeGetParams, (node, &ret_params->kernel));
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return CALL(cuGraphMemcpyNodeGetParams, (node, &ret_params->copy));
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return CALL(cuGraphMemsetNodeGetParams, (node, &ret_params->fill));
    case CU_GRAPH_NODE_TYPE_HOST:
        return CALL(cuGraphHostNodeGetParams, (node, &ret_params->host));
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return CALL(cuGraphEventRecordNodeGetEvent, (node, &ret_params->event));
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return CALL(cuGraphEventWaitNodeGetEvent, (node, &ret_params->event));
    default:
        return 0;
    }
}

int cushim__node_params_set(const struct cushim__scope *scope, CUgraphNode node,
                            const struct cushim__node_params *params)
{
    switch (params->kind) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return CALL(cuGraphKernelNodeSetParams, (node, &params->kernel));
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return CALL(cuGraphMemcpyNodeSetParams, (node, &params->copy));
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return CALL(cuGraphMemsetNodeSetParams, (node, &params->fill));
    case CU_GRAPH_NODE_TYPE_HOST:
        return CALL(cuGraphHostNodeSetParams, (node, &params->host));
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return CALL(cuGraphEventRecordNodeSetEvent, (node, params->event));
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return CALL(cuGraphEventWaitNodeSetEvent, (node, params->event));
    default:
        return 0;
    }
}

int cushim__node_params_set_exec(const struct cushim__scope *scope, CUgraphExec exec,
                                 CUgraphNode node, const struct cushim__node_params *params)
{
    const CUcontext context = scope->context->cu;

    switch (params->kind) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return CALL(cuGraphExecKernelNodeSetParams, (exec, node, &params->kernel));
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return CALL(cuGraphExecMemcpyNodeSetParams, (exec, node, &params->copy, context));
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return CALL(cuGraphExecMemsetNodeSetParams, (exec, node, &params->fill, context));
    case CU_GRAPH_NODE_TYPE_HOST:
        return CALL(cuGraphExecHostNodeSetParams, (exec, node, &params->host));
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return CALL(cuGraphExecEventRecordNodeSetEvent, (exec, node, params->event));
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return CALL(cuGraphExecEventWaitNodeSetEvent, (exec, node, params->event));
    default:
        return 0;
    }
}
