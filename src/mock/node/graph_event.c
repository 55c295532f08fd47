/* SPDX-License-Identifier: MIT */
/* cuGraph*EventRecordNode*, cuGraph*EventWaitNode* */
#include "mock/base/state.h"
#include "mock/graph/graph.h"
#include "mock/node/graph_node.h"
#include "mock/node/graph_params.h"
#include "mock/stream/event.h"

#define RECORD CU_GRAPH_NODE_TYPE_EVENT_RECORD
#define WAIT   CU_GRAPH_NODE_TYPE_WAIT_EVENT

/* A node may be made of an event whose context has had a fault. */
static CUresult find_event(const void *handle, struct mock__event **ret_event)
{
    MOCK__REQUIRE(handle, CUDA_ERROR_INVALID_VALUE);
    *ret_event = mock__object_find(MOCK__EVENT, handle);
    return *ret_event ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult mock__describe_record(const void *params, struct mock__work **ret_work)
{
    struct mock__event *event = NULL;

    MOCK__TRY(find_event(params, &event));
    MOCK__TRY(mock__event_record_work((CUevent) params, ret_work));
    (*ret_work)->context = MOCK__HANDLE(event->context);
    return CUDA_SUCCESS;
}

CUresult mock__describe_wait(const void *params, struct mock__work **ret_work)
{
    struct mock__event *event = NULL;

    MOCK__TRY(find_event(params, &event));
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
