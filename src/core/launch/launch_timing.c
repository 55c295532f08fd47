/* SPDX-License-Identifier: MIT */
/* The events around a launch that is timed. */
#include "core/launch/launch.h"

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
    CUSHIM_TRY(cushim__event_new(launch->scope, 0, &timing->start));
    return cushim__event_new(launch->scope, 0, &timing->end);
}

void cushim__launch_timing_drop(struct cushim__launch_timing *timing)
{
    if (timing->start)
        cushim__object_unref(&TAKE_PTR(timing->start)->object);
    if (timing->end)
        cushim__object_unref(&TAKE_PTR(timing->end)->object);
}

/* Both get handles, or none. */
cushim_status cushim__launch_timing_give(const struct cushim__scope *scope,
                                         const struct cushim_launch_options *options,
                                         struct cushim__launch_timing *timing)
{
    uint64_t start = 0, end = 0;

    if (!timing->start)
        return CUSHIM_OK;
    CUSHIM_TRY(cushim__object_give(&TAKE_PTR(timing->start)->object, scope->call, &start));
    if (cushim__object_give(&TAKE_PTR(timing->end)->object, scope->call, &end)) {
        const cushim_status status = cushim__error()->status;

        cushim__handle_close(start, CUSHIM__HANDLE_EVENT, scope->call);
        return status;
    }
    options->ret_start->id = start;
    options->ret_end->id = end;
    return CUSHIM_OK;
}
