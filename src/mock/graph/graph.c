/* SPDX-License-Identifier: MIT */
/* Graphs as such: cuGraphCreate, cuGraphDestroy, cuGraphClone, cuGraphDestroyNode. */
#include "mock/graph/graph.h"
#include "mock/base/newer.h"

#include <stdlib.h>

#include "mock/base/state.h"
#include "mock/graph/condition.h"
#include "mock/graph/user_object.h"
#include "mock/queue/work.h"

struct mock__graph *mock__graph_new(void)
{
    static unsigned last_id;
    struct mock__graph *graph = mock__object_new(MOCK__GRAPH, sizeof(*graph));

    if (graph)
        graph->id = ++last_id;
    return graph;
}

void mock__graph_free(struct mock__graph *graph)
{
    if (!graph)
        return;
    while (graph->last)
        mock__node_free(graph->last);
    mock__holdings_free(graph);
    mock__conditions_free(graph);
    mock__origins_forget(graph);
    mock__object_free(graph);
}

CUresult mock__graph_find(CUgraph handle, struct mock__graph **ret_graph)
{
    *ret_graph = mock__object_find(MOCK__GRAPH, handle);
    return *ret_graph ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult mock__node_find(CUgraphNode handle, struct mock__node **ret_node)
{
    *ret_node = mock__object_find(MOCK__NODE, handle);
    return *ret_node ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUgraphNodeType mock__node_type(const struct mock__node *node)
{
    return mock__child_of(node) ? CU_GRAPH_NODE_TYPE_GRAPH : node->work->type->node;
}

static bool is_conditional(const struct mock__node *node)
{
    return node->work->type->node == (CUgraphNodeType) MOCK__NODE_CONDITIONAL;
}

struct mock__graph *mock__child_of(const struct mock__node *node)
{
    return node->n_within && !is_conditional(node) ? node->within[0] : NULL;
}

static bool is_memory_node(const struct mock__node *node)
{
    const int type = (int) mock__node_type(node);

    return type == MOCK__NODE_MEM_ALLOC || type == MOCK__NODE_MEM_FREE;
}

bool mock__graph_has_memory(const struct mock__graph *graph)
{
    return graph->n_memory;
}

bool mock__graph_is_body(const struct mock__graph *graph)
{
    return graph->parent && is_conditional(graph->parent);
}

bool mock__node_is_captured(const struct mock__node *node)
{
    for (size_t i = 0; i < node->n_within; i++)
        if (mock__graph_is_captured(node->within[i]))
            return true;
    return false;
}

bool mock__graph_is_captured(const struct mock__graph *graph)
{
    if (graph->captures)
        return true;
    for (const struct mock__node *node = graph->first; node; node = node->next)
        if (mock__node_is_captured(node))
            return true;
    return false;
}

bool mock__graph_is_single(const struct mock__graph *graph)
{
    return graph->n_memory || graph->n_conditional || mock__graph_is_body(graph);
}

/* --- nodes --- */

/* Counts of nodes. Fewer are a number below 0, which is one that wraps around. */
struct counts {
    size_t memory, conditional;
};

/* As many more of these nodes, here and in all that this is within. */
static void count(struct mock__graph *graph, struct counts more)
{
    for (; graph; graph = graph->parent ? graph->parent->graph : NULL) {
        graph->n_memory += more.memory;
        graph->n_conditional += more.conditional;
    }
}

static void count_node(const struct mock__node *node, size_t n)
{
    if (is_memory_node(node) || is_conditional(node))
        count(node->graph, (struct counts){n * is_memory_node(node), n * is_conditional(node)});
}

static void put_in(struct mock__graph *graph, struct mock__node *node)
{
    const struct mock__work *work = node->work;

    node->graph = graph;
    node->id = graph->next_id++;
    node->previous = graph->last;
    *(graph->last ? &graph->last->next : &graph->first) = node;
    graph->last = node;
    graph->n++;
    count_node(node, 1);
    if (work->type->frees)
        cushim__tree_add(&graph->freeing, &node->by_freed, work->type->frees(work), 0);
}

/* Takes over the work. */
static struct mock__node *new_node(struct mock__graph *graph, struct mock__work *work)
{
    struct mock__node *node = mock__object_new(MOCK__NODE, sizeof(*node));

    if (!node) {
        mock__work_free(work);
        return NULL;
    }
    node->work = work;
    put_in(graph, node);
    return node;
}

static void take_out(struct mock__node *node)
{
    struct mock__graph *graph = node->graph;

    *(node->previous ? &node->previous->next : &graph->first) = node->next;
    *(node->next ? &node->next->previous : &graph->last) = node->previous;
    graph->n--;
    count_node(node, SIZE_MAX);
    cushim__tree_remove(&graph->freeing, &node->by_freed);
}

void mock__node_free(struct mock__node *node)
{
    while (node->before.n)
        mock__edge_remove(node->before.last->from, node);
    while (node->after.n)
        mock__edge_remove(node, node->after.last->to);
    take_out(node);
    for (size_t i = 0; i < node->n_within; i++)
        mock__graph_free(node->within[i]);
    free(node->within);
    mock__work_free(node->work);
    mock__object_free(node);
}

static bool have_room_within(struct mock__node *node, size_t n)
{
    node->within = calloc(n, sizeof(struct mock__graph *));
    return node->within;
}

/* A graph becomes a graph of a node, which has room for it. */
static void put_within(struct mock__node *node, struct mock__graph *child)
{
    node->within[node->n_within++] = child;
    child->parent = node;
    if (child->n_memory || child->n_conditional)
        count(node->graph, (struct counts){child->n_memory, child->n_conditional});
    mock__origins_forget(node->graph);
}

static CUresult add_edges(struct mock__node *node, const struct mock__predecessors *after)
{
    static const struct mock__edge_data ordinary;
    struct mock__node *other = NULL;

    for (size_t i = 0; i < after->n; i++) {
        MOCK__TRY(mock__node_find(after->nodes[i], &other));
        MOCK__TRY(mock__edge_add(other, node, after->data ? &after->data[i] : &ordinary));
    }
    return CUDA_SUCCESS;
}

CUresult mock__node_add(struct mock__graph *graph, const struct mock__predecessors *after,
                        struct mock__work *work, struct mock__node **ret_node)
{
    struct mock__node *node = new_node(graph, work);
    CUresult result;

    MOCK__REQUIRE(node, CUDA_ERROR_OUT_OF_MEMORY);
    if (graph->moved && is_memory_node(node)) {
        mock__node_free(node);
        return CUDA_ERROR_INVALID_VALUE;
    }
    result = add_edges(node, after);
    if (result == CUDA_SUCCESS)
        *ret_node = node;
    else
        mock__node_free(node);
    return result;
}

/* --- copies --- */

static CUresult copy_within(const struct mock__node *node, struct mock__node *twin)
{
    struct mock__graph *child = NULL;

    MOCK__REQUIRE(!node->n_within || have_room_within(twin, node->n_within),
                  CUDA_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < node->n_within; i++) {
        MOCK__TRY(mock__graph_copy(node->within[i], &child));
        put_within(twin, child);
    }
    return CUDA_SUCCESS;
}

static CUresult copy_node(struct mock__graph *copy, struct mock__node *node)
{
    struct mock__work *work = NULL;
    struct mock__node *twin;

    MOCK__TRY(node->work->type->copy(node->work, &work));
    twin = new_node(copy, work);
    MOCK__REQUIRE(twin, CUDA_ERROR_OUT_OF_MEMORY);
    twin->work->context = node->work->context;
    twin->origin = node->object.handle;
    twin->disabled = node->disabled;
    node->twin = twin;
    return copy_within(node, twin);
}

static CUresult copy_edges(const struct mock__graph *graph)
{
    const struct mock__edge *edge;

    for (const struct mock__node *node = graph->first; node; node = node->next)
        for (edge = node->before.first; edge; edge = edge->next_before)
            MOCK__TRY(mock__edge_add(edge->from->twin, node->twin, &edge->data));
    return CUDA_SUCCESS;
}

CUresult mock__graph_copy(const struct mock__graph *graph, struct mock__graph **ret_copy)
{
    struct mock__graph *copy = mock__graph_new();
    CUresult result = copy ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;

    for (struct mock__node *node = graph->first; result == CUDA_SUCCESS && node; node = node->next)
        result = copy_node(copy, node);
    if (result == CUDA_SUCCESS)
        result = copy_edges(graph);
    if (result == CUDA_SUCCESS)
        result = mock__holdings_copy(graph, copy);
    if (result == CUDA_SUCCESS)
        *ret_copy = copy;
    else
        mock__graph_free(copy);
    return result;
}

/* --- functions for callers --- */

CUresult mock_cuGraphCreate(CUgraph *phGraph, unsigned int flags)
{
    struct mock__graph *graph;

    MOCK__ENTER();
    MOCK__REQUIRE(phGraph && !flags, CUDA_ERROR_INVALID_VALUE);
    graph = mock__graph_new();
    MOCK__REQUIRE(graph, CUDA_ERROR_OUT_OF_MEMORY);
    mock__made(&graph->object.made, "cuGraphCreate");
    *phGraph = MOCK__HANDLE(graph);
    return CUDA_SUCCESS;
}

/* The graph of a node goes with the node, and a captured one not before its capture ends. */
CUresult mock_cuGraphDestroy(CUgraph hGraph)
{
    struct mock__graph *graph = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__graph_find(hGraph, &graph));
    MOCK__REQUIRE(!graph->parent && !mock__graph_is_captured(graph) && !graph->instantiated,
                  CUDA_ERROR_INVALID_VALUE);
    mock__graph_free(graph);
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph)
{
    struct mock__graph *graph = NULL, *copy = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(phGraphClone, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__graph_find(originalGraph, &graph));
    MOCK__REQUIRE(!mock__graph_is_single(graph), CUDA_ERROR_NOT_SUPPORTED);
    MOCK__TRY(mock__graph_copy(graph, &copy));
    mock__made(&copy->object.made, "cuGraphClone");
    *phGraphClone = MOCK__HANDLE(copy);
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode,
                                     CUgraph hClonedGraph)
{
    struct mock__graph *copy = NULL;
    struct mock__node *node = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(phNode, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__node_find(hOriginalNode, &node));
    MOCK__TRY(mock__graph_find(hClonedGraph, &copy));
    node = mock__node_in_copy(copy, node->object.handle);
    MOCK__REQUIRE(node, CUDA_ERROR_INVALID_VALUE);
    *phNode = MOCK__HANDLE(node);
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphDestroyNode(CUgraphNode hNode)
{
    struct mock__node *node = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__node_find(hNode, &node));
    MOCK__REQUIRE(!node->graph->instantiated && !mock__node_is_captured(node),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!mock__graph_has_memory(node->graph), CUDA_ERROR_NOT_SUPPORTED);
    mock__node_free(node);
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type)
{
    struct mock__node *node = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(type, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__node_find(hNode, &node));
    *type = mock__node_type(node);
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphNodeGetContainingGraph(CUgraphNode hNode, CUgraph *phGraph)
{
    struct mock__node *node = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(phGraph, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__node_find(hNode, &node));
    *phGraph = MOCK__HANDLE(node->graph);
    return CUDA_SUCCESS;
}

CUresult mock__node_add_child(struct mock__graph *graph, const struct mock__predecessors *after,
                              struct mock__graph *child, struct mock__node **ret_node)
{
    struct mock__work *work = mock__work_nothing();

    struct mock__node *node = NULL;

    MOCK__REQUIRE(work, CUDA_ERROR_OUT_OF_MEMORY);
    MOCK__TRY(mock__node_add(graph, after, work, &node));
    if (!have_room_within(node, 1)) {
        mock__node_free(node);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    put_within(node, child);
    *ret_node = node;
    return CUDA_SUCCESS;
}

void mock__node_replace_child(struct mock__node *node, struct mock__graph *child)
{
    node->n_within = 0;
    mock__graph_free(node->within[0]);
    put_within(node, child);
}

static CUresult fill_bodies(struct mock__node *node, size_t n)
{
    MOCK__REQUIRE(have_room_within(node, n), CUDA_ERROR_OUT_OF_MEMORY);
    while (node->n_within < n) {
        struct mock__graph *body = mock__graph_new();

        MOCK__REQUIRE(body, CUDA_ERROR_OUT_OF_MEMORY);
        put_within(node, body);
    }
    return CUDA_SUCCESS;
}

CUresult mock__node_add_bodies(struct mock__graph *graph, const struct mock__predecessors *after,
                               struct mock__work *work, size_t n, struct mock__node **ret_node)
{
    struct mock__node *node = NULL;
    CUresult result;

    MOCK__TRY(mock__node_add(graph, after, work, &node));
    result = fill_bodies(node, n);
    if (result == CUDA_SUCCESS)
        *ret_node = node;
    else
        mock__node_free(node);
    return result;
}
