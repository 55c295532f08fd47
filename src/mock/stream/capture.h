/* SPDX-License-Identifier: MIT */
/*
 * Stream capture: work that is submitted to a capturing stream becomes nodes of a graph.
 *
 * A capture begins in one stream, its origin. A stream that waits for an event which was recorded
 * in the capture joins it. The dependencies of a stream are the nodes that its next node depends
 * on. A mistake invalidates the capture: it still exists, but its calls return errors, and it ends
 * without a graph. The list of its streams is in capture_members.c. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_STREAM_CAPTURE_H
#define CUSHIM_MOCK_STREAM_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/tree.h"
#include "mock/functions.h"
#include "mock/graph/graph.h"

struct mock__context;
struct mock__event;
struct mock__green;
struct mock__stream;

struct mock__capture {
    uint64_t id;
    int mode;                  /* CUstreamCaptureMode */
    uint64_t thread;           /* the thread that began it */
    struct mock__graph *graph; /* made for the capture, or given by the caller */
    bool given, invalid;
    struct mock__stream *origin;
    struct mock__capture_dependencies left; /* dependencies of streams that took part and were
                                               destroyed */
    struct mock__stream *members;           /* the streams that take part, linked by next_member */
    struct cushim__tree_node by_id;         /* among all captures */
};

/* Makes a stream take part in a capture, or no longer. It may take part already. */
void mock__capture_join(struct mock__stream *stream, struct mock__capture *capture);
void mock__capture_part(struct mock__stream *stream);

/* --- checks that calls make before they do something; CUDA_SUCCESS if nothing captures --- */

/*
 * Tells whether work can be submitted to the stream. CUDA_ERROR_STREAM_CAPTURE_INVALIDATED if its
 * capture is invalid. CUDA_ERROR_STREAM_CAPTURE_IMPLICIT if it is the legacy stream, and a blocking
 * stream of its context captures.
 */
CUresult mock__capture_check(struct mock__stream *stream);

/*
 * Like mock__capture_check(), for work that cannot be captured:
 * CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED if the stream captures.
 */
CUresult mock__capture_refuse(struct mock__stream *stream);

/*
 * Tells whether the thread may make a call that may wait for the device. This depends on the modes
 * of all captures and of the thread.
 */
CUresult mock__capture_unsafe(void);

/* Tell whether a stream or an event may be queried or waited for. */
CUresult mock__capture_asked(struct mock__stream *stream);
CUresult mock__capture_event_asked(const struct mock__event *event);

/* The same checks for work that is submitted to a whole context. */
CUresult mock__capture_context_refuse(const struct mock__context *context);
CUresult mock__capture_green_refuse(const struct mock__green *green);
CUresult mock__capture_event_refuse(const struct mock__event *event);

/* Tells whether a capture that has not ended has recorded the event. */
bool mock__capture_has_event(const struct mock__event *event);

/* Tells whether this is the legacy stream, and a blocking stream of its context captures. */
bool mock__capture_implied(const struct mock__stream *stream);

/* Sets the mode of the calling thread and returns the previous one. */
int mock__capture_thread_mode(int mode);

/* --- submissions to a stream that captures: they become nodes --- */

/* Adds a node for the work. Takes over the work, on failure too. */
CUresult mock__capture_add(struct mock__stream *stream, struct mock__work *work);
CUresult mock__capture_alloc(struct mock__stream *stream, size_t bytes, CUdeviceptr *ret_address);
CUresult mock__capture_free(struct mock__stream *stream, CUdeviceptr address);

/*
 * Record an event in the capture, and wait for an event that a capture has recorded or in a stream
 * that captures.
 */
CUresult mock__capture_record(struct mock__stream *stream, struct mock__event *event);
CUresult mock__capture_wait(struct mock__stream *stream, struct mock__event *event, bool external);

/*
 * Makes the stream's next node depend on these nodes: instead of its dependencies, or in addition
 * to them.
 */
CUresult mock__capture_depend(struct mock__stream *stream, const CUgraphNode *nodes,
                              const struct mock__edge_data *data, size_t n, bool instead);

/* --- begin and end --- */

/*
 * Begins a capture. graph is the caller's, or NULL for a new one. The captured nodes come after the
 * given nodes of it.
 */
CUresult mock__capture_begin(struct mock__stream *stream, int mode, struct mock__graph *graph,
                             const CUgraphNode *nodes, const struct mock__edge_data *data,
                             size_t n);
CUresult mock__capture_end(struct mock__stream *stream, struct mock__graph **ret_graph);

/* Removes a stream that is destroyed from its capture. If it is the origin, the capture ends. */
void mock__capture_leave(struct mock__stream *stream);

#endif
