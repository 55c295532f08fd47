/* SPDX-License-Identifier: MIT */
/*
 * Makes work from the parameters of each type of node. params is the structure of that type in
 * CUgraphNodeParams; NULL is CUDA_ERROR_INVALID_VALUE. Each type is in the file of its name:
 * graph_kernel.c, graph_copy.c, graph_event.c, graph_semaphores.c, graph_value.c, graph_memory.c
 * and graph_child.c; all others are in graph_node.c. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_NODE_GRAPH_PARAMS_H
#define CUSHIM_MOCK_NODE_GRAPH_PARAMS_H

#include "mock/graph/graph.h"

CUresult mock__describe_kernel(const void *params, struct mock__work **ret_work);
CUresult mock__describe_host(const void *params, struct mock__work **ret_work);

/* This type has no parameters; params is ignored. */
CUresult mock__describe_nothing(const void *params, struct mock__work **ret_work);

/* A copy or memset, and the context for it: NULL for the current one. */
struct mock__copy_params {
    const CUDA_MEMCPY3D *copy;
    CUcontext context;
};
struct mock__fill_params {
    const CUDA_MEMSET_NODE_PARAMS *fill;
    CUcontext context;
};
CUresult mock__describe_copy(const void *params, struct mock__work **ret_work);
CUresult mock__describe_fill(const void *params, struct mock__work **ret_work);

/* params is a CUevent. */
CUresult mock__describe_record(const void *params, struct mock__work **ret_work);
CUresult mock__describe_wait(const void *params, struct mock__work **ret_work);

/* Lists of external semaphores; the structures of both types are alike. */
CUresult mock__describe_signal(const void *params, struct mock__work **ret_work);
CUresult mock__describe_semaphore_wait(const void *params, struct mock__work **ret_work);

#if CUDA_VERSION >= 11070
CUresult mock__describe_values(const void *params, struct mock__work **ret_work);
#endif

#if CUDA_VERSION >= 11040
/* An allocation. Afterwards its address is in the structure. */
CUresult mock__describe_alloc(const void *params, struct mock__work **ret_work);
#endif

/* A free, and its graph, because an address is freed only once in each graph. */
struct mock__free_params {
    CUdeviceptr address;
    CUgraph graph;
};
CUresult mock__describe_free(const void *params, struct mock__work **ret_work);

/*
 * Adds a node that is a graph: a copy or, if move is true, the graph itself, which the node then
 * owns.
 */
CUresult mock__child_add(CUgraphNode *ret_node, CUgraph hGraph,
                         const struct mock__predecessors *after, CUgraph child, bool move);

/* Puts a copy of another graph in the place of the one that the node is. */
CUresult mock__child_set(CUgraphNode node, CUgraph child);

/* Makes the graph within an executable graph do what another graph of the same shape does. */
CUresult mock__child_update(CUgraphExec exec, CUgraphNode node, CUgraph child);

#endif
