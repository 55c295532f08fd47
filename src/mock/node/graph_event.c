/* SPDX-License-Identifier: MIT */
/* cuGraph*EventRecordNode*, cuGraph*EventWaitNode* */
#include "mock/base/state.h"
#include "mock/graph/graph.h"
#include "mock/node/graph_node.h"
#include "mock/node/graph_params.h"
#include "mock/stream/event.h"

#define RECORD CU_GRAPH_NODE_TYPE_EVENT_RECORD
#define WAIT   CU_GRAPH_NODE_TYPE_WAIT_EVENT

/* Whether there is such an event is asked when the graph is instantiated, and not before. */
CUresult mock__describe_record(const void *params, struct mock__work **ret_work)
{
    const struct mock__event *event = mock__object_find(MOCK__EVENT, params);

    MOCK__REQUIRE(params, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__event_record_work((CUevent) params, ret_work));
    if (event)
        (*ret_work)->context = MOCK__HANDLE(event->context);
    return CUDA_SUCCESS;
}

CUresult mock__describe_wait(const void *params, struct mock__work **ret_work)
{
    MOCK__REQUIRE(params, CUDA_ERROR_INVALID_VALUE);
    return mock__event_wait_work((CUevent) params, ret_work);
}

static CUresult get_event(CUgraphNode hNode, CUgraphNodeType type, CUevent *event_out)
{
    const struct mock__work *work = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(event_out, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__node_work(hNode, type, &work));
    *event_out = mock__event_of_work(work);
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                        const CUgraphNode *dependencies, size_t numDependencies,
                                        CUevent event)
{
    return mock__node_spec_add(phGraphNode, hGraph, dependencies, numDependencies,
                               (struct mock__node_spec){mock__describe_record, event, false});
}

CUresult mock_cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
    return get_event(hNode, RECORD, event_out);
}

CUresult mock_cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    return mock__node_spec_set(hNode, RECORD,
                               (struct mock__node_spec){mock__describe_record, event, false});
}

CUresult mock_cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                 CUevent event)
{
    return mock__node_spec_set_exec(hGraphExec, hNode, RECORD,
                                    (struct mock__node_spec){mock__describe_record, event, false});
}

CUresult mock_cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                      const CUgraphNode *dependencies, size_t numDependencies,
                                      CUevent event)
{
    return mock__node_spec_add(phGraphNode, hGraph, dependencies, numDependencies,
                               (struct mock__node_spec){mock__describe_wait, event, false});
}

CUresult mock_cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
    return get_event(hNode, WAIT, event_out);
}

CUresult mock_cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    return mock__node_spec_set(hNode, WAIT,
                               (struct mock__node_spec){mock__describe_wait, event, false});
}

CUresult mock_cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                               CUevent event)
{
    return mock__node_spec_set_exec(hGraphExec, hNode, WAIT,
                                    (struct mock__node_spec){mock__describe_wait, event, false});
}
