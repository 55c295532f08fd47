/* SPDX-License-Identifier: MIT */
/* cuGraph*MemcpyNode*, cuGraph*MemsetNode* */
#include "mock/base/state.h"
#include "mock/graph/graph.h"
#include "mock/memory/copy.h"
#include "mock/memory/memset.h"
#include "mock/node/graph_node.h"
#include "mock/node/graph_params.h"
#include "mock/queue/work.h"

#define MEMCPY CU_GRAPH_NODE_TYPE_MEMCPY
#define MEMSET CU_GRAPH_NODE_TYPE_MEMSET

static CUresult find_context(CUcontext handle, CUcontext *ret_handle)
{
    struct mock__context *context = NULL;

    MOCK__TRY(mock__context_of(handle, &context));
    MOCK__TRY(mock__context_usable(context));
    *ret_handle = MOCK__HANDLE(context);
    return CUDA_SUCCESS;
}

CUresult mock__describe_copy(const void *params, struct mock__work **ret_work)
{
    const struct mock__copy_params *p = params;
    struct mock__copy copy;
    CUcontext context = NULL;

    MOCK__REQUIRE(p && p->copy && p->copy->WidthInBytes && p->copy->Height && p->copy->Depth,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find_context(p->context, &context));
    MOCK__TRY(mock__copy_from_3d(p->copy, &copy));
    MOCK__TRY(mock__copy_work(&copy, ret_work));
    (*ret_work)->context = context;
    return CUDA_SUCCESS;
}

static bool element_valid(const CUDA_MEMSET_NODE_PARAMS *fill)
{
    return fill->elementSize == 1 || fill->elementSize == 2 || fill->elementSize == 4;
}

CUresult mock__describe_fill(const void *params, struct mock__work **ret_work)
{
    const struct mock__fill_params *p = params;
    const CUDA_MEMSET_NODE_PARAMS *fill = p ? p->fill : NULL;
    CUcontext context = NULL;

    MOCK__REQUIRE(fill && element_valid(fill) && fill->width && fill->height,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find_context(p->context, &context));
    MOCK__TRY(mock__fill_work(&(struct mock__fill){.address = fill->dst,
                                                   .pitch = fill->pitch,
                                                   .width = fill->width,
                                                   .height = fill->height,
                                                   .value = fill->value,
                                                   .element = fill->elementSize},
                              ret_work));
    (*ret_work)->context = context;
    return CUDA_SUCCESS;
}

/* --- memcpy nodes --- */

CUresult mock_cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                   const CUgraphNode *dependencies, size_t numDependencies,
                                   const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    const struct mock__copy_params params = {copyParams, ctx};

    return mock__node_spec_add(phGraphNode, hGraph, dependencies, numDependencies,
                               (struct mock__node_spec){mock__describe_copy, &params, true});
}

CUresult mock_cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams)
{
    const struct mock__work *work = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(nodeParams, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__node_work(hNode, MEMCPY, &work));
    mock__copy_to_3d(mock__copy_of_work(work), nodeParams);
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams)
{
    const struct mock__copy_params params = {nodeParams, mock__node_context(hNode)};

    return mock__node_spec_set(hNode, MEMCPY,
                               (struct mock__node_spec){mock__describe_copy, &params, false});
}

CUresult mock_cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                             const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    const struct mock__copy_params params = {copyParams, ctx};

    return mock__node_spec_set_exec(hGraphExec, hNode, MEMCPY,
                                    (struct mock__node_spec){mock__describe_copy, &params, false});
}

/* --- memset nodes --- */

CUresult mock_cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                   const CUgraphNode *dependencies, size_t numDependencies,
                                   const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    const struct mock__fill_params params = {memsetParams, ctx};

    return mock__node_spec_add(phGraphNode, hGraph, dependencies, numDependencies,
                               (struct mock__node_spec){mock__describe_fill, &params, true});
}

CUresult mock_cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    const struct mock__work *work = NULL;
    const struct mock__fill *fill;

    MOCK__ENTER();
    MOCK__REQUIRE(nodeParams, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__node_work(hNode, MEMSET, &work));
    fill = mock__fill_of_work(work);
    *nodeParams = (CUDA_MEMSET_NODE_PARAMS){
        .dst = fill->address,
        .pitch = fill->pitch,
        .value = fill->value,
        .elementSize = (unsigned) fill->element,
        .width = fill->width,
        .height = fill->height,
    };
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphMemsetNodeSetParams(CUgraphNode hNode,
                                         const CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    const struct mock__fill_params params = {nodeParams, mock__node_context(hNode)};

    return mock__node_spec_set(hNode, MEMSET,
                               (struct mock__node_spec){mock__describe_fill, &params, false});
}

CUresult mock_cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                             const CUDA_MEMSET_NODE_PARAMS *memsetParams,
                                             CUcontext ctx)
{
    const struct mock__fill_params params = {memsetParams, ctx};

    return mock__node_spec_set_exec(hGraphExec, hNode, MEMSET,
                                    (struct mock__node_spec){mock__describe_fill, &params, false});
}
