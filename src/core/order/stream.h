/* SPDX-License-Identifier: MIT */
/* Streams, and the events that they record, which are in event.c. */
#ifndef CUSHIM_CORE_ORDER_STREAM_H
#define CUSHIM_CORE_ORDER_STREAM_H

#include "core/order/submit.h"

/*
 * The object of a stream's handle. Several objects may have the same CUstream; they share its
 * timeline.
 */
struct cushim__stream {
    struct cushim__object object; /* holds a reference on its context */
    struct cushim__timeline *timeline;
    CUstream cu;
    bool owned;    /* cushim destroys the CUstream */
    bool recorder; /* made by cushim_capture_begin(), also after its recording ended */
};

/*
 * Makes a stream object for a CUstream, with a reference for the caller. If owned is true, it takes
 * over the CUstream.
 */
cushim_status cushim__stream_new(const struct cushim__scope *scope, CUstream cu, bool owned,
                                 struct cushim__stream **ret_stream);

/*
 * Returns CUSHIM_ERROR_WRONG_THREAD if the stream is the per-thread stream of another thread, and
 * CUSHIM_ERROR_STALE_HANDLE if the CUstream was destroyed with another handle.
 */
cushim_status cushim__stream_check(const struct cushim__scope *scope,
                                   const struct cushim__stream *stream);

/* Enters the stream's context, as cushim__object_enter() does, in a thread that may use it. */
cushim_status cushim__stream_enter(uint64_t id, const char *call, struct cushim__scope *ret_scope,
                                   struct cushim__stream **ret_stream);

/*
 * Returns CUSHIM_ERROR_FOREIGN_CONTEXT, with a sentence which says that `what` belongs to another
 * context.
 */
cushim_status cushim__fail_foreign(const struct cushim__scope *scope, const char *what);

/* The object of an event's handle. */
struct cushim__event {
    struct cushim__object object; /* holds a reference on its context */
    CUevent cu;
    /* Other processes may record it, too. So a wait for it says nothing about a point of ours. */
    bool interprocess;
    /* Under the context lock. */
    struct cushim__point point; /* where cushim recorded it last; none if interprocess */
    uint64_t recordings;        /* how often cushim has recorded it */
};

/*
 * Makes an event object for a CUevent, with a reference for the caller. Takes over the CUevent, on
 * failure too.
 */
cushim_status cushim__event_adopt(const struct cushim__scope *scope, CUevent cu, bool interprocess,
                                  struct cushim__event **ret_event);

/* Makes an event with the driver's flags, with a reference for the caller. */
cushim_status cushim__event_new(const struct cushim__scope *scope, unsigned flags,
                                struct cushim__event **ret_event);

#endif
