/* SPDX-License-Identifier: MIT */
/* Kernels as nodes of graphs. Callers hold the lock. */
#ifndef CUSHIM_MOCK_NODE_GRAPH_KERNEL_H
#define CUSHIM_MOCK_NODE_GRAPH_KERNEL_H

#include "mock/graph/graph.h"

/* Moves the attributes of one kernel to another. */
void mock__kernel_take_attributes(struct mock__work *work, struct mock__work *from);

/* Gives a captured kernel the priority of its stream, unless its launch has set one. */
CUresult mock__kernel_default_priority(struct mock__work *work, int priority);

#endif
