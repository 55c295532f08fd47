/* SPDX-License-Identifier: MIT */
/* Operations: the handles, and those that are no work of a device. */
#include <cushim/op.h>

#include <stdio.h>
#include <stdlib.h>

#include "async/gate.h"
#include "async/run.h"
#include "base/release.h"
#include "core/memory/slice.h"

/* --- handles --- */

void cushim_op_free(cushim_op *op)
{
    cushim__object_close(op ? &op->id : NULL, CUSHIM__HANDLE_OP, __func__);
}

cushim_op cushim_op_at(cushim_op op, const char *place)
{
    struct cushim__node *node = op.id ? cushim__handle_pin(op.id, CUSHIM__HANDLE_OP, NULL) : NULL;

    if (node) {
        cushim__node_place(node, op.id, place);
        cushim__handle_unpin(op.id);
    }
    return op;
}

/* --- values --- */

/* A node that gives an output which was made when it was described. */
struct value {
    struct cushim__node node;
    struct cushim_output *output;
};

static cushim_status run_value(struct cushim__run *run, struct cushim__node *node,
                               struct cushim_output **inputs, struct cushim__outcome *ret)
{
    struct value *value = (struct value *) node;

    (void) run, (void) inputs;
    ret->output = TAKE_PTR(value->output);
    return CUSHIM_OK;
}

static void finish_value(struct cushim__node *node)
{
    cushim__output_unref(&((struct value *) node)->output);
}

static const struct cushim__node_type value_type = {.run = run_value, .finish = finish_value};

/* Makes an operation that gives an output, which it takes over. NULL stands for a failure. */
static cushim_op give_value(struct cushim_output *output, const char *call)
{
    struct value *value = NULL;

    if (output)
        value = (struct value *) cushim__node_new(&value_type, sizeof(*value), 0);
    if (value)
        value->output = output;
    else
        cushim__output_unref(&output);
    return cushim__node_give(value ? &value->node : NULL, call);
}

cushim_op cushim_op_value(void *data, void (*release)(void *data))
{
    struct cushim_output *output = cushim__output_data(data, release);

    if (!output)
        cushim__release(release, data);
    return give_value(output, __func__);
}

cushim_op cushim_op_failed(cushim_status status, const char *text)
{
    if (!status)
        cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: the status is CUSHIM_OK%s%s", __func__,
                     text ? ": " : "", text ? text : "");
    else
        cushim__fail(status, "%s", text ? text : cushim__status_text(status));
    return cushim__node_give_error(__func__);
}

cushim_op cushim_op_take(cushim_slice *slice)
{
    cushim_slice taken = CUSHIM_NONE;
    struct cushim_output *output;

    if (!slice)
        cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: slice is NULL", __func__);
    if (!slice || !cushim__handle_pin(slice->id, CUSHIM__HANDLE_SLICE, __func__))
        return cushim__node_give_error(__func__);
    cushim__handle_unpin(slice->id);
    taken = *slice;
    slice->id = 0;
    cushim__handle_made_at(taken.id, CUSHIM__PLACE_KEPT);
    output = cushim__output_memory(CUSHIM_OUTPUT_SLICE, cushim__slice_view(taken));
    if (!output)
        cushim__object_close(&taken.id, CUSHIM__HANDLE_SLICE, __func__);
    return give_value(output, __func__);
}

cushim_op cushim_op_from_output(cushim_output *output)
{
    struct cushim_output *moved = NULL;
    struct value *value;

    if (output)
        moved = cushim__output_move(output, __func__);
    if (moved || output)
        return give_value(moved, __func__);
    value = (struct value *) cushim__node_new(&value_type, sizeof(*value), 0);
    return cushim__node_give(value ? &value->node : NULL, __func__);
}

/* Makes a handle of our own for the memory of a view. */
static cushim_status retain(cushim_view *view, const char *call)
{
    struct cushim__resolved_view span;

    /* This checks the handle, and that the view is inside of its memory. */
    CUSHIM_TRY(cushim__span_pin(*view, call, &span));
    cushim__span_unpin(&span);
    return cushim__handle_retain_kept(view->object, call, &view->object);
}

