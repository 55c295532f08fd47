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
    /* When its last record was captured: by which capture, and what that was behind. */
    uint64_t captured_by;
    struct mock__capture_dependencies dependencies;
};

/* The event of a handle, in a usable context. */
CUresult mock__event_find(CUevent handle, struct mock__event **ret_event);

/* Submits a record of the event. What the event stood for before is forgotten. */
CUresult mock__event_record(struct mock__event *event, struct mock__stream *stream);

/* What the event stands for is forgotten: it was recorded by a capture. */
void mock__event_forget(struct mock__event *event);

/* Work that records an event, or that waits for its last record, when it is submitted. */
CUresult mock__event_record_work(CUevent handle, struct mock__work **ret_work);
CUresult mock__event_wait_work(CUevent handle, struct mock__work **ret_work);

/* The event of such work. */
CUevent mock__event_of_work(const struct mock__work *work);

/* Destroys the events of a context. */
void mock__events_destroy(const struct mock__context *context);

#endif
