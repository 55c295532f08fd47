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
    bool owned;            /* cushim destroys the CUstream */
    bool recorder;         /* made by cushim_capture_begin(), also after its recording ended */
    bool idle;             /* under the stream lock: a recorder, whose CUstream is kept at its end */
    _Atomic uint64_t well; /* futures that end up to this number are: see async/future_settle.c */
};

/*
 * Makes a stream object for a CUstream, with a reference for the caller. If owned is true, it takes
 * over the CUstream.
 */
cushim_status cushim__stream_new(const struct cushim__scope *scope, CUstream cu, bool owned,
                                 struct cushim__stream **ret_stream);

/*
 * Makes a stream object for a timeline, whose reference it takes over, on failure too. A NULL
 * timeline counts as out of memory.
 */
cushim_status cushim__stream_new_on(const struct cushim__scope *scope,
                                    struct cushim__timeline *timeline,
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
 * Lets the stream make a host call after its work. Takes over the call, on failure too: then it is
 * dropped.
 */
cushim_status cushim__stream_call(struct cushim__scope *scope, struct cushim__stream *stream,
                                  struct cushim__host_call *host_call);

/*
 * Makes one driver call about a stream, which is not destroyed before the call has ended. The
 * expression args may use the variables `scope` and `cu`, the CUstream.
 */
#define STREAM_CALL(id, call, name, args)                                                          \
    __extension__({                                                                                \
        struct cushim__stream *called;                                                             \
        struct cushim__scope scope;                                                                \
        CUstream cu = NULL;                                                                        \
        cushim_status stream_call = cushim__stream_begin(id, call, &scope, &called, &cu);          \
        if (!stream_call)                                                                          \
            stream_call = cushim__stream_end(&scope, called, CU_CALL(&scope, name, args));         \
        stream_call;                                                                               \
    })

/*
 * Enters a stream's context and holds the stream: cushim__timeline_hold(). If it succeeds,
 * cushim__stream_end() must follow, which leaves the scope and returns status.
 */
cushim_status cushim__stream_begin(uint64_t id, const char *call, struct cushim__scope *ret_scope,
                                   struct cushim__stream **ret_stream, CUstream *ret_cu);
cushim_status cushim__stream_end(struct cushim__scope *scope, struct cushim__stream *stream,
                                 cushim_status status);

/*
 * Returns CUSHIM_ERROR_FOREIGN_CONTEXT, with a sentence which says that `what` belongs to another
 * context.
 */
cushim_status cushim__fail_foreign(const struct cushim__scope *scope, const char *what);

/* The object of an event's handle. */
struct cushim__event {
    struct cushim__object object; /* holds a reference on its context */
    CUevent cu;
    bool interprocess;
    bool timed; /* it records the time */
    /*
     * Other processes, or the program with the driver's functions, may record it, too. So a wait
     * for it says nothing about a point of ours. Set without a lock by cushim_event_raw().
     */
    atomic_bool foreign;
    /* Under the context lock. */
    struct cushim__point point; /* where cushim recorded it last, before it was foreign */
    uint64_t recordings;        /* how often cushim has recorded it */
    uint64_t recording;         /* the recording for a graph that it is a part of, or 0 */
    unsigned recorded;          /* the number of its work there */
};

/*
 * Makes an event object for a CUevent, with a reference for the caller. Takes over the CUevent, on
 * failure too.
 */
cushim_status cushim__event_adopt(const struct cushim__scope *scope, CUevent cu, bool interprocess,
                                  struct cushim__event **ret_event);

/* Returns the point that a wait for the event also waits for, or NULL. Under the context lock. */
static inline const struct cushim__point *cushim__event_point(const struct cushim__event *event)
{
    return event->point.timeline && !event->foreign ? &event->point : NULL;
}

/* Makes an event with the driver's flags, with a reference for the caller. */
cushim_status cushim__event_new(const struct cushim__scope *scope, unsigned flags,
                                struct cushim__event **ret_event);

#endif
