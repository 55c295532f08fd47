/* SPDX-License-Identifier: MIT */
/*
 * The handles of conditional nodes. A handle belongs to a graph, and goes with it; one conditional
 * node, of this graph or of one within, goes by its value. What the value is, is a matter of the
 * executable graph: see node/graph_conditional.h. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_GRAPH_CONDITION_H
#define CUSHIM_MOCK_GRAPH_CONDITION_H

#include "mock/base/objects.h"
#include "mock/functions.h"

struct mock__context;
struct mock__graph;

struct mock__condition {
    struct mock__object object;
    struct mock__graph *graph;
    CUcontext context;
    CUgraphNode node; /* that goes by it; may be gone; NULL: there was none yet */
    unsigned initial; /* what a launch begins with, */
    bool has_initial; /* if it does; else the value is not defined */
    struct mock__condition *next;
};

/* The condition of a handle; CUDA_ERROR_INVALID_VALUE if there is none. */
CUresult mock__condition_find(uint64_t handle, struct mock__condition **ret_condition);

/*
 * The context that a handle or a node is for, which has to be named: NULL is not the current one.
 */
CUresult mock__condition_context(CUcontext handle, struct mock__context **ret_context);

/* Tells whether a node goes by the condition. */
bool mock__condition_used(const struct mock__condition *condition);

/* Tells whether a node of a graph, or of one within, could have the condition. */
bool mock__condition_suits(const struct mock__condition *condition,
                           const struct mock__graph *graph);

/* Tells whether no node goes by a condition of the graph, or of one within. */
bool mock__conditions_unused(const struct mock__graph *graph);

void mock__conditions_free(struct mock__graph *graph);

#endif
