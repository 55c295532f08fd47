/* SPDX-License-Identifier: MIT */
/* cuGraphExecUpdate */
#include "mock/base/state.h"
#include "mock/graph/graph.h"
#include "mock/graph/user_object.h"
#include "mock/launch/launch.h"
#include "mock/memory/copy.h"
#include "mock/memory/memset.h"
#include "mock/memory/stream_memops.h"
#include "mock/node/graph_conditional.h"
#include "mock/node/graph_exec.h"
#include "mock/queue/work.h"

/* CUgraphExecUpdateResult, by number: older headers lack some. */
enum {
    SUCCESS = 0,
    PARAMETERS_CHANGED = 5,
    NOT_SUPPORTED = 6,
    UNSUPPORTED_FUNCTION_CHANGE = 7,
    ATTRIBUTES_CHANGED = 8,
};

/* The first difference between two graphs, and its nodes. */
struct difference {
    CUgraphExecUpdateResult result;
    const struct mock__node *node, *from;
};

static bool differ(struct difference *ret, int result, const struct mock__node *node,
                   const struct mock__node *from)
{
    *ret = (struct difference){(CUgraphExecUpdateResult) result, node, from};
    return true;
}

/* The nodes of two graphs that have as many. */
static void pair_nodes(struct mock__node *node, struct mock__node *new)
{
    for (; node; node = node->next, new = new->next)
        new->twin = node;
}

/* Nodes are told apart by the order in which they were added. */
static bool edges_differ(const struct mock__node *node, const struct mock__node *new,
                         struct difference *ret)
{
    const struct mock__edge *edge = new->before.first;

    if (node->before.n != new->before.n)
        return differ(ret, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, new, NULL);
    for (; edge; edge = edge->next_before)
        if (!mock__edge_find(edge->from->twin, node))
            return differ(ret, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, new, edge->from);
    return false;
}

static bool is_cooperative(const struct mock__work *work)
{
    return ((const struct mock__kernel_work *) work)->cooperative;
}

/* Returns the reason why the work of a kernel node cannot change, SUCCESS if it may. */
static int kernel_change(const struct mock__work *work, const struct mock__work *new)
{
    if (work->context != new->context)
        return UNSUPPORTED_FUNCTION_CHANGE;
    return is_cooperative(work) == is_cooperative(new) ? SUCCESS : ATTRIBUTES_CHANGED;
}

static int memory_change(const struct mock__work *work, const struct mock__work *new)
{
    return mock__address_of_work(work) == mock__address_of_work(new) ? SUCCESS : NOT_SUPPORTED;
}

/* Lanes are planned for a node's context. */
static int change_of(const struct mock__work *work, const struct mock__work *new)
{
    bool can = work->context == new->context;

    switch ((int) work->type->node) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return kernel_change(work, new);
    case MOCK__NODE_MEM_ALLOC:
    case MOCK__NODE_MEM_FREE:
        return memory_change(work, new);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        can = can && mock__copy_replaces(new, work);
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        can = can && mock__fill_replaces(new, work);
        break;
    case MOCK__NODE_BATCH_MEM_OP:
        can = can && mock__values_replace(new, work);
        break;
    case MOCK__NODE_CONDITIONAL:
        return can && mock__conditional_replaces(new, work) ? SUCCESS : NOT_SUPPORTED;
    default:
        break;
    }
    return can ? SUCCESS : PARAMETERS_CHANGED;
}

static bool works_differ(const struct mock__node *node, const struct mock__node *new,
                         struct difference *ret)
{
    const int change = change_of(node->work, new->work);

    return change != SUCCESS && differ(ret, change, new, NULL);
}

static bool graphs_differ(const struct mock__graph *graph, const struct mock__graph *new,
                          struct difference *ret);

