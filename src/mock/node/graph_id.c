/* SPDX-License-Identifier: MIT */
/* cuGraphGetId, cuGraphExecGetId, cuGraphNodeGetLocalId, cuGraphNodeGetToolsId */
#include "mock/base/newer.h"
#include "mock/base/state.h"
#include "mock/graph/graph.h"
#include "mock/node/graph_exec.h"

CUresult mock_cuGraphGetId(CUgraph hGraph, unsigned int *graphId)
{
    struct mock__graph *graph = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(graphId, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__graph_find(hGraph, &graph));
    *graphId = graph->id;
    return CUDA_SUCCESS;
}

/* An executable graph is a graph of its own. */
CUresult mock_cuGraphExecGetId(CUgraphExec hGraphExec, unsigned int *graphId)
{
    struct mock__exec *exec = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(graphId, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__exec_find(hGraphExec, &exec));
    *graphId = exec->plan->graph->id;
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphNodeGetLocalId(CUgraphNode hNode, unsigned int *nodeId)
{
    struct mock__node *node = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(nodeId, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__node_find(hNode, &node));
    *nodeId = node->id;
    return CUDA_SUCCESS;
}

/* No other node of any graph has it. */
CUresult mock_cuGraphNodeGetToolsId(CUgraphNode hNode, unsigned long long *toolsNodeId)
{
    struct mock__node *node = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(toolsNodeId, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__node_find(hNode, &node));
    *toolsNodeId = (unsigned long long) node->graph->id << 32 | node->id;
    return CUDA_SUCCESS;
}