cushim_op cushim_op_borrow_view(cushim_view view)
{
    struct cushim_output *output;

    if (retain(&view, "cushim_op_borrow"))
        return cushim__node_give_error(__func__);
    output = cushim__output_memory(CUSHIM_OUTPUT_MEMORY, view);
    if (!output)
        cushim__object_close(&view.object, cushim__handle_kind_of(view.object), __func__);
    return give_value(output, __func__);
}

/* --- callbacks --- */

struct callback {
    struct cushim__node node;
    void *user;
    union {
        cushim_op (*make)(const struct cushim_exec *exec, void *user);
        cushim_op (*next)(const struct cushim_exec *exec, cushim_output *output, void *user);
        cushim_status (*map)(cushim_output *output, void *user, void **ret_data);
        void (*inspect)(const cushim_output *output, void *user);
        void (*host)(void *user);
    } f;
    void (*release)(void *data);
};

/* Goes on with the operation that a callback has returned. */
static cushim_status go_on(cushim_op op, const char *call, struct cushim__outcome *ret)
{
    if (!op.id && cushim__error()->status)
        return cushim__error()->status;
    if (!op.id)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                               "%s: the callback returned no operation", call);
    ret->next = cushim__node_take(op.id, call);
    return ret->next ? CUSHIM_OK : cushim__error()->status;
}

/* A callback's failure is told by the error that it leaves, so none may be there before. */
static cushim_status run_call(struct cushim__run *run, struct cushim__node *node,
                              struct cushim_output **inputs, struct cushim__outcome *ret)
{
    const struct callback *callback = (const struct callback *) node;
    struct cushim__error before;
    cushim_status status;

    (void) inputs;
    cushim__error_keep(&before);
    cushim_error_clear();
    status = go_on(callback->f.make(&run->exec, callback->user), "cushim_op_call", ret);
    if (!status)
        cushim__error_restore(&before);
    return status;
}

static cushim_status run_then(struct cushim__run *run, struct cushim__node *node,
                              struct cushim_output **inputs, struct cushim__outcome *ret)
{
    const struct callback *callback = (const struct callback *) node;
    struct cushim__error before;
    cushim_status status;

    cushim__error_keep(&before);
    cushim_error_clear();
    status = go_on(callback->f.next(&run->exec, inputs[0], callback->user), "cushim_op_then", ret);
    if (!status)
        cushim__error_restore(&before);
    return status;
}

static cushim_status run_map(struct cushim__run *run, struct cushim__node *node,
                             struct cushim_output **inputs, struct cushim__outcome *ret)
{
    const struct callback *callback = (const struct callback *) node;
    struct cushim__error before;
    void *data = NULL;
    cushim_status status;

    (void) run;
    cushim__error_keep(&before);
    cushim_error_clear();
    status = callback->f.map(inputs[0], callback->user, &data);
    if (status && !cushim__error()->status)
        cushim__fail_at(status, "cushim_op_map", NULL, "cushim_op_map: the callback failed: %s",
                        cushim__status_text(status));
    if (status)
        return cushim__error()->status = status;
    cushim__error_restore(&before);
    ret->output = cushim__output_data(data, callback->release);
    if (ret->output)
        return CUSHIM_OK;
    cushim__release(callback->release, data);
    return cushim__error()->status;
}

static cushim_status run_inspect(struct cushim__run *run, struct cushim__node *node,
                                 struct cushim_output **inputs, struct cushim__outcome *ret)
{
    const struct callback *callback = (const struct callback *) node;

    (void) run;
    callback->f.inspect(inputs[0], callback->user);
    ret->output = TAKE_PTR(inputs[0]);
    return CUSHIM_OK;
}

static cushim_status run_host(struct cushim__run *run, struct cushim__node *node,
                              struct cushim_output **inputs, struct cushim__outcome *ret)
{
    const struct callback *callback = (const struct callback *) node;

