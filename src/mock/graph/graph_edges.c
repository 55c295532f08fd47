/* SPDX-License-Identifier: MIT */
/* The edges of graphs, and lists of nodes and edges: cuGraph*Dependencies, cuGraph*Get*. */
#include <stdlib.h>
#include <string.h>

#include "mock/base/state.h"
#include "mock/graph/graph.h"

enum {
    PROGRAMMATIC = 1,     /* CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC */
    LAST_KERNEL_PORT = 2, /* CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER */
};

struct mock__edge *mock__edge_find(const struct mock__node *from, const struct mock__node *to)
{
    return CUSHIM__TREE_MEMBER(cushim__tree_find(&to->before_by_from, from->object.handle, 0),
                               struct mock__edge, by_from);
}

static bool is_ordinary(const struct mock__edge_data *data)
{
    static const struct mock__edge_data ordinary;

    return !memcmp(data, &ordinary, sizeof(ordinary));
}

static bool is_kernel(const struct mock__node *node)
{
    return mock__node_type(node) == CU_GRAPH_NODE_TYPE_KERNEL;
}

/* Kernels alone have other ends than their whole, and only other kernels can do with less. */
static bool data_valid(const struct mock__node *from, const struct mock__node *to,
                       const struct mock__edge_data *data)
{
    static const unsigned char zeros[sizeof(data->reserved)];

    if (is_ordinary(data))
        return true;
    return !data->to_port && !memcmp(data->reserved, zeros, sizeof(zeros)) && is_kernel(from) &&
           data->from_port <= LAST_KERNEL_PORT && data->type <= PROGRAMMATIC &&
           (data->type != PROGRAMMATIC || (is_kernel(to) && data->from_port));
}

static void append(struct mock__edge *edge)
{
    struct mock__edges *after = &edge->from->after, *before = &edge->to->before;

    edge->previous_after = after->last;
    *(after->last ? &after->last->next_after : &after->first) = edge;
    after->last = edge;
    after->n++;
    edge->previous_before = before->last;
    *(before->last ? &before->last->next_before : &before->first) = edge;
    before->last = edge;
    before->n++;
    cushim__tree_add(&edge->to->before_by_from, &edge->by_from, edge->from->object.handle, 0);
}

CUresult mock__edge_add(struct mock__node *from, struct mock__node *to,
                        const struct mock__edge_data *data)
{
    struct mock__edge *edge;

    MOCK__REQUIRE(from != to && from->graph == to->graph && data_valid(from, to, data) &&
                      !mock__edge_find(from, to),
                  CUDA_ERROR_INVALID_VALUE);
    edge = malloc(sizeof(*edge));
    MOCK__REQUIRE(edge, CUDA_ERROR_OUT_OF_MEMORY);
    *edge = (struct mock__edge){.from = from, .to = to, .data = *data};
    append(edge);
    return CUDA_SUCCESS;
}

static void take_out(struct mock__edge *edge)
{
    struct mock__edges *after = &edge->from->after, *before = &edge->to->before;

    *(edge->previous_after ? &edge->previous_after->next_after : &after->first) = edge->next_after;
    *(edge->next_after ? &edge->next_after->previous_after : &after->last) = edge->previous_after;
    after->n--;
    *(edge->previous_before ? &edge->previous_before->next_before : &before->first) =
        edge->next_before;
    *(edge->next_before ? &edge->next_before->previous_before : &before->last) =
        edge->previous_before;
    before->n--;
    cushim__tree_remove(&edge->to->before_by_from, &edge->by_from);
}

bool mock__edge_remove(struct mock__node *from, struct mock__node *to)
{
    struct mock__edge *edge = mock__edge_find(from, to);

    if (edge)
        take_out(edge);
    free(edge);
    return edge;
}

/* --- adding and removing --- */

/* Adds or removes one edge. */
typedef CUresult change_fn(struct mock__node *from, struct mock__node *to,
                           const struct mock__edge_data *data);

static CUresult add(struct mock__node *from, struct mock__node *to,
                    const struct mock__edge_data *data)
{
    return mock__edge_add(from, to, data);
}

/* Of an ordinary edge, data that no edge between its nodes may have count as none. */
static bool same_data(const struct mock__edge *edge, const struct mock__edge_data *data)
{
    return !memcmp(&edge->data, data, sizeof(*data)) ||
           (is_ordinary(&edge->data) && !data_valid(edge->from, edge->to, data));
}

