/* SPDX-License-Identifier: MIT */
/*
 * Updates: what is recorded takes the place of works of a graph. replace.c puts one slice in the
 * place of another one.
 */
#ifndef CUSHIM_CORE_GRAPH_UPDATE_H
#define CUSHIM_CORE_GRAPH_UPDATE_H

#include "core/graph/graph.h"
#include "core/memory/slice.h"

/* Makes a recorder for an update of a graph, with a reference for the caller. */
cushim_status cushim__graph_update_begin(const struct cushim__scope *scope,
                                         struct cushim__graph *graph,
                                         struct cushim__stream **ret_stream);

/* The next work of the recorder takes the place of a node. */
cushim_status cushim__graph_update_node(const struct cushim__scope *scope,
                                        struct cushim__stream *stream, struct cushim_node node);

/* Ends the recording of a stream, and changes the graph. */
cushim_status cushim__graph_update_end(struct cushim__scope *scope, struct cushim__stream *stream);

/* Puts memory in the place of other memory of the same size. The caller has both pinned. */
cushim_status cushim__graph_replace(const struct cushim__scope *scope, struct cushim__graph *graph,
                                    const struct cushim__resolved_view *old,
                                    const struct cushim__resolved_view *by);

#endif
