/* SPDX-License-Identifier: MIT */
/*
 * Graphs. A graph is work that is recorded once and can be launched many times, with one call of
 * the driver for each launch. CUDA calls the recording "stream capture": a recorder of this header
 * is a CUstream that captures, in the mode CU_STREAM_CAPTURE_MODE_RELAXED.
 *
 *     cushim_stream recorder;
 *     cushim_graph graph;
 *
 *     CUSHIM_TRY(cushim_capture_begin(context, &recorder));
 *     CUSHIM_TRY(cushim_slice_fill(recorder, x, 0.0f));
 *     CUSHIM_TRY(cushim_launch(recorder, step, cushim_for_elements(n), CUSHIM_INOUT(x)));
 *     CUSHIM_TRY(cushim_capture_end(&recorder, &graph));
 *     for (int i = 0; i < 1000; i++)
 *         CUSHIM_TRY(cushim_graph_launch(graph, stream));
 *
 * A recording is one stream: what it recorded runs in that order, and a recorder cannot be forked
 * with cushim_stream_fork() or joined. Work that may run at the same time goes into graphs of its
 * own, which are launched on streams of their own. Memory orders them:
 *
 *     CUSHIM_TRY(cushim_graph_launch(prepare, a));    writes x and y
 *     CUSHIM_TRY(cushim_graph_launch(left, a));       reads x, writes p
 *     CUSHIM_TRY(cushim_graph_launch(right, b));      reads y, writes q: beside left
 *     CUSHIM_TRY(cushim_graph_launch(combine, a));    reads p and q, so it comes after both
 *
 * Work does not run while it is recorded. A recorder accepts launches without timing or events,
 * copies between slices and pinned memory (by handle, or asynchronous ones by its address), fills,
 * host functions, and work that is declared with cushim_slice_used(). Work that cannot be recorded
 * fails with CUSHIM_ERROR_CAPTURING, and the recording continues without it.
 *
 * A graph keeps the memory, modules and host functions that it uses: their handles may be freed
 * before the graph, but they live until the graph is freed. A launch of a graph is work of its
 * stream. It is ordered with other work by all the memory that was recorded.
 *
 * Graphs need a driver of CUDA 11.4. With an older one cushim_capture_end() returns 302
 * CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, and the recorder is freed.
 *
 * All functions are thread-safe; see object.h. Launches of the same graph never overlap.
 */
#ifndef CUSHIM_GRAPH_H
#define CUSHIM_GRAPH_H

#include <cushim/context.h>
#include <cushim/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A graph. It may be freed with cushim_graph_free() at any time: launches that were submitted
 * before still run.
 */
CUSHIM__HANDLE(cushim_graph, cushim_graph_free)

/**
 * Begins a recording (CUDA's stream capture). Returns a recorder: a new stream that records work
 * into a graph and can do nothing else. The caller ends the recording with cushim_capture_end(),
 * which makes the graph and frees the recorder, or with cushim_stream_free(), which makes no graph.
 * The result is CUSHIM_ERROR_BUSY while another thread waits for the whole context
 * (cushim_context_synchronize()), because that would ruin the recording.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_capture_begin(cushim_context context,
                                                             cushim_stream *ret_recorder);

/**
 * Ends a recording and returns its work as a graph, which can be launched. The caller frees the
 * graph with cushim_graph_free(). The recorder is freed in every case, also if the call fails. The
 * result is 901 CUDA_ERROR_STREAM_CAPTURE_INVALIDATED if an error stopped the recording, and
 * CUSHIM_ERROR_INVALID_ARGUMENT if the stream is not a recorder; such a stream is not freed.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_capture_end(cushim_stream *recorder,
                                                           cushim_graph *ret_graph);

/**
 * Launches all work of a graph on a stream. The call returns when the work is submitted. The result
 * is CUSHIM_ERROR_FOREIGN_CONTEXT if the stream belongs to another context than the graph.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_graph_launch(cushim_graph graph,
                                                            cushim_stream stream);

/**
 * Prepares a graph on the device, in the order of the stream, so that its first launch is as fast
 * as later ones. The result is CUSHIM_ERROR_FOREIGN_CONTEXT if the stream belongs to another
 * context than the graph.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_graph_upload(cushim_graph graph,
                                                            cushim_stream stream);

/**
 * Returns the CUgraph and the CUgraphExec of a graph, for calls through the table (table.h). They
 * belong to the graph. Either pointer may be NULL.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_graph_raw(cushim_graph graph, void **ret_cu_graph,
                                                         void **ret_cu_graph_exec);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_capture_begin(...)                                                                  \
    (cushim_source_location(CUSHIM_HERE), cushim_capture_begin(__VA_ARGS__))
#define cushim_capture_end(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_capture_end(__VA_ARGS__))
#define cushim_graph_free(...) (cushim_source_location(CUSHIM_HERE), cushim_graph_free(__VA_ARGS__))
#define cushim_graph_retain(...)                                                                   \
    (cushim_source_location(CUSHIM_HERE), cushim_graph_retain(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
