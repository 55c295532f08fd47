/* SPDX-License-Identifier: MIT */
/*
 * Bodies of conditional nodes. The conditional node is the last work of the outer recording as long
 * as its bodies are recorded: what memory it uses is known only when they have ended.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "core/order/recording_works.h"

static cushim_status fail_memory(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                           "%s: no memory to record", scope->call);
}

cushim_status cushim__recording_check_bodies(const struct cushim__scope *scope,
                                             const struct cushim__recording *recording)
{
    if (!recording->n_open)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_CAPTURING, scope->call, scope->label,
                           "%s: the bodies of a conditional node come first: "
                           "cushim_capture_end_body() ends each of them",
                           scope->call);
}

cushim_status cushim__recording_check_outside(const struct cushim__scope *scope,
                                              const struct cushim__timeline *timeline,
                                              const char *what)
{
    if (!timeline->branch || !timeline->branch->recording->outer)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_CAPTURING, scope->call, scope->label,
                           "%s: the body of a conditional node cannot have %s: only launches, "
                           "copies, fills, and graphs of these",
                           scope->call, what);
}

/* --- begin --- */

static cushim_status start(const struct cushim__scope *scope, struct cushim__stream *stream,
                           struct cushim__recording *body, CUgraph graph)
{
    cushim_status status = cushim__recording_count(scope);

