/* SPDX-License-Identifier: MIT */
/*
 * Graphs. A graph takes over what was recorded (recording.h). A launch of it is one submission with
 * all memory that its work uses, so it is ordered with other work on the memory, and the memory
 * lives as long as the graph.
 */
#ifndef CUSHIM_CORE_ORDER_GRAPH_H
#define CUSHIM_CORE_ORDER_GRAPH_H

#include "core/cu/cu_graph.h"
#include "core/order/stream.h"

struct cushim__graph {
    struct cushim__object object; /* holds a reference on its context */
    CUgraph cu;
    CUgraphExec exec;
    struct cushim__recording *recording; /* holds the memory */
    struct cushim__access *accesses;     /* all memory that was recorded, and launches */
    size_t n;
    struct cushim__buffer *launches; /* of one byte: every launch reads it */
};

/* Ends the recording of a stream, and makes a graph of it. */
cushim_status cushim__graph_of_recording(const struct cushim__scope *scope,
                                         struct cushim__stream *stream, uint64_t *ret_id);

/* On a stream that records, the graph becomes a part of what is recorded. */
cushim_status cushim__graph_launch(struct cushim__scope *scope, struct cushim__graph *graph,
                                   struct cushim__stream *stream);
cushim_status cushim__graph_upload(struct cushim__scope *scope, struct cushim__graph *graph,
                                   struct cushim__stream *stream);

#endif
