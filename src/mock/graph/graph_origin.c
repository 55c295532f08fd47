/* SPDX-License-Identifier: MIT */
/*
 * Finds the node in a copied graph that is the copy of a given node. All nodes of the copy and of
 * its child graphs are sorted by their originals when such a node is first looked for. A node that
 * is removed later is detected because its handle is no longer valid. Nodes that are added later
 * have no original, except those of child graphs.
 */
#include <stdlib.h>

#include "mock/graph/graph.h"

struct mock__origin {
    uintptr_t original, node;
    size_t place; /* the order in the graph; of several copies of one node, the first is returned */
};

void mock__origins_forget(struct mock__graph *graph)
{
    for (; graph; graph = graph->parent ? graph->parent->graph : NULL) {
        free(graph->origins);
        graph->origins = NULL;
        graph->n_origins = 0;
    }
}

static size_t count(const struct mock__graph *graph)
{
    size_t n = graph->n;

    for (const struct mock__node *node = graph->first; node; node = node->next)
        for (size_t i = 0; i < node->n_within; i++)
            n += count(node->within[i]);
    return n;
}

static void list(struct mock__graph *copy, const struct mock__graph *graph)
{
    for (const struct mock__node *node = graph->first; node; node = node->next) {
        const size_t place = copy->n_origins;

        if (node->origin)
            copy->origins[copy->n_origins++] =
                (struct mock__origin){node->origin, node->object.handle, place};
        for (size_t i = 0; i < node->n_within; i++)
            list(copy, node->within[i]);
    }
}

static int compare(const void *left, const void *right)
{
    const struct mock__origin *a = left, *b = right;

    if (a->original != b->original)
        return a->original < b->original ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static bool sort(struct mock__graph *copy)
{
    if (copy->origins)
        return true;
    copy->origins = calloc(count(copy) + 1, sizeof(*copy->origins));
    if (!copy->origins)
        return false;
    list(copy, copy);
    qsort(copy->origins, copy->n_origins, sizeof(*copy->origins), compare);
    return true;
}

/* Returns how many originals are before this one in the sorted order. */
static size_t position(const struct mock__graph *copy, uintptr_t original)
{
    size_t low = 0, high = copy->n_origins;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (copy->origins[middle].original < original)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct mock__node *mock__node_in_copy(struct mock__graph *copy, uintptr_t original)
{
    if (!sort(copy))
        return NULL;
    for (size_t i = position(copy, original);
         i < copy->n_origins && copy->origins[i].original == original; i++) {
        struct mock__node *node =
            mock__object_find(MOCK__NODE, (const void *) copy->origins[i].node);

        if (node)
            return node;
    }
    return NULL;
}
