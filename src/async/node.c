/* SPDX-License-Identifier: MIT */
#include "async/node.h"

#include <stdio.h>
#include <stdlib.h>

#include "async/gate.h"

/* A node for a description that failed. */
struct failed {
    struct cushim__node node;
    struct cushim__error error;
};

static cushim_status run_failed(struct cushim__run *run, struct cushim__node *node,
                                struct cushim_output **inputs, struct cushim__outcome *ret)
{
    const struct failed *failed = (const struct failed *) node;

    (void) run, (void) inputs, (void) ret;
    *cushim__error() = failed->error;
    return failed->error.status;
}

/* Whoever takes it fails in the same way, through whichever handle. */
static const struct cushim__node_type failed_type = {.noun = "", .many = true, .run = run_failed};

/* --- making and freeing --- */

/* What this calls may be the program's, which must not change the thread's last error. */
static void finish(struct cushim__node *node)
{
    struct cushim__error before;

    cushim__error_keep(&before);
    if (node->type->finish && !node->is_finished)
        node->type->finish(node);
    if (node->gate)
        cushim__gate_unref(node->gate);
    if (node->on_id)
        cushim__object_close(&node->on_id, CUSHIM__HANDLE_STREAM, "cushim_op_free");
    cushim__error_restore(&before);
}

static void destroy_one(struct cushim__node *node)
{
    if ((node->type->finish && !node->is_finished) || node->gate || node->on_id)
        finish(node);
    for (size_t i = 0; i < node->n; i++)
        cushim__node_unref(node->operands[i]);
    cushim__object_finish(&node->object);
    free(node);
}

/*
 * The nodes that the destruction of a node destroys, too, are put into a list, so that a long chain
 * needs no deep stack.
 */
static void destroy(void *object)
{
    static _Thread_local struct {
        struct cushim__node *first;
        bool is_at_work;
    } doomed TLS_OF_WORDS;
    struct cushim__node *node = object;

    node->doomed = doomed.first;
    doomed.first = node;
    if (doomed.is_at_work)
        return;
    doomed.is_at_work = true;
    while (doomed.first) {
        node = doomed.first;
        doomed.first = node->doomed;
        destroy_one(node);
    }
    doomed.is_at_work = false;
}

/* The operands and their handles stand behind the rest of the node, in the same memory. */
struct cushim__node *cushim__node_new(const struct cushim__node_type *type, size_t bytes, size_t n)
{
    const size_t of_node = (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
    struct cushim__node *node =
        cushim__zalloc(of_node + n * (sizeof(uint64_t) + sizeof(struct cushim__node *)));

    if (!node) {
        cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, NULL, NULL, "no memory for an operation");
        return NULL;
    }
    cushim__object_init(&node->object, CUSHIM__HANDLE_OP, NULL, destroy);
    node->type = type;
    node->n = n;
    node->taken = (uint64_t *) (void *) ((char *) node + of_node);
    node->operands = (struct cushim__node **) (void *) (node->taken + n);
    return node;
}

void cushim__node_unref(struct cushim__node *node)
{
    if (node && atomic_fetch_sub_explicit(&node->object.references, 1, memory_order_acq_rel) == 1)
        destroy(node);
}

/* Makes a node that fails with the thread's error. */
static struct cushim__node *new_failed(void)
{
    const struct cushim__error error = *cushim__error();
    struct cushim__node *node = cushim__node_new(&failed_type, sizeof(struct failed), 0);

    if (node)
        ((struct failed *) node)->error = error;
    return node;
}

bool cushim__node_error(const struct cushim__node *node)
{
    if (node->type != &failed_type)
        return false;
    *cushim__error() = ((const struct failed *) node)->error;
    return true;
}

/* --- handles --- */

/*
 * The location that the thread has set is for what the public call makes itself: the operations
 * that are its arguments are made after it was set.
 */
static cushim_op give(struct cushim__node *node, const char *call)
{
    const char *place = cushim__handle_source_location(NULL);
    cushim_op op = CUSHIM_NONE;

    if (cushim__object_give(&node->object, call, &op.id))
        op.id = 0;
    cushim__handle_source_location(place);
    return op;
}

cushim_op cushim__node_give_error(const char *call)
{
    struct cushim__node *node = new_failed();

    return node ? give(node, call) : (cushim_op) CUSHIM_NONE;
}

