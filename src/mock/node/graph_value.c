/* SPDX-License-Identifier: MIT */
/* cuGraph*BatchMemOpNode*: operations on values in graphs. */
#include "mock/base/state.h"
#include "mock/graph/graph.h"
#include "mock/memory/stream_memops.h"
#include "mock/node/graph_exec.h"
#include "mock/node/graph_node.h"
#include "mock/node/graph_params.h"
#include "mock/queue/work.h"

#if CUDA_VERSION >= 11070

#define BATCH ((CUgraphNodeType) MOCK__NODE_BATCH_MEM_OP)

CUresult mock__describe_values(const void *params, struct mock__work **ret_work)
{
    const CUDA_BATCH_MEM_OP_NODE_PARAMS *p = params;
    struct mock__context *context;

    MOCK__REQUIRE(p && p->ctx, CUDA_ERROR_INVALID_VALUE);
    context = mock__context_find(p->ctx);
    MOCK__REQUIRE(context, mock__stranger(p->ctx, CUDA_ERROR_INVALID_VALUE));
    MOCK__REQUIRE(!p->flags && p->paramArray, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__context_usable(context));
    MOCK__TRY(
        mock__values_work(context, p->paramArray, p->count, &mock__values_of_nodes, ret_work));
    (*ret_work)->context = MOCK__HANDLE(context);
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphAddBatchMemOpNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                       const CUgraphNode *dependencies, size_t numDependencies,
                                       const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    return mock__node_spec_add(phGraphNode, hGraph, dependencies, numDependencies,
                               (struct mock__node_spec){mock__describe_values, nodeParams, false});
}

/* The operations in the result belong to the node. */
CUresult mock_cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode,
                                             CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams_out)
{
    const struct mock__work *work = NULL;
    unsigned count = 0;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(nodeParams_out, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__node_work(hNode, BATCH, &work));
    *nodeParams_out = (CUDA_BATCH_MEM_OP_NODE_PARAMS){
        .ctx = work->context,
        .paramArray = (CUstreamBatchMemOpParams *) mock__values_of_work(work, &count),
    };
    nodeParams_out->count = count;
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode,
                                             const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    return mock__node_spec_set(hNode, BATCH,
                               (struct mock__node_spec){mock__describe_values, nodeParams, false});
}

CUresult mock_cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                 const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    return mock__node_spec_set_exec(
        hGraphExec, hNode, BATCH,
        (struct mock__node_spec){mock__describe_values, nodeParams, false});
}
#endif
