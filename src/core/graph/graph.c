/* SPDX-License-Identifier: MIT */
#include "core/graph/graph.h"

#include <stdlib.h>

#include "core/graph/change.h"
#include "core/graph/traced.h"
#include "core/order/recording_works.h"
#include "core/order/wait.h"

/* --- what an updated graph has used before --- */

static bool has_calls(const struct cushim__graph *graph)
{
    bool has = cushim__recording_has_calls(graph->recording);

    for (const struct cushim__recording *r = graph->retired; r && !has; r = r->next_retired)
        has = cushim__recording_has_calls(r);
    return has;
}

static void leave_calls(struct cushim__graph *graph)
{
    cushim__recording_leave_calls(graph->recording);
    for (struct cushim__recording *r = graph->retired; r; r = r->next_retired)
        cushim__recording_leave_calls(r);
}

static void free_retired(struct cushim__recording *retired)
{
    while (retired) {
        struct cushim__recording *next = retired->next_retired;

        cushim__recording_free(retired);
        retired = next;
    }
}

/* Takes the list of what no launch needs any more. */
static struct cushim__recording *take_retired(struct cushim__scope *scope,
                                              struct cushim__graph *graph)
{
    if (graph->n_parts || !graph->retired || !cushim__buffer_is_unused(scope, graph->launches))
        return NULL;
    return TAKE_PTR(graph->retired);
}

void cushim__graph_retire(struct cushim__scope *scope, struct cushim__graph *graph,
                          struct cushim__recording *recording)
{
    struct cushim__recording *unused;
    bool needed;

    cushim__mutex_lock(&graph->lock);
    needed = graph->n_parts || cushim__recording_has_calls(recording);
    if (needed) {
        recording->next_retired = graph->retired;
        graph->retired = recording;
    }
    unused = take_retired(scope, graph);
    cushim__mutex_unlock(&graph->lock);
    if (!needed)
        cushim__recording_free(recording);
    free_retired(unused);
}

static void free_unused(struct cushim__graph *graph)
{
    struct cushim__recording *unused;
    struct cushim__error before;
    struct cushim__scope scope;

    cushim__error_keep(&before);
    cushim__scope_to_free(graph->object.context, "cushim_graph_free",
                          cushim__object_label(&graph->object), &scope);
    cushim__mutex_lock(&graph->lock);
    unused = take_retired(&scope, graph);
    cushim__mutex_unlock(&graph->lock);
    cushim__scope_leave(&scope, CUSHIM_OK);
    cushim__error_restore(&before);
    free_retired(unused);
}

/* A work that had the graph as a part is freed. */
static void leave_part(struct cushim__object *object)
{
    struct cushim__graph *graph = (struct cushim__graph *) object;
    bool ends;

    cushim__mutex_lock(&graph->lock);
    ends = !--graph->n_parts && graph->retired;
    cushim__mutex_unlock(&graph->lock);
    if (ends)
        free_unused(graph);
}

/* --- the graph --- */

/*
 * Runs without locks. A launched graph may still run: the driver keeps its nodes, and the memory is
 * freed in order behind it. The host functions are ours, so this waits until no launch can call
 * them.
 */
static void destroy(void *object)
{
    struct cushim__graph *graph = object;
    struct cushim__context *context = graph->object.context;
    struct cushim__error before;
    struct cushim__scope scope;

    cushim__error_keep(&before);
    cushim__scope_to_free(context, "cushim_graph_free", cushim__object_label(&graph->object),
                          &scope);
    /*
     * A running launch may still call host functions. Memory needs no such wait: it is freed in
     * order. Calls that may still be made stay in the list of the context.
     */
    if (has_calls(graph) && !cushim__buffer_is_unused(&scope, graph->launches))
        leave_calls(graph);
    if (graph->exec)
        CU_FREE(&scope, cuGraphExecDestroy, (graph->exec));
    if (graph->cu)
        CU_FREE(&scope, cuGraphDestroy, (graph->cu));
    cushim__scope_leave(&scope, CUSHIM_OK);
    cushim__error_restore(&before);
    cushim__recording_free(graph->recording);
    free_retired(graph->retired);
    /* Another recording may hold it, if the graph could not become a part of that. */
    cushim__buffer_unref(graph->launches, "cushim_graph_free", NULL);
    cushim__graph_note_forget(graph);
    free(graph->accesses);
    cushim__object_finish(&graph->object);
    free(graph);
    cushim__context_unref(context);
}

/* Makes a graph. It takes over the recording and the CUgraph, on failure too. */
static struct cushim__graph *make(const struct cushim__scope *scope, CUgraph cu,
                                  struct cushim__recording *recording)
{
    struct cushim__graph *graph = calloc(1, sizeof(*graph));
    struct cushim__buffer *launches =
        cushim__buffer_new(scope->context, CUSHIM__MEMORY_BORROWED, 0, NULL, 1, NULL, NULL);
    struct cushim__access *accesses =
        graph && launches ? cushim__recorded_memory_list(recording, &graph->n) : NULL;

