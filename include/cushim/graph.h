/* SPDX-License-Identifier: MIT */
/*
 * Graphs. A graph is work that is recorded once and can be launched many times, with one call of
 * the driver for each launch. CUDA calls the recording "stream capture".
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
 * The graph has the order that memory needs, and no other: work that shares no memory with earlier
 * work, or only reads what both use, has no edge from it and may run at the same time.
 *
 *     CUSHIM_TRY(cushim_launch(recorder, prepare, ...));    writes x and y
 *     CUSHIM_TRY(cushim_launch(recorder, left, ...));       reads x, writes p
 *     CUSHIM_TRY(cushim_launch(recorder, right, ...));      reads y, writes q: beside left
 *     CUSHIM_TRY(cushim_launch(recorder, combine, ...));    reads p and q, so it comes after both
 *
 * What uses memory that cushim cannot see is kept in the order of its recorder: a host function and
 * an event come after all that this recorder has recorded, and before all that follows on it. Work
 * that the program itself submits to the CUstream of a recorder (cushim_stream_raw()) is ordered in
 * this way with the work of all recorders. Kernels that share memory by addresses in other memory
 * are recorded with .order = CUSHIM_CAPTURE_ORDER_AS_RECORDED (cushim_capture_begin_with()).
 *
 * cushim_stream_fork() makes another recorder for the same graph. Its work comes after what the
 * first one has recorded so far. Each recorder has the order of its own host functions and events.
 * cushim_stream_join() and cushim_stream_wait() work between recorders of one graph. A fork need
 * not be joined before the recording ends: what it has recorded is a part of the graph. Several
 * threads may record at the same time, each with a recorder.
 *
 * Work does not run while it is recorded. A recorder accepts allocations of slices, launches,
 * copies between slices and pinned memory (by handle, or asynchronous ones by its address), fills,
 * host functions, other graphs (cushim_graph_launch()), and work that is declared with
 * cushim_slice_used(). Every launch of the graph records the events that were recorded, also those
 * of a launch that is timed, and waits for the events of others that cushim_stream_wait() was
 * called with. Work that cannot be recorded fails with CUSHIM_ERROR_CAPTURING, and the recording
 * continues without it.
 *
 * What is allocated while a stream records is memory of an arena, with addresses that stay, so that
 * a launch allocates nothing: see arena.h.
 *
 * A graph keeps the memory, modules and host functions that it uses: their handles may be freed
 * before the graph, but they live until the graph is freed. A launch of a graph is work of its
 * stream. It is ordered with other work by all the memory that was recorded.
 *
 * Graphs need a driver of CUDA 11.4. With an older one cushim_capture_begin() or, in 11.3,
 * cushim_capture_end() returns 302 CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND.
 *
 * All functions are thread-safe; see object.h. Launches of the same graph never overlap.
 */
#ifndef CUSHIM_GRAPH_H
#define CUSHIM_GRAPH_H

#include <cushim/arena.h>
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
 * What may be done with the driver while a stream of the program records: CUDA's capture modes.
 * RELAXED: everything. THREAD_LOCAL: the recording thread must not call what may wait or allocate.
 * GLOBAL: no thread of the process must.
 */
enum cushim_capture_mode {
    CUSHIM_CAPTURE_MODE_RELAXED = 0,
    CUSHIM_CAPTURE_MODE_THREAD_LOCAL = 1,
    CUSHIM_CAPTURE_MODE_GLOBAL = 2,
};

/** What makes the order of recorded works. */
enum cushim_capture_order {
    /** The memory that they use, and what their recorder has recorded: see above. */
    CUSHIM_CAPTURE_ORDER_BY_MEMORY = 0,
    /**
     * Each comes after all that was recorded before it, as on a stream: for kernels that share
     * memory which cushim does not see, such as addresses in other memory.
     */
    CUSHIM_CAPTURE_ORDER_AS_RECORDED = 1,
    /**
     * Each comes after the nodes that cushim_capture_after() (node.h) names, and after no others.
     * Work whose memory demands another order is refused. Forks, joins and events make no order.
     */
    CUSHIM_CAPTURE_ORDER_BY_HAND = 2,
};

