/* SPDX-License-Identifier: MIT */
/*
 * Events: places in streams, to wait for and to measure time between.
 *
 * Slices need none of these to be used in the right order, see stream.h. An event is recorded
 * into a stream, and reached when all that was in the stream before it is done.
 * Recording it again moves it; who waits for it already waits for where it was.
 *
 * All functions are thread-safe. cushim_stream_wait() of stream.h makes a stream wait for one.
 */
#ifndef CUSHIM_EVENT_H
#define CUSHIM_EVENT_H

#include <cushim/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How an event is made. */
enum cushim_event_flag {
    CUSHIM_EVENT_DEFAULT = 0,       /* for order only: cheapest */
    CUSHIM_EVENT_BLOCKING_SYNC = 1, /* who waits for it in a thread waits asleep */
    CUSHIM_EVENT_TIMING = 0x100,    /* notes the time, for cushim_event_elapsed() */
};

/** A new event, with enum cushim_event_flag. It can be recorded in streams of its context. */
CUSHIM_API cushim_status cushim_event_new(cushim_context context, unsigned flags,
                                          cushim_event *ret_event);

/** The CUevent, for calls through the table. */
CUSHIM_API cushim_status cushim_event_raw(cushim_event event, void **ret_cu_event);

/** Records it after all that is in the stream now. CUSHIM_ERROR_FOREIGN_CONTEXT in another's. */
CUSHIM_API cushim_status cushim_event_record(cushim_event event, cushim_stream stream);

/**
 * CUSHIM_OK if the event is reached, or was never recorded; 600 CUDA_ERROR_NOT_READY if not
 * yet, which is an answer and does not touch the thread's last error. Anything else is an error,
 * and the event will not be reached.
 */
CUSHIM_API cushim_status cushim_event_query(cushim_event event);

/** Waits, in the calling thread, until it is reached. */
CUSHIM_API cushim_status cushim_event_synchronize(cushim_event event);

/**
 * The time from start to end in milliseconds, to about half a microsecond. Both were made with
 * CUSHIM_EVENT_TIMING and recorded, else 400 CUDA_ERROR_INVALID_HANDLE. 600
 * CUDA_ERROR_NOT_READY, as in cushim_event_query(), while one of them is not reached: it does not
 * wait.
 */
CUSHIM_API cushim_status cushim_event_elapsed(cushim_event start, cushim_event end,
                                              float *ret_milliseconds);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_event_new(...)  (cushim_source_location(CUSHIM_HERE), cushim_event_new(__VA_ARGS__))
#define cushim_event_free(...) (cushim_source_location(CUSHIM_HERE), cushim_event_free(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