    if (!accesses) {
        free(graph);
        if (launches)
            cushim__buffer_delete(launches);
        CU_FREE(scope, cuGraphDestroy, (cu));
        cushim__recording_free(recording);
        return NULL;
    }
    cushim__object_init(&graph->object, CUSHIM__HANDLE_GRAPH, scope->context, destroy);
    cushim__context_ref(scope->context);
    graph->cu = cu;
    graph->recording = recording;
    graph->launches = launches;
    graph->accesses = accesses;
    accesses[graph->n++] = (struct cushim__access){launches, 0, 1, false};
    return graph;
}

/* The graph of a dry run has no memory to work on. */
static bool is_dry(const struct cushim__graph *graph)
{
    return graph->recording->arena && graph->recording->arena->map.dry;
}

cushim_status cushim__graph_check_ready(const struct cushim__scope *scope,
                                        const struct cushim__graph *graph)
{
    if (!is_dry(graph))
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           "%s: the graph is that of a dry run: cushim_arena_stats() says what "
                           "memory it needs, and it must be recorded again with another arena",
                           scope->call);
}

static cushim_status fail_update(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           "%s: this is an update of a graph, which cushim_graph_update_end() ends",
                           scope->call);
}

cushim_status cushim__graph_of_recording(const struct cushim__scope *scope,
                                         struct cushim__stream *stream, uint64_t *ret_id)
{
    struct cushim__recording *recording = NULL;
    struct cushim__graph *graph;
    CUgraph cu = NULL;
    cushim_status status = CUSHIM_OK;

    if (cushim__recording_is_update(stream))
        return fail_update(scope);
    CUSHIM_TRY(cushim__recording_end(scope, stream, &recording, &cu));
    graph = make(scope, cu, recording);
    if (!graph)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                               "%s: no memory for a graph", scope->call);
    if (!is_dry(graph))
        status = CU_CALL(scope, cuGraphInstantiateWithFlags, (&graph->exec, cu, 0));
    if (!status)
        return cushim__object_give(&graph->object, scope->call, ret_id);
    cushim__object_unref(&graph->object);
    return status;
}

/* Tells whether a graph can be in the body of a conditional node. */
static bool can_be_in_body(const struct cushim__graph *graph)
{
    for (size_t i = 0; i < graph->recording->n_works; i++) {
        const struct cushim__recorded *work = &graph->recording->works[i];
        const struct cushim__object *kept = work->kept[0];

        if (work->host_call || (kept && kept->kind == CUSHIM__HANDLE_EVENT))
            return false;
        if (kept && kept->kind == CUSHIM__HANDLE_GRAPH &&
            !can_be_in_body((const struct cushim__graph *) kept))
            return false;
    }
    return true;
}

static cushim_status check_part(const struct cushim__scope *scope,
                                const struct cushim__graph *graph)
{
    const char *why = NULL;

    if (graph->n_off)
        why = "has nodes that are switched off";
    else if (graph->differs)
        why = "was changed by half when the driver failed";
    else if (graph->recording->allocates)
        why = "has nodes that allocate (.memory_nodes)";
    else if (graph->recording->bodies)
        why = "has conditional nodes, which the driver does not copy";
    if (!why)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_CAPTURING, scope->call, scope->label,
                           "%s: the graph %s, and so it cannot be a part of another one",
                           scope->call, why);
}

/* The graph becomes a part of another one. The driver cannot capture the launch of a graph. */
static cushim_status record(const struct cushim__scope *scope, struct cushim__graph *graph,
                            struct cushim__timeline *timeline)
{
    struct cushim__recording *parent = timeline->branch->recording;
    struct cushim__capture capture;
    CUgraphNode node = NULL;

    CUSHIM_TRY(check_part(scope, graph));
    if (!can_be_in_body(graph))
        CUSHIM_TRY(cushim__recording_check_outside(scope, timeline,
                                                   "a graph with host functions or events"));
    CUSHIM_TRY(cushim__capture_ask(scope, parent, &capture));
    CUSHIM_TRY(CU_CALL(scope, cuGraphAddChildGraphNode,
                       (&node, capture.graph, capture.nodes, capture.n, graph->cu)));
    cushim__recording_keep(parent, &graph->object);
    parent->works[cushim__recording_last(parent)].version = graph->version;
    parent->works[cushim__recording_last(parent)].let_go = leave_part;
    graph->n_parts++;
    return cushim__recording_add_node(scope, parent, node);
}

static cushim_status call_driver(const struct cushim__scope *scope, struct cushim__graph *graph,
                                 const struct cushim__stream *stream)
{
    struct cushim__graph_launch launch = {scope, graph};
    cushim_status status;

    cushim__graph_note_begin(&launch);
    status = CU_CALL(scope, cuGraphLaunch, (graph->exec, stream->cu));
    cushim__graph_note_end();
    return status;
}

static cushim_status launch(struct cushim__scope *scope, struct cushim__graph *graph,
                            struct cushim__stream *stream)
{
    struct cushim__submission s = {.scope = scope,
                                   .timeline = stream->timeline,
                                   .accesses = graph->accesses,
                                   .n = graph->n,
                                   .recordable = true};
    cushim_status status;

