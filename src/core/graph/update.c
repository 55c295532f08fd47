/* SPDX-License-Identifier: MIT */
#include "core/graph/update.h"

#include <stdlib.h>

#include "core/graph/change.h"
#include "core/graph/condition.h"
#include "core/graph/paths.h"
#include "core/graph/traced.h"
#include "core/order/recording_works.h"

static cushim_status fail_memory(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                           "%s: no memory for an update", scope->call);
}

cushim_status cushim__graph_update_begin(const struct cushim__scope *scope,
                                         struct cushim__graph *graph,
                                         struct cushim__stream **ret_stream)
{
    const struct cushim__recording_wish wish = {
        .mode = CU_STREAM_CAPTURE_MODE_RELAXED,
        .order = graph->recording->order,
        .memory_nodes = graph->recording->memory_nodes,
        .arena = graph->recording->arena,
        .updates = &graph->object,
    };

    CUSHIM_TRY(cushim__graph_check_ready(scope, graph));
    return cushim__recording_begin(scope, &wish, ret_stream);
}

/* --- which node comes next --- */

static cushim_status fail_no_update(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           "%s: not a stream of cushim_graph_update_begin(); cushim_capture_end() "
                           "ends what makes a new graph",
                           scope->call);
}

/* Forgets the node that a recorder has named last, if no work was recorded for it. */
static void take_back(struct cushim__branch *branch)
{
    if (branch->has_place)
        branch->recording->taken[branch->place] = false;
    branch->has_place = false;
}

/* Under the stream lock. */
static cushim_status set_place(const struct cushim__scope *scope, struct cushim__branch *branch,
                               struct cushim_node node)
{
    struct cushim__recording *recording = branch ? branch->recording : NULL;
    const struct cushim__recording *graph;

    if (!recording || !recording->updates)
        return fail_no_update(scope);
    graph = ((struct cushim__graph *) recording->updates)->recording;
    if (node.recording != graph->id || node.number >= graph->n_works)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                               "%s: the node is not one of the graph that is updated; "
                               "cushim_capture_node() and cushim_graph_node() return its nodes",
                               scope->call);
    if (recording->n_works && !recording->by_node)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                               "%s: work was recorded before without saying for which node",
                               scope->call);
    if (!recording->taken)
        recording->taken = calloc(graph->n_works, 1);
    if (!recording->taken)
        return fail_memory(scope);
    if (recording->taken[node.number] && !(branch->has_place && branch->place == node.number))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                               "%s: node %u was named already", scope->call,
                               (unsigned) node.number);
    take_back(branch);
    recording->taken[node.number] = true;
    recording->by_node = branch->has_place = true;
    branch->place = (unsigned) node.number;
    return CUSHIM_OK;
}

cushim_status cushim__graph_update_node(const struct cushim__scope *scope,
                                        struct cushim__stream *stream, struct cushim_node node)
{
    struct cushim__timeline *timeline = stream->timeline;
    cushim_status status;

    cushim__timeline_lock(timeline);
    status = set_place(scope, timeline->branch, node);
    cushim__timeline_unlock(timeline);
    return status;
}

/* --- what can take whose place --- */

/* A graph in a graph is the same one, and has not changed since. */
static bool same_graph(const struct cushim__recorded *a, const struct cushim__recorded *b)
{
    return a->kept[0] == b->kept[0] && a->version == b->version;
}

/* Returns NULL if one work may take the place of another one of the same kind. */
static const char *why_not(const struct cushim__recorded *old, const struct cushim__recorded *new,
                           int kind)
{
    if (kind == CU_GRAPH_NODE_TYPE_GRAPH && same_graph(old, new))
        return NULL;
    if (kind == CU_GRAPH_NODE_TYPE_GRAPH)
        return "a graph in a graph cannot be changed; record the outer one anew";
    if (old->about.options != new->about.options)
        return "the options of the launch are others";
    return NULL;
}

/* Reads what the driver knows of both works. */
static void check_kinds(const struct cushim__scope *scope, const struct cushim__recording *graph,
                        const struct cushim__recording *recording,
                        const struct cushim__recorded *new, struct cushim__node_change *change,
                        struct cushim__reasons *reasons)
{
    const struct cushim__recorded *old = &graph->works[change->number];
    const char *why;
    int kind, result;

