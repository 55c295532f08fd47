/* SPDX-License-Identifier: MIT */
/*
 * The nodes of graphs: order by hand, changes of a graph that is ready to be launched, and looking
 * at one. graph.h says how graphs are recorded.
 *
 * Each work that is recorded is one node. Nodes are counted from 0 in the order of the recording.
 * cushim may add nodes of its own in between: a conditional node (condition.h) has the number after
 * that of the kernel which reads its condition, and work that comes after many others may have an
 * empty node before it. So ask cushim_capture_node() for a node that is needed later. The body of a
 * conditional node counts its own nodes, which order by hand alone can name.
 *
 * A node is a plain value: nothing has to be freed. It is valid for the recording it comes from,
 * and for the graph that was made of it. An update is a recording of its own: the nodes of the
 * graph stay the same, and those that cushim_capture_node() returns in an update are for its order
 * by hand alone.
 *
 * A graph is built by hand by recording one work after another, and naming what each comes after:
 *
 *     cushim_node left, right, sum[2];
 *
 *     CUSHIM_TRY(cushim_capture_begin_with(
 *         context, cushim_capture_params(.order = CUSHIM_CAPTURE_ORDER_BY_HAND), &recorder));
 *     CUSHIM_TRY(cushim_launch(recorder, scale, ..., CUSHIM_INOUT(x), ...));
 *     CUSHIM_TRY(cushim_capture_node(recorder, &sum[0]));
 *     CUSHIM_TRY(cushim_launch(recorder, scale, ..., CUSHIM_INOUT(y), ...));
 *     CUSHIM_TRY(cushim_capture_node(recorder, &sum[1]));
 *     CUSHIM_TRY(cushim_capture_after(recorder, sum, 2));
 *     CUSHIM_TRY(cushim_launch(recorder, add, ..., CUSHIM_IN(x), CUSHIM_INOUT(y), ...));
 *     CUSHIM_TRY(cushim_capture_end(&recorder, &graph));
 *
 * An update changes a graph without making it anew. It is a recording, too: what is recorded takes
 * the place of the nodes of the graph, with the checks of every launch, copy and fill.
 *
 *     CUSHIM_TRY(cushim_graph_update_begin(graph, &recorder));
 *     CUSHIM_TRY(cushim_graph_update_node(recorder, sum[0]));
 *     CUSHIM_TRY(cushim_launch(recorder, scale, ..., CUSHIM_INOUT(x), CUSHIM_VALUE(factor)));
 *     CUSHIM_TRY(cushim_graph_update_end(&recorder));
 *
 * examples/graph_update.c has each kind of change.
 *
 * All functions are thread-safe; see object.h. A launch of a graph in another thread sees all of an
 * update or nothing of it, and launches that were submitted before keep what they had.
 */
#ifndef CUSHIM_NODE_H
#define CUSHIM_NODE_H

#include <cushim/graph.h>
#include <cushim/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A node of a recording and of its graph. */
typedef struct cushim_node {
    uint64_t recording; /* which recording; never 0 */
    uint64_t number;    /* counted from 0 */
} cushim_node;

