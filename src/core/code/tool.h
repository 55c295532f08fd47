/* SPDX-License-Identifier: MIT */
/* The NVRTC or the nvJitLink that a call uses: tool.c. */
#ifndef CUSHIM_CORE_CODE_TOOL_H
#define CUSHIM_CORE_CODE_TOOL_H

#include "core/object/driver.h"

struct cushim__tool {
    const struct cushim__driver *driver;
    enum cushim_library library;
    uint64_t id, opened; /* opened: the handle to close, or 0 if the caller had opened it */
};

/*
 * Pins the library of a handle. If id is 0, it opens the default one and pins that.
 * cushim__tool_unpin() undoes both.
 */
cushim_status cushim__tool_pin(enum cushim_library library, uint64_t id, const char *call,
                               struct cushim__tool *ret_tool);
void cushim__tool_unpin(struct cushim__tool *tool);

#endif