/* An edge is only removed by the data that it has. */
static CUresult take(struct mock__node *from, struct mock__node *to,
                     const struct mock__edge_data *data)
{
    const struct mock__edge *edge = mock__edge_find(from, to);

    MOCK__REQUIRE(edge && same_data(edge, data), CUDA_ERROR_INVALID_VALUE);
    mock__edge_remove(from, to);
    return CUDA_SUCCESS;
}

/* What take() took with such data was an ordinary edge. */
static CUresult put_back(struct mock__node *from, struct mock__node *to,
                         const struct mock__edge_data *data)
{
    static const struct mock__edge_data ordinary;

    return mock__edge_add(from, to, data_valid(from, to, data) ? data : &ordinary);
}

static CUresult change_one(change_fn *change, const struct mock__graph *graph,
                           CUgraphNode from_handle, CUgraphNode to_handle,
                           const struct mock__edge_data *data)
{
    static const struct mock__edge_data ordinary;
    struct mock__node *from = NULL, *to = NULL;

    MOCK__TRY(mock__node_find(from_handle, &from));
    MOCK__TRY(mock__node_find(to_handle, &to));
    MOCK__REQUIRE(from->graph == graph && to->graph == graph, CUDA_ERROR_INVALID_VALUE);
    return change(from, to, data ? data : &ordinary);
}

/* The edges of a call: from[i] to to[i]. data may be NULL: then all are ordinary ones. */
struct edge_list {
    const CUgraphNode *from, *to;
    const struct mock__edge_data *data;
    size_t n;
};

static CUresult change_listed(change_fn *change, const struct mock__graph *graph,
                              const struct edge_list *edges, size_t i)
{
    return change_one(change, graph, edges->from[i], edges->to[i],
                      edges->data ? &edges->data[i] : NULL);
}

/* All or none: the edges that were changed before a mistake are changed back. */
static CUresult change_edges(change_fn *change, change_fn *back, CUgraph hGraph,
                             const struct edge_list *edges)
{
    struct mock__graph *graph = NULL;
    CUresult result = CUDA_SUCCESS;
    size_t i;

    MOCK__ENTER_EARLY();
    MOCK__TRY(mock__graph_find(hGraph, &graph));
    MOCK__REQUIRE(!edges->n || (edges->from && edges->to), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!graph->instantiated, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(change == add || !mock__graph_has_memory(graph), CUDA_ERROR_NOT_SUPPORTED);
    for (i = 0; result == CUDA_SUCCESS && i < edges->n; i++)
        result = change_listed(change, graph, edges, i);
    if (result == CUDA_SUCCESS)
        return CUDA_SUCCESS;
    for (i--; i-- > 0;)
        change_listed(back, graph, edges, i);
    return result;
}

CUresult mock_cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                     size_t numDependencies)
{
    return change_edges(add, take, hGraph, &(struct edge_list){from, to, NULL, numDependencies});
}

CUresult mock_cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from,
                                        const CUgraphNode *to, size_t numDependencies)
{
    return change_edges(take, put_back, hGraph,
                        &(struct edge_list){from, to, NULL, numDependencies});
}

/* --- lists --- */

/*
 * The functions that list something share this: without a list they count; with one they fill in as
 * much as there is room for, and NULL beyond the last entry.
 */
struct listing {
    CUgraphNode *from, *to;
    struct mock__edge_data *data;
    size_t room, n;
    bool lossy; /* data of edges were left out, for which the caller has no room */
};

static void list(struct listing *listing, const struct mock__node *from,
                 const struct mock__node *to, const struct mock__edge_data *data)
{
    const size_t i = listing->n++;

    if (i >= listing->room)
        return;
    if (listing->from)
        listing->from[i] = MOCK__HANDLE(from);
    if (listing->to)
        listing->to[i] = MOCK__HANDLE(to);
    if (listing->data)
        listing->data[i] = *data;
    else
        listing->lossy |= data && !is_ordinary(data);
}

static CUresult finish(struct listing *listing, size_t *ret_n)
{
    const bool counts = !listing->from && !listing->to;

    MOCK__REQUIRE(!listing->lossy, MOCK__LOSSY_QUERY);
    for (size_t i = listing->n; !counts && i < listing->room; i++) {
        if (listing->from)
            listing->from[i] = NULL;
        if (listing->to)
            listing->to[i] = NULL;
        if (listing->data)
            listing->data[i] = (struct mock__edge_data){0};
    }
    *ret_n = counts || listing->n < listing->room ? listing->n : listing->room;
    return CUDA_SUCCESS;
}

