/* SPDX-License-Identifier: MIT */
/*
 * Events. An event marks a point in a stream. Streams and threads can wait for it, and two events
 * measure the time between them.
 *
 * Work on slices is in the right order without events, see stream.h. An event is recorded into a
 * stream. It is reached when all work that was in the stream before it is done. Recording it again
 * moves it to a new point; streams and threads that wait already go on waiting for the old point.
 *
 * All functions are thread-safe. cushim_stream_wait() (stream.h) makes a stream wait for an event.
 */
#ifndef CUSHIM_EVENT_H
#define CUSHIM_EVENT_H

#include <cushim/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Flags of cushim_event_new(). */
enum cushim_event_flag {
    CUSHIM_EVENT_DEFAULT = 0,       /* for order only; the cheapest kind */
    CUSHIM_EVENT_BLOCKING_SYNC = 1, /* a thread that waits for it sleeps instead of polling */
    CUSHIM_EVENT_INTERPROCESS = 4,  /* for other processes, see share.h; not with TIMING */
    CUSHIM_EVENT_TIMING = 0x100,    /* records the time, for cushim_event_elapsed() */
};

/**
 * Creates an event. flags are of enum cushim_event_flag. The event can be recorded in any stream of
 * its context. The caller frees it with cushim_event_free(). The result is
 * CUSHIM_ERROR_INVALID_ARGUMENT for CUSHIM_EVENT_INTERPROCESS together with CUSHIM_EVENT_TIMING.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_event_new(cushim_context context, unsigned flags,
                                                         cushim_event *ret_event);

/**
 * Returns the CUevent, for calls through the table (table.h). It belongs to the event. The program
 * may record it itself: from now on a wait for the event is only that, and streams still wait for
 * earlier work on memory that they use.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_event_raw(cushim_event event, void **ret_cu_event);

/**
 * Records the event after all work that is in the stream now. The result is
 * CUSHIM_ERROR_FOREIGN_CONTEXT if the stream belongs to another context than the event.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_event_record(cushim_event event,
                                                            cushim_stream stream);

/**
 * Returns CUSHIM_OK if the event is reached or was never recorded, and 600 CUDA_ERROR_NOT_READY if
 * it is not reached yet. CUDA_ERROR_NOT_READY does not change the thread's last error. Any other
 * result is an error, and the event will never be reached.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_event_query(cushim_event event);

/**
 * Blocks the calling thread until the event is reached, and returns the error of the work before
 * it.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_event_synchronize(cushim_event event);

/**
 * Waits as cushim_event_synchronize() does, but at most so many nanoseconds. Otherwise like
 * cushim_stream_synchronize_for().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_event_synchronize_for(cushim_event event,
                                                              uint64_t nanoseconds);

/**
 * Returns the time from start to end in milliseconds, with a resolution of about half a
 * microsecond. Both events must have been made with CUSHIM_EVENT_TIMING and recorded; otherwise the
 * result is 400 CUDA_ERROR_INVALID_HANDLE, and the error text says which it is. The call does not
 * wait: while one of the events is not reached, the result is 600 CUDA_ERROR_NOT_READY.
 * cushim_event_synchronize(end) waits until both are.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_event_elapsed(cushim_event start, cushim_event end,
                                                             float *ret_milliseconds);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_event_new(...)  (cushim_source_location(CUSHIM_HERE), cushim_event_new(__VA_ARGS__))
#define cushim_event_free(...) (cushim_source_location(CUSHIM_HERE), cushim_event_free(__VA_ARGS__))
#define cushim_event_retain(...)                                                                   \
    (cushim_source_location(CUSHIM_HERE), cushim_event_retain(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
