/* SPDX-License-Identifier: MIT */
/* The events around a launch that is timed. */
#include <stdio.h>

#include "core/launch/launch.h"
#include "core/order/recording.h"

/*
 * Makes an event with a handle and a reference for the launch. The macro of a launch says no
 * location, because that would take time in every launch.
 */
static cushim_status make(const struct cushim__launch *launch, struct cushim__event **ret_event,
                          uint64_t *ret_id)
{
    char place[256];

    CUSHIM_TRY(cushim__event_new(launch->scope, 0, ret_event));
    cushim__object_ref(&(*ret_event)->object);
    snprintf(place, sizeof(place), "%s of %s", launch->scope->call, launch->function->name);
    cushim__handle_source_location(place);
    return cushim__object_give(&(*ret_event)->object, launch->scope->call, ret_id);
}

/* Everything that may fail comes before the launch. */
cushim_status cushim__launch_timing_make(const struct cushim__launch *launch,
                                         struct cushim__launch_timing *timing)
{
    const struct cushim_launch_options *options = launch->config->options;

    if (!options->ret_start && !options->ret_end)
        return CUSHIM_OK;
    if (!options->ret_start || !options->ret_end)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, launch->scope->call,
                               launch->function->name, "%s: only one of ret_start and ret_end",
                               launch->function->name);
    CUSHIM_TRY(make(launch, &timing->start, &timing->start_id));
    return make(launch, &timing->end, &timing->end_id);
}

/* In a graph, every launch of it records the event. */
cushim_status cushim__launch_timing_record(const struct cushim__launch *launch,
                                           struct cushim__event *event)
{
    struct cushim__timeline *timeline = launch->stream->timeline;

    if (timeline->branch)
        return cushim__recording_event(launch->scope, timeline, event);
    return CU_CALL(launch->scope, cuEventRecord, (event->cu, launch->stream->cu));
}

static void drop(struct cushim__event *event, uint64_t id, const char *call)
{
    if (id)
        cushim__handle_close(id, CUSHIM__HANDLE_EVENT, call);
    if (event)
        cushim__object_unref(&event->object);
}

void cushim__launch_timing_drop(const struct cushim__launch *launch,
                                struct cushim__launch_timing *timing)
{
    drop(timing->start, timing->start_id, launch->scope->call);
    drop(timing->end, timing->end_id, launch->scope->call);
}

void cushim__launch_timing_give(const struct cushim__launch *launch,
                                struct cushim__launch_timing *timing)
{
    const struct cushim_launch_options *options = launch->config->options;

    if (!timing->start)
        return;
    options->ret_start->id = timing->start_id;
    options->ret_end->id = timing->end_id;
    timing->start_id = timing->end_id = 0;
}
