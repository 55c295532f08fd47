/* SPDX-License-Identifier: MIT */
/* Operations that make, fill and copy memory, and graphs. */
#include <stdlib.h>
#include <string.h>

#include "async/operand.h"
#include "core/memory/slice.h"

/* --- new memory --- */

struct make {
    struct cushim__node node;
    size_t element, length;
    const void *host;           /* whose elements are copied */
    struct cushim_output *from; /* memory of the program that is copied */
};

static cushim_status run_alloc(struct cushim__run *run, struct cushim__node *node,
                               struct cushim_output **inputs, struct cushim__outcome *ret)
{
    const struct make *make = (const struct make *) node;

    (void) inputs;
    return cushim__operand_alloc(run, make->element, make->length, &ret->output);
}

/* Drops new memory if it could not be filled. */
static cushim_status settle(cushim_status status, struct cushim__outcome *ret)
{
    if (status)
        cushim__output_unref(&ret->output);
    return status;
}

static cushim_status run_zeros(struct cushim__run *run, struct cushim__node *node,
                               struct cushim_output **inputs, struct cushim__outcome *ret)
{
    const struct make *make = (const struct make *) node;
    cushim_view bytes;
    cushim_status status;

    CUSHIM_TRY(run_alloc(run, node, inputs, ret));
    if (!make->length)
        return CUSHIM_OK;
    status = cushim_view_reinterpret(ret->output->u.view, 1, 1, &bytes);
    if (!status)
        status = cushim_view_fill(run->exec.stream, bytes, "", 1);
    return settle(status, ret);
}

static cushim_status run_from(struct cushim__run *run, struct cushim__node *node,
                              struct cushim_output **inputs, struct cushim__outcome *ret)
{
    const struct make *make = (const struct make *) node;
    size_t element = make->element;

    CUSHIM_TRY(run_alloc(run, node, inputs, ret));
    cushim__take_type(&element);
    return settle(cushim__flight_copy(run->flight, &run->exec, ret->output->u.view,
                                      (void *) (uintptr_t) make->host, element * make->length, true,
                                      "cushim_op_from"),
                  ret);
}

static cushim_status copy_new(struct cushim__run *run, cushim_view from,
                              struct cushim_output **ret_copy)
{
    size_t element, length;

    CUSHIM_TRY(cushim__operand_size(from, &element, &length));
    CUSHIM_TRY(cushim__operand_alloc(run, element, length, ret_copy));
    if (!cushim_view_copy(run->exec.stream, (*ret_copy)->u.view, from))
        return CUSHIM_OK;
    cushim__output_unref(ret_copy);
    return cushim__error()->status;
}

static cushim_status run_copy_of(struct cushim__run *run, struct cushim__node *node,
                                 struct cushim_output **inputs, struct cushim__outcome *ret)
{
    (void) inputs;
    return copy_new(run, ((const struct make *) node)->from->u.view, &ret->output);
}

static void finish_make(struct cushim__node *node)
{
    cushim__output_unref(&((struct make *) node)->from);
}

static const struct cushim__node_type
    alloc_type = {.noun = "allocation", .call = "cushim_op_alloc", .run = run_alloc},
    zeros_type = {.noun = "zeros", .call = "cushim_op_zeros", .run = run_zeros},
    from_type = {.noun = "copy from the host", .call = "cushim_op_from", .run = run_from},
    copy_of_type = {
        .noun = "copy", .call = "cushim_op_copy_of", .run = run_copy_of, .finish = finish_make};

static struct make *new_make(const struct cushim__node_type *type, size_t element, size_t length)
{
    struct make *make = (struct make *) cushim__node_new(type, sizeof(*make), 0);

    if (make) {
        make->element = element;
        make->length = length;
    }
    return make;
}

static cushim_op give_make(struct make *make, const char *call)
{
    return cushim__node_give(make ? &make->node : NULL, call);
}

cushim_op cushim_op_alloc(size_t element_bytes, size_t length)
{
    return give_make(new_make(&alloc_type, element_bytes, length), __func__);
}

cushim_op cushim_op_zeros(size_t element_bytes, size_t length)
{
    return give_make(new_make(&zeros_type, element_bytes, length), __func__);
}

cushim_op cushim_op_from_host(const void *host, size_t element_bytes, size_t length)
{
    const char *call = from_type.call;
    struct make *make = NULL;

    if (!host && length)
        cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL, "%s: host is NULL", call);
    else
        make = new_make(&from_type, element_bytes, length);
    if (make)
        make->host = host;
    return give_make(make, call);
}

cushim_op cushim_op_copy_of_view(cushim_view view)
{
    const char *call = copy_of_type.call;
    struct make *make = NULL;

    if (!cushim__view_settle(&view, call, &view) &&
        !cushim__handle_retain_kept(view.object, call, &view.object)) {
        make = new_make(&copy_of_type, view.element, view.length);
        if (make)
            make->from = cushim__output_memory(CUSHIM_OUTPUT_MEMORY, view);
        if (!make || !make->from)
            cushim__object_close(&view.object, cushim__handle_kind_of(view.object), call);
        if (make && !make->from) {
            cushim__node_unref(&make->node);
            make = NULL;
        }
    }
    return give_make(make, call);
}

/* --- memory of operations --- */

struct fill {
    struct cushim__node node;
    size_t bytes;
    char element[];
};

