/* SPDX-License-Identifier: MIT */
#include "core/graph/condition.h"

#include <stdlib.h>
#include <string.h>

#include "core/launch/launch.h"
#include "core/graph/setter.h"
#include "core/object/idle_stream.h"
#include "core/order/recording_works.h"
#include "loader/missing.h"

static cushim_status fail_memory(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                           "%s: no memory for a conditional node", scope->call);
}

static cushim_status fail_not_recording(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           "%s: the stream records for no graph, see cushim_capture_begin()",
                           scope->call);
}

/* --- the node --- */

static cushim_status check_view(const struct cushim__scope *scope, const cushim_view *view)
{
    cushim_view whole;

    CUSHIM_TRY(cushim__view_settle(view, scope->call, &whole));
    if (whole.element == 4 && whole.length == 1 && whole.type != CUSHIM_ELEMENT_FLOAT)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           "%s: the condition must be one integer of 4 bytes, and this is %zu "
                           "element%s of %zu bytes%s; cushim_view_part() makes a view of one",
                           scope->call, whole.length, whole.length == 1 ? "" : "s", whole.element,
                           whole.type == CUSHIM_ELEMENT_FLOAT ? ", floating-point numbers" : "");
}

static cushim_status check_driver(const struct cushim__scope *scope,
                                  const struct cushim__conditional *condition)
{
    const int version = scope->context->driver->library->version;

    if (version >= 12080 || version < 12030 ||
        (condition->n_bodies == 1 && condition->kind != CUSHIM__CU_CONDITION_SWITCH))
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM__SYMBOL_NOT_FOUND, scope->call, scope->label,
                           "%s: else-bodies and switches need CUDA 12.8; this CUDA driver is %d.%d",
                           scope->call, version / 1000, version % 1000 / 10);
}

/* The node comes after the kernel that sets its value, which is the recorder's last work. */
static cushim_status come_after_setter(const struct cushim__scope *scope,
                                       struct cushim__branch *branch)
{
    if (!branch->n_works || !cushim__is_setter(&branch->recording->works[branch->last]))
        return cushim__fail_at(CUSHIM_ERROR_BUSY, scope->call, scope->label,
                               "%s: another thread records with the same recorder", scope->call);
    if (!cushim__numbers_reserve(&branch->given, 1))
        return fail_memory(scope);
    branch->given.n = 1;
    branch->given.items[0] = branch->last;
    return CUSHIM_OK;
}

static cushim_status set_order(const struct cushim__scope *scope, struct cushim__timeline *timeline)
{
    cushim_status status;

    cushim__timeline_lock(timeline);
    status =
        timeline->branch ? come_after_setter(scope, timeline->branch) : fail_not_recording(scope);
    cushim__timeline_unlock(timeline);
    return status;
}

/* Makes a handle of our own for the condition of a loop. */
static cushim_status make_loop(const struct cushim__scope *scope, const cushim_view *view,
                               struct cushim__loop **ret_loop)
{
    struct cushim__loop *loop = malloc(sizeof(*loop));
    cushim_status status;

    if (!loop)
        return fail_memory(scope);
    *loop = (struct cushim__loop){.view = *view};
    status = cushim__handle_retain_kept(view->object, scope->call, &loop->view.object);
    if (status)
        free(loop);
    else
        *ret_loop = loop;
    return status;
}

static void free_loop(struct cushim__loop *loop, const char *call)
{
    if (loop)
        cushim__object_close(&loop->view.object, cushim__handle_kind_of(loop->view.object), call);
    free(loop);
}

static cushim_status begin_bodies(const struct cushim__scope *scope,
                                  struct cushim__recording *recording,
                                  const struct cushim__cu_conditional_node *params,
                                  CUgraphNode node, struct cushim__stream **bodies)
{
    struct cushim__recording_wish wish = {
        .order = recording->order, .outer = recording, .condition = params->type};

    for (; wish.part < params->n_bodies; wish.part++)
        CUSHIM_TRY(cushim__recording_begin_body(scope, bodies[wish.part], &wish,
                                                params->bodies[wish.part], node));
    return CUSHIM_OK;
}

/* The driver calls of the submission. Under the stream lock. */
static cushim_status add_node(const struct cushim__scope *scope,
                              struct cushim__recording *recording,
                              struct cushim__cu_conditional_node *params,
                              struct cushim__stream **bodies)
{
    struct cushim__capture capture;
    CUgraphNode node = NULL;
    cushim_status status;

    CUSHIM_TRY(cushim__capture_ask(scope, recording, &capture));
    status =
        CU_CALL(scope, cuGraphAddNode, (&node, capture.graph, capture.nodes, capture.n, params));
    if (status) {
        cushim__explain_since(scope->context, 12080, "else-bodies and switches");
        return status;
    }
    CUSHIM_TRY(cushim__recording_add_node(scope, recording, node));
    status = begin_bodies(scope, recording, params, node, bodies);
    if (status)
        recording->broken = status;
    return status;
}

static cushim_status submit(struct cushim__scope *scope, struct cushim__timeline *timeline,
                            struct cushim__cu_conditional_node *params,
                            struct cushim__stream **bodies)
{
    struct cushim__submission s = {.scope = scope, .timeline = timeline, .recordable = true};
    cushim_status status;

    CUSHIM_TRY(set_order(scope, timeline));
    CUSHIM_TRY(cushim__submit_begin(&s));
    status = timeline->branch ? add_node(scope, timeline->branch->recording, params, bodies)
                              : fail_not_recording(scope);
    cushim__submit_end(&s);
    return status;
}

