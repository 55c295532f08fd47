/* SPDX-License-Identifier: MIT */
/* cuUserObject* */
#include "mock/graph/user_object.h"

#include <stdlib.h>

#include "mock/base/state.h"
#include "mock/graph/graph.h"
#include "mock/queue/own_thread.h"

/* Nothing refers to it any more: it is gone, and its destructor will be called. */
static void end_if_unused(struct mock__user_object *object)
{
    if (object->callers || object->graphs)
        return;
    mock__own_thread_post(object->destructor_call);
    mock__object_free(object);
}

static CUresult find(CUuserObject handle, unsigned count, struct mock__user_object **ret_object)
{
    *ret_object = mock__object_find(MOCK__USER_OBJECT, handle);
    return *ret_object && count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult mock_cuUserObjectCreate(CUuserObject *object_out, void *ptr, CUhostFn destroy,
                                 unsigned int initialRefcount, unsigned int flags)
{
    struct mock__user_object *object;

    MOCK__ENTER_EARLY();
    /* A caller has to acknowledge that the destructor is not synchronised. */
    MOCK__REQUIRE(object_out && destroy && initialRefcount &&
                      flags == CU_USER_OBJECT_NO_DESTRUCTOR_SYNC,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__inherited());
    object = mock__object_new(MOCK__USER_OBJECT, sizeof(*object));
    if (!object || !(object->destructor_call = malloc(sizeof(*object->destructor_call)))) {
        mock__object_free(object);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *object->destructor_call = (struct mock__destructor_call){.destroy = destroy, .user = ptr};
    object->callers = initialRefcount;
    mock__made(&object->object.made, "cuUserObjectCreate");
    *object_out = MOCK__HANDLE(object);
    return CUDA_SUCCESS;
}

CUresult mock_cuUserObjectRetain(CUuserObject object, unsigned int count)
{
    struct mock__user_object *found = NULL;

    MOCK__ENTER_EARLY();
    MOCK__TRY(find(object, count, &found));
    MOCK__REQUIRE(count <= UINT32_MAX - found->callers, CUDA_ERROR_INVALID_VALUE);
    found->callers += count;
    return CUDA_SUCCESS;
}

CUresult mock_cuUserObjectRelease(CUuserObject object, unsigned int count)
{
    struct mock__user_object *found = NULL;

    MOCK__ENTER_EARLY();
    MOCK__TRY(find(object, count, &found));
    MOCK__REQUIRE(count <= found->callers, CUDA_ERROR_INVALID_VALUE);
    found->callers -= count;
    end_if_unused(found);
    return CUDA_SUCCESS;
}

/* --- graphs --- */

static struct mock__holding *holding_of(const struct mock__graph *graph,
                                        const struct mock__user_object *object)
{
    return CUSHIM__TREE_MEMBER(
        cushim__tree_find(&graph->holdings_by_object, object->object.handle, 0),
        struct mock__holding, by_object);
}

static struct mock__holding *new_holding(struct mock__graph *graph,
                                         struct mock__user_object *object)
{
    struct mock__holding *holding = calloc(1, sizeof(*holding));

    if (!holding)
        return NULL;
    holding->object = object;
    holding->previous = graph->last_holding;
    *(holding->previous ? &holding->previous->next : &graph->holdings) = holding;
    graph->last_holding = holding;
    cushim__tree_add(&graph->holdings_by_object, &holding->by_object, object->object.handle, 0);
    return holding;
}

static CUresult hold(struct mock__graph *graph, struct mock__user_object *object, unsigned count)
{
    struct mock__holding *holding = holding_of(graph, object);

    MOCK__REQUIRE(count <= UINT32_MAX - object->graphs, CUDA_ERROR_INVALID_VALUE);
    if (!holding)
        holding = new_holding(graph, object);
    MOCK__REQUIRE(holding, CUDA_ERROR_OUT_OF_MEMORY);
    holding->count += count;
    object->graphs += count;
    return CUDA_SUCCESS;
}

static void take_out(struct mock__graph *graph, struct mock__holding *holding)
{
    *(holding->previous ? &holding->previous->next : &graph->holdings) = holding->next;
    *(holding->next ? &holding->next->previous : &graph->last_holding) = holding->previous;
    cushim__tree_remove(&graph->holdings_by_object, &holding->by_object);
    free(holding);
}

static void let_go(struct mock__graph *graph, struct mock__holding *holding, unsigned count)
{
    struct mock__user_object *object = holding->object;

    holding->count -= count;
    object->graphs -= count;
    if (!holding->count)
        take_out(graph, holding);
    end_if_unused(object);
}

void mock__holdings_free(struct mock__graph *graph)
{
    while (graph->holdings)
        let_go(graph, graph->holdings, graph->holdings->count);
}

CUresult mock__holdings_copy(const struct mock__graph *graph, struct mock__graph *copy)
{
    for (const struct mock__holding *one = graph->holdings; one; one = one->next)
        MOCK__TRY(hold(copy, one->object, one->count));
    return CUDA_SUCCESS;
}

CUresult mock__graph_retain_user_object(CUgraph hGraph, CUuserObject handle, unsigned count,
                                        unsigned flags)
{
    struct mock__user_object *object = NULL;
    struct mock__graph *graph = NULL;
    const bool moves = flags & CU_GRAPH_USER_OBJECT_MOVE;

    MOCK__TRY(mock__graph_find(hGraph, &graph));
    MOCK__TRY(find(handle, count, &object));
    MOCK__REQUIRE(!(flags & ~(unsigned) CU_GRAPH_USER_OBJECT_MOVE) && count <= INT32_MAX &&
                      (!moves || count <= object->callers),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(hold(graph, object, count));
    if (moves)
        object->callers -= count;
    return CUDA_SUCCESS;
}

CUresult mock__graph_release_user_object(CUgraph hGraph, CUuserObject handle, unsigned count)
{
    struct mock__user_object *object = NULL;
    struct mock__holding *holding;
    struct mock__graph *graph = NULL;

    MOCK__TRY(mock__graph_find(hGraph, &graph));
    MOCK__TRY(find(handle, count, &object));
    holding = holding_of(graph, object);
    MOCK__REQUIRE(holding && count <= holding->count, CUDA_ERROR_INVALID_VALUE);
    let_go(graph, holding, count);
    return CUDA_SUCCESS;
}