cushim_op cushim__node_give(struct cushim__node *node, const char *call)
{
    return node ? give(node, call) : cushim__node_give_error(call);
}

/*
 * Closes the handle. An operation that has another handle, and is not shared, could run twice.
 */
static cushim_status close_handle(const struct cushim__node *node, uint64_t id, const char *call)
{
    const bool is_alone = node->type->many || cushim__handle_claim(id);

    CUSHIM_TRY(cushim__handle_close(id, CUSHIM__HANDLE_OP, call));
    if (is_alone)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_BUSY, call, NULL,
                           "%s: the operation has another handle, and is not shared: see "
                           "cushim_op_share()",
                           call);
}

/* Consumes an operation that others may use, or have used. */
static struct cushim__node *take_pinned(uint64_t id, const char *call)
{
    const char *place = cushim__handle_source_location(NULL);
    struct cushim__node *node = cushim__handle_pin(id, CUSHIM__HANDLE_OP, call);
    cushim_status status = node ? CUSHIM_OK : cushim__error()->status;

    if (node) {
        cushim__object_ref(&node->object);
        cushim__handle_source_location(call);
        status = close_handle(node, id, call);
        cushim__handle_unpin(id);
    }
    cushim__handle_source_location(place);
    if (!status)
        return node;
    cushim__node_unref(node);
    return NULL;
}

/* Who uses the handle again learns which function has used it before. */
struct cushim__node *cushim__node_take(uint64_t id, const char *call)
{
    struct cushim__node *node = cushim__handle_take(id, CUSHIM__HANDLE_OP, call);

    return node ? node : take_pinned(id, call);
}

struct cushim__node *cushim__node_take_last(uint64_t id, const char *call)
{
    struct cushim__node *node = cushim__node_take(id, call);
    const char *place = cushim__handle_source_location(NULL);

    cushim__handle_source_location(place);
    cushim__handles_closed_at(&id, node != NULL, place);
    return node;
}

struct cushim__node *cushim__node_over(const struct cushim__node_type *type, size_t bytes,
                                       cushim_op op, const char *call)
{
    struct cushim__node *node = cushim__node_new(type, bytes, 1);

    if (!node) {
        cushim__ops_drop(&op, 1);
        return NULL;
    }
    if (cushim__node_take_operands(node, &op, call))
        return node;
    cushim__node_unref(node);
    return NULL;
}

bool cushim__node_take_operands(struct cushim__node *node, const cushim_op *ops, const char *call)
{
    struct cushim__error first;
    bool complete = true;

    for (size_t i = 0; i < node->n; i++) {
        node->taken[i] = ops[i].id;
        node->operands[i] = cushim__node_take(ops[i].id, call);
        if (complete && !node->operands[i])
            first = *cushim__error();
        complete &= node->operands[i] != NULL;
    }
    if (!complete)
        *cushim__error() = first;
    return complete;
}

void cushim__ops_drop(const cushim_op *ops, size_t n)
{
    const char *place = cushim__handle_source_location(NULL);

    for (size_t i = 0; i < n; i++) {
        cushim_op op = ops[i];

        cushim__handle_free(&op.id, CUSHIM__HANDLE_OP, "cushim_op_free");
    }
    cushim__handle_source_location(place);
}

/* --- messages --- */

void cushim__node_place(struct cushim__node *node, uint64_t id, const char *place)
{
    cushim__source_place_set(&node->place, place);
    if (node->took)
        cushim__handle_made_of(id, &node->took, 1, place);
    else
        cushim__handle_made_of(id, node->taken, node->n, place);
}

void cushim__node_describe(const struct cushim__node *node, char *text, size_t size)
{
    const char *label = cushim__object_label((struct cushim__object *) (uintptr_t) &node->object);
    const char *noun = node->type->noun ? node->type->noun : "";
    char what[128] = "";

    if (node->type->describe)
        node->type->describe(node, what, sizeof(what));
    snprintf(text, size, "%s%s%s%s%s%s%s%s%s%s", *noun ? ", " : "", noun, *what ? " " : "", what,
             *label ? " '" : "", label, *label ? "'" : "", node->place.text[0] ? " (" : "",
             node->place.text, node->place.text[0] ? ")" : "");
}