    result = cushim__node_kind(scope, graph->nodes[old->first_node], &kind);
    if (!result)
        result = cushim__node_params_get(scope, recording->nodes[new->first_node], &change->params);
    if (result) {
        cushim__reasons_add(reasons, graph, change->number, "the driver answers %d %s", result,
                            cushim__status_name(result));
        return;
    }
    why = why_not(old, new, kind);
    if (kind != change->params.kind)
        cushim__reasons_add(reasons, graph, change->number, "it is %s, and %s was recorded",
                            cushim__node_kind_words(kind),
                            cushim__node_kind_words(change->params.kind));
    else if (why)
        cushim__reasons_add(reasons, graph, change->number, "%s", why);
    else if (!cushim__node_kind_changes(kind) && kind != CU_GRAPH_NODE_TYPE_GRAPH)
        cushim__reasons_add(reasons, graph, change->number, "it is %s, which cannot be changed",
                            cushim__node_kind_words(kind));
}

static void check_work(const struct cushim__scope *scope, const struct cushim__recording *graph,
                       const struct cushim__recording *recording, unsigned number,
                       struct cushim__node_change *change, struct cushim__reasons *reasons)
{
    const struct cushim__recorded *new = &recording->works[number];
    const struct cushim__recorded *old = &graph->works[new->place];
    const char *why = cushim__why_fixed(old);

    if (!why)
        why = cushim__why_fixed(new);
    *change = (struct cushim__node_change){.number = new->place,
                                           .accesses = cushim__recorded_accesses(recording, new),
                                           .n_accesses = new->n_accesses};
    if (why)
        cushim__reasons_add(reasons, graph, new->place, "%s, and cannot be changed", why);
    else
        check_kinds(scope, graph, recording, new, change, reasons);
}

static bool same_before(const struct cushim__recording *a, const struct cushim__recording *b,
                        unsigned number)
{
    const struct cushim__recorded *x = &a->works[number], *y = &b->works[number];

    return x->n_before == y->n_before && (!x->n_before || !memcmp(&a->before.items[x->first_before],
                                                                  &b->before.items[y->first_before],
                                                                  x->n_before * sizeof(unsigned)));
}

static bool demand_edges(const struct cushim__recording *recording, unsigned number,
                         struct cushim__demands *demands)
{
    const struct cushim__recorded *work = &recording->works[number];

    for (size_t i = 0; i < work->n_before; i++)
        if (!cushim__demands_add(demands, recording->before.items[work->first_before + i], number))
            return false;
    return true;
}

static bool find_unmet(const struct cushim__recording *graph,
                       const struct cushim__recording *recording, struct cushim__demands *demands)
{
    for (unsigned i = 0; i < graph->n_works; i++)
        if (!same_before(graph, recording, i) && !demand_edges(recording, i, demands))
            return false;
    return cushim__demands_check(demands, graph);
}

/* The edges of the graph keep the order that was recorded now. False when out of memory. */
static bool check_edges(const struct cushim__recording *graph,
                        const struct cushim__recording *recording, struct cushim__reasons *reasons)
{
    struct cushim__demands demands = {0};
    const bool room = find_unmet(graph, recording, &demands);
    char words[CUSHIM__WORK_WORDS];

    for (size_t i = 0; room && i < demands.n; i++) {
        cushim__work_words(graph, demands.items[i].before, words);
        cushim__reasons_add(reasons, graph, demands.items[i].after,
                            "it must come after %s now, and the graph has no such edge", words);
    }
    free(demands.items);
    return room;
}

/* --- the change --- */

#define SWAP(a, b)                                                                                 \
    do {                                                                                           \
        const __typeof__(a) swapped = (a);                                                         \
        (a) = (b);                                                                                 \
        (b) = swapped;                                                                             \
    } while (0)

/* The graph gets what the new works keep, and the recording what the old ones have kept. */
static void swap_works(struct cushim__recording *graph, struct cushim__recording *recording)
{
    for (size_t i = 0; i < recording->n_works; i++) {
        struct cushim__recorded *new = &recording->works[i], *old = &graph->works[new->place];

        SWAP(old->about, new->about);
        SWAP(old->host_call, new->host_call);
        SWAP(old->kept[0], new->kept[0]);
        SWAP(old->kept[1], new->kept[1]);
        SWAP(old->version, new->version);
    }
}

