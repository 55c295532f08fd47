/* SPDX-License-Identifier: MIT */
#include "core/order/graph.h"

#include <stdlib.h>

#include "core/order/recording_works.h"
#include "core/order/wait.h"

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
    if (cushim__recording_has_calls(graph->recording) &&
        !cushim__buffer_is_unused(&scope, graph->launches))
        cushim__recording_leave_calls(graph->recording);
    if (graph->exec)
        CU_FREE(&scope, cuGraphExecDestroy, (graph->exec));
    if (graph->cu)
        CU_FREE(&scope, cuGraphDestroy, (graph->cu));
    cushim__scope_leave(&scope, CUSHIM_OK);
    cushim__error_restore(&before);
    cushim__recording_free(graph->recording);
    /* Another recording may hold it, if the graph could not become a part of that. */
    cushim__buffer_unref(graph->launches, "cushim_graph_free", NULL);
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

static cushim_status check_not_dry(const struct cushim__scope *scope,
                                   const struct cushim__graph *graph)
{
    if (!is_dry(graph))
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           "%s: the graph is that of a dry run: cushim_arena_stats() says what "
                           "memory it needs, and it must be recorded again with another arena",
                           scope->call);
}

cushim_status cushim__graph_of_recording(const struct cushim__scope *scope,
                                         struct cushim__stream *stream, uint64_t *ret_id)
{
    struct cushim__recording *recording = NULL;
    struct cushim__graph *graph;
    CUgraph cu = NULL;
    cushim_status status = CUSHIM_OK;

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

/* The graph becomes a part of another one. The driver cannot capture the launch of a graph. */
static cushim_status record(const struct cushim__scope *scope, struct cushim__graph *graph,
                            struct cushim__recording *parent)
{
    struct cushim__capture capture;
    CUgraphNode node = NULL;

    if (graph->recording->allocates)
        return cushim__fail_at(CUSHIM_ERROR_CAPTURING, scope->call, scope->label,
                               "%s: a graph whose nodes allocate (.memory_nodes) cannot be a part "
                               "of another one",
                               scope->call);
    CUSHIM_TRY(cushim__capture_ask(scope, parent, &capture));
    CUSHIM_TRY(CU_CALL(scope, cuGraphAddChildGraphNode,
                       (&node, capture.graph, capture.nodes, capture.n, graph->cu)));
    cushim__recording_keep(parent, &graph->object);
    return cushim__recording_add_node(scope, parent, node);
}

cushim_status cushim__graph_launch(struct cushim__scope *scope, struct cushim__graph *graph,
                                   struct cushim__stream *stream)
{
    struct cushim__submission s = {.scope = scope,
                                   .timeline = stream->timeline,
                                   .accesses = graph->accesses,
                                   .n = graph->n,
                                   .recordable = true};
    cushim_status status;

    CUSHIM_TRY(check_not_dry(scope, graph));
    CUSHIM_TRY(cushim__submit_begin(&s));
    if (stream->timeline->branch)
        status = record(scope, graph, stream->timeline->branch->recording);
    else
        status = CU_CALL(scope, cuGraphLaunch, (graph->exec, stream->cu));
    cushim__submit_end(&s);
    return status;
}

cushim_status cushim__graph_upload(struct cushim__scope *scope, struct cushim__graph *graph,
                                   struct cushim__stream *stream)
{
    struct cushim__submission s;
    cushim_status status;

    CUSHIM_TRY(check_not_dry(scope, graph));
    CUSHIM_TRY(cushim__submit_plain(&s, scope, stream->timeline));
    status = CU_CALL(scope, cuGraphUpload, (graph->exec, stream->cu));
    cushim__submit_end(&s);
    return status;
}
