/* SPDX-License-Identifier: MIT */
#include <cushim/node.h>

#include "core/graph/update.h"
#include "core/order/recording.h"

cushim_status cushim_capture_node(cushim_stream recorder, cushim_node *ret_node)
{
    struct cushim__stream *stream;
    struct cushim__scope scope;

    CHECK_OUTPUT(ret_node);
    CUSHIM_TRY(cushim__stream_enter(recorder.id, __func__, &scope, &stream));
    return cushim__scope_leave(&scope, cushim__recording_node(&scope, stream->timeline, ret_node));
}

cushim_status cushim_capture_after(cushim_stream recorder, const cushim_node *nodes, size_t n)
{
    struct cushim__stream *stream;
    struct cushim__scope scope;

    if (!nodes && n)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: nodes is NULL", __func__);
    CUSHIM_TRY(cushim__stream_enter(recorder.id, __func__, &scope, &stream));
    return cushim__scope_leave(&scope, cushim__recording_after(&scope, stream->timeline, nodes, n));
}

cushim_status cushim_capture_empty(cushim_stream recorder)
{
    struct cushim__stream *stream;
    struct cushim__scope scope;

    CUSHIM_TRY(cushim__stream_enter(recorder.id, __func__, &scope, &stream));
    return cushim__scope_leave(&scope, cushim__recording_empty(&scope, stream->timeline));
}

/* --- updates --- */

cushim_status cushim_graph_update_begin(cushim_graph graph, cushim_stream *ret_recorder)
{
    struct cushim__stream *stream = NULL;
    struct cushim__graph *object;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_recorder);
    CUSHIM_TRY(cushim__object_enter(graph.id, CUSHIM__HANDLE_GRAPH, __func__, &scope, &object));
    status = cushim__graph_update_begin(&scope, object, &stream);
    if (!status)
        status = cushim__object_give(&stream->object, __func__, &ret_recorder->id);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_graph_update_node(cushim_stream recorder, cushim_node node)
{
    struct cushim__stream *stream;
    struct cushim__scope scope;

    CUSHIM_TRY(cushim__stream_enter(recorder.id, __func__, &scope, &stream));
    return cushim__scope_leave(&scope, cushim__graph_update_node(&scope, stream, node));
}

cushim_status cushim_graph_update_end(cushim_stream *recorder)
{
    struct cushim__stream *stream;
    struct cushim__scope scope;
    cushim_status status;
    bool is_freed = false;

    CHECK_OUTPUT(recorder);
    status = cushim__object_enter(recorder->id, CUSHIM__HANDLE_STREAM, __func__, &scope, &stream);
    if (!status) {
        status = cushim__graph_update_end(&scope, stream);
        is_freed = stream->recorder && !cushim__recording_goes_on(stream, status);
        status = cushim__scope_leave(&scope, status);
    }
    if (is_freed)
        cushim__object_close(&recorder->id, CUSHIM__HANDLE_STREAM, __func__);
    return status;
}

/* --- changes of one graph --- */

/* Other memory, which may be a view's, has nothing to do with slices in a graph. */
static cushim_status pin(struct cushim__scope *scope, cushim_slice slice,
                         struct cushim__resolved_view *ret_span)
{
    CUSHIM_TRY(cushim__slice_check(slice.id, scope->call));
    return cushim__span_pin_here(scope, cushim__whole(slice.id), false, ret_span);
}

static cushim_status replace(struct cushim__scope *scope, struct cushim__graph *graph,
                             cushim_slice old, cushim_slice by)
{
    struct cushim__resolved_view old_span, by_span;
    cushim_status status;

    CUSHIM_TRY(pin(scope, old, &old_span));
    status = pin(scope, by, &by_span);
    if (!status) {
        status = cushim__graph_replace(scope, graph, &old_span, &by_span);
        cushim__span_unpin(&by_span);
    }
    cushim__span_unpin(&old_span);
    return status;
}

cushim_status cushim_graph_replace(cushim_graph graph, cushim_slice old, cushim_slice by)
{
    struct cushim__graph *object;
    struct cushim__scope scope;

    CUSHIM_TRY(cushim__object_enter(graph.id, CUSHIM__HANDLE_GRAPH, __func__, &scope, &object));
    return cushim__scope_leave(&scope, replace(&scope, object, old, by));
}

cushim_status cushim_graph_set_enabled(cushim_graph graph, cushim_node node, int enabled)
{
    struct cushim__graph *object;
    struct cushim__scope scope;

    CUSHIM_TRY(cushim__object_enter(graph.id, CUSHIM__HANDLE_GRAPH, __func__, &scope, &object));
    return cushim__scope_leave(&scope,
                               cushim__graph_set_enabled(&scope, object, node, enabled != 0));
}

cushim_status cushim_graph_enabled(cushim_graph graph, cushim_node node, int *ret_enabled)
{
    struct cushim__graph *object;
    struct cushim__scope scope;
    unsigned enabled = 0;
    cushim_status status;

    CHECK_OUTPUT(ret_enabled);
    CUSHIM_TRY(cushim__object_enter(graph.id, CUSHIM__HANDLE_GRAPH, __func__, &scope, &object));
    status = cushim__graph_enabled(&scope, object, node, &enabled);
    if (!status)
        *ret_enabled = enabled != 0;
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_graph_node(cushim_graph graph, size_t number, cushim_node *ret_node)
{
    const struct cushim__graph *object;
    cushim_status status = CUSHIM_OK;

    CHECK_OUTPUT(ret_node);
    object = cushim__handle_pin(graph.id, CUSHIM__HANDLE_GRAPH, __func__);
    if (!object)
        return cushim__error()->status;
    if (number < object->recording->n_works)
        *ret_node = (cushim_node){object->recording->id, number};
    else
        status = cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                              "%s: node %zu of a graph that has %zu nodes", __func__, number,
                              object->recording->n_works);
    cushim__handle_unpin(graph.id);
    return status;
}
