/* SPDX-License-Identifier: MIT */
/* The set of nodes that the next node of a capture depends on. It contains each node once. */
#include <stdlib.h>
#include <string.h>

#include "mock/base/state.h"
#include "mock/graph/graph.h"

void mock__capture_dependencies_empty(struct mock__capture_dependencies *dependencies)
{
    free(dependencies->places);
    dependencies->places = NULL;
    dependencies->n = dependencies->n_places = 0;
}

void mock__capture_dependencies_clear(struct mock__capture_dependencies *dependencies)
{
    mock__capture_dependencies_empty(dependencies);
    free(dependencies->nodes);
    free(dependencies->data);
    *dependencies = (struct mock__capture_dependencies){0};
}

bool mock__capture_dependencies_has_data(const struct mock__capture_dependencies *dependencies)
{
    static const struct mock__edge_data ordinary;

    for (size_t i = 0; i < dependencies->n; i++)
        if (memcmp(&dependencies->data[i], &ordinary, sizeof(ordinary)))
            return true;
    return false;
}

/*
 * Returns the node's place in the hash table, or the free place for it. A free place always exists.
 */
static size_t *place_of(const struct mock__capture_dependencies *dependencies, CUgraphNode node)
{
    const uint64_t hash = (uint64_t) (uintptr_t) node * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (hash >> 32) % dependencies->n_places;

    while (dependencies->places[i] && dependencies->nodes[dependencies->places[i] - 1] != node)
        i = (i + 1) % dependencies->n_places;
    return &dependencies->places[i];
}

/* Makes or enlarges the hash table. A small set is searched without a table. */
static bool have_places(struct mock__capture_dependencies *dependencies)
{
    const size_t wanted = dependencies->n_places ? 2 * dependencies->n_places : 64;

    if (dependencies->n < 16 || 2 * dependencies->n < dependencies->n_places)
        return true;
    free(dependencies->places);
    dependencies->n_places = wanted;
    dependencies->places = calloc(wanted, sizeof(*dependencies->places));
    for (size_t i = 0; dependencies->places && i < dependencies->n; i++)
        *place_of(dependencies, dependencies->nodes[i]) = i + 1;
    if (!dependencies->places)
        dependencies->n_places = 0;
    return dependencies->places;
}

static bool has(const struct mock__capture_dependencies *dependencies, CUgraphNode node)
{
    if (dependencies->places)
        return *place_of(dependencies, node);
    for (size_t i = 0; i < dependencies->n; i++)
        if (dependencies->nodes[i] == node)
            return true;
    return false;
}

static bool have_room(struct mock__capture_dependencies *dependencies, size_t wanted)
{
    CUgraphNode *nodes;
    struct mock__edge_data *data;

    if (wanted <= dependencies->capacity && dependencies->nodes)
        return true;
    wanted = wanted < 2 * dependencies->capacity ? 2 * dependencies->capacity : wanted;
    nodes = realloc(dependencies->nodes, (wanted + 1) * sizeof(*nodes));
    if (nodes)
        dependencies->nodes = nodes;
    data = nodes ? realloc(dependencies->data, (wanted + 1) * sizeof(*data)) : NULL;
    if (!data)
        return false;
    dependencies->data = data;
    dependencies->capacity = wanted;
    return true;
}

bool mock__capture_dependencies_add(struct mock__capture_dependencies *dependencies,
                                    const CUgraphNode *nodes, const struct mock__edge_data *data,
                                    size_t n)
{
    if (!have_room(dependencies, dependencies->n + n))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!have_places(dependencies))
            return false;
        if (has(dependencies, nodes[i]))
            continue;
        dependencies->nodes[dependencies->n] = nodes[i];
        dependencies->data[dependencies->n++] = data ? data[i] : (struct mock__edge_data){0};
        if (dependencies->places)
            *place_of(dependencies, nodes[i]) = dependencies->n;
    }
    return true;
}

/* Uses no recursion, because graphs may be deep. */
CUresult
mock__capture_dependencies_mark_behind(const struct mock__graph *graph,
                                       const struct mock__capture_dependencies *dependencies)
{
    struct mock__node **stack = calloc(graph->n + dependencies->n + 1, sizeof(struct mock__node *));
    size_t n = 0;

    MOCK__REQUIRE(stack, CUDA_ERROR_OUT_OF_MEMORY);
    for (struct mock__node *node = graph->first; node; node = node->next)
        node->unmet = 0;
    for (size_t i = 0; i < dependencies->n; i++) {
        struct mock__node *node = mock__object_find(MOCK__NODE, dependencies->nodes[i]);

        if (node && !node->unmet++)
            stack[n++] = node;
    }
    while (n) {
        const struct mock__edge *edge = stack[--n]->before.first;

        for (; edge; edge = edge->next_before)
            if (!edge->from->unmet++)
                stack[n++] = edge->from;
    }
    free(stack);
    return CUDA_SUCCESS;
}

bool mock__capture_dependencies_is_marked(const struct mock__capture_dependencies *dependencies)
{
    for (size_t i = 0; i < dependencies->n; i++) {
        const struct mock__node *node = mock__object_find(MOCK__NODE, dependencies->nodes[i]);

        if (node && !node->unmet)
            return false;
    }
    return true;
}