static cushim_status run_fill(struct cushim__run *run, struct cushim__node *node,
                              struct cushim_output **inputs, struct cushim__outcome *ret)
{
    const struct fill *fill = (const struct fill *) node;

    CUSHIM_TRY(cushim__operand_take(run, &inputs[0], true, "cushim_op_fill", &ret->output));
    return settle(
        cushim_view_fill(run->exec.stream, ret->output->u.view, fill->element, fill->bytes), ret);
}

static const struct cushim__node_type fill_type = {
    .noun = "fill", .call = "cushim_op_fill", .run = run_fill};

cushim_op cushim_op_fill_elements(cushim_op op, const void *element, size_t bytes)
{
    const char *call = fill_type.call;
    size_t size = bytes;
    struct fill *fill = NULL;

    cushim__take_type(&size);
    if (!element || !size || size > 1 << 20) {
        cushim__ops_drop(&op, 1);
        cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                        element ? "%s: an element has %zu bytes" : "%s: element is NULL", call,
                        size);
    } else {
        fill = (struct fill *) cushim__node_over(&fill_type, sizeof(*fill) + size, op, call);
    }
    if (fill) {
        fill->bytes = bytes;
        memcpy(fill->element, element, size);
    }
    return cushim__node_give(fill ? &fill->node : NULL, call);
}

static cushim_status run_copy(struct cushim__run *run, struct cushim__node *node,
                              struct cushim_output **inputs, struct cushim__outcome *ret)
{
    const char *call = "cushim_op_copy";
    struct cushim_output *from;

    (void) node;
    CUSHIM_TRY(cushim__operand_take(run, &inputs[0], true, call, &ret->output));
    from = cushim__output_find_memory(inputs[1], call);
    /* A copy between devices is the driver's own. */
    return settle(from ? cushim_view_copy(run->exec.stream, ret->output->u.view, from->u.view)
                       : cushim__error()->status,
                  ret);
}

static const struct cushim__node_type copy_type = {
    .noun = "copy", .call = "cushim_op_copy", .run = run_copy};

cushim_op cushim_op_copy(cushim_op to, cushim_op from)
{
    const cushim_op both[] = {to, from};
    struct cushim__node *node = cushim__node_new(&copy_type, sizeof(*node), 2);

    if (!node)
        cushim__ops_drop(both, 2);
    if (node && !cushim__node_take_operands(node, both, __func__)) {
        cushim__node_unref(node);
        node = NULL;
    }
    return cushim__node_give(node, __func__);
}

static cushim_status run_clone(struct cushim__run *run, struct cushim__node *node,
                               struct cushim_output **inputs, struct cushim__outcome *ret)
{
    struct cushim_output *list = cushim__output_list(2);
    cushim_status status;

    (void) node;
    if (!list)
        return cushim__error()->status;
    ret->output = list;
    status =
        cushim__operand_take(run, &inputs[0], false, "cushim_op_clone", &list->u.list.items[0]);
    if (!status)
        status = copy_new(run, list->u.list.items[0]->u.view, &list->u.list.items[1]);
    return settle(status, ret);
}

static const struct cushim__node_type clone_type = {
    .noun = "clone", .call = "cushim_op_clone", .run = run_clone};

cushim_op cushim_op_clone(cushim_op op)
{
    return cushim__node_give(
        cushim__node_over(&clone_type, sizeof(struct cushim__node), op, __func__), __func__);
}

/* --- to the host --- */

struct to_host {
    struct cushim__node node;
    void *host;
    size_t element, length;
};

/* Fails unless the memory has these elements. */
static cushim_status check_elements(const struct to_host *to, cushim_view view)
{
    const char *call = "cushim_op_to_host";
    struct cushim__resolved_view span;
    cushim_status status;

    CUSHIM_TRY(cushim__span_pin(view, call, &span));
    status = cushim__span_check_element(&span, call, to->element, CUSHIM__TELLER_POINTER);
    if (!status && span.length != to->length)
        status = cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                                 "%s: %zu elements here, %zu in the memory", call, to->length,
                                 span.length);
    cushim__span_unpin(&span);
    return status;
}

static cushim_status run_to_host(struct cushim__run *run, struct cushim__node *node,
                                 struct cushim_output **inputs, struct cushim__outcome *ret)
{
    const struct to_host *to = (const struct to_host *) node;
    size_t element = to->element;
    cushim_status status;

    cushim__take_type(&element);
    CUSHIM_TRY(cushim__operand_take(run, &inputs[0], false, "cushim_op_to_host", &ret->output));
    status = check_elements(to, ret->output->u.view);
    if (!status)
        status = cushim__flight_copy(run->flight, &run->exec, ret->output->u.view, to->host,
                                     element * to->length, false, "cushim_op_to_host");
    return settle(status, ret);
}

static const struct cushim__node_type to_host_type = {
    .noun = "copy to the host", .call = "cushim_op_to_host", .run = run_to_host};

cushim_op cushim_op_to_host_elements(cushim_op op, void *host, size_t element_bytes, size_t length)
{
    const char *call = to_host_type.call;
    struct to_host *to = NULL;

    if (!host && length) {
        cushim__ops_drop(&op, 1);
        cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL, "%s: host is NULL", call);
    } else {
        to = (struct to_host *) cushim__node_over(&to_host_type, sizeof(*to), op, call);
    }
    if (to) {
        to->host = host;
        to->element = element_bytes;
        to->length = length;
    }
    return cushim__node_give(to ? &to->node : NULL, call);
}
