/* SPDX-License-Identifier: MIT */
/*
 * Streams. A stream is a sequence of work for a device. Work in one stream runs in the order of
 * submission; work in different streams may overlap.
 *
 * cushim orders work by the memory that it uses. For every slice it knows which stream wrote it
 * last and which streams have read it since, and it makes a stream wait only where that is
 * necessary. So a result that one stream computes can be used in another stream without further
 * calls. cushim_stream_fork(), cushim_stream_join() and cushim_stream_wait() are for order that
 * does not follow from memory, and for work that cushim does not see.
 *
 * Each stream belongs to a context. Any thread may submit work to any stream, with one exception: a
 * per-thread default stream can only be used by its own thread.
 *
 * All functions are thread-safe; object.h describes the properties that all objects share. A
 * function that submits work returns when the work is queued. If the work itself fails, a later
 * call that waits returns the error. Such an error is permanent: the context cannot be used any
 * more.
 */
#ifndef CUSHIM_STREAM_H
#define CUSHIM_STREAM_H

#include <stdbool.h>

#include <cushim/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A stream. Freed by cushim_stream_free(), which does not wait: queued work still runs, and later
 * use of its memory still comes after it. Freeing an adopted or per-thread stream frees the handle
 * only; freeing the legacy default stream only sets the handle to zero.
 */
CUSHIM__HANDLE(cushim_stream, cushim_stream_free)

/** An event: a point in a stream, see event.h. Freed by cushim_event_free(). */
CUSHIM__HANDLE(cushim_event, cushim_event_free)

/**
 * Returns the legacy default stream of a context. Its work waits for all work in blocking streams
 * of the context, and their work waits for it. Every call returns the same handle, which belongs to
 * the context: it need not be freed, and becomes stale when the last handle of the context is
 * freed.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_default(cushim_context context,
                                                              cushim_stream *ret_stream);

/**
 * Returns the per-thread default stream of the calling thread. The caller frees the handle. Other
 * threads get CUSHIM_ERROR_WRONG_THREAD if they use the handle, because the driver would use their
 * own per-thread stream instead. Any thread may free it. A handle that its thread did not free
 * before it ended stays open, and keeps the context, until another thread frees it.
 *
 * A thread that has called this waits at its end until the work in its per-thread stream is done,
 * also if the handle is freed: drivers may hang at the end of a thread with unfinished work.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_per_thread(cushim_context context,
                                                                 cushim_stream *ret_stream);

/** How threads wait for a stream, with the driver's numbers. */
enum cushim_wait_policy {
    CUSHIM_WAIT_UNSET = 0,    /* as the flags of the context say, enum cushim_context_flag */
    CUSHIM_WAIT_AUTO = 1,     /* the driver chooses */
    CUSHIM_WAIT_SPIN = 2,     /* polls */
    CUSHIM_WAIT_YIELD = 3,    /* polls, and yields to other threads in between */
    CUSHIM_WAIT_BLOCKING = 4, /* sleeps until the device is done */
};

/** Parameters of cushim_stream_new(). A field that is zero selects its default. */
struct cushim_stream_params {
    size_t size; /* sizeof the structure; the macro cushim_stream_params() sets it */

    /**
     * The priority. A smaller number is a higher priority. The value is clamped to
     * cushim_context_priority_range().
     */
    int priority;
    /** If true, work of this stream and work of the legacy default stream wait for each other. */
    bool blocking;
    /** How threads wait for the stream. */
    enum cushim_wait_policy wait_policy;
    /** The stream's label in messages, or NULL. The text is copied. */
    const char *label;
};

/**
 * Writes the parameters in place: cushim_stream_new(context, cushim_stream_params(.priority = -1),
 * &s).
 */
#define cushim_stream_params(...) CUSHIM__IN_PLACE(cushim_stream_params, __VA_ARGS__)

