/* SPDX-License-Identifier: MIT */
/*
 * Stream capture: what is submitted to a stream becomes nodes of a graph.
 *
 * A capture begins in one stream, its origin, and takes along each stream that waits for an
 * event recorded in it. A stream's dependencies is what its next node depends on. A mistake
 * invalidates the capture: it goes on, answers errors, and ends without a graph. Callers
 * hold the lock.
 */
#ifndef CUSHIM_MOCK_STREAM_CAPTURE_H
#define CUSHIM_MOCK_STREAM_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/base/tree.h"
#include "mock/functions.h"
#include "mock/graph/graph.h"

struct mock__context;
struct mock__event;
struct mock__stream;

struct mock__capture {
    uint64_t id;
    int mode;                  /* CUstreamCaptureMode */
    uint64_t thread;           /* that it began in */
    struct mock__graph *graph; /* made for it, or given by the caller */
    bool given, invalid;
    struct mock__stream *origin;
    struct mock__capture_dependencies left; /* by streams that took part and were destroyed */
    struct mock__stream *members;           /* that take part, linked by next_member */
    struct mock__tree_node by_id;           /* among all captures */
};

/* --- what calls ask before they do something; all is well where nothing captures --- */

/*
 * Can something be submitted to the stream? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED if it captures
 * and went wrong before; CUDA_ERROR_STREAM_CAPTURE_IMPLICIT if it is the legacy stream, and one
 * that takes turns with it captures.
 */
CUresult mock__capture_check(struct mock__stream *stream);

/* The same for what cannot be captured: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED where it captures. */
CUresult mock__capture_refuse(struct mock__stream *stream);

/* Is a call allowed that may wait for the device? Depends on the modes of captures and threads. */
CUresult mock__capture_unsafe(void);

/* Is it allowed to ask, or wait, for a stream, an event, or a whole context? */
CUresult mock__capture_asked(struct mock__stream *stream);
CUresult mock__capture_event_asked(const struct mock__event *event);
CUresult mock__capture_context_asked(const struct mock__context *context);

/* The same, for what is submitted to a whole context. */
CUresult mock__capture_context_refuse(const struct mock__context *context);
CUresult mock__capture_event_refuse(const struct mock__event *event);

/* Is it the legacy stream, while one that takes turns with it captures? */
bool mock__capture_implied(const struct mock__stream *stream);

/* Sets the mode of the calling thread and gives back what it was. */
int mock__capture_thread_mode(int mode);

/* --- what becomes nodes, in a stream that captures --- */

/* Takes over the work, whatever it answers. */
CUresult mock__capture_add(struct mock__stream *stream, struct mock__work *work);
CUresult mock__capture_graph(struct mock__stream *stream, const struct mock__graph *graph);
CUresult mock__capture_alloc(struct mock__stream *stream, size_t bytes, CUdeviceptr *ret_address);
CUresult mock__capture_free(struct mock__stream *stream, CUdeviceptr address);

/* Records an event, and waits for one that was captured or from a stream that captures. */
CUresult mock__capture_record(struct mock__stream *stream, struct mock__event *event);
CUresult mock__capture_wait(struct mock__stream *stream, struct mock__event *event, bool external);

/* What comes next depends on these nodes, besides or instead of what it did. */
CUresult mock__capture_depend(struct mock__stream *stream, const CUgraphNode *nodes,
                              const struct mock__edge_data *data, size_t n, bool instead);

/* --- begin and end --- */

/* The graph is the caller's, or NULL for a new one. The capture begins after the nodes in it. */
CUresult mock__capture_begin(struct mock__stream *stream, int mode, struct mock__graph *graph,
                             const CUgraphNode *nodes, const struct mock__edge_data *data,
                             size_t n);
CUresult mock__capture_end(struct mock__stream *stream, struct mock__graph **ret_graph);

/* A stream goes. A capture that began in it ends with it. */
void mock__capture_leave(struct mock__stream *stream);

#endif
