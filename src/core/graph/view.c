/* SPDX-License-Identifier: MIT */
#include "core/graph/view.h"

#include <stdlib.h>

/* --- one node --- */

static const enum cushim_node_kind kinds[] = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = CUSHIM_NODE_LAUNCH,
    [CU_GRAPH_NODE_TYPE_MEMCPY] = CUSHIM_NODE_COPY,
    [CU_GRAPH_NODE_TYPE_MEMSET] = CUSHIM_NODE_FILL,
    [CU_GRAPH_NODE_TYPE_HOST] = CUSHIM_NODE_HOST_FUNCTION,
    [CU_GRAPH_NODE_TYPE_GRAPH] = CUSHIM_NODE_GRAPH,
    [CU_GRAPH_NODE_TYPE_EMPTY] = CUSHIM_NODE_EMPTY,
    [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = CUSHIM_NODE_EVENT_WAIT,
    [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = CUSHIM_NODE_EVENT_RECORD,
    /* Semaphores, allocations, and operations on values. */
    [8] = CUSHIM_NODE_OTHER,
    [9] = CUSHIM_NODE_OTHER,
    [10] = CUSHIM_NODE_OTHER,
    [11] = CUSHIM_NODE_OTHER,
    [12] = CUSHIM_NODE_OTHER,
    [CUSHIM__CU_NODE_CONDITIONAL] = CUSHIM_NODE_CONDITIONAL,
};

static size_t at_least_one(size_t n)
{
    return n ? n : 1;
}

static size_t bytes_of(const struct cushim__node_params *params)
{
    const struct cushim__cu_copy *copy = &params->copy;
    const struct cushim__cu_fill_node *fill = &params->fill;

    if (params->kind == CU_GRAPH_NODE_TYPE_MEMCPY)
        return copy->width * at_least_one(copy->height) * at_least_one(copy->depth);
    if (params->kind == CU_GRAPH_NODE_TYPE_MEMSET)
        return fill->width * fill->element * at_least_one(fill->height);
    return 0;
}

/* How many nodes a graph has never changes, so its lock is not needed. */
static size_t count_inner(const struct cushim__node_view *view)
{
    const struct cushim__object *inner = view->work->kept[0];

    if (view->kind != CUSHIM_NODE_GRAPH || !inner)
        return 0;
    return ((const struct cushim__graph *) inner)->recording->n_works;
}

/*
 * What the driver can switch, outside of bodies. An old driver, which cannot, is not asked.
 */
static bool may_be_off(const struct cushim__graph *graph, enum cushim_node_kind kind)
{
    return graph->n_off &&
           (kind == CUSHIM_NODE_LAUNCH || kind == CUSHIM_NODE_COPY || kind == CUSHIM_NODE_FILL);
}

static cushim_status ask_driver(const struct cushim__scope *scope,
                                const struct cushim__graph *graph, CUgraphNode node, bool is_outer,
                                struct cushim__node_view *view)
{
    const int result = cushim__node_params_get(scope, node, &view->params);

    if (result)
        return cushim__check_result(scope, result, "cuGraphNodeGetType");
    if ((size_t) view->params.kind < ARRAY_SIZE(kinds))
        view->kind = kinds[view->params.kind];
    view->bytes = bytes_of(&view->params);
    view->inner_nodes = count_inner(view);
    if (is_outer && may_be_off(graph, view->kind))
        return CU_CALL(scope, cuGraphNodeGetEnabled, (graph->exec, node, &view->enabled));
    return CUSHIM_OK;
}

cushim_status cushim__node_view(const struct cushim__scope *scope,
                                const struct cushim__graph *graph,
                                const struct cushim__recording *recording, unsigned number,
                                struct cushim__node_view *ret_view)
{
    const struct cushim__recorded *work = &recording->works[number];

    *ret_view =
        (struct cushim__node_view){.work = work, .kind = CUSHIM_NODE_OTHER, .enabled = true};
    if (work->about.several) {
        ret_view->kind = work->about.filled ? CUSHIM_NODE_FILL : CUSHIM_NODE_LAUNCH;
        ret_view->bytes = work->about.filled;
    }
    if (!work->own || work->about.several)
        return CUSHIM_OK;
    return ask_driver(scope, graph, recording->nodes[work->first_node],
                      recording == graph->recording, ret_view);
}

void cushim__node_view_words(const struct cushim__node_view *view, struct cushim__str *str)
{
    static const char *const words[] = {
        [CUSHIM_NODE_LAUNCH] = "launch",
        [CUSHIM_NODE_COPY] = "copy",
        [CUSHIM_NODE_FILL] = "fill",
        [CUSHIM_NODE_HOST_FUNCTION] = "host function",
        [CUSHIM_NODE_GRAPH] = "graph",
        [CUSHIM_NODE_EMPTY] = "empty",
        [CUSHIM_NODE_EVENT_WAIT] = "wait for an event",
        [CUSHIM_NODE_EVENT_RECORD] = "recording of an event",
        [CUSHIM_NODE_OTHER] = "other work",
        [CUSHIM_NODE_CONDITIONAL] = "conditional node",
    };

    cushim__str_append(str, "%s", words[view->kind]);
    if (view->work->about.name)
        cushim__str_append(str, " of %s", view->work->about.name);
    if (view->kind == CUSHIM_NODE_GRAPH)
        cushim__str_append(str, " of %zu nodes", view->inner_nodes);
}

/* --- numbers --- */

static size_t longest_before(const struct cushim__recording *recording,
                             const struct cushim__recorded *work, const size_t *chains)
{
    size_t longest = 0;

    for (size_t i = 0; i < work->n_before; i++) {
        const size_t chain = chains[recording->before.items[work->first_before + i]];

        if (chain > longest)
            longest = chain;
    }
    return longest;
}

/* chains: the longest chain that ends in each work. widths: how many works have it, by length. */
static void count_chains(const struct cushim__recording *recording, size_t *chains, size_t *widths,
                         struct cushim_graph_counts *stats)
{
    for (size_t i = 0; i < recording->n_works; i++) {
        const struct cushim__recorded *work = &recording->works[i];

        chains[i] = longest_before(recording, work, chains) + 1;
        widths[chains[i]]++;
        stats->edges += work->n_before;
        stats->first_nodes += !work->n_before;
        if (chains[i] > stats->longest_chain)
            stats->longest_chain = chains[i];
        if (widths[chains[i]] > stats->widest_level)
            stats->widest_level = widths[chains[i]];
    }
}

static cushim_status count_kinds(const struct cushim__scope *scope, struct cushim__graph *graph,
                                 struct cushim_graph_counts *stats)
{
    struct cushim__node_view view;

    for (unsigned i = 0; i < graph->recording->n_works; i++) {
        CUSHIM_TRY(cushim__node_view(scope, graph, graph->recording, i, &view));
        stats->of_kind[view.kind]++;
        if (view.enabled && view.kind == CUSHIM_NODE_COPY)
            stats->copied_bytes += view.bytes;
        if (view.enabled && view.kind == CUSHIM_NODE_FILL)
            stats->filled_bytes += view.bytes;
    }
    return CUSHIM_OK;
}

/* What a launch uses is listed without overlaps. */
static uint64_t count_memory(const struct cushim__graph *graph)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < graph->n; i++)
        if (cushim__buffer_is_memory(graph->accesses[i].buffer))
            bytes += graph->accesses[i].end - graph->accesses[i].begin;
    return bytes;
}

cushim_status cushim__graph_stats(const struct cushim__scope *scope, struct cushim__graph *graph,
                                  struct cushim_graph_counts *ret_stats)
{
    const size_t n = graph->recording->n_works;
    SCOPED_FREE void *room = calloc(2 * n + 1, sizeof(size_t));
    size_t *chains = room;

    if (!chains)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                               "%s: no memory to look at the graph", scope->call);
    *ret_stats = (struct cushim_graph_counts){.nodes = n,
                                              .memory_bytes = count_memory(graph),
                                              .launches = graph->n_launches,
                                              .updates = graph->updates};
    count_chains(graph->recording, chains, &chains[n], ret_stats);
    return count_kinds(scope, graph, ret_stats);
}
