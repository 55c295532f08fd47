/* SPDX-License-Identifier: MIT */
/*
 * cuGraph*ExternalSemaphores*: nodes that signal semaphores of a graphics interface, or wait for
 * them. There are no such semaphores beside the mock (memory/external.c), so that only a node with
 * a list of none can be copied into an executable graph. It does nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "mock/base/newer.h"
#include "mock/base/state.h"
#include "mock/graph/graph.h"
#include "mock/node/graph_node.h"
#include "mock/node/graph_params.h"
#include "mock/queue/work.h"

#define SIGNAL CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL
#define WAIT   CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT

struct semaphore_work {
    struct mock__work work;
    CUexternalSemaphore *semaphores;
    void *params; /* one structure for each semaphore */
    unsigned n;
};

/* The parameters of both types, whose structures are alike. */
struct list {
    CUexternalSemaphore *semaphores;
    const void *params;
    unsigned n;
};

static struct list list_of(const void *params)
{
    const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *p = params;

    return (struct list){p->extSemArray, p->paramsArray, p->numExtSems};
}

static void do_nothing(struct mock__work *work)
{
    (void) work;
}

static void finish(struct mock__work *work)
{
    free(((struct semaphore_work *) work)->semaphores);
    free(((struct semaphore_work *) work)->params);
}

static CUresult copy(const struct mock__work *work, struct mock__work **ret_copy)
{
    MOCK__REQUIRE(!((const struct semaphore_work *) work)->n, CUDA_ERROR_INVALID_VALUE);
    *ret_copy = mock__work_new(work->type, sizeof(struct semaphore_work));
    return *ret_copy ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static const struct mock__work_type signal_type = {.name = "signal of external semaphores",
                                                   .node = SIGNAL,
                                                   .run = do_nothing,
                                                   .finish = finish,
                                                   .copy = copy};
static const struct mock__work_type wait_type = {.name = "wait for external semaphores",
                                                 .node = WAIT,
                                                 .run = do_nothing,
                                                 .finish = finish,
                                                 .copy = copy};

static void *duplicate(const void *bytes, size_t size)
{
    void *copy = malloc(size + 1);

    if (copy && size)
        memcpy(copy, bytes, size);
    return copy;
}

static CUresult describe(const struct mock__work_type *type, size_t bytes, const void *params,
                         struct mock__work **ret_work)
{
    const struct list list = params ? list_of(params) : (struct list){0};
    struct semaphore_work *work;

    MOCK__REQUIRE(params && (!list.n || (list.semaphores && list.params)),
                  CUDA_ERROR_INVALID_VALUE);
    work = mock__work_new(type, sizeof(*work));
    MOCK__REQUIRE(work, CUDA_ERROR_OUT_OF_MEMORY);
    work->n = list.n;
    work->semaphores = duplicate(list.semaphores, list.n * sizeof(*list.semaphores));
    work->params = duplicate(list.params, list.n * bytes);
    if (!work->semaphores || !work->params) {
        mock__work_free(&work->work);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *ret_work = &work->work;
    return CUDA_SUCCESS;
}

CUresult mock__describe_signal(const void *params, struct mock__work **ret_work)
{
    return describe(&signal_type, sizeof(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS), params, ret_work);
}

CUresult mock__describe_semaphore_wait(const void *params, struct mock__work **ret_work)
{
    return describe(&wait_type, sizeof(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS), params, ret_work);
}

/* The lists in the result belong to the node. */
static CUresult get_list(CUgraphNode node, CUgraphNodeType type, bool has_room,
                         struct list *ret_list)
{
    const struct mock__work *work = NULL;
    const struct semaphore_work *found;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(has_room, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__node_work(node, type, &work));
    found = (const struct semaphore_work *) work;
    *ret_list = (struct list){found->semaphores, found->params, found->n};
    return CUDA_SUCCESS;
}

/* --- signals --- */

CUresult
mock_cuGraphAddExternalSemaphoresSignalNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                            const CUgraphNode *dependencies, size_t numDependencies,
                                            const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams)
{
    return mock__node_spec_add(phGraphNode, hGraph, dependencies, numDependencies,
                               (struct mock__node_spec){mock__describe_signal, nodeParams, false});
}

CUresult
mock_cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode hNode,
                                                  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params_out)
{
    struct list list;

    MOCK__TRY(get_list(hNode, SIGNAL, params_out, &list));
    *params_out = (CUDA_EXT_SEM_SIGNAL_NODE_PARAMS){
        .extSemArray = list.semaphores, .paramsArray = list.params, .numExtSems = list.n};
    return CUDA_SUCCESS;
}

CUresult
mock_cuGraphExternalSemaphoresSignalNodeSetParams(CUgraphNode hNode,
                                                  const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams)
{
    return mock__node_spec_set(hNode, SIGNAL,
                               (struct mock__node_spec){mock__describe_signal, nodeParams, false});
}

CUresult mock_cuGraphExecExternalSemaphoresSignalNodeSetParams(
    CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams)
{
    return mock__node_spec_set_exec(
        hGraphExec, hNode, SIGNAL,
        (struct mock__node_spec){mock__describe_signal, nodeParams, false});
}

/* --- waits --- */

CUresult mock_cuGraphAddExternalSemaphoresWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                                   const CUgraphNode *dependencies,
                                                   size_t numDependencies,
                                                   const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams)
{
    return mock__node_spec_add(
        phGraphNode, hGraph, dependencies, numDependencies,
        (struct mock__node_spec){mock__describe_semaphore_wait, nodeParams, false});
}

CUresult mock_cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode hNode,
                                                         CUDA_EXT_SEM_WAIT_NODE_PARAMS *params_out)
{
    struct list list;

    MOCK__TRY(get_list(hNode, WAIT, params_out, &list));
    *params_out = (CUDA_EXT_SEM_WAIT_NODE_PARAMS){
        .extSemArray = list.semaphores, .paramsArray = list.params, .numExtSems = list.n};
    return CUDA_SUCCESS;
}

CUresult
mock_cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode hNode,
                                                const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams)
{
    return mock__node_spec_set(
        hNode, WAIT, (struct mock__node_spec){mock__describe_semaphore_wait, nodeParams, false});
}

CUresult
mock_cuGraphExecExternalSemaphoresWaitNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                    const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams)
{
    return mock__node_spec_set_exec(
        hGraphExec, hNode, WAIT,
        (struct mock__node_spec){mock__describe_semaphore_wait, nodeParams, false});
}
