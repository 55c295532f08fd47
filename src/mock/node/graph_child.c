/* SPDX-License-Identifier: MIT */
/* cuGraph*ChildGraphNode*: graphs within graphs. */
#include "mock/base/state.h"
#include "mock/graph/graph.h"
#include "mock/node/graph_exec.h"
#include "mock/node/graph_params.h"
#include "mock/queue/work.h"

static bool is_within(const struct mock__graph *graph, const struct mock__graph *outer)
{
    for (; graph; graph = graph->parent ? graph->parent->graph : NULL)
        if (graph == outer)
            return true;
    return false;
}

/*
 * Takes a graph for a node. A graph that is moved is no longer one by itself: it cannot be
 * instantiated, destroyed, moved or copied to a node again, or be what another one is updated from.
 */
static CUresult take_graph(struct mock__graph *graph, struct mock__graph *child, bool move,
                           struct mock__graph **ret_taken)
{
    MOCK__REQUIRE(!child->moved && child != graph, CUDA_ERROR_INVALID_VALUE);
    if (!move) {
        MOCK__REQUIRE(!mock__graph_is_single(child), CUDA_ERROR_NOT_SUPPORTED);
        return mock__graph_copy(child, ret_taken);
    }
    MOCK__REQUIRE(!child->n_conditional && !mock__graph_is_body(child), CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE(!child->parent && !child->captures && !child->instantiated && !child->n_execs &&
                      !is_within(graph, child),
                  CUDA_ERROR_INVALID_VALUE);
    *ret_taken = child;
    return CUDA_SUCCESS;
}

CUresult mock__child_add(CUgraphNode *ret_node, CUgraph hGraph,
                         const struct mock__predecessors *after, CUgraph hChild, bool move)
{
    struct mock__graph *graph = NULL, *child = NULL, *taken = NULL;
    struct mock__node *node = NULL;
    CUresult result;

    MOCK__ENTER();
    MOCK__REQUIRE(ret_node && (after->nodes || !after->n), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__graph_find(hGraph, &graph));
    MOCK__TRY(mock__graph_find(hChild, &child));
    MOCK__TRY(take_graph(graph, child, move, &taken));
    result = mock__node_add_child(graph, after, taken, &node);
    if (result == CUDA_SUCCESS) {
        taken->moved = move;
        *ret_node = MOCK__HANDLE(node);
    } else if (!move) {
        mock__graph_free(taken);
    }
    return result;
}

CUresult mock_cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                       const CUgraphNode *dependencies, size_t numDependencies,
                                       CUgraph childGraph)
{
    return mock__child_add(phGraphNode, hGraph,
                           &(struct mock__predecessors){dependencies, NULL, numDependencies},
                           childGraph, false);
}

CUresult mock_cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph)
{
    struct mock__node *node = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(phGraph, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__node_find(hNode, &node));
    MOCK__REQUIRE(mock__child_of(node), CUDA_ERROR_INVALID_VALUE);
    *phGraph = MOCK__HANDLE(mock__child_of(node));
    return CUDA_SUCCESS;
}

CUresult mock__child_set(CUgraphNode hNode, CUgraph hChild)
{
    struct mock__graph *child = NULL, *taken = NULL;
    struct mock__node *node = NULL;

    MOCK__ENTER_EARLY();
    MOCK__TRY(mock__node_find(hNode, &node));
    MOCK__REQUIRE(mock__child_of(node) && !mock__node_is_captured(node), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__graph_find(hChild, &child));
    MOCK__REQUIRE(!child->moved, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!mock__graph_is_single(child), CUDA_ERROR_NOT_SUPPORTED);
    MOCK__TRY(mock__graph_copy(child, &taken));
    mock__node_replace_child(node, taken);
    return CUDA_SUCCESS;
}

CUresult mock__child_update(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraph childGraph)
{
    CUgraphExecUpdateResult why = CU_GRAPH_EXEC_UPDATE_SUCCESS;
    CUgraphNode culprit = NULL, from = NULL;
    struct mock__exec *exec = NULL;
    struct mock__node *node = NULL;
    struct mock__graph *child = NULL;

    MOCK__ENTER_EARLY();
    MOCK__TRY(mock__exec_find_own(hGraphExec, &exec));
    MOCK__TRY(mock__node_find(hNode, &node));
    MOCK__TRY(mock__graph_find(childGraph, &child));
    node = mock__node_in_copy(exec->plan->graph, node->object.handle);
    MOCK__REQUIRE(node && mock__child_of(node), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__graph_update(mock__child_of(node), child, &why, &culprit, &from));
    return why == CU_GRAPH_EXEC_UPDATE_SUCCESS ? CUDA_SUCCESS : MOCK__UPDATE_FAILURE;
}

CUresult mock_cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                 CUgraph childGraph)
{
    return mock__child_update(hGraphExec, hNode, childGraph);
}
