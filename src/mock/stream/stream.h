/* SPDX-License-Identifier: MIT */
/*
 * Streams: a queue of work (mock/queue/work.h), and the properties that a caller can read and set.
 * ctx_event.c ends what the streams of a context have in common. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_STREAM_STREAM_H
#define CUSHIM_MOCK_STREAM_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/base/objects.h"
#include "mock/functions.h"
#include "mock/graph/graph.h"

/* The stream of driver functions that have no stream parameter. */
#define MOCK__DEFAULT_STREAM ((CUstream) NULL)

#define MOCK__N_STREAM_ATTRIBUTES 17
#define MOCK__STREAM_ATTRIBUTE    64

/* The number of the only attribute that is not zero in a new stream. */
#define MOCK__SYNCHRONIZATION_POLICY 3

struct mock__capture;
struct mock__context;
struct mock__green;
struct mock__queue;

struct mock__stream {
    struct mock__object object;
    struct mock__context *context;
    struct mock__queue *queue;
    struct mock__capture *capture;                   /* the capture that the stream takes part in,
                                                        or NULL */
    struct mock__stream *next_member, **link_member; /* list of the streams of that capture */
    /* List of a thread's default streams (per_thread.c); NULL in other streams. */
    struct mock__stream *next_of_thread, **link_of_thread;
    struct mock__capture_dependencies dependencies; /* in a capture: the nodes that its next node
                                                       depends on */
    uintptr_t green; /* the handle of the green context that it belongs to; 0: none */
    bool is_default; /* not made by the program, which knows it by a special handle alone */
    unsigned flags;
    int priority;
    uint64_t id;
    unsigned char attributes[MOCK__N_STREAM_ATTRIBUTES][MOCK__STREAM_ATTRIBUTE];
};

/* Makes a stream with priority 0. NULL when out of memory. */
struct mock__stream *mock__stream_new(struct mock__context *context, unsigned flags);

/* Sets the priority. A number outside of the device's range becomes its end. */
void mock__stream_set_priority(struct mock__stream *stream, int priority);

/*
 * Frees a stream. The work that it still has runs all the same: the queue exists until it is done.
 */
void mock__stream_free(struct mock__stream *stream);

/* Makes the legacy default stream of a new context. False when out of memory. */
bool mock__streams_begin(struct mock__context *context);

/* Destroys the streams of a context. */
void mock__streams_destroy(const struct mock__context *context);

/* Frees the queues for events of the whole context, after its streams are freed (ctx_event.c). */
void mock__ctx_events_finish(struct mock__context *context);

/* The same of a green context. */
void mock__green_events_finish(struct mock__green *green);

/*
 * Returns the stream of a handle. Its context must be usable. The special handles 0, 1 and 2 name
 * streams of the current context and need one; any other handle has its own context.
 */
CUresult mock__stream_find(CUstream handle, struct mock__stream **ret_stream);

/*
 * The green context that work in the stream of a handle belongs to, NULL if it is none. The special
 * handles stand for that of the thread.
 */
struct mock__green *mock__stream_green(CUstream handle);

/*
 * The handle that the caller could have passed instead: CU_STREAM_PER_THREAD for stream 0 in a
 * function whose default stream is that of the thread (default_stream.h), and else the handle
 * itself.
 */
CUstream mock__stream_meant(CUstream handle);

/* Tells whether the handle means the legacy stream of a context. */
bool mock__stream_is_legacy(CUstream handle);

/*
 * Submits work to a stream. It becomes the last work of the queue or, if the stream captures, a
 * node of the graph. Takes over the work, on failure too.
 */
CUresult mock__stream_submit(struct mock__stream *stream, void *work);

#endif