/** Parameters of a recording. A field that is zero selects its default. */
struct cushim_capture_params {
    size_t size; /* sizeof the structure; the macro cushim_capture_params() sets it */

    /** The capture mode. In the two strict ones the same thread must end the recording. */
    enum cushim_capture_mode mode;
    /** What makes the order. */
    enum cushim_capture_order order;
    /**
     * If not 0, nodes of the graph allocate, and no arena: memory is taken from the device's pool
     * for graphs while the graph runs. All slices must be freed before the recording ends, else
     * cushim_capture_end() fails with CUSHIM_ERROR_BUSY. Such a graph cannot be a part of another,
     * and its order is not made by hand.
     */
    int memory_nodes;
    /**
     * What is allocated comes from this arena (arena.h), which graphs that never run at the same
     * time may share. By default the recording makes one of its own when it first allocates.
     */
    cushim_arena arena;
};

/** Writes the parameters in place. */
#define cushim_capture_params(...) CUSHIM__IN_PLACE(cushim_capture_params, __VA_ARGS__)

/**
 * Begins a recording as cushim_capture_begin() does, with parameters. params may be NULL. The
 * result is CUSHIM_ERROR_INVALID_ARGUMENT for a mode that is not one of enum cushim_capture_mode,
 * an order that is none of enum cushim_capture_order, and .memory_nodes with an arena or with an
 * order by hand; and CUSHIM_ERROR_FOREIGN_CONTEXT for an arena of another context.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_capture_begin_with(cushim_context context, const struct cushim_capture_params *params,
                          cushim_stream *ret_recorder);

/**
 * Begins a recording on a stream that exists. From now on it records, and what was submitted to it
 * before is no part of the graph. cushim_capture_end() makes the graph, and then the stream runs
 * work again; it is not freed. If the handle that began the recording is freed before, with all
 * that cushim_stream_retain() has made of it, the recording is given up. params may be NULL.
 *
 * In a strict mode only the thread that began a recording can give it up. If another thread frees
 * the handle, the recording goes on, and the log has a sentence about it: the thread that began it
 * can still end it by another handle of the stream, such as one of cushim_stream_adopt(). Free what
 * cushim_stream_new() or cushim_capture_begin_with() has made in the thread that began: else its
 * CUstream records for ever.
 *
 * Work that the program submits to the CUstream itself is recorded, too. The driver refuses the
 * legacy default stream with 900 CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED. The result is
 * CUSHIM_ERROR_CAPTURING if the stream records already, CUSHIM_ERROR_INVALID_ARGUMENT for a mode
 * that is not one of enum cushim_capture_mode, and else as for cushim_capture_begin_with().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_capture_begin_on(cushim_stream stream, const struct cushim_capture_params *params);

/**
 * Ends a recording and returns its work as a graph, which can be launched. The caller frees the
 * graph with cushim_graph_free(). A recorder of cushim_capture_begin() is freed, also if the call
 * fails; its forks stay, but record nothing any more. The result is 901
 * CUDA_ERROR_STREAM_CAPTURE_INVALIDATED if an error stopped the recording, and
 * CUSHIM_ERROR_INVALID_ARGUMENT if the stream is not one that has begun a recording; such a stream
 * is not freed, nor is the recorder of an update (node.h) or of a body (condition.h). It is
 * CUSHIM_ERROR_WRONG_THREAD in a strict mode, if another thread has begun it, and
 * CUSHIM_ERROR_CAPTURING while bodies of conditional nodes are recorded: then the recording goes
 * on, and no recorder is freed.
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
#define cushim_capture_begin_with(...)                                                             \
    (cushim_source_location(CUSHIM_HERE), cushim_capture_begin_with(__VA_ARGS__))
#define cushim_capture_begin_on(...)                                                               \
    (cushim_source_location(CUSHIM_HERE), cushim_capture_begin_on(__VA_ARGS__))
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