    if (status)
        return status;
    status = CU_CALL(scope, cuStreamBeginCaptureToGraph,
                     (body->cu, graph, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
    if (status)
        cushim__recording_forget(scope);
    else
        cushim__branch_set(stream->timeline, body->branches);
    return status;
}

cushim_status cushim__recording_begin_body(const struct cushim__scope *scope,
                                           struct cushim__stream *stream,
                                           const struct cushim__recording_wish *wish, CUgraph graph,
                                           CUgraphNode conditional)
{
    struct cushim__recording *body = cushim__recording_new(stream, wish);
    struct cushim__recording *outer = wish->outer;
    cushim_status status = body ? start(scope, stream, body, graph) : fail_memory(scope);

    if (status) {
        cushim__recording_free(body);
        return status;
    }
    body->conditional = conditional;
    body->condition = wish->condition;
    body->part = wish->part;
    body->is_open = true;
    body->next_body = outer->bodies;
    outer->bodies = body;
    outer->n_open++;
    return CUSHIM_OK;
}

/* --- end --- */

static void close_body(struct cushim__recording *body)
{
    body->is_open = false;
    body->outer->n_open--;
}

/* The graph of a body belongs to its node. */
void cushim__recording_give_up(const struct cushim__scope *scope,
                               struct cushim__recording *recording, CUgraph *ret_graph)
{
    CUgraph graph = NULL;

    for (struct cushim__recording *b = recording->bodies; b; b = b->next_body)
        if (b->is_open)
            cushim__recording_give_up(scope, b, &graph);
    cushim__recording_detach(recording);
    graph = NULL;
    if (CU_FN(scope->table, cuStreamEndCapture)(recording->cu, &graph) &&
        !cushim__recording_may_end(recording))
        cushim__log(
            CUSHIM_LOG_ERROR,
            "%s: the CUstream records for ever: in this capture mode, the thread that began "
            "the recording ends it, or frees the stream",
            scope->call);
    cushim__recording_forget(scope);
    if (recording->outer) {
        close_body(recording);
        recording->outer->broken = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
        graph = NULL;
    }
    *ret_graph = graph;
}

void cushim__recording_free_bodies(struct cushim__recording *recording)
{
    while (recording->bodies) {
        struct cushim__recording *body = recording->bodies;

        recording->bodies = body->next_body;
        cushim__recording_free(body);
    }
    if (recording->setter)
        cushim__handle_close(recording->setter, CUSHIM__HANDLE_MODULE, "cushim_graph_free");
    if (recording->loop)
        cushim__object_close(&recording->loop->view.object,
                             cushim__handle_kind_of(recording->loop->view.object),
                             "cushim_graph_free");
    free(recording->loop);
}

/* Finds what the conditional node comes after: also what it came after so far. */
static bool find_before(struct cushim__recording *outer, const struct cushim__access *accesses,
                        size_t n)
{
    const struct cushim__recorded *work = &outer->works[cushim__recording_last(outer)];
    struct cushim__numbers *found = &outer->found;
    size_t kept = 0;

    cushim__search_begin(outer);
    for (size_t i = 0; i < work->n_before; i++)
        if (!cushim__search_add(outer, outer->before.items[work->first_before + i]))
            return false;
    for (size_t i = 0; i < n; i++)
        if (!cushim__recorded_memory_find(outer, &accesses[i]))
            return false;
    /* Another body has used the memory. */
    for (size_t i = 0; i < found->n; i++)
        if (found->items[i] != cushim__recording_last(outer))
            found->items[kept++] = found->items[i];
    found->n = kept;
    cushim__search_leave_out(outer);
    return cushim__numbers_reserve(&outer->before, outer->before.n + found->n) &&
           cushim__grow(&outer->accesses, &outer->max_accesses, outer->n_accesses + n,
                        sizeof(*outer->accesses));
}

static bool is_before(const struct cushim__recording *outer, unsigned number)
{
    const struct cushim__recorded *work = &outer->works[cushim__recording_last(outer)];

    for (size_t i = 0; i < work->n_before; i++)
        if (outer->before.items[work->first_before + i] == number)
            return true;
    return false;
}

/* Adds edges from the nodes of a work to the conditional node. */
static cushim_status add_edges(const struct cushim__scope *scope,
                               const struct cushim__recording *outer, CUgraph graph,
                               const struct cushim__recorded *from, CUgraphNode to)
{
    for (size_t i = 0; i < from->n_nodes; i++)
        CUSHIM_TRY(CU_CALL(scope, cuGraphAddDependencies,
                           (graph, &outer->nodes[from->first_node + i], &to, 1)));
    return CUSHIM_OK;
}

/* Its list of what it comes after is the last one, and grows. */
static cushim_status come_after(const struct cushim__scope *scope, struct cushim__recording *outer,
                                CUgraphNode conditional)
{
    struct cushim__recorded *work = &outer->works[cushim__recording_last(outer)];
    struct cushim__capture capture;

    /* The order by hand was checked as each work of the body was recorded. */
    if (outer->order == CUSHIM__ORDER_BY_HAND)
        return CUSHIM_OK;
    CUSHIM_TRY(cushim__capture_ask(scope, outer, &capture));
    for (size_t i = 0; i < outer->found.n; i++) {
        const unsigned number = outer->found.items[i];

        if (is_before(outer, number))
            continue;
        CUSHIM_TRY(add_edges(scope, outer, capture.graph, &outer->works[number], conditional));
        outer->before.items[outer->before.n++] = number;
        work->n_before++;
    }
    return CUSHIM_OK;
}

/* The conditional node uses what its body does. */
static cushim_status use_memory(const struct cushim__scope *scope, struct cushim__recording *body)
{
    struct cushim__recording *outer = body->outer;
    size_t n = 0;
    struct cushim__access *accesses = cushim__recorded_memory_list(body, &n);
    cushim_status status;

    status = accesses && find_before(outer, accesses, n)
                 ? come_after(scope, outer, body->conditional)
                 : fail_memory(scope);
    for (size_t i = 0; !status && i < n; i++) {
        outer->accesses[outer->n_accesses++] = accesses[i];
        outer->works[cushim__recording_last(outer)].n_accesses++;
        cushim__recorded_memory_note(outer, &accesses[i]);
    }
    free(accesses);
    return status;
}

/* Under the stream lock. */
static cushim_status end_body(const struct cushim__scope *scope, struct cushim__recording *body)
{
    cushim_status status, ended;
    CUgraph graph = NULL;

    CUSHIM_TRY(cushim__recording_check_bodies(scope, body));
    status = cushim__recording_come_together(scope, body);
    cushim__recording_detach(body);
    ended = cushim__recording_end_capture(scope, body, &graph);
    close_body(body);
    if (!status)
        status = ended;
    if (!status)
        status = body->broken;
    if (!status)
        status = use_memory(scope, body);
    if (status)
        body->outer->broken = status;
    return status;
}

bool cushim__recording_is_body(struct cushim__stream *stream)
{
    struct cushim__timeline *timeline = stream->timeline;
    const struct cushim__recording *body;
    bool is;

    cushim__timeline_lock(timeline);
    body = timeline->branch ? timeline->branch->recording : NULL;
    is = body && body->outer && body->by == stream;
    cushim__timeline_unlock(timeline);
    return is;
}

cushim_status cushim__recording_end_body(const struct cushim__scope *scope,
                                         struct cushim__stream *stream)
{
    struct cushim__timeline *timeline = stream->timeline;
    struct cushim__recording *body;
    cushim_status status;

    cushim__timeline_lock(timeline);
    body = timeline->branch ? timeline->branch->recording : NULL;
    if (body && body->outer && body->by == stream)
        status = end_body(scope, body);
    else
        status = cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                                 !body && stream->recorder
                                     ? "%s: the recording has ended, so there is no body to end; "
                                       "cushim_stream_free() frees its stream"
                                     : "%s: not the recorder of a body: cushim_capture_if(), "
                                       "cushim_capture_while() and cushim_capture_switch() return "
                                       "them",
                                 scope->call);
    cushim__timeline_unlock(timeline);
    return status;
}