static CUresult list_nodes(CUgraph hGraph, CUgraphNode *nodes, size_t *n, bool roots_only)
{
    struct listing listing = {.to = nodes};
    struct mock__graph *graph = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(n, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__graph_find(hGraph, &graph));
    MOCK__REQUIRE(!nodes || *n, CUDA_ERROR_INVALID_VALUE);
    listing.room = nodes ? *n : 0;
    for (const struct mock__node *node = graph->first; node; node = node->next)
        if (!roots_only || !node->before.n)
            list(&listing, NULL, node, NULL);
    return finish(&listing, n);
}

CUresult mock_cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes)
{
    return list_nodes(hGraph, nodes, numNodes, false);
}

CUresult mock_cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes)
{
    return list_nodes(hGraph, rootNodes, numRootNodes, true);
}

static CUresult list_edges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
                           struct mock__edge_data *data, size_t *n)
{
    struct listing listing = {.from = from, .to = to, .data = data};
    const struct mock__edge *edge;
    struct mock__graph *graph = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(n && !from == !to && (from || !data), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__graph_find(hGraph, &graph));
    MOCK__REQUIRE(!from || *n, CUDA_ERROR_INVALID_VALUE);
    listing.room = from ? *n : 0;
    for (const struct mock__node *node = graph->first; node; node = node->next)
        for (edge = node->after.first; edge; edge = edge->next_after)
            list(&listing, node, edge->to, &edge->data);
    return finish(&listing, n);
}

CUresult mock_cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges)
{
    return list_edges(hGraph, from, to, NULL, numEdges);
}

static CUresult list_neighbours(CUgraphNode hNode, bool before, CUgraphNode *nodes,
                                struct mock__edge_data *data, size_t *n)
{
    struct listing listing = {.to = nodes, .data = data};
    const struct mock__edge *edge;
    struct mock__node *node = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(n && (nodes || !data), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__node_find(hNode, &node));
    MOCK__REQUIRE(!nodes || *n, CUDA_ERROR_INVALID_VALUE);
    listing.room = nodes ? *n : 0;
    for (edge = node->before.first; before && edge; edge = edge->next_before)
        list(&listing, NULL, edge->from, &edge->data);
    for (edge = node->after.first; !before && edge; edge = edge->next_after)
        list(&listing, NULL, edge->to, &edge->data);
    return finish(&listing, n);
}

CUresult mock_cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies,
                                         size_t *numDependencies)
{
    return list_neighbours(hNode, true, dependencies, NULL, numDependencies);
}

CUresult mock_cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                           size_t *numDependentNodes)
{
    return list_neighbours(hNode, false, dependentNodes, NULL, numDependentNodes);
}

#if CUDA_VERSION >= 12030
CUresult mock_cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
                                        const CUgraphNode *to, const CUgraphEdgeData *edgeData,
                                        size_t numDependencies)
{
    const struct edge_list edges = {from, to, (const struct mock__edge_data *) edgeData,
                                    numDependencies};

    return change_edges(add, take, hGraph, &edges);
}

CUresult mock_cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
                                           const CUgraphNode *to, const CUgraphEdgeData *edgeData,
                                           size_t numDependencies)
{
    const struct edge_list edges = {from, to, (const struct mock__edge_data *) edgeData,
                                    numDependencies};

    return change_edges(take, put_back, hGraph, &edges);
}

CUresult mock_cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
                                 CUgraphEdgeData *edgeData, size_t *numEdges)
{
    return list_edges(hGraph, from, to, (struct mock__edge_data *) edgeData, numEdges);
}

CUresult mock_cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies,
                                            CUgraphEdgeData *edgeData, size_t *numDependencies)
{
    return list_neighbours(hNode, true, dependencies, (struct mock__edge_data *) edgeData,
                           numDependencies);
}

CUresult mock_cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                              CUgraphEdgeData *edgeData, size_t *numDependentNodes)
{
    return list_neighbours(hNode, false, dependentNodes, (struct mock__edge_data *) edgeData,
                           numDependentNodes);
}
#endif
