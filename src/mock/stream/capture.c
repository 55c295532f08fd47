/* SPDX-License-Identifier: MIT */
#include "mock/stream/capture.h"

#include <stdlib.h>

#include "mock/base/green.h"
#include "mock/base/state.h"
#include "mock/base/upcalls.h"
#include "mock/queue/work.h"
#include "mock/stream/event.h"
#include "mock/stream/stream.h"

#define GLOBAL       CU_STREAM_CAPTURE_MODE_GLOBAL
#define THREAD_LOCAL CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
#define RELAXED      CU_STREAM_CAPTURE_MODE_RELAXED

static struct cushim__tree captures; /* by number */
static size_t n_strict;              /* those that do not let everything pass */
static uint64_t last_id;

/* Another number than those of modes is taken, too, and is as good as the local one. */
static _Thread_local int thread_mode = GLOBAL;

/*
 * Returns a number for the calling thread that no other thread ever gets. A pthread_t may be used
 * again after its thread has ended.
 */
static uint64_t this_thread(void)
{
    static _Thread_local uint64_t number;
    static uint64_t last_number;

    if (!number)
        number = ++last_number;
    return number;
}

int mock__capture_thread_mode(int mode)
{
    const int before = thread_mode;

    thread_mode = mode;
    return before;
}

/* A capture that went wrong stays: its streams answer errors until it is ended. */
static CUresult invalidate(struct mock__capture *capture, CUresult why)
{
    capture->invalid = true;
    return why;
}

static struct mock__capture *find(uint64_t id)
{
    return CUSHIM__TREE_MEMBER(cushim__tree_find(&captures, id, 0), struct mock__capture, by_id);
}

static struct mock__capture *first_capture(void)
{
    return CUSHIM__TREE_MEMBER(cushim__tree_first(&captures), struct mock__capture, by_id);
}

static struct mock__capture *next_capture(const struct mock__capture *capture)
{
    return CUSHIM__TREE_MEMBER(cushim__tree_next(&capture->by_id), struct mock__capture, by_id);
}

/* --- checks that calls make before they do something --- */

static bool has_blocking_stream(const struct mock__capture *capture,
                                const struct mock__context *context)
{
    for (const struct mock__stream *stream = capture->members; stream; stream = stream->next_member)
        if (stream->context == context && stream->queue->blocking)
            return true;
    return false;
}

bool mock__capture_implied(const struct mock__stream *stream)
{
    return stream->queue->legacy && stream->context->capturing_blocking;
}

/*
 * Work in the legacy stream must wait for the blocking streams of its context. A capture only
 * records their work, so there is nothing that it could wait for.
 */