    CUSHIM_TRY(
        cushim_stream_host_function(run->exec.stream, callback->f.host, callback->user, NULL));
    ret->output = TAKE_PTR(inputs[0]);
    return CUSHIM_OK;
}

static cushim_status run_hold(struct cushim__run *run, struct cushim__node *node,
                              struct cushim_output **inputs, struct cushim__outcome *ret)
{
    struct callback *callback = (struct callback *) node;
    void (*release)(void *data) = TAKE_PTR(callback->release);

    CUSHIM_TRY(cushim__flight_hold(run->flight, callback->user, release));
    ret->output = TAKE_PTR(inputs[0]);
    return CUSHIM_OK;
}

static void finish_hold(struct cushim__node *node)
{
    struct callback *callback = (struct callback *) node;

    cushim__release(callback->release, callback->user);
}

static const struct cushim__node_type call_type = {.noun = "callback", .run = run_call},
                                      then_type = {.noun = "callback", .run = run_then},
                                      map_type = {.noun = "map", .run = run_map},
                                      inspect_type = {.run = run_inspect},
                                      host_type = {.noun = "host function",
                                                   .call = "cushim_op_host_function",
                                                   .run = run_host},
                                      hold_type = {.run = run_hold, .finish = finish_hold};

/* Makes a node for a callback after op. Consumes op. NULL stands for a failure. */
static struct callback *after(const struct cushim__node_type *type, cushim_op op, bool has_function,
                              void *user, const char *call)
{
    struct callback *callback;

    if (!has_function) {
        cushim__ops_drop(&op, 1);
        cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL, "%s: the function is NULL",
                        call);
        return NULL;
    }
    callback = (struct callback *) cushim__node_over(type, sizeof(*callback), op, call);
    if (callback)
        callback->user = user;
    return callback;
}

static cushim_op give(struct callback *callback, const char *call)
{
    return cushim__node_give(callback ? &callback->node : NULL, call);
}

cushim_op cushim_op_call(cushim_op (*make)(const struct cushim_exec *exec, void *user), void *user)
{
    struct callback *callback = NULL;

    if (!make)
        cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: the function is NULL", __func__);
    else
        callback = (struct callback *) cushim__node_new(&call_type, sizeof(*callback), 0);
    if (callback) {
        callback->user = user;
        callback->f.make = make;
    }
    return give(callback, __func__);
}

cushim_op cushim_op_then(cushim_op op,
                         cushim_op (*next)(const struct cushim_exec *exec, cushim_output *output,
                                           void *user),
                         void *user)
{
    struct callback *callback = after(&then_type, op, next, user, __func__);

    if (callback)
        callback->f.next = next;
    return give(callback, __func__);
}

cushim_op cushim_op_then_all(const cushim_op *ops, size_t n,
                             cushim_op (*next)(const struct cushim_exec *exec,
                                               cushim_output *output, void *user),
                             void *user)
{
    return cushim_op_then(cushim_op_all(ops, n), next, user);
}

cushim_op cushim_op_map(cushim_op op,
                        cushim_status (*map)(cushim_output *output, void *user, void **ret_data),
                        void *user, void (*release)(void *data))
{
    struct callback *callback = after(&map_type, op, map, user, __func__);

    if (callback) {
        callback->f.map = map;
        callback->release = release;
    }
    return give(callback, __func__);
}

cushim_op cushim_op_inspect(cushim_op op, void (*inspect)(const cushim_output *output, void *user),
                            void *user)
{
    struct callback *callback = after(&inspect_type, op, inspect, user, __func__);

    if (callback)
        callback->f.inspect = inspect;
    return give(callback, __func__);
}

cushim_op cushim_op_host_function(cushim_op op, void (*function)(void *user), void *user)
{
    struct callback *callback = after(&host_type, op, function, user, __func__);

    if (callback)
        callback->f.host = function;
    return give(callback, __func__);
}

cushim_op cushim_op_hold(cushim_op op, void *data, void (*release)(void *data))
{
    struct callback *callback = after(&hold_type, op, release, data, __func__);

    if (callback)
        callback->release = release;
    else
        cushim__release(release, data);
    return give(callback, __func__);
}
