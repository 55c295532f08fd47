/* SPDX-License-Identifier: MIT */
/* What the driver knows of the nodes of graphs: kinds and parameters. */
#ifndef CUSHIM_CORE_GRAPH_NODE_PARAMS_H
#define CUSHIM_CORE_GRAPH_NODE_PARAMS_H

#include "core/cu/cu_graph.h"
#include "core/object/scope.h"

/* The parameters of one node. Pointers in it belong to the node that they were read from. */
struct cushim__node_params {
    int kind; /* CU_GRAPH_NODE_TYPE_x */
    union {
        struct cushim__cu_kernel_node kernel;
        struct cushim__cu_copy copy;
        struct cushim__cu_fill_node fill;
        struct cushim__cu_host_node host;
        CUevent event;
    };
};

/* The name of a kind in a sentence, such as "a launch". */
const char *cushim__node_kind_words(int kind);

/* Tells whether the parameters of nodes of a kind can be changed. */
bool cushim__node_kind_changes(int kind);

/*
 * Read a node's kind and parameters, and set the parameters of a node of a graph, or of a graph
 * that can be launched. They return the driver's result.
 */
int cushim__node_kind(const struct cushim__scope *scope, CUgraphNode node, int *ret_kind);
int cushim__node_params_get(const struct cushim__scope *scope, CUgraphNode node,
                            struct cushim__node_params *ret_params);
int cushim__node_params_set(const struct cushim__scope *scope, CUgraphNode node,
                            const struct cushim__node_params *params);
int cushim__node_params_set_exec(const struct cushim__scope *scope, CUgraphExec exec,
                                 CUgraphNode node, const struct cushim__node_params *params);

#endif
