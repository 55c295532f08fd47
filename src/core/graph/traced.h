/* SPDX-License-Identifier: MIT */
/* What a trace says of the launch of a graph: its nodes, in words. */
#ifndef CUSHIM_CORE_GRAPH_TRACED_H
#define CUSHIM_CORE_GRAPH_TRACED_H

#include "core/graph/graph.h"

/*
 * Around the driver call of a launch, under the lock of the graph: a trace that logs the call asks
 * for the nodes in words. Forgotten when a node has changed.
 */
struct cushim__graph_launch {
    const struct cushim__scope *scope;
    struct cushim__graph *graph;
};

void cushim__graph_note_begin(struct cushim__graph_launch *launch);
void cushim__graph_note_end(void);
void cushim__graph_note_forget(struct cushim__graph *graph);

#endif
