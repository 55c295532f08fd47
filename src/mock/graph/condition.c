/* SPDX-License-Identifier: MIT */
/* cuGraphConditionalHandleCreate */
#include "mock/graph/condition.h"

#include "mock/base/state.h"
#include "mock/graph/graph.h"

/* CU_GRAPH_COND_ASSIGN_DEFAULT, which the headers of older toolkits lack. */
enum { ASSIGN_DEFAULT = 1 };

CUresult mock__condition_find(uint64_t handle, struct mock__condition **ret_condition)
{
    *ret_condition = mock__object_find(MOCK__CONDITION, (const void *) (uintptr_t) handle);
    return *ret_condition ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult mock__condition_context(CUcontext handle, struct mock__context **ret_context)
{
    MOCK__REQUIRE(handle, CUDA_ERROR_INVALID_CONTEXT);
    MOCK__TRY(mock__context_of(handle, ret_context));
    return mock__context_usable(*ret_context);
}

bool mock__condition_used(const struct mock__condition *condition)
{
    return mock__object_find(MOCK__NODE, condition->node);
}

bool mock__condition_suits(const struct mock__condition *condition, const struct mock__graph *graph)
{
    for (; graph; graph = graph->parent ? graph->parent->graph : NULL)
        if (graph == condition->graph)
            return true;
    return false;
}

static bool unused_within(const struct mock__node *node)
{
    for (size_t i = 0; i < node->n_within; i++)
        if (mock__conditions_unused(node->within[i]))
            return true;
    return false;
}

bool mock__conditions_unused(const struct mock__graph *graph)
{
    const struct mock__condition *condition = graph->conditions;

    for (; condition; condition = condition->next)
        if (!mock__condition_used(condition))
            return true;
    for (const struct mock__node *node = graph->first; node; node = node->next)
        if (unused_within(node))
            return true;
    return false;
}

void mock__conditions_free(struct mock__graph *graph)
{
    while (graph->conditions) {
        struct mock__condition *condition = graph->conditions;

        graph->conditions = condition->next;
        mock__object_free(condition);
    }
}

#if CUDA_VERSION >= 12030
static void append(struct mock__graph *graph, struct mock__condition *condition)
{
    condition->graph = graph;
    *(graph->conditions ? &graph->last_condition->next : &graph->conditions) = condition;
    graph->last_condition = condition;
}

CUresult mock_cuGraphConditionalHandleCreate(CUgraphConditionalHandle *pHandle_out, CUgraph hGraph,
                                             CUcontext ctx, unsigned int defaultLaunchValue,
                                             unsigned int flags)
{
    struct mock__condition *condition;
    struct mock__context *context = NULL;
    struct mock__graph *graph = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(pHandle_out && flags <= ASSIGN_DEFAULT, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__graph_find(hGraph, &graph));
    MOCK__TRY(mock__condition_context(ctx, &context));
    condition = mock__object_new(MOCK__CONDITION, sizeof(*condition));
    MOCK__REQUIRE(condition, CUDA_ERROR_OUT_OF_MEMORY);
    mock__made(&condition->object.made, "cuGraphConditionalHandleCreate");
    condition->context = MOCK__HANDLE(context);
    condition->initial = defaultLaunchValue;
    condition->has_initial = flags & ASSIGN_DEFAULT;
    append(graph, condition);
    *pHandle_out = condition->object.handle;
    return CUDA_SUCCESS;
}
#endif
