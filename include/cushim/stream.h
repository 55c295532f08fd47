/* SPDX-License-Identifier: MIT */
/*
 * Streams: queues of work for a device. Work in one stream is done in order; work in different
 * streams may overlap.
 *
 * Memory keeps its own order. Every slice knows which stream wrote it and which have read it
 * since, and cushim makes a stream wait where it has to, and only there: a result computed in
 * one stream can be used in another without a word. fork, join and wait are for order that does
 * not show in memory, and for work that cushim does not see.
 *
 * Each stream belongs to a context. Any thread may submit to any stream, with one exception: the
 * per-thread default stream is the calling thread's own.
 *
 * All functions are thread-safe; see object.h for what they have in common. Those that submit
 * return once the work is queued. An error of the work itself is returned by a later call that
 * waits, and stays: the context is then of no more use.
 */
#ifndef CUSHIM_STREAM_H
#define CUSHIM_STREAM_H

#include <stdbool.h>

#include <cushim/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A stream. Freed by cushim_stream_free(), which does not wait: what is queued will be done, and
 * memory that it uses stays in order. Nothing happens to the real stream of an adopted
 * or default one.
 */
CUSHIM__HANDLE(cushim_stream, cushim_stream_free)

/** An event: a place in a stream, see event.h. Freed by cushim_event_free(). */
CUSHIM__HANDLE(cushim_event, cushim_event_free)

/**
 * The context's default stream, the legacy one: work in it waits for all work in blocking streams
 * of the context, and they wait for it. The handle is the same each time and belongs to
 * the context: it need not be freed, and is stale after the context's last handle is.
 */
CUSHIM_API cushim_status cushim_stream_default(cushim_context context, cushim_stream *ret_stream);

/**
 * The calling thread's own default stream. To be freed. CUSHIM_ERROR_WRONG_THREAD for any other
 * thread that uses the handle: for the driver it would be that thread's stream.
 */
CUSHIM_API cushim_status cushim_stream_per_thread(cushim_context context,
                                                  cushim_stream *ret_stream);

/** How to make a stream. Zero means the default everywhere. */
struct cushim_stream_params {
    /** Smaller is more urgent; clamped to cushim_context_priority_range(). */
    int priority;
    /** Take turns with the legacy default stream. */
    bool blocking;
    /** A name in messages. Copied. */
    const char *label;
};

/** Parameters in place: cushim_stream_new(context, cushim_stream_params(.priority = -1), &s). */
#define cushim_stream_params(...) (&(const struct cushim_stream_params){__VA_ARGS__})

/** A new stream. params may be NULL. */
CUSHIM_API cushim_status cushim_stream_new(cushim_context context,
                                           const struct cushim_stream_params *params,
                                           cushim_stream *ret_stream);

/**
 * A handle for a CUstream that somebody else made, and will destroy: after all handles, slices
 * and work of it. The same real stream adopted twice is one stream. What is submitted to it
 * directly is declared by cushim_slice_used().
 */
CUSHIM_API cushim_status cushim_stream_adopt(cushim_context context, void *cu_stream,
                                             cushim_stream *ret_stream);

/** The CUstream, for calls through the table. */
CUSHIM_API cushim_status cushim_stream_raw(cushim_stream stream, void **ret_cu_stream);

/** A new stream, non-blocking, whose work comes after all that is in stream now. */
CUSHIM_API cushim_status cushim_stream_fork(cushim_stream stream, cushim_stream *ret_stream);

/** Later work in stream comes after all that is in other now. Of any context. */
CUSHIM_API cushim_status cushim_stream_join(cushim_stream stream, cushim_stream other);

/**
 * Later work in stream comes after the event, as it was recorded last before this call. An event
 * that was never recorded is not waited for. Of any context.
 */
CUSHIM_API cushim_status cushim_stream_wait(cushim_stream stream, cushim_event event);

/** Waits, in the calling thread, until all work in the stream is done, and returns its error. */
CUSHIM_API cushim_status cushim_stream_synchronize(cushim_stream stream);

/**
 * CUSHIM_OK if all work in the stream is done, 600 CUDA_ERROR_NOT_READY if not, which is an
 * answer and does not touch the thread's last error. Anything else is an error: a loop that
 * asks ends on it.
 */
CUSHIM_API cushim_status cushim_stream_query(cushim_stream stream);

/**
 * Calls function(user) when all that is in the stream now is done, in a thread of the driver's.
 * Later work in the stream waits for it to return. It must not wait for other work of the
 * device; calls of cushim are refused there with 800 CUDA_ERROR_NOT_PERMITTED.
 *
 * release(user), unless NULL, is called exactly once, whatever happens: after function; or
 * before this returns, if it fails; or when the context ends, if the device failed and the
 * driver never called. After function, what holds for function holds for it.
 */
CUSHIM_API cushim_status cushim_stream_host_function(cushim_stream stream,
                                                     void (*function)(void *user), void *user,
                                                     void (*release)(void *user));

/** Is what is submitted to a stream recorded into a graph? */
enum cushim_capture {
    CUSHIM_CAPTURE_NONE = 0,
    CUSHIM_CAPTURE_ACTIVE = 1,
    CUSHIM_CAPTURE_INVALIDATED = 2, /* it was, and an error ended it: the capture is to be ended */
};

CUSHIM_API cushim_status cushim_stream_capture_status(cushim_stream stream,
                                                      enum cushim_capture *ret_status);

/** The priority that the stream got. */
CUSHIM_API cushim_status cushim_stream_priority(cushim_stream stream, int *ret_priority);

/** Does it take turns with the legacy default stream? */
CUSHIM_API cushim_status cushim_stream_is_blocking(cushim_stream stream, bool *ret_blocking);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_stream_default(...)                                                                 \
    (cushim_source_location(CUSHIM_HERE), cushim_stream_default(__VA_ARGS__))
#define cushim_stream_per_thread(...)                                                              \
    (cushim_source_location(CUSHIM_HERE), cushim_stream_per_thread(__VA_ARGS__))
#define cushim_stream_new(...) (cushim_source_location(CUSHIM_HERE), cushim_stream_new(__VA_ARGS__))
#define cushim_stream_adopt(...)                                                                   \
    (cushim_source_location(CUSHIM_HERE), cushim_stream_adopt(__VA_ARGS__))
#define cushim_stream_fork(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_stream_fork(__VA_ARGS__))
#define cushim_stream_free(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_stream_free(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