/* --- the recorders of the bodies --- */

static cushim_status make_body(const struct cushim__scope *scope, struct cushim__timeline *outer,
                               struct cushim__stream **ret_body)
{
    CUstream cu = NULL;
    cushim_status status;

    CUSHIM_TRY(cushim__idle_stream_take(scope, &cu));
    status = cushim__stream_new_on(scope, cushim__timeline_body(outer, cu), ret_body);
    if (status) {
        CU_FREE(scope, cuStreamDestroy_v2, (cu));
        return status;
    }
    (*ret_body)->owned = (*ret_body)->recorder = true;
    return CUSHIM_OK;
}

static void drop_bodies(struct cushim__stream **bodies, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        cushim__object_unref(&bodies[i]->object);
}

/* The recording of a body takes over the loop. */
static void set_loop(struct cushim__timeline *body, uint64_t handle, struct cushim__loop **loop)
{
    (*loop)->handle = handle;
    cushim__timeline_lock(body);
    if (body->branch)
        body->branch->recording->loop = TAKE_PTR(*loop);
    cushim__timeline_unlock(body);
}

/* What would take the place of the kernel would set a value of another graph. */
static cushim_status check_update(const struct cushim__scope *scope,
                                  struct cushim__timeline *timeline)
{
    bool is_update;

    cushim__timeline_lock(timeline);
    is_update = timeline->branch && timeline->branch->recording->updates;
    cushim__timeline_unlock(timeline);
    if (!is_update)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_CAPTURING, scope->call, scope->label,
                           "%s: an update cannot change conditional nodes: record the graph anew",
                           scope->call);
}

/* The kernel was recorded, and the node was not. */
static void give_up(struct cushim__timeline *timeline, cushim_status status)
{
    cushim__timeline_lock(timeline);
    if (timeline->branch)
        timeline->branch->recording->broken = status;
    cushim__timeline_unlock(timeline);
}

static cushim_status record(struct cushim__scope *scope, struct cushim__timeline *timeline,
                            const struct cushim__conditional *condition,
                            struct cushim__stream **bodies)
{
    struct cushim__cu_conditional_node params = {.kind = CUSHIM__CU_NODE_CONDITIONAL,
                                                 .type = condition->kind,
                                                 .n_bodies = condition->n_bodies,
                                                 .context = scope->context->cu};

    struct cushim__loop *loop = NULL;
    cushim_status status = CUSHIM_OK;

    CUSHIM_TRY(check_view(scope, condition->view));
    CUSHIM_TRY(check_update(scope, timeline));
    CUSHIM_TRY(check_driver(scope, condition));
    if (condition->kind == CUSHIM__CU_CONDITION_WHILE)
        CUSHIM_TRY(make_loop(scope, condition->view, &loop));
    status = cushim__setter_launch(scope, timeline, *condition->view, &params.handle);
    if (!status)
        status = submit(scope, timeline, &params, bodies);
    if (status && params.handle)
        give_up(timeline, status);
    if (!status && loop)
        set_loop(bodies[0]->timeline, params.handle, &loop);
    free_loop(loop, scope->call);
    return status;
}

cushim_status cushim__condition_begin(struct cushim__scope *scope, struct cushim__stream *stream,
                                      const struct cushim__conditional *condition,
                                      struct cushim__stream **ret_bodies)
{
    cushim_status status = CUSHIM_OK;
    unsigned made = 0;

    for (; !status && made < condition->n_bodies; made += !status)
        status = make_body(scope, stream->timeline, &ret_bodies[made]);
    if (!status)
        status = record(scope, stream->timeline, condition, ret_bodies);
    if (status)
        drop_bodies(ret_bodies, made);
    return status;
}

/* --- the end of a body --- */

/* By hand, too, the condition is read after everything. */
static bool come_last(struct cushim__branch *branch)
{
    struct cushim__recording *recording = branch->recording;
    const struct cushim__numbers *found = &recording->found;

    cushim__search_begin(recording);
    if (!cushim__search_add_everything(recording))
        return false;
    cushim__search_leave_out(recording);
    if (!cushim__numbers_reserve(&branch->given, found->n + 1))
        return false;
    branch->given.n = found->n;
    if (found->n)
        memcpy(branch->given.items, found->items, found->n * sizeof(*found->items));
    return true;
}

/* Under the stream lock. Returns false if the body is no loop. */
static bool begin_reading(struct cushim__stream *stream, struct cushim__loop *ret_loop,
                          bool *ret_room)
{
    struct cushim__branch *branch = stream->timeline->branch;

    if (!branch || branch->recording->by != stream || !branch->recording->loop)
        return false;
    *ret_loop = *branch->recording->loop;
    *ret_room = come_last(branch);
    return true;
}

cushim_status cushim__condition_end_body(struct cushim__scope *scope, struct cushim__stream *stream)
{
    struct cushim__timeline *timeline = stream->timeline;
    struct cushim__loop loop = {0};
    bool loops, room = true;

    cushim__timeline_lock(timeline);
    loops = begin_reading(stream, &loop, &room);
    cushim__timeline_unlock(timeline);
    if (!room)
        return fail_memory(scope);
    if (loops)
        CUSHIM_TRY(cushim__setter_launch(scope, timeline, loop.view, &loop.handle));
    return cushim__recording_end_body(scope, stream);
}
