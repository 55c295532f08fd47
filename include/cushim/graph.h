/* SPDX-License-Identifier: MIT */
/*
 * Graphs: work that is recorded once and launched many times, by one driver call each.
 *
 *     cushim_stream recorder;
 *     cushim_graph graph;
 *
 *     cushim_capture_begin(context, &recorder);
 *     cushim_slice_fill(recorder, x, 0.0f);
 *     cushim_launch(recorder, step, cushim_for_elements(n), CUSHIM_INOUT(x), CUSHIM_IN(y));
 *     cushim_capture_end(&recorder, &graph);
 *     for (int i = 0; i < 1000; i++)
 *         cushim_graph_launch(graph, stream);
 *
 * What is recorded does not run. A recorder takes launches, copies between slices and pinned
 * memory, fills, host functions, and work that cushim_slice_use() announces; whatever cannot be
 * recorded is refused with CUSHIM_ERROR_CAPTURING, and the recording goes on without it.
 *
 * A graph keeps what it uses: memory, modules and host functions may be freed before it, and live
 * until it is freed. Each launch is work of its stream that reads and writes all that was recorded,
 * in order with everything else that uses the memory.
 *
 * Thread-safe; see object.h. A graph's launches do not overlap each other.
 */
#ifndef CUSHIM_GRAPH_H
#define CUSHIM_GRAPH_H

#include <cushim/context.h>
#include <cushim/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Freed by cushim_graph_free(), at any time: launches that were made are done first. */
CUSHIM__HANDLE(cushim_graph, cushim_graph_free)

/**
 * A stream that records. It does nothing else until cushim_capture_end(); freeing it with
 * cushim_stream_free() drops what was recorded.
 */
CUSHIM_API cushim_status cushim_capture_begin(cushim_context context, cushim_stream *ret_recorder);

/**
 * What was recorded, as a graph that can be launched. Frees the recorder, also if this fails. Fails
 * with the driver's CUDA_ERROR_STREAM_CAPTURE_INVALIDATED if something went wrong while it
 * recorded.
 */
CUSHIM_API cushim_status cushim_capture_end(cushim_stream *recorder, cushim_graph *ret_graph);

/** Launches all of it on a stream of the same context. */
CUSHIM_API cushim_status cushim_graph_launch(cushim_graph graph, cushim_stream stream);

/** Makes the device ready for it, so that the first launch does not have to. */
CUSHIM_API cushim_status cushim_graph_upload(cushim_graph graph, cushim_stream stream);

/** Its CUgraph and its CUgraphExec, which stay its own. Either pointer may be NULL. */
CUSHIM_API cushim_status cushim_graph_raw(cushim_graph graph, void **ret_cu_graph,
                                          void **ret_cu_graph_exec);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_capture_begin(...)                                                                  \
    (cushim_source_location(CUSHIM_HERE), cushim_capture_begin(__VA_ARGS__))
#define cushim_capture_end(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_capture_end(__VA_ARGS__))
#define cushim_graph_free(...) (cushim_source_location(CUSHIM_HERE), cushim_graph_free(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