static CUresult check_legacy(const struct mock__stream *stream)
{
    if (!stream->context->capturing_blocking)
        return CUDA_SUCCESS;
    for (struct mock__capture *one = first_capture(); one; one = next_capture(one))
        if (has_blocking_stream(one, stream->context))
            invalidate(one, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

CUresult mock__capture_check(struct mock__stream *stream)
{
    if (stream->queue->legacy)
        return check_legacy(stream);
    return stream->capture && stream->capture->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                                                       : CUDA_SUCCESS;
}

CUresult mock__capture_refuse(struct mock__stream *stream)
{
    MOCK__TRY(mock__capture_check(stream));
    return stream->capture ? invalidate(stream->capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
                           : CUDA_SUCCESS;
}

/*
 * Tells whether a capture forbids the calling thread to make a call that may wait: the modes of
 * CUstreamCaptureMode.
 */
static bool forbids(const struct mock__capture *capture)
{
    if (thread_mode == RELAXED)
        return false;
    if (capture->thread == this_thread())
        return capture->mode != RELAXED;
    return thread_mode == GLOBAL && capture->mode == GLOBAL;
}

CUresult mock__capture_unsafe(void)
{
    CUresult result = CUDA_SUCCESS;

    for (struct mock__capture *one = n_strict ? first_capture() : NULL; one;
         one = next_capture(one))
        if (forbids(one))
            result = invalidate(one, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    return result;
}

CUresult mock__capture_asked(struct mock__stream *stream)
{
    MOCK__TRY(mock__capture_refuse(stream));
    return mock__capture_unsafe();
}

/*
 * An event that was recorded by a capture names nodes of a graph. It has no work that could be
 * waited for, so asking for it is an error.
 */
CUresult mock__capture_event_asked(const struct mock__event *event)
{
    struct mock__capture *capture = event->captured_by ? find(event->captured_by) : NULL;

    if (capture)
        invalidate(capture, CUDA_ERROR_CAPTURED_EVENT);
    return event->captured_by ? CUDA_ERROR_CAPTURED_EVENT : mock__capture_unsafe();
}

/* Of a green context: only its own streams count. */
static CUresult refuse(const struct mock__context *context, uintptr_t green)
{
    const struct mock__stream *stream;
    CUresult result = CUDA_SUCCESS;

    if (!context->capturing)
        return CUDA_SUCCESS;
    for (struct mock__capture *one = first_capture(); one; one = next_capture(one))
        for (stream = one->members; stream; stream = stream->next_member)
            if (stream->context == context && (!green || stream->green == green))
                result = invalidate(one, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    return result;
}

CUresult mock__capture_context_refuse(const struct mock__context *context)
{
    return refuse(context, 0);
}

CUresult mock__capture_green_refuse(const struct mock__green *green)
{
    return refuse(green->primary, green->object.handle);
}

CUresult mock__capture_event_refuse(const struct mock__event *event)
{
    struct mock__capture *capture = event->captured_by ? find(event->captured_by) : NULL;

    return capture ? invalidate(capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) : CUDA_SUCCESS;
}

bool mock__capture_has_event(const struct mock__event *event)
{
    return event->captured_by && find(event->captured_by);
}

/* --- nodes --- */

/* Makes the new node the only dependency of the stream's next node. */
static CUresult advance(struct mock__stream *stream, const struct mock__node *node)
{
    const CUgraphNode handle = MOCK__HANDLE(node);

    mock__capture_dependencies_empty(&stream->dependencies);
    if (mock__capture_dependencies_add(&stream->dependencies, &handle, NULL, 1))
        return CUDA_SUCCESS;
    return invalidate(stream->capture, CUDA_ERROR_OUT_OF_MEMORY);
}

static CUresult added(struct mock__stream *stream, CUresult result, const struct mock__node *node)
{
    return result == CUDA_SUCCESS ? advance(stream, node) : invalidate(stream->capture, result);
}

/*
 * Tells whether a node of this work belongs to a context. Other nodes have none, whatever stream
 * they were captured in.
 */
static bool needs_context(const struct mock__work *work)
{
    return work->type->node == CU_GRAPH_NODE_TYPE_MEMCPY ||
           work->type->node == CU_GRAPH_NODE_TYPE_MEMSET ||
           work->type->node == CU_GRAPH_NODE_TYPE_EVENT_RECORD ||
           work->type->node == (CUgraphNodeType) MOCK__NODE_BATCH_MEM_OP;
}

CUresult mock__capture_add(struct mock__stream *stream, struct mock__work *work)
{
    const struct mock__capture_dependencies *dependencies = &stream->dependencies;
    struct mock__node *node = NULL;
    CUresult result;

    if (!work->type->copy) {
        mock__work_free(work);
        return invalidate(stream->capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    if (needs_context(work))
        work->context = MOCK__HANDLE(stream->context);
    if (stream->green && work->context)
        work->context = (CUcontext) stream->green;
    if (work->type->node == CU_GRAPH_NODE_TYPE_KERNEL &&
        mock__upcalls.kernel_priority(work, stream->priority) != CUDA_SUCCESS) {
        mock__work_free(work);
        return invalidate(stream->capture, CUDA_ERROR_OUT_OF_MEMORY);
    }
    result = mock__node_add(
        stream->capture->graph,
        &(struct mock__predecessors){dependencies->nodes, dependencies->data, dependencies->n},
        work, &node);
    return added(stream, result, node);
}

CUresult mock__capture_alloc(struct mock__stream *stream, size_t bytes, CUdeviceptr *ret_address)
{
    struct mock__work *work = NULL;
    CUdeviceptr address = 0;

    MOCK__TRY(mock__upcalls.alloc_work(stream->context, bytes, &work, &address));
    MOCK__TRY(mock__capture_add(stream, work));
    *ret_address = address;
    return CUDA_SUCCESS;
}

CUresult mock__capture_free(struct mock__stream *stream, CUdeviceptr address)
{
    struct mock__work *work = NULL;

    MOCK__TRY(mock__upcalls.free_work(MOCK__HANDLE(stream->capture->graph), address, &work));
    return mock__capture_add(stream, work);
}

static bool all_in(const struct mock__graph *graph, const CUgraphNode *nodes, size_t n)
{
    struct mock__node *node = NULL;

    for (size_t i = 0; i < n; i++)
        if (mock__node_find(nodes[i], &node) != CUDA_SUCCESS || node->graph != graph)
            return false;
    return true;
}

CUresult mock__capture_depend(struct mock__stream *stream, const CUgraphNode *nodes,
                              const struct mock__edge_data *data, size_t n, bool instead)
{
    MOCK__REQUIRE(all_in(stream->capture->graph, nodes, n), CUDA_ERROR_INVALID_VALUE);
    if (instead)
        mock__capture_dependencies_empty(&stream->dependencies);
    return mock__capture_dependencies_add(&stream->dependencies, nodes, data, n)
               ? CUDA_SUCCESS
               : CUDA_ERROR_OUT_OF_MEMORY;
}

/* --- events --- */

CUresult mock__capture_record(struct mock__stream *stream, struct mock__event *event)
{
    const struct mock__capture_dependencies *dependencies = &stream->dependencies;

    mock__event_forget(event);
    MOCK__REQUIRE(mock__capture_dependencies_add(&event->dependencies, dependencies->nodes,
                                                 dependencies->data, dependencies->n),
                  CUDA_ERROR_OUT_OF_MEMORY);
    event->captured_by = stream->capture->id;
    return CUDA_SUCCESS;
}

/*
 * Waits for an event that was recorded outside of the capture. The caller must say so with
 * CU_EVENT_WAIT_EXTERNAL; the wait then becomes a node.
 */
static CUresult wait_external(struct mock__stream *stream, const struct mock__event *event)
{
    struct mock__work *work = NULL;

    MOCK__TRY(mock__event_wait_work(MOCK__HANDLE(event), &work));
    return mock__capture_add(stream, work);
}

/* Without that flag, work of a graph must not wait for work outside of it. */
static CUresult wait_isolated(struct mock__stream *stream)
{
    return invalidate(stream->capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
}

/* A stream that waits for an event of a capture joins that capture. */
static CUresult take_along(struct mock__stream *stream, const struct mock__event *event,
                           struct mock__capture *capture)
{
    const struct mock__capture_dependencies *dependencies = &event->dependencies;

    MOCK__REQUIRE(!capture->invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    if (stream->queue->legacy)
        return invalidate(capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    if (stream->capture && stream->capture != capture) {
        stream->capture->invalid = true;
        return invalidate(capture, CUDA_ERROR_STREAM_CAPTURE_MERGE);
    }
    MOCK__REQUIRE(mock__capture_dependencies_add(&stream->dependencies, dependencies->nodes,
                                                 dependencies->data, dependencies->n),
                  CUDA_ERROR_OUT_OF_MEMORY);
    mock__capture_join(stream, capture);
    return CUDA_SUCCESS;
}

CUresult mock__capture_wait(struct mock__stream *stream, struct mock__event *event, bool external)
{
    struct mock__capture *capture = event->captured_by ? find(event->captured_by) : NULL;

    if (external && stream->capture)
        return wait_external(stream, event);
    if (capture)
        return take_along(stream, event, capture);
    /* Nothing is waited for. */
    if (!event->captured_by && !event->mark)
        return CUDA_SUCCESS;
    /* The event was recorded by a capture that has ended, so there is nothing to wait for. */
    return stream->capture ? wait_isolated(stream) : CUDA_ERROR_CAPTURED_EVENT;
}

/* --- begin and end --- */

static struct mock__capture *new_capture(struct mock__stream *stream, int mode,
                                         struct mock__graph *graph)
{
    struct mock__capture *capture = calloc(1, sizeof(*capture));

    if (capture)
        capture->graph = graph ? graph : mock__graph_new();
    if (!capture || !capture->graph) {
        free(capture);
        return NULL;
    }
    capture->id = ++last_id;
    capture->mode = mode;
    capture->thread = this_thread();
    capture->origin = stream;
    capture->given = graph != NULL;
    capture->graph->captures++;
    cushim__tree_add(&captures, &capture->by_id, capture->id, 0);
    n_strict += mode != RELAXED;
    return capture;
}

CUresult mock__capture_begin(struct mock__stream *stream, int mode, struct mock__graph *graph,
                             const CUgraphNode *nodes, const struct mock__edge_data *data, size_t n)
{
    struct mock__capture_dependencies dependencies = {0};
    struct mock__capture *capture;

    /* The legacy stream waits for all blocking streams, so its work cannot be captured alone. */
    MOCK__REQUIRE(!stream->queue->legacy, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    MOCK__REQUIRE(mode >= GLOBAL && mode <= RELAXED, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!stream->capture, CUDA_ERROR_ILLEGAL_STATE);
    MOCK__REQUIRE((nodes || !n) && (!graph || all_in(graph, nodes, n)), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(mock__capture_dependencies_add(&dependencies, nodes, data, n),
                  CUDA_ERROR_OUT_OF_MEMORY);
    capture = new_capture(stream, mode, graph);
    if (!capture) {
        mock__capture_dependencies_clear(&dependencies);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    mock__capture_join(stream, capture);
    mock__capture_dependencies_clear(&stream->dependencies);
    stream->dependencies = dependencies;
    return CUDA_SUCCESS;
}

/*
 * Checks that all nodes of the other streams come before the last node of the origin: such streams
 * must have been joined by an event.
 */
static CUresult check_joined(const struct mock__capture *capture)
{
    const struct mock__stream *stream = capture->members;
    bool joined = true;

    /* A graph that was there before may be large: all of it is nothing to look at for one stream.
     */
    if (!stream->next_member && !capture->left.n)
        return CUDA_SUCCESS;
    MOCK__TRY(
        mock__capture_dependencies_mark_behind(capture->graph, &capture->origin->dependencies));
    for (; joined && stream; stream = stream->next_member)
        joined = mock__capture_dependencies_is_marked(&stream->dependencies);
    return joined && mock__capture_dependencies_is_marked(&capture->left)
               ? CUDA_SUCCESS
               : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}

/*
 * Ends a capture and frees it. Returns the graph if keep is true, or NULL. A graph that the caller
 * has given is not freed.
 */
static struct mock__graph *end(struct mock__capture *capture, bool keep)
{
    struct mock__graph *graph = capture->graph;

    while (capture->members)
        mock__capture_part(capture->members);
    cushim__tree_remove(&captures, &capture->by_id);
    n_strict -= capture->mode != RELAXED;
    graph->captures--;
    if (!keep && !capture->given)
        mock__graph_free(graph);
    mock__capture_dependencies_clear(&capture->left);
    free(capture);
    return keep ? graph : NULL;
}

static CUresult check_end(const struct mock__capture *capture)
{
    MOCK__REQUIRE(!capture->invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    return check_joined(capture);
}

CUresult mock__capture_end(struct mock__stream *stream, struct mock__graph **ret_graph)
{
    struct mock__capture *capture = stream->capture;
    CUresult result;

    MOCK__REQUIRE(capture, CUDA_ERROR_ILLEGAL_STATE);
    if (capture->origin != stream)
        return invalidate(capture, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    MOCK__REQUIRE(capture->mode == RELAXED || capture->thread == this_thread(),
                  CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    result = check_end(capture);
    *ret_graph = end(capture, result == CUDA_SUCCESS);
    return result;
}

void mock__capture_leave(struct mock__stream *stream)
{
    struct mock__capture *capture = stream->capture;
    const struct mock__capture_dependencies *dependencies = &stream->dependencies;

    if (!capture)
        return;
    if (capture->origin == stream)
        end(capture, false);
    /*
     * A stream that is destroyed may leave nodes that the origin has not waited for. They are kept,
     * so that the end of the capture can check them.
     */
    else if (!mock__capture_dependencies_add(&capture->left, dependencies->nodes,
                                             dependencies->data, dependencies->n))
        capture->invalid = true;
    mock__capture_part(stream);
}
