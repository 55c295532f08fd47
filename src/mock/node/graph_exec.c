/* SPDX-License-Identifier: MIT */
/* cuGraphInstantiate*, cuGraphExec{Destroy,GetFlags}, cuGraphNode{Set,Get}Enabled */
#include "mock/node/graph_exec.h"

#include <stdio.h>
#include <stdlib.h>

#include "mock/base/state.h"
#include "mock/node/graph_check.h"
#include "mock/node/graph_conditional.h"
#include "mock/stream/capture.h"
#include "mock/stream/stream.h"

/* By number: older headers lack some of them. */
enum {
    UPLOAD = 2,
    DEVICE_LAUNCH = 4,
    USE_NODE_PRIORITY = 8,
};

#define ALL_FLAGS (MOCK__AUTO_FREE_ON_LAUNCH | UPLOAD | DEVICE_LAUNCH | USE_NODE_PRIORITY)

static uint64_t last_id;

CUresult mock__exec_find(CUgraphExec handle, struct mock__exec **ret_exec)
{
    *ret_exec = mock__object_find(MOCK__EXEC, handle);
    return *ret_exec ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult mock__exec_find_own(CUgraphExec handle, struct mock__exec **ret_exec)
{
    MOCK__TRY(mock__exec_find(handle, ret_exec));
    return mock__is_child() ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static void free_exec(struct mock__exec *exec)
{
    struct mock__graph *source = mock__object_find(MOCK__GRAPH, exec->source);

    if (source && source->n_execs)
        source->n_execs--;
    mock__plan_unref(exec->plan);
    mock__point_clear(&exec->end);
    mock__object_free(exec);
}

/* The culprit is a node of the copy that was to be instantiated; callers know the original. */
static CUresult fill_in(struct mock__exec *exec, const struct mock__graph *graph,
                        struct mock__context *context, struct mock__refusal *ret_refusal)
{
    struct mock__node *culprit = NULL;
    struct mock__graph *copy = NULL;
    CUresult result;

    MOCK__TRY(mock__graph_check(graph, exec->flags & DEVICE_LAUNCH, ret_refusal));
    MOCK__TRY(mock__graph_copy(graph, &copy));
    result = mock__plan_new(copy, context, exec->id, &exec->plan, &culprit);
    if (culprit)
        *ret_refusal =
            (struct mock__refusal){(CUgraphNode) culprit->origin, MOCK__INVALID_STRUCTURE};
    return result == CUDA_SUCCESS ? mock__plan_conditions_new(exec->plan) : result;
}

/*
 * A body is only a part of what is instantiated. Two executable graphs of one graph would have the
 * same handles, or the same addresses for their memory.
 */
static CUresult check_alone(const struct mock__graph *graph)
{
    MOCK__REQUIRE(!mock__graph_is_body(graph), CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE(!graph->n_execs || (!graph->n_conditional && !mock__graph_has_memory(graph)),
                  CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE(!graph->parent || !mock__graph_has_memory(graph), CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

static CUresult instantiate(CUgraphExec *ret_exec, CUgraph hGraph, uint64_t flags,
                            const char *made_by, struct mock__refusal *ret_refusal)
{
    struct mock__graph *graph = NULL;
    struct mock__exec *exec;
    CUresult result;

    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE(ret_exec && !(flags & ~(uint64_t) ALL_FLAGS), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!(flags & DEVICE_LAUNCH) || !(flags & MOCK__AUTO_FREE_ON_LAUNCH),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__graph_find(hGraph, &graph));
    MOCK__TRY(check_alone(graph));
    exec = mock__object_new(MOCK__EXEC, sizeof(*exec));
    MOCK__REQUIRE(exec, CUDA_ERROR_OUT_OF_MEMORY);
    exec->id = ++last_id;
    exec->flags = flags;
    exec->context = MOCK__HANDLE(context);
    result = fill_in(exec, graph, context, ret_refusal);
    if (result != CUDA_SUCCESS) {
        free_exec(exec);
        return result;
    }
    mock__made(&exec->object.made, made_by);
    exec->source = hGraph;
    graph->n_execs++;
    *ret_exec = MOCK__HANDLE(exec);
    return CUDA_SUCCESS;
}

static const char *text_of(int reason)
{
    switch (reason) {
    case MOCK__INVALID_STRUCTURE:
        return "the graph has a cycle";
    case MOCK__OPERATION_NOT_SUPPORTED:
        return "a node cannot be in the body of a conditional node";
    case MOCK__MULTIPLE_CONTEXTS:
        return "a node in the body of a conditional node is of another context, or uses memory "
               "that the device does not reach";
    case MOCK__HANDLE_UNUSED:
        return "a conditional handle has no node";
    default:
        return "";
    }
}

CUresult mock_cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph,
                                    CUgraphNode *phErrorNode, char *logBuffer, size_t bufferSize)
{
    struct mock__refusal refusal = {0};
    const CUresult result = instantiate(phGraphExec, hGraph, 0, "cuGraphInstantiate", &refusal);

    if (phErrorNode)
        *phErrorNode = refusal.node;
    if (logBuffer && bufferSize)
        snprintf(logBuffer, bufferSize, "%s", text_of(refusal.reason));
    return result;
}

#if CUDA_VERSION >= 11040
CUresult mock_cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph,
                                          unsigned long long flags)
{
    struct mock__refusal refusal = {0};

    /* Uploading needs a stream, which there is none of here. */
    MOCK__REQUIRE(!(flags & UPLOAD), CUDA_ERROR_INVALID_VALUE);
    return instantiate(phGraphExec, hGraph, flags, "cuGraphInstantiateWithFlags", &refusal);
}
#endif

#if CUDA_VERSION >= 12000
static CUresult check_stream(CUstream handle)
{
    struct mock__stream *stream = NULL;

    MOCK__ENTER();
    return mock__stream_find(handle, &stream);
}

/* There is nothing to upload, but the stream has to be one. */
static CUresult instantiate_with_params(CUgraphExec *phGraphExec, CUgraph hGraph,
                                        CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    struct mock__refusal refusal = {.reason = MOCK__INSTANTIATE_ERROR};
    CUresult result = CUDA_SUCCESS;

    if (params->flags & UPLOAD)
        result = check_stream(params->hUploadStream);
    if (result == CUDA_SUCCESS)
        result = instantiate(phGraphExec, hGraph, params->flags, "cuGraphInstantiateWithParams",
                             &refusal);
    params->hErrNode_out = refusal.node;
    params->result_out = (CUgraphInstantiateResult) (result == CUDA_SUCCESS ? 0 : refusal.reason);
    return result;
}

CUresult mock_cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams)
{
    MOCK__REQUIRE(instantiateParams, CUDA_ERROR_INVALID_VALUE);
    return instantiate_with_params(phGraphExec, hGraph, instantiateParams);
}

CUresult mock_cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags)
{
    struct mock__exec *exec = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(flags, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__exec_find(hGraphExec, &exec));
    *flags = exec->flags & ~(uint64_t) (UPLOAD | USE_NODE_PRIORITY);
    return CUDA_SUCCESS;
}
#endif

CUresult mock_cuGraphExecDestroy(CUgraphExec hGraphExec)
{
    struct mock__exec *exec = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    MOCK__TRY(mock__exec_find(hGraphExec, &exec));
    free_exec(exec);
    return CUDA_SUCCESS;
}

void mock__execs_invalidate(const struct mock__context *context)
{
    const struct mock__exec *exec;

    for (size_t cursor = 0; (exec = mock__object_next(MOCK__EXEC, &cursor));)
        mock__plan_detach(exec->plan, context);
}

#if CUDA_VERSION >= 11060
static bool can_be_disabled(const struct mock__node *node)
{
    const CUgraphNodeType type = mock__node_type(node);

    return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
           type == CU_GRAPH_NODE_TYPE_MEMSET;
}

static CUresult find_node(CUgraphExec hGraphExec, CUgraphNode hNode, struct mock__node **ret_node)
{
    struct mock__exec *exec = NULL;
    struct mock__node *node = NULL;

    MOCK__TRY(mock__exec_find_own(hGraphExec, &exec));
    MOCK__TRY(mock__node_find(hNode, &node));
    node = mock__node_in_copy(exec->plan->graph, node->object.handle);
    MOCK__REQUIRE(node && can_be_disabled(node), CUDA_ERROR_INVALID_VALUE);
    *ret_node = node;
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
                                    unsigned int isEnabled)
{
    struct mock__node *node = NULL;

    MOCK__ENTER_EARLY();
    MOCK__TRY(find_node(hGraphExec, hNode, &node));
    node->disabled = !isEnabled;
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
                                    unsigned int *isEnabled)
{
    struct mock__node *node = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(isEnabled, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find_node(hGraphExec, hNode, &node));
    *isEnabled = !node->disabled;
    return CUDA_SUCCESS;
}
#endif
