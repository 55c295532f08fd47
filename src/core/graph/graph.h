/* SPDX-License-Identifier: MIT */
/*
 * Graphs. A graph takes over what was recorded (recording.h). A launch of it is one submission with
 * all memory that its work uses, so it is ordered with other work on the memory, and the memory
 * lives as long as the graph.
 */
#ifndef CUSHIM_CORE_GRAPH_GRAPH_H
#define CUSHIM_CORE_GRAPH_GRAPH_H

#include <cushim/node.h>

#include "core/cu/cu_graph.h"
#include "core/order/recording.h"
#include "interpose/note.h"

struct cushim__graph {
    struct cushim__object object; /* holds a reference on its context */
    struct cushim__mutex lock;    /* taken before stream locks */
    CUgraph cu;
    CUgraphExec exec;
    /* Under the lock. */
    struct cushim__recording *recording; /* holds the memory */
    struct cushim__access *accesses;     /* all memory that was recorded, and launches */
    size_t n;
    struct cushim__buffer *launches;   /* of one byte: every launch reads it */
    unsigned n_parts;                  /* works of recordings that have what this one had then */
    bool differs;                      /* the CUgraph is not what is launched */
    unsigned n_off;                    /* nodes that are switched off */
    unsigned updates;                  /* how many there were */
    unsigned version;                  /* another one after each change of nodes */
    struct cushim__note *note;         /* what traces say of a launch; or NULL: not made yet */
    uint64_t n_launches;               /* not those that made it a part of another graph */
    struct cushim__recording *retired; /* what the graph has used before, and may still be needed */
};

/* Ends the recording of a stream, and makes a graph of it. */
cushim_status cushim__graph_of_recording(const struct cushim__scope *scope,
                                         struct cushim__stream *stream, uint64_t *ret_id);

/* Fails for the graph of a dry run, which can be neither launched nor changed. */
cushim_status cushim__graph_check_ready(const struct cushim__scope *scope,
                                        const struct cushim__graph *graph);

/* On a stream that records, the graph becomes a part of what is recorded. */
cushim_status cushim__graph_launch(struct cushim__scope *scope, struct cushim__graph *graph,
                                   struct cushim__stream *stream);
cushim_status cushim__graph_upload(struct cushim__scope *scope, struct cushim__graph *graph,
                                   struct cushim__stream *stream);

/*
 * Takes over a recording with what the graph has used before, and frees it when no launch can need
 * it any more. Called without locks.
 */
void cushim__graph_retire(struct cushim__scope *scope, struct cushim__graph *graph,
                          struct cushim__recording *recording);

/* Fails for a node that is not one of the graph. */
cushim_status cushim__graph_check_node(const struct cushim__scope *scope,
                                       const struct cushim__graph *graph, struct cushim_node node);

/* Switch a node off or on, and tell whether it is on. */
cushim_status cushim__graph_set_enabled(const struct cushim__scope *scope,
                                        struct cushim__graph *graph, struct cushim_node node,
                                        bool enabled);
cushim_status cushim__graph_enabled(const struct cushim__scope *scope, struct cushim__graph *graph,
                                    struct cushim_node node, unsigned *ret_enabled);

#endif
