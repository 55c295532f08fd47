/* SPDX-License-Identifier: MIT */
/* cuGraphAddNode, cuGraph*NodeSetParams, cuGraphNodeGetParams: nodes of any type. */
#include <string.h>

#include "base/util.h"
#include "mock/base/newer.h"
#include "mock/base/state.h"
#include "mock/graph/graph.h"
#include "mock/node/graph_conditional.h"
#include "mock/node/graph_exec.h"
#include "mock/node/graph_node.h"
#include "mock/node/graph_params.h"

#if CUDA_VERSION >= 12020

/* A node's specification, and the parameters in it. */
struct any {
    struct mock__node_spec spec;
    struct mock__copy_params copy;
    struct mock__fill_params fill;
    struct mock__free_params free;
};

/* The functions by type. A type without a function is not supported. */
static CUresult (*const describes[])(const void *params, struct mock__work **ret_work) = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = mock__describe_kernel,
    [CU_GRAPH_NODE_TYPE_MEMCPY] = mock__describe_copy,
    [CU_GRAPH_NODE_TYPE_MEMSET] = mock__describe_fill,
    [CU_GRAPH_NODE_TYPE_HOST] = mock__describe_host,
    [CU_GRAPH_NODE_TYPE_EMPTY] = mock__describe_nothing,
    [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = mock__describe_wait,
    [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = mock__describe_record,
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL] = mock__describe_signal,
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT] = mock__describe_semaphore_wait,
    [MOCK__NODE_MEM_ALLOC] = mock__describe_alloc,
    [MOCK__NODE_MEM_FREE] = mock__describe_free,
    [MOCK__NODE_BATCH_MEM_OP] = mock__describe_values,
    [MOCK__NODE_CONDITIONAL] = NULL, /* is added by a function of its own, and cannot be changed */
};

/*
 * Returns the structure for a node type. It is the one of that type's own functions; the arguments
 * that these have in addition are at its end. `graph` is not needed for types that cannot be
 * changed later.
 */
static const void *params_of(const CUgraphNodeParams *p, CUgraph graph, struct any *any)
{
    switch ((int) p->type) {
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        any->copy = (struct mock__copy_params){&p->memcpy.copyParams, p->memcpy.copyCtx};
        return &any->copy;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        any->fill =
            (struct mock__fill_params){(const CUDA_MEMSET_NODE_PARAMS *) &p->memset, p->memset.ctx};
        return &any->fill;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return p->eventWait.event;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return p->eventRecord.event;
    case MOCK__NODE_MEM_FREE:
        any->free = (struct mock__free_params){p->free.dptr, graph};
        return &any->free;
    default:
        return &p->kernel; /* all other structures begin here */
    }
}

static bool needs_driver(int type)
{
    return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
           type == CU_GRAPH_NODE_TYPE_MEMSET || type == MOCK__NODE_MEM_ALLOC ||
           type == MOCK__NODE_MEM_FREE;
}

static CUresult read_wish(const CUgraphNodeParams *p, CUgraph graph, struct any *ret)
{
    MOCK__REQUIRE((size_t) p->type < ARRAY_SIZE(describes), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(describes[p->type], CUDA_ERROR_NOT_SUPPORTED);
    ret->spec = (struct mock__node_spec){describes[p->type], params_of(p, graph, ret),
                                         needs_driver((int) p->type)};
    return CUDA_SUCCESS;
}

/* The sizes of the structures by type. What follows a structure must be zero. */
static const size_t sizes[] = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = sizeof((CUgraphNodeParams){0}.kernel),
    [CU_GRAPH_NODE_TYPE_MEMCPY] = sizeof((CUgraphNodeParams){0}.memcpy),
    [CU_GRAPH_NODE_TYPE_MEMSET] = sizeof((CUgraphNodeParams){0}.memset),
    [CU_GRAPH_NODE_TYPE_HOST] = sizeof((CUgraphNodeParams){0}.host),
    [CU_GRAPH_NODE_TYPE_GRAPH] = sizeof((CUgraphNodeParams){0}.graph),
    [CU_GRAPH_NODE_TYPE_EMPTY] = 0,
    [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = sizeof((CUgraphNodeParams){0}.eventWait),
    [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = sizeof((CUgraphNodeParams){0}.eventRecord),
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL] = sizeof((CUgraphNodeParams){0}.extSemSignal),
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT] = sizeof((CUgraphNodeParams){0}.extSemWait),
    [MOCK__NODE_MEM_ALLOC] = sizeof((CUgraphNodeParams){0}.alloc),
    [MOCK__NODE_MEM_FREE] = sizeof((CUgraphNodeParams){0}.free),
    [MOCK__NODE_BATCH_MEM_OP] = sizeof((CUgraphNodeParams){0}.memOp),
    [MOCK__NODE_CONDITIONAL] = sizeof((CUgraphNodeParams){0}.reserved1), /* reads to the end */
};

