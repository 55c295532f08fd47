/* SPDX-License-Identifier: MIT */
/* What the groups about conditional nodes share: kernels, handles and nodes. */
#ifndef CUSHIM_TESTS_DRIVER_CONDITIONAL_H
#define CUSHIM_TESTS_DRIVER_CONDITIONAL_H

#include "ask.h"

/* A graph with its context, kernels, a stream, and a number in device memory. */
struct conditional {
    CUcontext context;
    CUfunction set, loop, digit;
    CUstream stream;
    CUdeviceptr number;
    CUgraph graph;
};

/* With a new graph. */
struct conditional conditional_begin(void);
void conditional_renew(struct conditional *c);

/* A handle of a graph. It is set to the value before each launch. */
CUgraphConditionalHandle conditional_handle(const struct conditional *c, CUgraph graph,
                                            unsigned value);

/* Parameters of a conditional node. */
CUgraphNodeParams conditional_params(const struct conditional *c, CUgraphConditionalHandle handle,
                                     int type, unsigned size);

/* A body of a node that was added; NULL if it was not. */
CUgraph conditional_body(const CUgraphNodeParams *params, unsigned i);

/* Adds a node behind another one, or behind none for NULL. They answer the driver's result. */
int conditional_add(CUgraph graph, CUgraphNode after, CUgraphNodeParams *params,
                    CUgraphNode *ret_node);
int conditional_add_set(const struct conditional *c, CUgraph graph, CUgraphNode after,
                        CUgraphConditionalHandle handle, unsigned value, CUgraphNode *ret_node);

/* number = 10 * number + digit */
int conditional_add_digit(const struct conditional *c, CUgraph graph, CUgraphNode after,
                          unsigned digit, CUgraphNode *ret_node);

/* number = number + 1, and the handle's value is 1 as long as it is less than the limit. */
int conditional_add_loop(const struct conditional *c, CUgraph graph, CUgraphNode after,
                         CUgraphConditionalHandle handle, unsigned limit);

/* A conditional node with bodies that each add one digit: 1, 2 and so on. */
CUgraphNode conditional_node(const struct conditional *c, CUgraphNode after,
                             CUgraphConditionalHandle handle, int type, unsigned size);

/* Instantiates the graph; reports the result under the key. */
CUgraphExec conditional_instantiate(const struct conditional *c, const char *key);

/* Launches with the number 0, and reports the number afterwards. */
void conditional_launch(const struct conditional *c, CUgraphExec exec, const char *key);

#endif