    CUSHIM_TRY(cushim__graph_check_ready(scope, graph));
    CUSHIM_TRY(cushim__submit_begin(&s));
    if (stream->timeline->branch)
        status = record(scope, graph, stream->timeline);
    else
        status = call_driver(scope, graph, stream);
    if (!status && !stream->timeline->branch)
        graph->n_launches++;
    cushim__submit_end(&s);
    return status;
}

cushim_status cushim__graph_launch(struct cushim__scope *scope, struct cushim__graph *graph,
                                   struct cushim__stream *stream)
{
    cushim_status status;

    cushim__mutex_lock(&graph->lock);
    status = launch(scope, graph, stream);
    cushim__mutex_unlock(&graph->lock);
    return status;
}

static cushim_status upload(struct cushim__scope *scope, struct cushim__graph *graph,
                            struct cushim__stream *stream)
{
    struct cushim__submission s;
    cushim_status status;

    CUSHIM_TRY(cushim__graph_check_ready(scope, graph));
    CUSHIM_TRY(cushim__submit_plain(&s, scope, stream->timeline));
    status = CU_CALL(scope, cuGraphUpload, (graph->exec, stream->cu));
    cushim__submit_end(&s);
    return status;
}

cushim_status cushim__graph_upload(struct cushim__scope *scope, struct cushim__graph *graph,
                                   struct cushim__stream *stream)
{
    cushim_status status;

    cushim__mutex_lock(&graph->lock);
    status = upload(scope, graph, stream);
    cushim__mutex_unlock(&graph->lock);
    return status;
}

/* --- switching nodes off --- */

cushim_status cushim__graph_check_node(const struct cushim__scope *scope,
                                       const struct cushim__graph *graph, struct cushim_node node)
{
    const struct cushim__recording *recording = graph->recording;

    if (node.recording == recording->id && node.number < recording->n_works)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           "%s: the node is not one of this graph; cushim_capture_node() and "
                           "cushim_graph_node() return its nodes",
                           scope->call);
}

static cushim_status fail_switch(const struct cushim__scope *scope,
                                 const struct cushim__recording *recording, struct cushim_node node,
                                 const char *why, const char *what)
{
    char words[CUSHIM__WORK_WORDS];

    cushim__work_words(recording, (unsigned) node.number, words);
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           "%s: %s cannot be switched off: %s%s", scope->call, words, why, what);
}

static cushim_status find_node(const struct cushim__scope *scope, const struct cushim__graph *graph,
                               struct cushim_node node, CUgraphNode *ret_node)
{
    const struct cushim__recording *recording = graph->recording;
    const struct cushim__recorded *work;
    const char *why;
    int kind;

    CUSHIM_TRY(cushim__graph_check_node(scope, graph, node));
    work = &recording->works[node.number];
    why = cushim__why_fixed(work);
    if (why)
        return fail_switch(scope, recording, node, why, "");
    *ret_node = recording->nodes[work->first_node];
    CUSHIM_TRY(CU_CALL(scope, cuGraphNodeGetType, (*ret_node, &kind)));
    if (kind == CU_GRAPH_NODE_TYPE_KERNEL || kind == CU_GRAPH_NODE_TYPE_MEMCPY ||
        kind == CU_GRAPH_NODE_TYPE_MEMSET)
        return CUSHIM_OK;
    return fail_switch(scope, recording, node, "only launches, copies and fills can, and it is ",
                       cushim__node_kind_words(kind));
}

/* Under the lock. */
static cushim_status set_enabled(const struct cushim__scope *scope, struct cushim__graph *graph,
                                 CUgraphNode node, bool enabled)
{
    unsigned was = 0;

    CUSHIM_TRY(CU_CALL(scope, cuGraphNodeGetEnabled, (graph->exec, node, &was)));
    CUSHIM_TRY(CU_CALL(scope, cuGraphNodeSetEnabled, (graph->exec, node, enabled)));
    graph->n_off += (was != 0) - enabled;
    cushim__graph_note_forget(graph);
    return CUSHIM_OK;
}

cushim_status cushim__graph_set_enabled(const struct cushim__scope *scope,
                                        struct cushim__graph *graph, struct cushim_node node,
                                        bool enabled)
{
    CUgraphNode cu = NULL;
    cushim_status status;

    CUSHIM_TRY(cushim__graph_check_ready(scope, graph));
    CUSHIM_TRY(find_node(scope, graph, node, &cu));
    cushim__mutex_lock(&graph->lock);
    status = set_enabled(scope, graph, cu, enabled);
    cushim__mutex_unlock(&graph->lock);
    return status;
}

cushim_status cushim__graph_enabled(const struct cushim__scope *scope, struct cushim__graph *graph,
                                    struct cushim_node node, unsigned *ret_enabled)
{
    CUgraphNode cu = NULL;
    cushim_status status;

    CUSHIM_TRY(cushim__graph_check_ready(scope, graph));
    CUSHIM_TRY(find_node(scope, graph, node, &cu));
    cushim__mutex_lock(&graph->lock);
    status = CU_CALL(scope, cuGraphNodeGetEnabled, (graph->exec, cu, ret_enabled));
    cushim__mutex_unlock(&graph->lock);
    return status;
}