static bool is_zero(const void *bytes, size_t n)
{
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < n; i++)
        if (byte[i])
            return false;
    return true;
}

/* Tells whether the parameters are of a known type, and zero where that has nothing. */
static bool is_reserved_zero(const CUgraphNodeParams *p)
{
    const bool known = (size_t) p->type < ARRAY_SIZE(sizes);
    const size_t used = known ? sizes[p->type] : 0;

    return known && is_zero(p->reserved0, sizeof(p->reserved0)) && !p->reserved2 &&
           is_zero((const char *) p->reserved1 + used, sizeof(p->reserved1) - used) &&
           (p->type != CU_GRAPH_NODE_TYPE_MEMCPY || (!p->memcpy.flags && !p->memcpy.reserved));
}

static bool moves(const CUgraphNodeParams *p)
{
#if CUDA_VERSION >= 12090
    return p->graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
#else
    (void) p;
    return false;
#endif
}

static CUresult add(CUgraphNode *phGraphNode, CUgraph hGraph,
                    const struct mock__predecessors *after, CUgraphNodeParams *p)
{
    struct any any;

    MOCK__REQUIRE(p && is_reserved_zero(p), CUDA_ERROR_INVALID_VALUE);
    if (p->type == CU_GRAPH_NODE_TYPE_GRAPH)
        return mock__child_add(phGraphNode, hGraph, after, p->graph.graph, moves(p));
#if CUDA_VERSION >= 12030
    if ((int) p->type == MOCK__NODE_CONDITIONAL)
        return mock__conditional_add(phGraphNode, hGraph, after, &p->conditional);
#endif
    MOCK__TRY(read_wish(p, hGraph, &any));
    return mock__node_spec_add_by(phGraphNode, hGraph, after, any.spec);
}

CUresult mock_cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                             const CUgraphNode *dependencies, size_t numDependencies,
                             CUgraphNodeParams *nodeParams)
{
    return add(phGraphNode, hGraph,
               &(struct mock__predecessors){dependencies, NULL, numDependencies}, nodeParams);
}

#if CUDA_VERSION >= 12030
CUresult mock_cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                                const CUgraphNode *dependencies,
                                const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                CUgraphNodeParams *nodeParams)
{
    const struct mock__predecessors after = {
        dependencies, (const struct mock__edge_data *) dependencyData, numDependencies};

    return add(phGraphNode, hGraph, &after, nodeParams);
}
#endif

static CUresult check_type(CUgraphNode node, CUgraphNodeType type)
{
    const struct mock__work *work = NULL;

    MOCK__ENTER_EARLY();
    return mock__node_work(node, type, &work);
}

/* Reads parameters for a node that must have their type. Allocations and frees cannot be changed.
 */