static bool nodes_differ(const struct mock__node *node, const struct mock__node *new,
                         struct difference *ret)
{
    if (mock__node_type(node) != mock__node_type(new))
        return differ(ret, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, new, NULL);
    if (edges_differ(node, new, ret) || works_differ(node, new, ret))
        return true;
    for (size_t i = 0; i < node->n_within; i++)
        if (graphs_differ(node->within[i], new->within[i], ret))
            return true;
    return false;
}

static bool graphs_differ(const struct mock__graph *graph, const struct mock__graph *new,
                          struct difference *ret)
{
    if (graph->n != new->n)
        return differ(ret, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, NULL, NULL);
    pair_nodes(graph->first, new->first);
    for (const struct mock__node *node = new->first; node; node = node->next)
        if (nodes_differ(node->twin, node, ret))
            return true;
    return false;
}

static void exchange(const struct mock__graph *graph, const struct mock__graph *copy)
{
    struct mock__node *twin = copy->first;

    for (struct mock__node *node = graph->first; node; node = node->next, twin = twin->next) {
        struct mock__work *work = node->work;

        node->work = twin->work;
        twin->work = work;
        for (size_t i = 0; i < node->n_within; i++)
            exchange(node->within[i], twin->within[i]);
    }
}

CUresult mock__graph_update(struct mock__graph *graph, const struct mock__graph *from,
                            CUgraphExecUpdateResult *ret_result, CUgraphNode *ret_node,
                            CUgraphNode *ret_from_node)
{
    struct difference difference = {.result = CU_GRAPH_EXEC_UPDATE_SUCCESS};
    struct mock__graph *copy = NULL;

    if (!graphs_differ(graph, from, &difference)) {
        MOCK__TRY(mock__graph_copy(from, &copy));
        exchange(graph, copy);
        /* User objects that unfinished launches still use are kept as well. */
        if (mock__holdings_copy(from, graph) != CUDA_SUCCESS)
            difference.result = CU_GRAPH_EXEC_UPDATE_ERROR;
        mock__graph_free(copy);
    }
    *ret_result = difference.result;
    *ret_node = difference.node ? MOCK__HANDLE(difference.node) : NULL;
    *ret_from_node = difference.from ? MOCK__HANDLE(difference.from) : NULL;
    return CUDA_SUCCESS;
}

static CUresult update(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResult *ret_result,
                       CUgraphNode *ret_node, CUgraphNode *ret_from_node)
{
    struct mock__exec *exec = NULL;
    struct mock__graph *graph = NULL;
    CUresult result;

    MOCK__ENTER();
    MOCK__TRY(mock__exec_find(hGraphExec, &exec));
    MOCK__TRY(mock__graph_find(hGraph, &graph));
    MOCK__REQUIRE(!graph->moved, CUDA_ERROR_INVALID_VALUE);
    result = mock__graph_update(exec->plan->graph, graph, ret_result, ret_node, ret_from_node);
    MOCK__TRY(result);
    if (*ret_result == CU_GRAPH_EXEC_UPDATE_SUCCESS)
        mock__plan_conditions_update(exec->plan);
    return *ret_result == CU_GRAPH_EXEC_UPDATE_SUCCESS ? CUDA_SUCCESS : MOCK__UPDATE_FAILURE;
}

CUresult mock_cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
                                CUgraphExecUpdateResult *updateResult_out)
{
    CUgraphExecUpdateResult why = CU_GRAPH_EXEC_UPDATE_ERROR;
    CUgraphNode culprit = NULL, from = NULL;
    const CUresult result = update(hGraphExec, hGraph, &why, &culprit, &from);

    if (hErrorNode_out)
        *hErrorNode_out = culprit;
    if (updateResult_out)
        *updateResult_out = why;
    return result;
}

#if CUDA_VERSION >= 12000
CUresult mock_cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                                   CUgraphExecUpdateResultInfo *resultInfo)
{
    CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};
    const CUresult result =
        update(hGraphExec, hGraph, &info.result, &info.errorNode, &info.errorFromNode);

    if (resultInfo)
        *resultInfo = info;
    return result;
}
#endif
