/* SPDX-License-Identifier: MIT */
#include <cushim/graph.h>

#include "base/params.h"
#include "base/util.h"
#include "core/graph/graph.h"
#include "core/order/recording.h"

/*
 * By default the mode is the relaxed one: the order comes from memory, so the driver need not
 * forbid calls of other threads that could block or use the legacy stream.
 */
static cushim_status read_params(const struct cushim_capture_params *params, const char *call,
                                 struct cushim__recording_wish *ret_wish, uint64_t *ret_arena)
{
    static const int modes[] = {
        [CUSHIM_CAPTURE_MODE_RELAXED] = CU_STREAM_CAPTURE_MODE_RELAXED,
        [CUSHIM_CAPTURE_MODE_THREAD_LOCAL] = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
        [CUSHIM_CAPTURE_MODE_GLOBAL] = CU_STREAM_CAPTURE_MODE_GLOBAL,
    };
    static const enum cushim__recording_order orders[] = {
        [CUSHIM_CAPTURE_ORDER_BY_MEMORY] = CUSHIM__ORDER_BY_MEMORY,
        [CUSHIM_CAPTURE_ORDER_AS_RECORDED] = CUSHIM__ORDER_AS_RECORDED,
        [CUSHIM_CAPTURE_ORDER_BY_HAND] = CUSHIM__ORDER_BY_HAND,
    };
    struct cushim_capture_params given;

    CUSHIM_TRY(PARAMS_READ_FOR(call, cushim_capture_params, order, params, &given));
    if ((unsigned) given.mode >= ARRAY_SIZE(modes))
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "%s: .mode is %d, it must be one of enum cushim_capture_mode", call,
                            (int) given.mode);
    if ((unsigned) given.order >= ARRAY_SIZE(orders))
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "%s: .order is %d, it must be one of enum cushim_capture_order", call,
                            (int) given.order);
    if (given.arena.id && given.memory_nodes)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "%s: with .memory_nodes nodes of the graph allocate, and no .arena",
                            call);
    if (given.order == CUSHIM_CAPTURE_ORDER_BY_HAND && given.memory_nodes)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "%s: with .memory_nodes the order is not made by hand: what is freed "
                            "has a node that no call names",
                            call);
    *ret_wish = (struct cushim__recording_wish){.mode = modes[given.mode],
                                                .order = orders[given.order],
                                                .memory_nodes = given.memory_nodes != 0};
    *ret_arena = given.arena.id;
    return CUSHIM_OK;
}

/* Pins an arena, if there is one. */
static cushim_status pin_arena(const struct cushim__scope *scope, uint64_t id,
                               struct cushim__recording_wish *wish)
{
    if (!id)
        return CUSHIM_OK;
    wish->arena = cushim__handle_pin(id, CUSHIM__HANDLE_ARENA, scope->call);
    if (!wish->arena)
        return cushim__error()->status;
    if (wish->arena->object.context == scope->context)
        return CUSHIM_OK;
    cushim__handle_unpin(id);
    return cushim__fail_foreign(scope, "arena");
}

static void unpin_arena(uint64_t id)
{
    if (id)
        cushim__handle_unpin(id);
}

