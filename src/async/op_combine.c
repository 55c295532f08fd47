/* SPDX-License-Identifier: MIT */
/* Operations that join, split and share others. */
#include <stdio.h>
#include <stdlib.h>

#include "async/gate.h"
#include "async/run.h"

/* More operations than any program joins: a larger number is a mistake. */
#define MOST_OPS ((size_t) 1 << 24)

/* --- joining --- */

/* Lists in lists are freed and shared by recursion, which must not need a deep stack. */
enum { DEEPEST_LIST = 1000 };

/* Moves the inputs to a list. */
static cushim_status fill_list(struct cushim_output *list, struct cushim_output **inputs)
{
    for (size_t i = 0; i < list->u.list.n; i++) {
        const struct cushim_output *item = inputs[i];

        if (item && item->kind == CUSHIM_OUTPUT_LIST && item->u.list.depth >= list->u.list.depth)
            list->u.list.depth = item->u.list.depth + 1;
        list->u.list.items[i] = TAKE_PTR(inputs[i]);
    }
    if (list->u.list.depth <= DEEPEST_LIST)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_LIMIT, "cushim_op_all", NULL,
                           "lists of outputs are in each other more than %d deep", DEEPEST_LIST);
}

static cushim_status run_all(struct cushim__run *run, struct cushim__node *node,
                             struct cushim_output **inputs, struct cushim__outcome *ret)
{
    (void) run;
    ret->output = cushim__output_list(node->n);
    if (!ret->output)
        return cushim__error()->status;
    if (!fill_list(ret->output, inputs))
        return CUSHIM_OK;
    cushim__output_unref(&ret->output);
    return CUSHIM_ERROR_LIMIT;
}

static const struct cushim__node_type all_type = {.spreads = true, .run = run_all};

cushim_op cushim_op_all(const cushim_op *ops, size_t n)
{
    struct cushim__node *node = NULL;

    if (n > MOST_OPS || (n && !ops))
        cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                     ops ? "%s: %zu operations are too many" : "%s: ops is NULL for %zu operations",
                     __func__, n);
    else
        node = cushim__node_new(&all_type, sizeof(*node), n);
    if (node && !cushim__node_take_operands(node, ops, __func__)) {
        cushim__node_unref(node);
        node = NULL;
    } else if (!node && ops && n <= MOST_OPS) {
        cushim__ops_drop(ops, n);
    }
    return cushim__node_give(node, __func__);
}

/* --- picking --- */

/* The index that means the last output. */
#define LAST ((size_t) -1)

struct pick {
    struct cushim__node node;
    size_t index;
};

static cushim_status run_pick(struct cushim__run *run, struct cushim__node *node,
                              struct cushim_output **inputs, struct cushim__outcome *ret)
{
    const size_t index = ((const struct pick *) node)->index, n = cushim_output_length(inputs[0]);

    (void) run;
    return cushim__output_take_item(&inputs[0], index == LAST && n ? n - 1 : index, &ret->output);
}

static void describe_pick(const struct cushim__node *node, char *text, size_t size)
{
    const size_t index = ((const struct pick *) node)->index;

    if (index == LAST)
        snprintf(text, size, "of the last output");
    else
        snprintf(text, size, "of output %zu", index);
}

static const struct cushim__node_type pick_type = {
    .noun = "choice", .run = run_pick, .describe = describe_pick};

static cushim_op pick(cushim_op op, size_t index, const char *call)
{
    struct pick *node = (struct pick *) cushim__node_over(&pick_type, sizeof(*node), op, call);

    if (node)
        node->index = index;
    return cushim__node_give(node ? &node->node : NULL, call);
}

cushim_op cushim_op_output(cushim_op op, size_t index)
{
    return pick(op, index, __func__);
}

cushim_op cushim_op_first(cushim_op op)
{
    return pick(op, 0, __func__);
}

cushim_op cushim_op_last(cushim_op op)
{
    return pick(op, LAST, __func__);
}

/* --- splitting and sharing --- */

static cushim_status run_part(struct cushim__run *run, struct cushim__node *node,
                              struct cushim_output **inputs, struct cushim__outcome *ret)
{
    (void) run, (void) inputs;
    return cushim__gate_take(node->gate, ((const struct pick *) node)->index, &ret->output);
}

static const struct cushim__node_type part_type = {
    .noun = "part", .run = run_part, .describe = describe_pick};

/* Makes one part of an operation behind a gate. NULL stands for a failure. */
static cushim_op give_part(struct cushim__gate *gate, size_t index, const char *place,
                           const char *call)
{
    struct pick *part = NULL;
    cushim_op op;

    if (gate)
        part = (struct pick *) cushim__node_new(&part_type, sizeof(*part), 0);
    if (part) {
        part->index = index;
        part->node.gate = cushim__gate_ref(gate);
    }
    op = cushim__node_give(part ? &part->node : NULL, call);
    return (cushim_op_at) (op, place);
}

