/* SPDX-License-Identifier: MIT */
/*
 * Conditional nodes: graphs within a graph, which are done if a value says so, as often as it does.
 *
 * The value is a word of device memory, one for each handle of an executable graph. A kernel stores
 * into it, and the node reads it, so the checks of memory see both. The work of a node reads the
 * value when it runs; then it submits the steps of a body, waits for them, and runs again. The
 * values are in graph_condition.c. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_NODE_GRAPH_CONDITIONAL_H
#define CUSHIM_MOCK_NODE_GRAPH_CONDITIONAL_H

#include "mock/node/graph_exec.h"

/* CUgraphConditionalNodeType, which the headers of older toolkits lack. */
enum {
    MOCK__IF = 0,
    MOCK__WHILE = 1,
    MOCK__SWITCH = 2,
};

struct mock__conditional {
    uint64_t handle;
    int kind;
    unsigned n; /* of its bodies */
};

/* What a node of this work is. */
const struct mock__conditional *mock__conditional_of_work(const struct mock__work *work);

/* The parameters of a conditional node: CUDA_CONDITIONAL_NODE_PARAMS. */
CUresult mock__conditional_params(CUgraphNode node, void *ret_params);

/* Tells whether a conditional node may become another one. */
bool mock__conditional_replaces(const struct mock__work *work, const struct mock__work *old);

/* Adds a node. params is CUDA_CONDITIONAL_NODE_PARAMS, which gets the bodies. */
CUresult mock__conditional_add(CUgraphNode *ret_node, CUgraph graph,
                               const struct mock__predecessors *after, void *params);

/*
 * Tells the work of a launch which step of a plan it is. It holds the plan from then on. What its
 * bodies would submit now is tried, so that a launch says what is wrong with it.
 */
CUresult mock__conditional_bind(struct mock__work *work, const struct mock__step *step,
                                struct mock__plan *plan);

/* --- the values of an executable graph --- */

struct mock__condition_value {
    uint64_t handle;
    unsigned initial;
    bool has_initial;
    uint64_t address, id; /* of the memory, which may all the same go with its context */
    struct cushim__tree_node by_handle;
};

/* Makes the values for all conditional nodes of a plan, and frees them. */
CUresult mock__plan_conditions_new(struct mock__plan *plan);
void mock__plan_conditions_free(struct mock__plan *plan);

/* The work at the begin of each launch, which sets the values; of a plan without any, nothing. */
struct mock__work *mock__plan_conditions_begin(struct mock__plan *plan);

/* The nodes of the plan go by other handles now. */
void mock__plan_conditions_update(struct mock__plan *plan);

/* The address of the value of a handle for work of a graph; 0 if it has none. */
uint64_t mock__condition_address(const struct mock__work *work, uint64_t handle);

#endif
