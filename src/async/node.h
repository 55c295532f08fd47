/* SPDX-License-Identifier: MIT */
/*
 * Nodes: the objects of the handles of operations.
 *
 * A node has the nodes that it takes, its operands, and what it does with their outputs: its type.
 * Nodes belong to no context and to no driver. A node is consumed by whatever takes it: its handle
 * is closed, and the reference goes to that. run.h executes nodes.
 */
#ifndef CUSHIM_ASYNC_NODE_H
#define CUSHIM_ASYNC_NODE_H

#include "async/output.h"
#include "base/status.h"
#include "base/util.h"
#include "core/object/handle_words.h"
#include "core/object/object.h"

struct cushim__run;
struct cushim__node;

/* The end of a step: an output, or the node that is run in its place. */
struct cushim__outcome {
    struct cushim_output *output;
    struct cushim__node *next; /* with a reference, or NULL */
};

struct cushim__node_type {
    const char
        *noun; /* such as "launch"; NULL: not a step that messages count; "": it has no noun */
    const char *call; /* what the program called for it; NULL: errors name what failed in it */
    bool spreads;     /* its operands may run on several streams */
    bool many;        /* each of several handles of it may be used */
    /*
     * Runs the step. inputs has the outputs of the operands; the step takes those that it wants and
     * sets them to NULL. If it fails, the thread's error says why.
     */
    cushim_status (*run)(struct cushim__run *run, struct cushim__node *node,
                         struct cushim_output **inputs, struct cushim__outcome *ret);
    /* Frees what the type has in the node, unless is_finished is set; or NULL. */
    void (*finish)(struct cushim__node *node);
    /* Writes what the step works on, such as "of saxpy"; or NULL. */
    void (*describe)(const struct cushim__node *node, char *text, size_t size);
};

/* Every type of node begins with this. */
struct cushim__node {
    struct cushim__object object; /* its context is NULL */
    const struct cushim__node_type *type;
    struct cushim__source_place place;
    struct cushim__gate *gate;      /* its operand runs once, for several nodes (gate.h); or NULL */
    uint64_t on_id;                 /* its operand runs on this stream, a handle of its own; or 0 */
    size_t n;                       /* operands */
    struct cushim__node **operands; /* each with a reference; NULL once they run */
    uint64_t *taken;                /* the handles that the operands had */
    uint64_t took;                  /* the handle of what it has taken beside them, or 0 */
    struct cushim__node *doomed;    /* in a list of those that are being destroyed */
    bool is_finished;               /* the step has given away all that the type has in the node */
};

/*
 * Makes a node of so many bytes with n operands, which are NULL yet. NULL when out of memory, with
 * the thread's error.
 */
struct cushim__node *cushim__node_new(const struct cushim__node_type *type, size_t bytes, size_t n);

/* Makes a node with one operand, which is consumed in any case. */
struct cushim__node *cushim__node_over(const struct cushim__node_type *type, size_t bytes,
                                       cushim_op op, const char *call);

/* Drops a reference. NULL is allowed. */
void cushim__node_unref(struct cushim__node *node);

/*
 * Consumes an operation: closes its handle and returns its node, with the reference. NULL, with the
 * thread's error, if the handle is not valid.
 */
struct cushim__node *cushim__node_take(uint64_t id, const char *call);

/*
 * The same for a call that makes no operation: if the thread has set a source location, the
 * operation was used there.
 */
struct cushim__node *cushim__node_take_last(uint64_t id, const char *call);

/*
 * Consumes n operations as operands of a node. False, with the thread's error, if the handle of one
 * is not valid: the others are consumed, too.
 */
bool cushim__node_take_operands(struct cushim__node *node, const cushim_op *ops, const char *call);

/* Frees n operations, for a call that fails. */
void cushim__ops_drop(const cushim_op *ops, size_t n);

/*
 * Gives a node a handle. A NULL node stands for a failure, whose error is the thread's: then the
 * result is an operation that fails with it.
 */
cushim_op cushim__node_give(struct cushim__node *node, const char *call);

/* Makes an operation that fails with the thread's error. */
cushim_op cushim__node_give_error(const char *call);

/* Makes the error of a node for a failed description the thread's. False for other nodes. */
bool cushim__node_error(const struct cushim__node *node);

/* Notes where a node was made, and so where what it has taken was used. It has a handle. */
void cushim__node_place(struct cushim__node *node, uint64_t id, const char *place);

/* Writes what a step is, such as ", launch of saxpy (train.c:88)". */
void cushim__node_describe(const struct cushim__node *node, char *text, size_t size);

#endif
