/* SPDX-License-Identifier: MIT */
/* Functions for nodes of all types. Callers hold the lock. */
#ifndef CUSHIM_MOCK_NODE_GRAPH_NODE_H
#define CUSHIM_MOCK_NODE_GRAPH_NODE_H

#include "mock/graph/graph.h"

/* The parameters of a node, and the function that turns them into checked work. */
struct mock__node_spec {
    CUresult (*describe)(const void *params, struct mock__work **ret_work);
    const void *params;
    bool needs_driver; /* to add such a node, whatever the arguments are */
};

/* Do the work of cuGraphAdd*Node, cuGraph*NodeSetParams and cuGraphExec*NodeSetParams. */
CUresult mock__node_spec_add(CUgraphNode *ret_node, CUgraph graph, const CUgraphNode *after,
                             size_t n, struct mock__node_spec spec);
CUresult mock__node_spec_add_by(CUgraphNode *ret_node, CUgraph graph,
                                const struct mock__predecessors *after,
                                struct mock__node_spec spec);
CUresult mock__node_spec_set(CUgraphNode node, CUgraphNodeType type, struct mock__node_spec spec);
CUresult mock__node_spec_set_exec(CUgraphExec exec, CUgraphNode node, CUgraphNodeType type,
                                  struct mock__node_spec spec);

/* The work of a node of this type. */
CUresult mock__node_work(CUgraphNode handle, CUgraphNodeType type,
                         const struct mock__work **ret_work);

/*
 * The context of a node, or NULL. Takes the lock itself, and leaves it to others to say what is
 * wrong with the node.
 */
CUcontext mock__node_context(CUgraphNode handle);

#endif
