/* SPDX-License-Identifier: MIT */
/*
 * Changing a graph that can be launched: other parameters for some of its nodes, all at once or not
 * at all. update.c and replace.c make lists of changes.
 *
 * The edges of a graph stay as they are. So a node may use other memory only if the edges keep it
 * apart from all other nodes that use this memory.
 */
#ifndef CUSHIM_CORE_GRAPH_CHANGE_H
#define CUSHIM_CORE_GRAPH_CHANGE_H

#include "core/graph/graph.h"
#include "core/graph/node_params.h"

struct cushim__node_change {
    unsigned number;                   /* of the work in the graph */
    struct cushim__node_params params; /* the new ones */
    const struct cushim__access *accesses;
    size_t n_accesses;
};

/* Why nodes cannot be changed: a text with as many reasons as it has room for. */
struct cushim__reasons {
    size_t n;
    char text[800];
};

/* Adds a reason why the work with a number cannot be changed. */
void cushim__reasons_add(struct cushim__reasons *reasons, const struct cushim__recording *recording,
                         unsigned number, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Fails with the reasons, of which there is at least one. */
cushim_status cushim__reasons_fail(const struct cushim__scope *scope,
                                   const struct cushim__reasons *reasons);

/* Why a work cannot be changed or switched off by itself, as a half sentence; or NULL. */
const char *cushim__why_fixed(const struct cushim__recorded *work);

struct cushim__change {
    const struct cushim__scope *scope;
    struct cushim__graph *graph;
    struct cushim__node_change *nodes; /* each for another work */
    size_t n;
    bool is_ordered; /* the caller has looked at the edges */
    /* What the graph has used before, for the caller to free without locks; or NULL. */
    struct cushim__recording *before;
};

/*
 * Makes a change, under the lock of the graph. Afterwards the graph has the accesses. On failure
 * the graph is as it was.
 */
cushim_status cushim__change_make(struct cushim__change *change, struct cushim__reasons *reasons);

#endif
