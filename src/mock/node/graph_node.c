/* SPDX-License-Identifier: MIT */
/* Adding and setting nodes of all types; and nodes without parameters. */
#include "mock/node/graph_node.h"
#include "mock/base/state.h"
#include "mock/graph/graph.h"
#include "mock/graph/user_object.h"
#include "mock/launch/launch.h"
#include "mock/memory/copy.h"
#include "mock/memory/memset.h"
#include "mock/memory/stream_memops.h"
#include "mock/node/graph_exec.h"
#include "mock/node/graph_kernel.h"
#include "mock/node/graph_params.h"
#include "mock/queue/work.h"
#include "mock/stream/event.h"

CUresult mock__node_spec_add(CUgraphNode *ret_node, CUgraph hGraph, const CUgraphNode *after,
                             size_t n, struct mock__node_spec spec)
{
    return mock__node_spec_add_by(ret_node, hGraph, &(struct mock__predecessors){after, NULL, n},
                                  spec);
}

CUresult mock__node_spec_add_by(CUgraphNode *ret_node, CUgraph hGraph,
                                const struct mock__predecessors *after, struct mock__node_spec spec)
{
    struct mock__graph *graph = NULL;
    struct mock__node *node = NULL;
    struct mock__work *work = NULL;

    MOCK__ENTER_EARLY();
    MOCK__TRY(spec.needs_driver ? mock__initialised() : CUDA_SUCCESS);
    MOCK__REQUIRE(ret_node && (after->nodes || !after->n), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__graph_find(hGraph, &graph));
    MOCK__TRY(spec.describe(spec.params, &work));
    MOCK__TRY(mock__node_add(graph, after, work, &node));
    *ret_node = MOCK__HANDLE(node);
    return CUDA_SUCCESS;
}

/* Replaces the work of a node. The attributes of a kernel are not parameters, so they stay. */
static void replace_work(struct mock__node *node, struct mock__work *work)
{
    if (work->type->node == CU_GRAPH_NODE_TYPE_KERNEL)
        mock__kernel_take_attributes(work, node->work);
    mock__work_free(node->work);
    node->work = work;
}