void cushim_op_unzip(cushim_op op, size_t n, cushim_op *ret_ops)
{
    const char *place = cushim__handle_source_location(NULL);
    struct cushim__gate *gate = NULL;

    if (!ret_ops || !n || n > MOST_OPS) {
        cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                     ret_ops ? "%s: an operation cannot be split into %zu parts"
                             : "%s: ret_ops is NULL for %zu parts",
                     __func__, n);
        cushim__ops_drop(&op, 1);
    } else {
        gate = cushim__gate_new(op, n, __func__);
        cushim__handles_closed_at(&op.id, 1, place);
    }
    for (size_t i = 0; ret_ops && n <= MOST_OPS && i < n; i++)
        ret_ops[i] = give_part(gate, i, place, __func__);
    if (gate)
        cushim__gate_unref(gate);
}

static cushim_status run_share(struct cushim__run *run, struct cushim__node *node,
                               struct cushim_output **inputs, struct cushim__outcome *ret)
{
    (void) run, (void) inputs;
    ret->output = cushim__gate_output(node->gate);
    return CUSHIM_OK;
}

static const struct cushim__node_type share_type = {.many = true, .run = run_share};

cushim_op cushim_op_share(cushim_op op)
{
    struct cushim__gate *gate = cushim__gate_new(op, 0, __func__);
    struct cushim__node *node = gate ? cushim__node_new(&share_type, sizeof(*node), 0) : NULL;

    if (node) {
        node->gate = gate;
        node->took = op.id;
    } else if (gate) {
        cushim__gate_unref(gate);
    }
    return cushim__node_give(node, __func__);
}

/* A node behind the gate of a shared one, which it keeps. */
struct unshare {
    struct cushim__node node;
    struct cushim__node *share;
};

static cushim_status run_unshare(struct cushim__run *run, struct cushim__node *node,
                                 struct cushim_output **inputs, struct cushim__outcome *ret)
{
    const struct cushim__node *share = ((const struct unshare *) node)->share;

    (void) run, (void) inputs;
    if (atomic_load_explicit(&share->object.references, memory_order_acquire) == 1)
        return cushim__gate_unshare(node->gate, &ret->output);
    return cushim__fail_at(CUSHIM_ERROR_BUSY, "cushim_op_unshare", NULL,
                           "the shared operation has several owners: another handle, or another "
                           "operation that has taken it");
}

static void finish_unshare(struct cushim__node *node)
{
    cushim__node_unref(((struct unshare *) node)->share);
}

static const struct cushim__node_type unshare_type = {
    .noun = "unshare", .run = run_unshare, .finish = finish_unshare};

cushim_op cushim_op_unshare(cushim_op op)
{
    struct cushim__node *share = cushim__node_take(op.id, __func__);
    struct unshare *node = NULL;

    if (!share || !share->gate || !share->type->many) {
        if (share && !cushim__node_error(share))
            cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: the operation is not shared",
                         __func__);
        cushim__node_unref(share);
        return cushim__node_give_error(__func__);
    }
    node = (struct unshare *) cushim__node_new(&unshare_type, sizeof(*node), 0);
    if (node) {
        node->share = share;
        node->node.took = op.id;
        node->node.gate = cushim__gate_ref(share->gate);
    } else {
        cushim__node_unref(share);
    }
    return cushim__node_give(node ? &node->node : NULL, __func__);
}

/* --- streams --- */

static cushim_status run_pass(struct cushim__run *run, struct cushim__node *node,
                              struct cushim_output **inputs, struct cushim__outcome *ret)
{
    (void) run, (void) node;
    ret->output = TAKE_PTR(inputs[0]);
    return CUSHIM_OK;
}

static const struct cushim__node_type on_type = {.run = run_pass};

cushim_op cushim_op_on(cushim_op op, cushim_stream stream)
{
    struct cushim__node *node = cushim__node_over(&on_type, sizeof(*node), op, __func__);

    if (!node)
        return cushim__node_give_error(__func__);
    if (cushim__handle_pin(stream.id, CUSHIM__HANDLE_STREAM, __func__)) {
        if (cushim__handle_retain_kept(stream.id, __func__, &node->on_id))
            node->on_id = 0;
        cushim__handle_unpin(stream.id);
    }
    if (!node->on_id) {
        cushim__node_unref(node);
        node = NULL;
    }
    return cushim__node_give(node, __func__);
}