static CUresult read_settable(CUgraphNode node, const CUgraphNodeParams *p, struct any *ret)
{
    MOCK__TRY(check_type(node, p->type));
    MOCK__REQUIRE((int) p->type != MOCK__NODE_MEM_ALLOC && (int) p->type != MOCK__NODE_MEM_FREE,
                  CUDA_ERROR_NOT_SUPPORTED);
    return read_wish(p, NULL, ret);
}

CUresult mock_cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
    struct any any;

    MOCK__REQUIRE(nodeParams && is_reserved_zero(nodeParams), CUDA_ERROR_INVALID_VALUE);
    if (nodeParams->type == CU_GRAPH_NODE_TYPE_GRAPH)
        return mock__child_set(hNode, nodeParams->graph.graph);
    MOCK__TRY(read_settable(hNode, nodeParams, &any));
    return mock__node_spec_set(hNode, nodeParams->type, any.spec);
}

CUresult mock_cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                       CUgraphNodeParams *nodeParams)
{
    struct any any;

    MOCK__REQUIRE(nodeParams && is_reserved_zero(nodeParams), CUDA_ERROR_INVALID_VALUE);
    if (nodeParams->type == CU_GRAPH_NODE_TYPE_GRAPH)
        return mock__child_update(hGraphExec, hNode, nodeParams->graph.graph);
    MOCK__TRY(read_settable(hNode, nodeParams, &any));
    return mock__node_spec_set_exec(hGraphExec, hNode, nodeParams->type, any.spec);
}

/* The functions of each type answer the same, but for the context of copies and memsets. */
static CUresult get_params(CUgraphNode node, CUgraphNodeParams *p)
{
    switch ((int) p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return mock_cuGraphKernelNodeGetParams_v2(node, (CUDA_KERNEL_NODE_PARAMS_v2 *) &p->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        p->memcpy.copyCtx = mock__node_context(node);
        return mock_cuGraphMemcpyNodeGetParams(node, &p->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        MOCK__TRY(mock_cuGraphMemsetNodeGetParams(node, (CUDA_MEMSET_NODE_PARAMS *) &p->memset));
        p->memset.ctx = mock__node_context(node);
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_HOST:
        return mock_cuGraphHostNodeGetParams(node, (CUDA_HOST_NODE_PARAMS *) &p->host);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return mock_cuGraphChildGraphNodeGetGraph(node, &p->graph.graph);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return mock_cuGraphEventWaitNodeGetEvent(node, &p->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return mock_cuGraphEventRecordNodeGetEvent(node, &p->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
        return mock_cuGraphExternalSemaphoresSignalNodeGetParams(
            node, (CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *) &p->extSemSignal);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        return mock_cuGraphExternalSemaphoresWaitNodeGetParams(
            node, (CUDA_EXT_SEM_WAIT_NODE_PARAMS *) &p->extSemWait);
    case MOCK__NODE_MEM_ALLOC:
        return mock_cuGraphMemAllocNodeGetParams(node, (CUDA_MEM_ALLOC_NODE_PARAMS *) &p->alloc);
    case MOCK__NODE_MEM_FREE:
        return mock_cuGraphMemFreeNodeGetParams(node, &p->free.dptr);
    case MOCK__NODE_BATCH_MEM_OP:
        return mock_cuGraphBatchMemOpNodeGetParams(node,
                                                   (CUDA_BATCH_MEM_OP_NODE_PARAMS *) &p->memOp);
#if CUDA_VERSION >= 12030
    case MOCK__NODE_CONDITIONAL:
        return mock__conditional_params(node, &p->conditional);
#endif
    default:
        return CUDA_SUCCESS; /* a node without parameters */
    }
}

CUresult mock_cuGraphNodeGetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
    CUgraphNodeParams params;

    MOCK__REQUIRE(nodeParams, CUDA_ERROR_INVALID_VALUE);
    memset(&params, 0, sizeof(params));
    MOCK__TRY(mock_cuGraphNodeGetType(hNode, &params.type));
    MOCK__TRY(get_params(hNode, &params));
    *nodeParams = params;
    return CUDA_SUCCESS;
}

#endif