static CUresult find_typed(CUgraphNode handle, CUgraphNodeType type, struct mock__node **ret_node)
{
    MOCK__TRY(mock__node_find(handle, ret_node));
    return mock__node_type(*ret_node) == type ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult mock__node_spec_set(CUgraphNode hNode, CUgraphNodeType type, struct mock__node_spec spec)
{
    struct mock__node *node = NULL;
    struct mock__work *work = NULL;

    MOCK__ENTER_EARLY();
    MOCK__TRY(find_typed(hNode, type, &node));
    MOCK__TRY(spec.needs_driver ? mock__initialised() : CUDA_SUCCESS);
    MOCK__TRY(spec.describe(spec.params, &work));
    replace_work(node, work);
    return CUDA_SUCCESS;
}

static bool is_line(const struct mock__work *work)
{
    const struct mock__copy *copy = mock__copy_of_work(work);

    return copy->width && copy->height == 1 && copy->depth == 1;
}

static const struct mock__event *event_of(const struct mock__work *work)
{
    return mock__object_find(MOCK__EVENT, mock__event_of_work(work));
}

/* Events of a wait are of one context. One that was there, and is gone, is not compared. */
static bool same_event_context(const struct mock__work *work, const struct mock__work *old)
{
    const struct mock__event *event = event_of(work), *before = event_of(old);

    return event && (!before || event->context == before->context);
}

/* Copies and memsets stay in their context, whichever is named now, be it another device's. */
static bool keeps_context(const struct mock__work *work)
{
    const CUgraphNodeType type = work->type->node;

    return !work->context || type == CU_GRAPH_NODE_TYPE_MEMCPY || type == CU_GRAPH_NODE_TYPE_MEMSET;
}

/*
 * Tells whether work may replace a node's work. It must be in the same context, because that is
 * fixed when the graph is instantiated.
 */
static bool can_replace(const struct mock__work *work, const struct mock__work *old)
{
    if (work->context != old->context)
        return false;
    switch ((int) work->type->node) {
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return mock__copy_replaces(work, old) && is_line(work) && is_line(old);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return mock__fill_replaces(work, old);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return event_of(work);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return same_event_context(work, old);
    case MOCK__NODE_BATCH_MEM_OP:
        return mock__values_replace(work, old);
    default:
        return true;
    }
}

CUresult mock__node_spec_set_exec(CUgraphExec hExec, CUgraphNode hNode, CUgraphNodeType type,
                                  struct mock__node_spec spec)
{
    struct mock__exec *exec = NULL;
    struct mock__node *node = NULL;
    struct mock__work *work = NULL;

    MOCK__ENTER_EARLY();
    MOCK__TRY(mock__exec_find_own(hExec, &exec));
    MOCK__TRY(find_typed(hNode, type, &node));
    node = mock__node_in_copy(exec->plan->graph, node->object.handle);
    MOCK__REQUIRE(node, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(spec.describe(spec.params, &work));
    if (keeps_context(work))
        work->context = node->work->context;
    if (!can_replace(work, node->work)) {
        mock__work_free(work);
        return CUDA_ERROR_INVALID_VALUE;
    }
    replace_work(node, work);
    return CUDA_SUCCESS;
}

CUresult mock__node_work(CUgraphNode handle, CUgraphNodeType type,
                         const struct mock__work **ret_work)
{
    struct mock__node *node = NULL;

    MOCK__TRY(find_typed(handle, type, &node));
    *ret_work = node->work;
    return CUDA_SUCCESS;
}

CUcontext mock__node_context(CUgraphNode handle)
{
    __attribute__((cleanup(mock__leave))) const CUresult entered = mock__enter();
    struct mock__node *node = NULL;

    if (entered == CUDA_SUCCESS && mock__node_find(handle, &node) == CUDA_SUCCESS)
        return node->work->context;
    return NULL;
}

/* --- empty nodes --- */

CUresult mock__describe_nothing(const void *params, struct mock__work **ret_work)
{
    (void) params;
    *ret_work = mock__work_nothing();
    return *ret_work ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult mock_cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                  const CUgraphNode *dependencies, size_t numDependencies)
{
    return mock__node_spec_add(phGraphNode, hGraph, dependencies, numDependencies,
                               (struct mock__node_spec){mock__describe_nothing, NULL, false});
}

/* --- host nodes --- */

CUresult mock__describe_host(const void *params, struct mock__work **ret_work)
{
    return mock__host_work(params, ret_work);
}

CUresult mock_cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                 const CUgraphNode *dependencies, size_t numDependencies,
                                 const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    return mock__node_spec_add(phGraphNode, hGraph, dependencies, numDependencies,
                               (struct mock__node_spec){mock__describe_host, nodeParams, false});
}

CUresult mock_cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams)
{
    const struct mock__work *work = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(nodeParams, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__node_work(hNode, CU_GRAPH_NODE_TYPE_HOST, &work));
    *nodeParams = *mock__host_of_work(work);
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    return mock__node_spec_set(hNode, CU_GRAPH_NODE_TYPE_HOST,
                               (struct mock__node_spec){mock__describe_host, nodeParams, false});
}

CUresult mock_cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    return mock__node_spec_set_exec(
        hGraphExec, hNode, CU_GRAPH_NODE_TYPE_HOST,
        (struct mock__node_spec){mock__describe_host, nodeParams, false});
}

/* --- user objects --- */

CUresult mock_cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
                                      unsigned int flags)
{
    MOCK__ENTER_EARLY();
    return mock__graph_retain_user_object(graph, object, count, flags);
}

CUresult mock_cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count)
{
    MOCK__ENTER_EARLY();
    return mock__graph_release_user_object(graph, object, count);
}
