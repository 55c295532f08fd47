/* SPDX-License-Identifier: MIT */
/* What a graph must be to be instantiated, apart from circles. */
#include "mock/node/graph_check.h"

#include "mock/allocation/memory.h"
#include "mock/base/state.h"
#include "mock/graph/condition.h"
#include "mock/graph/graph.h"
#include "mock/memory/copy.h"
#include "mock/node/graph_exec.h"
#include "mock/queue/work.h"
#include "mock/stream/event.h"

#define BIT(type) (1u << (type))

/* The types of nodes of a graph that the device launches, and of a body of a conditional node. */
#define FOR_DEVICE                                                                                 \
    (BIT(CU_GRAPH_NODE_TYPE_KERNEL) | BIT(CU_GRAPH_NODE_TYPE_MEMCPY) |                             \
     BIT(CU_GRAPH_NODE_TYPE_MEMSET) | BIT(CU_GRAPH_NODE_TYPE_GRAPH))
#define IN_BODY (FOR_DEVICE | BIT(CU_GRAPH_NODE_TYPE_EMPTY) | BIT(MOCK__NODE_CONDITIONAL))

static CUresult refuse(struct mock__refusal *ret, int reason, const struct mock__node *node,
                       CUresult result)
{
    *ret = (struct mock__refusal){node ? MOCK__HANDLE(node) : NULL, reason};
    return result;
}

/*
 * The device makes such a copy by itself, so it has to reach both ends. Arrays are not for it, and
 * memory that it does not reach counts as that of another context.
 */
static int reason_against_end(const struct mock__end *end)
{
    if (end->array)
        return MOCK__OPERATION_NOT_SUPPORTED;
    return mock__memory_find(end->address) ? 0 : MOCK__MULTIPLE_CONTEXTS;
}

static int reason_against_copy(const struct mock__copy *copy)
{
    const int reason = reason_against_end(&copy->src);

    return reason ? reason : reason_against_end(&copy->dst);
}

/*
 * All nodes of a body are of one context, and of types that the device can do by itself. Returns
 * why one is not; 0: it is.
 */
static int reason_against(const struct mock__node *node, CUcontext context)
{
    const CUgraphNodeType type = mock__node_type(node);

    if (!(IN_BODY & BIT(type)))
        return MOCK__OPERATION_NOT_SUPPORTED;
    if (node->work->context && node->work->context != context)
        return MOCK__MULTIPLE_CONTEXTS;
    return type == CU_GRAPH_NODE_TYPE_MEMCPY ? reason_against_copy(mock__copy_of_work(node->work))
                                             : 0;
}

static CUresult check_body(const struct mock__graph *body, CUcontext context,
                           struct mock__refusal *ret)
{
    for (const struct mock__node *node = body->first; node; node = node->next) {
        const int reason = reason_against(node, context);

        if (reason)
            return refuse(ret, reason, node, CUDA_ERROR_INVALID_VALUE);
        for (size_t i = 0; i < node->n_within; i++)
            MOCK__TRY(check_body(node->within[i], context, ret));
    }
    return CUDA_SUCCESS;
}

/* A conditional node has a context; a graph within is of any. */
static CUresult check_bodies(const struct mock__graph *graph, struct mock__refusal *ret)
{
    const struct mock__node *node = graph->n_conditional ? graph->first : NULL;

    for (; node; node = node->next)
        for (size_t i = 0; i < node->n_within; i++)
            MOCK__TRY(mock__child_of(node) ? check_bodies(node->within[i], ret)
                                           : check_body(node->within[i], node->work->context, ret));
    return CUDA_SUCCESS;
}

/* The device reaches both sides by itself. */
static bool is_of_device(const struct mock__end *end)
{
    return end->array || mock__memory_find(end->address);
}

/* Why a graph for the device cannot have a node, whose context is to be this one; 0: it can. */
static int reason_against_device(const struct mock__node *node, CUcontext context)
{
    const CUgraphNodeType type = mock__node_type(node);
    const struct mock__copy *copy =
        type == CU_GRAPH_NODE_TYPE_MEMCPY ? mock__copy_of_work(node->work) : NULL;

    if (!(FOR_DEVICE & BIT(type)) ||
        (copy && !(is_of_device(&copy->src) && is_of_device(&copy->dst))))
        return MOCK__OPERATION_NOT_SUPPORTED;
    return node->work->context && node->work->context != context ? MOCK__MULTIPLE_CONTEXTS : 0;
}

/* Such a graph does something, all of it in one context, and nothing that takes the host. */
static CUresult check_for_device(const struct mock__graph *graph, CUcontext *context,
                                 struct mock__refusal *ret)
{
    MOCK__REQUIRE(graph->n, CUDA_ERROR_INVALID_VALUE);
    for (const struct mock__node *node = graph->first; node; node = node->next) {
        int reason;

        *context = *context ? *context : node->work->context;
        reason = reason_against_device(node, *context);
        if (reason)
            return refuse(ret, reason, node, CUDA_ERROR_INVALID_VALUE);
        if (mock__child_of(node))
            MOCK__TRY(check_for_device(mock__child_of(node), context, ret));
    }
    return CUDA_SUCCESS;
}

static bool lacks_event(const struct mock__node *node)
{
    const CUgraphNodeType type = mock__node_type(node);

    return (type == CU_GRAPH_NODE_TYPE_EVENT_RECORD || type == CU_GRAPH_NODE_TYPE_WAIT_EVENT) &&
           !mock__object_find(MOCK__EVENT, mock__event_of_work(node->work));
}

/* A node may be made of what is no event, or not any more. A driver crashes here. */
static CUresult check_events(const struct mock__graph *graph, struct mock__refusal *ret)
{
    for (const struct mock__node *node = graph->first; node; node = node->next) {
        if (lacks_event(node))
            return refuse(ret, MOCK__INSTANTIATE_ERROR, node, CUDA_ERROR_INVALID_HANDLE);
        if (mock__child_of(node))
            MOCK__TRY(check_events(mock__child_of(node), ret));
    }
    return CUDA_SUCCESS;
}

CUresult mock__graph_check(const struct mock__graph *graph, bool for_device,
                           struct mock__refusal *ret)
{
    CUcontext context = NULL;

    MOCK__REQUIRE(!graph->moved && !mock__graph_is_captured(graph), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(check_events(graph, ret));
    if (graph->n_conditional || graph->conditions) {
        if (mock__conditions_unused(graph))
            return refuse(ret, MOCK__HANDLE_UNUSED, NULL, CUDA_ERROR_INVALID_VALUE);
        MOCK__TRY(check_bodies(graph, ret));
    }
    return for_device ? check_for_device(graph, &context, ret) : CUDA_SUCCESS;
}
