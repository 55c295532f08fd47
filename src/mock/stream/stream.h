/* SPDX-License-Identifier: MIT */
/*
 * Streams: a queue of work (work.h), and what a caller can ask and set. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_STREAM_STREAM_H
#define CUSHIM_MOCK_STREAM_STREAM_H

#include <stdint.h>

#include "mock/base/objects.h"
#include "mock/functions.h"
#include "mock/graph/graph.h"

#define MOCK__N_STREAM_ATTRIBUTES 17
#define MOCK__STREAM_ATTRIBUTE    64

/* The number of the attribute that is not zero in a new stream. */
#define MOCK__SYNCHRONIZATION_POLICY 3

struct mock__capture;
struct mock__context;
struct mock__queue;

struct mock__stream {
    struct mock__object object;
    struct mock__context *context;
    struct mock__queue *queue;
    struct mock__capture *capture;                   /* that the stream takes part in, or NULL */
    struct mock__stream *next_member, **link_member; /* list of the streams of that capture */
    struct mock__capture_dependencies dependencies;  /* there: what its next node depends on */
    unsigned flags;
    int priority;
    uint64_t id;
    unsigned char attributes[MOCK__N_STREAM_ATTRIBUTES][MOCK__STREAM_ATTRIBUTE];
};

/* NULL if there is no memory. */
struct mock__stream *mock__stream_new(struct mock__context *context, unsigned flags, int priority);

/* Makes the default streams of a context that begins. False if there is no memory. */
bool mock__streams_begin(struct mock__context *context);

/* Destroys the streams of a context. */
void mock__streams_destroy(const struct mock__context *context);

/* Ends what all streams of a context have in common, after the streams. (ctx_event.c) */
void mock__ctx_events_finish(struct mock__context *context);

/*
 * The stream of a handle, in a usable context. The special handles 0, 1 and 2 mean
 * streams of the current context and need one; any other handle brings its own.
 */
CUresult mock__stream_find(CUstream handle, struct mock__stream **ret_stream);

/*
 * The _ptds and _ptsz variants of a function differ in this alone: stream 0 is the
 * calling thread's default stream.
 */
static inline CUstream mock__ptsz(CUstream handle)
{
    return handle ? handle : CU_STREAM_PER_THREAD;
}

/*
 * Submits work to a stream: it goes to the end of its queue or, where the stream captures, into
 * the graph. Takes over the work, whatever it answers.
 */
CUresult mock__stream_submit(struct mock__stream *stream, void *work);

#endif
