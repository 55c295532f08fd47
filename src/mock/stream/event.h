/* SPDX-License-Identifier: MIT */
/* Events. Callers hold the lock. */
#ifndef CUSHIM_MOCK_STREAM_EVENT_H
#define CUSHIM_MOCK_STREAM_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/base/objects.h"
#include "mock/functions.h"
#include "mock/graph/graph.h"
#include "mock/queue/work.h"

struct mock__context;
struct mock__mark;
struct mock__stream;

struct mock__event {
    struct mock__object object;
    struct mock__context *context;
    unsigned flags;
    struct mock__mark *mark;  /* the last record, NULL if there was none */
    struct mock__point point; /* reached when the work before that record is done */
    /*
     * Only if its last recording was captured: the capture, and the nodes that the recording comes
     * after.
     */
    uint64_t captured_by;
    struct mock__capture_dependencies dependencies;
};

/* Returns the event of a handle. Its context must be usable. */
CUresult mock__event_find(CUevent handle, struct mock__event **ret_event);

/* Submits a recording of the event. The event no longer stands for earlier recordings. */
CUresult mock__event_record(struct mock__event *event, struct mock__stream *stream);

/* Removes the last recording of the event, because a capture records it now. */
void mock__event_forget(struct mock__event *event);

/*
 * Make work that records an event when it is submitted, or that waits for the recording which is
 * the last one then.
 */
CUresult mock__event_record_work(CUevent handle, struct mock__work **ret_work);
CUresult mock__event_wait_work(CUevent handle, struct mock__work **ret_work);

/* Returns the event of such work. */
CUevent mock__event_of_work(const struct mock__work *work);

/* Destroys the events of a context. */
void mock__events_destroy(const struct mock__context *context);

#endif
