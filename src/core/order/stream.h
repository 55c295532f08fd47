/* SPDX-License-Identifier: MIT */
#ifndef CUSHIM_CORE_ORDER_STREAM_H
#define CUSHIM_CORE_ORDER_STREAM_H

#include "core/order/submit.h"

/* What a stream's handle names. Several may name one real stream; they share its timeline. */
struct cushim__stream {
    struct cushim__object object; /* holds a reference on its context */
    struct cushim__timeline *timeline;
    CUstream cu;
    bool owned;    /* destroyed by us */
    bool recorder; /* made to record, and still doing so or done with it */
};

/* A new stream object on a real stream, with a reference for the caller. Takes cu over if owned. */
cushim_status cushim__stream_new(const struct cushim__scope *scope, CUstream cu, bool owned,
                                 struct cushim__stream **ret_stream);

/* CUSHIM_ERROR_WRONG_THREAD for another thread's per-thread stream. */
cushim_status cushim__stream_check_thread(const struct cushim__scope *scope,
                                          const struct cushim__stream *stream);

/* Enters the stream's context, as cushim__object_enter() does, in a thread that may use it. */
cushim_status cushim__stream_enter(uint64_t id, const char *call, struct cushim__scope *ret_scope,
                                   struct cushim__stream **ret_stream);

/* CUSHIM_ERROR_FOREIGN_CONTEXT with the sentence that what is of another context. */
cushim_status cushim__fail_foreign(const struct cushim__scope *scope, const char *what);

/* What an event's handle names. */
struct cushim__event {
    struct cushim__object object; /* holds a reference on its context */
    CUevent cu;
    /* Under the submission lock: where it was recorded last by us. */
    struct cushim__point point;
};

/* A new event, with the driver's flags and a reference for the caller. */
cushim_status cushim__event_new(const struct cushim__scope *scope, unsigned flags,
                                struct cushim__event **ret_event);

#endif