static cushim_status make(struct cushim__change *change, const struct cushim__recording *recording)
{
    const struct cushim__recording *graph = change->graph->recording;
    struct cushim__reasons reasons = {0};

    for (unsigned i = 0; i < change->n; i++)
        check_work(change->scope, graph, recording, i, &change->nodes[i], &reasons);
    change->is_ordered = !recording->by_node;
    if (change->is_ordered && !check_edges(graph, recording, &reasons))
        return fail_memory(change->scope);
    return reasons.n ? cushim__reasons_fail(change->scope, &reasons)
                     : cushim__change_make(change, &reasons);
}

static cushim_status check_complete(const struct cushim__scope *scope,
                                    const struct cushim__recording *graph,
                                    const struct cushim__recording *recording, int64_t named)
{
    char words[CUSHIM__WORK_WORDS];

    if (!recording->by_node && recording->n_works != graph->n_works)
        return cushim__fail_at(
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, scope->call, scope->label,
            "%s: the graph stays as it was: it has %zu nodes, and the update %zu; "
            "record all of them again, in the same order, or call "
            "cushim_graph_update_node() before each work",
            scope->call, graph->n_works, recording->n_works);
    if (named < 0)
        return CUSHIM_OK;
    cushim__work_words(graph, (unsigned) named, words);
    return cushim__fail_at(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, scope->call, scope->label,
                           "%s: the graph stays as it was: no work was recorded for %s, which "
                           "cushim_graph_update_node() has named; cushim_graph_set_enabled() "
                           "switches a node off",
                           scope->call, words);
}

/* Under the lock of the graph. */
static cushim_status update(struct cushim__change *change, struct cushim__recording *recording,
                            int64_t named)
{
    struct cushim__graph *graph = change->graph;
    SCOPED_FREE void *nodes = calloc(recording->n_works + 1, sizeof(*change->nodes));

    if (!nodes)
        return fail_memory(change->scope);
    CUSHIM_TRY(check_complete(change->scope, graph->recording, recording, named));
    change->nodes = nodes;
    change->n = recording->n_works;
    CUSHIM_TRY(make(change, recording));
    swap_works(graph->recording, recording);
    graph->updates++;
    graph->version++;
    cushim__graph_note_forget(graph);
    return CUSHIM_OK;
}

/* With a reference on the graph, and without locks. */
static cushim_status update_and_clear(struct cushim__scope *scope, struct cushim__graph *graph,
                                      struct cushim__recording *recording, int64_t named,
                                      CUgraph cu)
{
    struct cushim__change change = {.scope = scope, .graph = graph};
    cushim_status status;

    cushim__mutex_lock(&graph->lock);
    status = update(&change, recording, named);
    cushim__mutex_unlock(&graph->lock);
    CU_FREE(scope, cuGraphDestroy, (cu));
    cushim__recording_free(change.before);
    cushim__recorded_memory_free(recording);
    /* What no launch has had is needed by none, and may hold the graph itself. */
    if (status)
        cushim__recording_free(recording);
    else
        cushim__graph_retire(scope, graph, recording);
    return status;
}

/* *ret_named becomes the number of a node that was named, and for which nothing came; or -1. */
static void find_named(struct cushim__stream *stream, int64_t *ret_named)
{
    struct cushim__timeline *timeline = stream->timeline;
    const struct cushim__branch *b;

    *ret_named = -1;
    cushim__timeline_lock(timeline);
    for (b = timeline->branch ? timeline->branch->recording->branches : NULL; b; b = b->next)
        if (b->has_place)
            *ret_named = b->place;
    cushim__timeline_unlock(timeline);
}

cushim_status cushim__graph_update_end(struct cushim__scope *scope, struct cushim__stream *stream)
{
    struct cushim__recording *recording = NULL;
    struct cushim__object *updates;
    CUgraph cu = NULL;
    int64_t named;
    cushim_status status;

    if (!cushim__recording_is_update(stream))
        return fail_no_update(scope);
    find_named(stream, &named);
    CUSHIM_TRY(cushim__recording_end(scope, stream, &recording, &cu));
    updates = TAKE_PTR(recording->updates);
    status = update_and_clear(scope, (struct cushim__graph *) updates, recording, named, cu);
    cushim__object_unref(updates);
    return status;
}