/**
 * Creates a stream in a context. params may be NULL. The caller frees the stream with
 * cushim_stream_free(). Unlike a stream of cuStreamCreate() with flags 0, it does not wait for the
 * legacy default stream unless .blocking is set. The result is CUSHIM_ERROR_INVALID_ARGUMENT for a
 * .wait_policy that is not of enum cushim_wait_policy.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_new(cushim_context context,
                                                          const struct cushim_stream_params *params,
                                                          cushim_stream *ret_stream);

/**
 * Returns a handle for a CUstream that other code has made. That code still owns the CUstream. It
 * must destroy the CUstream only after three things: all handles of it are freed, all slices that
 * were used in it are freed, and all its work is done. If the same CUstream is adopted twice, both
 * handles name the same stream. cushim does not see work that other code submits directly to the
 * CUstream; cushim_slice_used() (slice.h) declares such work. NULL, CU_STREAM_LEGACY and
 * CU_STREAM_PER_THREAD are accepted as well.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_adopt(cushim_context context, void *cu_stream,
                                                            cushim_stream *ret_stream);

/** Returns the CUstream, for calls through the table (table.h). It belongs to the stream. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_raw(cushim_stream stream,
                                                          void **ret_cu_stream);

/**
 * Creates a non-blocking stream whose work comes after all work that is in stream now. The caller
 * frees the new stream. Work that cushim does not see runs beside the stream's own like this:
 *
 *     CUSHIM_TRY(cushim_stream_fork(stream, &beside));
 *     ... work on beside, and work on stream ...
 *     CUSHIM_TRY(cushim_stream_join(stream, beside));    what follows comes after both
 *     cushim_stream_free(&beside);
 *
 * The fork of a recorder (graph.h) is another recorder for the same graph.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_fork(cushim_stream stream,
                                                           cushim_stream *ret_stream);

/**
 * Makes later work in stream wait for all work that is in other now. The calling thread does not
 * wait. The two streams may belong to different contexts.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_join(cushim_stream stream,
                                                           cushim_stream other);

/**
 * Makes later work in stream wait for the latest recording of an event. The calling thread does not
 * wait. Recording the event again later does not change this wait. If the event was never recorded,
 * nothing waits. The stream and the event may belong to different contexts.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_wait(cushim_stream stream,
                                                           cushim_event event);

/**
 * Blocks the calling thread until all work in the stream is done, and returns the error of that
 * work.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_synchronize(cushim_stream stream);

/**
 * Waits as cushim_stream_synchronize() does, but at most so many nanoseconds. If the work is not done
 * after that time, the result is 600 CUDA_ERROR_NOT_READY, and the error text says so. On the mock, a
 * kernel runs to its end before the question is answered. The thread asks the
 * driver again and again, at first at once and then with pauses of up to a millisecond.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_synchronize_for(cushim_stream stream,
                                                               uint64_t nanoseconds);

/**
 * Returns CUSHIM_OK if all work in the stream is done, and 600 CUDA_ERROR_NOT_READY if it is not.
 * CUDA_ERROR_NOT_READY does not change the thread's last error. Any other result is an error: a
 * loop that polls must end on it.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_query(cushim_stream stream);

/**
 * Calls function(user) in a thread of the driver when all work that is in the stream now is done.
 * Later work in the stream waits until the function returns. The function must not wait for other
 * work of the device, and calls of cushim fail in it with 800 CUDA_ERROR_NOT_PERMITTED. What it
 * frees is freed later, by the next call of cushim in any thread outside of such a function.
 *
 * If release is not NULL, release(user) is called exactly once in every case: after function has
 * returned; or before this call returns, if it fails; or when the context ends, if the device has
 * failed and the driver never called function. When release runs after function, the same rules
 * apply to it.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_host_function(cushim_stream stream,
                                                                    void (*function)(void *user),
                                                                    void *user,
                                                                    void (*release)(void *user));

/** Tells whether work that is submitted to a stream is recorded into a graph. */
enum cushim_capture {
    CUSHIM_CAPTURE_NONE = 0,
    CUSHIM_CAPTURE_ACTIVE = 1,
    CUSHIM_CAPTURE_INVALIDATED = 2, /* an error stopped it; it must still be ended */
};

/** Returns whether the stream captures its work for a graph. */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_stream_capture_status(cushim_stream stream, enum cushim_capture *ret_status);

/** Returns the priority of the stream, after clamping to the range of the device. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_priority(cushim_stream stream,
                                                               int *ret_priority);

/** Tells whether work of the stream and work of the legacy default stream wait for each other. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_is_blocking(cushim_stream stream,
                                                                  bool *ret_blocking);

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
#define cushim_stream_retain(...)                                                                  \
    (cushim_source_location(CUSHIM_HERE), cushim_stream_retain(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
