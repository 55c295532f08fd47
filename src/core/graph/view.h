/* SPDX-License-Identifier: MIT */
/*
 * Looking at graphs. view.c reads what nodes are, and counts; dot.c writes a picture. names.h has
 * the names of memory. All functions here are called under the lock of the graph.
 */
#ifndef CUSHIM_CORE_GRAPH_VIEW_H
#define CUSHIM_CORE_GRAPH_VIEW_H

#include <cushim/graph_view.h>

#include "base/str.h"
#include "core/graph/graph.h"
#include "core/graph/names.h"
#include "core/graph/node_params.h"

/* A node as the recording and the driver know it. */
struct cushim__node_view {
    const struct cushim__recorded *work;
    enum cushim_node_kind kind;
    struct cushim__node_params params; /* zeros if it has no node of its own */
    size_t bytes;                      /* that it copies or fills */
    size_t inner_nodes;                /* of a graph in the graph */
    unsigned enabled;
};

/* The recording is that of the graph, or one of the bodies of conditional nodes in it. */
cushim_status cushim__node_view(const struct cushim__scope *scope,
                                const struct cushim__graph *graph,
                                const struct cushim__recording *recording, unsigned number,
                                struct cushim__node_view *ret_view);

/* Writes what a node is, such as "launch of add". */
void cushim__node_view_words(const struct cushim__node_view *view, struct cushim__str *str);

cushim_status cushim__graph_stats(const struct cushim__scope *scope, struct cushim__graph *graph,
                                  struct cushim_graph_counts *ret_stats);

cushim_status cushim__graph_dot(const struct cushim__scope *scope, struct cushim__graph *graph,
                                struct cushim__names *names, struct cushim__str *str);

#endif
