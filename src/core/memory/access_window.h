/* SPDX-License-Identifier: MIT */
/* Access windows, which streams keep and launches have: their checks, and what the driver gets. */
#ifndef CUSHIM_CORE_MEMORY_ACCESS_WINDOW_H
#define CUSHIM_CORE_MEMORY_ACCESS_WINDOW_H

#include <cushim/launch.h>

#include "core/memory/slice.h"

/* What an error says of a window: "name: field has a hit_ratio of 2". */
struct cushim__window_place {
    const char *call, *label;
    const char *name, *field;
};

/* Checks the numbers of a window. */
cushim_status cushim__window_check(const struct cushim_access_window *window,
                                   const struct cushim__window_place *place);

/* Pins the view of a window, which was checked, and writes the attribute's value. */
cushim_status cushim__window_pin(const struct cushim__scope *scope,
                                 const struct cushim_access_window *window,
                                 struct cushim__resolved_view *ret_span,
                                 union cushim__cu_attribute_value *ret_value);

#endif
