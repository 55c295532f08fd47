/* SPDX-License-Identifier: MIT */
/*
 * The nodes of graphs, and their order by hand. graph.h says how graphs are recorded.
 *
 * Each work that is recorded is one node. Nodes are counted from 0 in the order of the recording.
 * A node is a plain value: nothing has to be freed. It is valid for the recording it comes from,
 * and for the graph that was made of it.
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
 * All functions are thread-safe; see object.h.
 */
#ifndef CUSHIM_NODE_H
#define CUSHIM_NODE_H

#include <cushim/graph.h>

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
 * several calls before one work count together. n may be 0.
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

#ifdef __cplusplus
}
#endif

#endif
