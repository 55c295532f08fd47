/* SPDX-License-Identifier: MIT */
/* Events. */
#ifndef CUSHIM_MOCK_EVENT_H
#define CUSHIM_MOCK_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/functions.h"
#include "mock/objects.h"

struct mock__context;

struct mock__event {
    struct mock__object object;
    struct mock__context *context;
    unsigned flags;
    bool recorded;
    uint64_t time_ns; /* when it was recorded */
};

/* The event of a handle, in a usable context. */
CUresult mock__event_find(CUevent handle, struct mock__event **ret_event);

/* Marks the event as recorded, which is to say completed, now. */
void mock__event_record(struct mock__event *event);

/* Destroys the events of a context. */
void mock__events_destroy(const struct mock__context *context);

#endif