/**
 * Returns the node of the last work that was recorded on a recorder. The result is
 * CUSHIM_ERROR_INVALID_ARGUMENT if the stream does not record, or has recorded nothing.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_capture_node(cushim_stream recorder,
                                                            cushim_node *ret_node);

/**
 * The next work of a recorder comes after n nodes of the same recording, whatever memory it uses.
 * With CUSHIM_CAPTURE_ORDER_BY_HAND it comes after these alone; then the result of recording it is
 * CUSHIM_ERROR_INVALID_ARGUMENT, and nothing is recorded, if its memory demands more. Nodes of
 * several calls before one work count together, also those from before a work that was refused. n
 * may be 0.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_capture_after(cushim_stream recorder,
                                                             const cushim_node *nodes, size_t n);

/**
 * Records a node that does nothing. It comes after all that the recorder has recorded, and before
 * all that follows on it; with CUSHIM_CAPTURE_ORDER_BY_HAND it has the order of
 * cushim_capture_after(). The result is CUSHIM_ERROR_INVALID_ARGUMENT if the stream does not
 * record.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_capture_empty(cushim_stream recorder);

/**
 * Begins an update of a graph. Returns a recorder, which cushim_graph_update_end() frees. What is
 * recorded on it takes the place of nodes of the graph: either cushim_graph_update_node() says
 * before each work which node's, or everything is recorded again, node by node in the same order.
 * The second way also suits code that does not know its nodes: it is much cheaper than to make the
 * graph anew. The recorder has the graph's order (enum cushim_capture_order), and may fork. What is
 * allocated on it comes from the arena of the graph (arena.h). Freeing it with cushim_stream_free()
 * gives up the update. Of two updates at the same time, the one that ends last counts.
 *
 * The result is as for cushim_capture_begin().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_graph_update_begin(cushim_graph graph,
                                                                  cushim_stream *ret_recorder);

/**
 * The next work of a recorder of cushim_graph_update_begin(), or of a fork of one, takes the place
 * of this node. In what order nodes are recorded again makes no difference. The result is
 * CUSHIM_ERROR_INVALID_ARGUMENT if the node is not one of the graph or was named before, or work
 * was recorded before without saying for which node. If the work is refused, the next one may still
 * take the place.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_graph_update_node(cushim_stream recorder,
                                                                 cushim_node node);

/**
 * Ends an update: the next launch of the graph has all of it. A node that is switched off stays so.
 * The recorder is freed, also if the call fails. For a stream that is not one of
 * cushim_graph_update_begin() the result is CUSHIM_ERROR_INVALID_ARGUMENT, and it stays as it was:
 * what it records goes on. If anything of the update is not possible, the result is 910
 * CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, the graph stays as it was, and the error text
 * (cushim_error_text()) has a reason for each node, up to the length of the text:
 *
 * - the new work is of another kind: a launch takes the place of launches only, a copy that of
 *   copies, and so on; memory of a node that copies or fills must be of the same kind of memory
 * - a launch has other options
 * - the work takes several nodes of the driver: a launch that is timed with ret_start and ret_end,
 *   and a fill that takes several calls of the driver (cushim_slice_fill(), cushim_field_fill())
 * - it is of a kind that the driver does not change: a graph in the graph, unless it is the same
 *   one, a conditional node and the kernel that reads its condition, an allocation of .memory_nodes
 * - cushim_graph_update_node() has named the node, and no work followed
 * - the graph has no edge that keeps the new work apart from other work on its memory
 * - the driver has refused it; the text has its answer
 * - the driver has failed in the midst of an earlier change: the graph can still be launched, and
 *   has to be recorded anew for another change
 *
 * When everything is recorded again, the number of nodes must be the same, and what the graph lacks
 * is an order that the recording has.
 *
 * What the graph has used before and does not use now is kept until no launch can need it.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_graph_update_end(cushim_stream *recorder);

/**
 * Puts one slice in the place of another everywhere in a graph: in launches, copies and fills. The
 * next launch has it. Both slices must have the same number of bytes. Nodes that use only a part of
 * the old slice use the same part of the new one.
 *
 * The result is CUSHIM_ERROR_INVALID_ARGUMENT, and the graph stays as it was, if the sizes differ,
 * or if no node uses the old slice, or if the new one is of a dry run or of memory nodes (arena.h);
 * and CUSHIM_ERROR_FOREIGN_CONTEXT if a slice belongs to another context than the graph. It is 910
 * CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, with reasons as for cushim_graph_update_end(), if a node
 * uses memory inside and outside of the old slice as one, or the new slice as well and writes it,
 * or if a node uses the old one that cannot be changed, such as a graph in the graph. Otherwise it
 * is as for cushim_graph_update_end().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_graph_replace(cushim_graph graph, cushim_slice old,
                                                             cushim_slice by);

/**
 * Switches a node off (enabled 0) or on again. A node that is off does nothing in the launches that
 * follow, and keeps its place in the order. The driver can switch launches of kernels, copies and
 * fills, if they take one node of the driver (cushim_graph_update_end()); for others the result is
 * CUSHIM_ERROR_INVALID_ARGUMENT. A graph with a node that is off cannot be a part of another one.
 * Drivers older than CUDA 11.6 return 302 CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_graph_set_enabled(cushim_graph graph,
                                                                 cushim_node node, int enabled);

/** Returns 1 for a node that is switched on, and 0 for one that is off. Otherwise as above. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_graph_enabled(cushim_graph graph, cushim_node node,
                                                             int *ret_enabled);

/** Returns the node with a number, counted from 0 in the order of the recording. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_graph_node(cushim_graph graph, size_t number,
                                                          cushim_node *ret_node);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_graph_update_begin(...)                                                             \
    (cushim_source_location(CUSHIM_HERE), cushim_graph_update_begin(__VA_ARGS__))
#define cushim_graph_update_end(...)                                                               \
    (cushim_source_location(CUSHIM_HERE), cushim_graph_update_end(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
