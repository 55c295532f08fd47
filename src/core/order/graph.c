/* SPDX-License-Identifier: MIT */
#include "core/order/graph.h"
#include "core/object/host_call.h"
#include "core/order/wait.h"

#include <stdlib.h>

/* --- what is recorded --- */

bool cushim__recording_reserve(struct cushim__recording *recording, size_t n)
{
    const size_t max = 2 * recording->max + n;
    struct cushim__access *accesses;

    if (recording->n + n <= recording->max)
        return true;
    accesses = realloc(recording->accesses, max * sizeof(*accesses));
    if (!accesses)
        return false;
    recording->accesses = accesses;
    recording->max = max;
    return true;
}

/*
 * Adds an access, or joins it to one of the same bytes, so that a long recording of few buffers
 * stays short.
 */
static void note(struct cushim__recording *recording, const struct cushim__access *access)
{
    for (size_t i = 0; i < recording->n; i++) {
        struct cushim__access *known = &recording->accesses[i];

        if (known->buffer == access->buffer && known->begin == access->begin &&
            known->end == access->end) {
            known->write |= access->write;
            return;
        }
    }
    cushim__buffer_hold(access->buffer);
    recording->accesses[recording->n++] = *access;
}

void cushim__recording_note(struct cushim__recording *recording,
                            const struct cushim__access *accesses, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct cushim__buffer *code = accesses[i].buffer->code;

        if (accesses[i].begin != accesses[i].end)
            note(recording, &accesses[i]);
        if (code)
            note(recording, &(struct cushim__access){code, 0, 1, true});
    }
}

void cushim__recording_call(struct cushim__recording *recording,
                            struct cushim__host_call *host_call)
{
    host_call->recorded = recording->host_calls;
    recording->host_calls = host_call;
}

/*
 * Releases everything that the recording holds. The caller holds no lock, because this may drop the
 * last reference on a buffer, and freeing that takes locks.
 */
static void free_recording(struct cushim__recording *recording)
{
    if (!recording)
        return;
    while (recording->host_calls) {
        struct cushim__host_call *call = recording->host_calls;

        recording->host_calls = call->recorded;
        cushim__host_call_drop(call);
    }
    for (size_t i = 0; i < recording->n; i++)
        cushim__buffer_release(recording->accesses[i].buffer, "cushim_graph_free");
    free(recording->accesses);
    free(recording);
}

/* The recording is read under the stream lock, because another thread may end it. */
cushim_status cushim__check_not_recording(const struct cushim__scope *scope,
                                          struct cushim__timeline *timeline, const char *what)
{
    bool records;

    /* A stream that records was so before any thread knew it. */
    if (__builtin_expect(!timeline->not_fast, 1))
        return CUSHIM_OK;
    cushim__timeline_lock(timeline);
    records = timeline->recording;
    cushim__timeline_unlock(timeline);
    if (__builtin_expect(!records, 1))
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_CAPTURING, scope->call, scope->label,
                           "%s: the stream records for a graph, nothing runs on it: %s is not "
                           "possible before cushim_capture_end()",
                           scope->call, what);
}

/* --- recording --- */

/*
 * Counts a recording that begins. While a stream records, a wait for the whole context is refused,
 * and the other way round: the driver would give up the recording.
 */
static cushim_status count_recording(const struct cushim__scope *scope)
{
    bool waits;

    cushim__lock(scope->context);
    waits = scope->context->waits != 0;
    scope->context->recordings += !waits;
    cushim__unlock(scope->context);
    if (!waits)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_BUSY, scope->call, scope->label,
                           "%s: another thread waits for the context: begin when it is done",
                           scope->call);
}

/* Called when the driver has ended the recording. */
static void forget_recording(const struct cushim__scope *scope)
{
    cushim__lock(scope->context);
    scope->context->recordings--;
    cushim__unlock(scope->context);
}

/* No other thread knows the stream yet. */
static cushim_status start(const struct cushim__scope *scope, struct cushim__stream *stream)
{
    struct cushim__recording *recording = calloc(1, sizeof(*recording));
    cushim_status status;

    if (!recording)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                               "%s: no memory to record", scope->call);
    status = count_recording(scope);
    if (status) {
        free(recording);
        return status;
    }
    /*
     * Relaxed mode: the order comes from timelines, so the driver need not forbid calls of other
     * threads that could block or use the legacy stream.
     */
    status = CU_CALL(scope, cuStreamBeginCapture_v2, (stream->cu, CU_STREAM_CAPTURE_MODE_RELAXED));
    if (status) {
        forget_recording(scope);
        free(recording);
        return status;
    }
    cushim__timeline_lock(stream->timeline);
    cushim__lock(scope->context);
    stream->timeline->recording = recording;
    stream->timeline->not_fast = true;
    cushim__unlock(scope->context);
    cushim__timeline_unlock(stream->timeline);
    return CUSHIM_OK;
}

cushim_status cushim__recording_begin(const struct cushim__scope *scope,
                                      struct cushim__stream **ret_stream)
{
    struct cushim__stream *stream = NULL;
    CUstream cu = NULL;
    cushim_status status;

    CUSHIM_TRY(CU_CALL(scope, cuStreamCreateWithPriority, (&cu, CU_STREAM_NON_BLOCKING, 0)));
    CUSHIM_TRY(cushim__stream_new(scope, cu, true, &stream));
    stream->recorder = true;
    status = start(scope, stream);
    if (status)
        cushim__object_unref(&stream->object);
    else
        *ret_stream = stream;
    return status;
}