static cushim_status begin(cushim_context context, const struct cushim_capture_params *params,
                           const char *call, uint64_t *ret_id)
{
    struct cushim__recording_wish wish;
    struct cushim__stream *stream = NULL;
    struct cushim__scope scope;
    cushim_status status;
    uint64_t arena = 0;

    CUSHIM_TRY(read_params(params, call, &wish, &arena));
    CUSHIM_TRY(cushim__context_enter(context.id, call, &scope));
    status = pin_arena(&scope, arena, &wish);
    if (!status) {
        status = cushim__recording_begin(&scope, &wish, &stream);
        unpin_arena(arena);
    }
    if (!status)
        status = cushim__object_give(&stream->object, call, ret_id);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_capture_begin(cushim_context context, cushim_stream *ret_recorder)
{
    CHECK_OUTPUT(ret_recorder);
    return begin(context, NULL, __func__, &ret_recorder->id);
}

cushim_status cushim_capture_begin_with(cushim_context context,
                                        const struct cushim_capture_params *params,
                                        cushim_stream *ret_recorder)
{
    CHECK_OUTPUT(ret_recorder);
    return begin(context, params, __func__, &ret_recorder->id);
}

cushim_status cushim_capture_begin_on(cushim_stream stream,
                                      const struct cushim_capture_params *params)
{
    struct cushim__recording_wish wish;
    struct cushim__stream *object;
    struct cushim__scope scope;
    cushim_status status;
    uint64_t arena = 0;

    CUSHIM_TRY(read_params(params, __func__, &wish, &arena));
    CUSHIM_TRY(cushim__stream_enter(stream.id, __func__, &scope, &object));
    status = pin_arena(&scope, arena, &wish);
    if (!status) {
        status = cushim__recording_begin_on(&scope, object, &wish);
        unpin_arena(arena);
    }
    return cushim__scope_leave(&scope, status);
}

/*
 * Tells whether cushim_capture_end() frees the handle: that of a recorder, unless it records on.
 * Without an output it records on, too, and has to be freed. The caller keeps any other stream.
 */
static bool is_freed(uint64_t id, const cushim_graph *ret_graph, cushim_status status)
{
    struct cushim__stream *stream = cushim__handle_pin(id, CUSHIM__HANDLE_STREAM, NULL);
    const bool freed =
        stream && stream->recorder && (!ret_graph || !cushim__recording_goes_on(stream, status));

    if (stream)
        cushim__handle_unpin(id);
    return freed;
}

static cushim_status end(cushim_stream recorder, cushim_graph *ret_graph, const char *call)
{
    struct cushim__stream *stream;
    struct cushim__scope scope;

    if (!ret_graph)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                               "%s: ret_graph is NULL; the recording is lost", call);
    CUSHIM_TRY(cushim__object_enter(recorder.id, CUSHIM__HANDLE_STREAM, call, &scope, &stream));
    return cushim__scope_leave(&scope, cushim__graph_of_recording(&scope, stream, &ret_graph->id));
}

cushim_status cushim_capture_end(cushim_stream *recorder, cushim_graph *ret_graph)
{
    cushim_status status;
    const char *here;

    CHECK_OUTPUT(recorder);
    /* The graph is made at this place, and the recorder is freed there. */
    here = cushim__handle_source_location(NULL);
    cushim__handle_source_location(here);
    status = end(*recorder, ret_graph, __func__);
    cushim__handle_source_location(here);
    /* Freeing a recorder also ends a capture that could not be ended above. */
    if (is_freed(recorder->id, ret_graph, status))
        cushim__object_close(&recorder->id, CUSHIM__HANDLE_STREAM, __func__);
    return status;
}

void cushim_graph_free(cushim_graph *graph)
{
    cushim__object_close(graph ? &graph->id : NULL, CUSHIM__HANDLE_GRAPH, __func__);
}

/* Enters the graph's context and pins the stream. Fails if they belong to different contexts. */
static cushim_status enter(cushim_graph graph, cushim_stream stream, const char *call,
                           struct cushim__scope *scope, struct cushim__graph **ret_graph,
                           struct cushim__stream **ret_stream)
{
    cushim_status status;

    CUSHIM_TRY(cushim__object_enter(graph.id, CUSHIM__HANDLE_GRAPH, call, scope, ret_graph));
    *ret_stream = cushim__handle_pin(stream.id, CUSHIM__HANDLE_STREAM, call);
    if (!*ret_stream)
        return cushim__scope_leave(scope, cushim__error()->status);
    if ((*ret_stream)->object.context == scope->context)
        return CUSHIM_OK;
    status = cushim__fail_foreign(scope, "stream");
    cushim__handle_unpin(stream.id);
    return cushim__scope_leave(scope, status);
}

cushim_status cushim_graph_launch(cushim_graph graph, cushim_stream stream)
{
    struct cushim__stream *launched_on;
    struct cushim__graph *object;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(enter(graph, stream, __func__, &scope, &object, &launched_on));
    status = cushim__graph_launch(&scope, object, launched_on);
    cushim__handle_unpin(stream.id);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_graph_upload(cushim_graph graph, cushim_stream stream)
{
    struct cushim__stream *uploaded_on;
    struct cushim__graph *object;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(enter(graph, stream, __func__, &scope, &object, &uploaded_on));
    status = cushim__graph_upload(&scope, object, uploaded_on);
    cushim__handle_unpin(stream.id);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_graph_raw(cushim_graph graph, void **ret_cu_graph, void **ret_cu_graph_exec)
{
    const struct cushim__graph *object =
        cushim__handle_pin(graph.id, CUSHIM__HANDLE_GRAPH, __func__);

    if (!object)
        return cushim__error()->status;
    if (ret_cu_graph)
        *ret_cu_graph = object->cu;
    if (ret_cu_graph_exec)
        *ret_cu_graph_exec = object->exec;
    cushim__handle_unpin(graph.id);
    return CUSHIM_OK;
}
