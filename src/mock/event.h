/* SPDX-License-Identifier: MIT */
/* Events. */
#ifndef CUSHIM_MOCK_EVENT_H
#define CUSHIM_MOCK_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/functions.h"
#include "mock/objects.h"
#include "mock/work.h"

struct mock__context;
struct mock__mark;
struct mock__stream;

struct mock__event {
    struct mock__object object;
    struct mock__context *context;
    unsigned flags;
    struct mock__mark *mark;  /* the last record, NULL if there was none */
    struct mock__point point; /* reached when the work before that record is done */
};

/* The event of a handle, in a usable context. */
CUresult mock__event_find(CUevent handle, struct mock__event **ret_event);

/* Submits a record of the event. What the event stood for before is forgotten. */
CUresult mock__event_record(struct mock__event *event, struct mock__stream *stream);

/* Destroys the events of a context. */
void mock__events_destroy(const struct mock__context *context);

#endif