/*
 * Returns what the stream has recorded, which then belongs to the caller. Under the stream lock.
 * The caller ends the capture, and then calls forget_recording().
 */
static struct cushim__recording *take_recording(const struct cushim__scope *scope,
                                                struct cushim__stream *stream)
{
    struct cushim__recording *recording;

    cushim__lock(scope->context);
    recording = TAKE_PTR(stream->timeline->recording);
    cushim__unlock(scope->context);
    return recording;
}

/*
 * Ends the capture and throws the graph away. Errors are not reported again: the calls that failed
 * during the recording returned them.
 */
void cushim__recording_drop(const struct cushim__scope *scope, struct cushim__stream *stream)
{
    struct cushim__recording *recording;
    CUgraph graph = NULL;

    cushim__timeline_lock(stream->timeline);
    recording = take_recording(scope, stream);
    if (recording) {
        CU_FN(scope->table, cuStreamEndCapture)(stream->cu, &graph);
        forget_recording(scope);
    }
    cushim__timeline_unlock(stream->timeline);
    if (graph)
        CU_FREE(scope, cuGraphDestroy, (graph));
    free_recording(recording);
}

/* --- graphs --- */

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
    if (graph->recording->host_calls && !cushim__buffer_is_unused(&scope, graph->launches))
        graph->recording->host_calls = NULL;
    if (graph->exec)
        CU_FREE(&scope, cuGraphExecDestroy, (graph->exec));
    if (graph->cu)
        CU_FREE(&scope, cuGraphDestroy, (graph->cu));
    cushim__scope_leave(&scope, CUSHIM_OK);
    cushim__error_restore(&before);
    free_recording(graph->recording);
    cushim__buffer_delete(graph->launches);
    cushim__object_finish(&graph->object);
    free(graph);
    cushim__context_unref(context);
}

/* Makes a graph. It takes over the recording and the CUgraph, on failure too. */
static cushim_status make(const struct cushim__scope *scope, CUgraph cu,
                          struct cushim__recording *recording, struct cushim__graph **ret_graph)
{
    struct cushim__graph *graph = calloc(1, sizeof(*graph));
    struct cushim__buffer *launches =
        cushim__buffer_new(scope->context, CUSHIM__MEMORY_BORROWED, 0, NULL, 1, NULL, NULL);
    cushim_status status;

    if (!graph || !launches || !cushim__recording_reserve(recording, 1)) {
        free(graph);
        if (launches)
            cushim__buffer_delete(launches);
        free_recording(recording);
        CU_FREE(scope, cuGraphDestroy, (cu));
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                               "%s: no memory for a graph", scope->call);
    }
    cushim__object_init(&graph->object, CUSHIM__HANDLE_GRAPH, scope->context, destroy);
    cushim__context_ref(scope->context);
    graph->cu = cu;
    graph->recording = recording;
    graph->launches = launches;
    recording->accesses[recording->n] = (struct cushim__access){launches, 0, 1, false};
    status = CU_CALL(scope, cuGraphInstantiateWithFlags, (&graph->exec, cu, 0));
    if (status)
        cushim__object_unref(&graph->object);
    else
        *ret_graph = graph;
    return status;
}

cushim_status cushim__recording_end(const struct cushim__scope *scope,
                                    struct cushim__stream *stream, uint64_t *ret_id)
{
    struct cushim__graph *graph = NULL;
    struct cushim__recording *recording;
    cushim_status status = CUSHIM_OK;
    CUgraph cu = NULL;

    cushim__timeline_lock(stream->timeline);
    recording = take_recording(scope, stream);
    if (recording) {
        status = CU_CALL(scope, cuStreamEndCapture, (stream->cu, &cu));
        forget_recording(scope);
    }
    cushim__timeline_unlock(stream->timeline);
    if (!recording)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                               stream->recorder
                                   ? "%s: the recording has ended, by another handle of the stream"
                                   : "%s: not a stream of cushim_capture_begin()",
                               scope->call);
    if (status) {
        free_recording(recording);
        return status;
    }
    CUSHIM_TRY(make(scope, cu, recording, &graph));
    return cushim__object_give(&graph->object, scope->call, ret_id);
}

cushim_status cushim__graph_launch(struct cushim__scope *scope, struct cushim__graph *graph,
                                   struct cushim__stream *stream)
{
    struct cushim__submission s = {.scope = scope,
                                   .timeline = stream->timeline,
                                   .accesses = graph->recording->accesses,
                                   .n = graph->recording->n + 1};
    cushim_status status = cushim__submit_begin(&s);

    if (status)
        return status;
    status = CU_CALL(scope, cuGraphLaunch, (graph->exec, stream->cu));
    cushim__submit_end(&s);
    return status;
}

cushim_status cushim__graph_upload(struct cushim__scope *scope, struct cushim__graph *graph,
                                   struct cushim__stream *stream)
{
    struct cushim__submission s;
    cushim_status status = cushim__submit_plain(&s, scope, stream->timeline);

    if (status)
        return status;
    status = CU_CALL(scope, cuGraphUpload, (graph->exec, stream->cu));
    cushim__submit_end(&s);
    return status;
}
