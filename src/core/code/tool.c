/* SPDX-License-Identifier: MIT */
#include "core/code/tool.h"

#include "base/status.h"
#include "core/object/env_hooks.h"

/* The location that the thread has set is for what the program makes, and not for this library. */
static cushim_status open_default(enum cushim_library library, const char *call, uint64_t *ret_id)
{
    static const struct cushim_open_params usual;
    const char *here = cushim__handle_source_location(NULL);
    const cushim_status status = cushim__driver_open(library, &usual, call, ret_id);

    cushim__handle_source_location(here);
    return status;
}

cushim_status cushim__tool_pin(enum cushim_library library, uint64_t id, const char *call,
                               struct cushim__tool *ret_tool)
{
    struct cushim__tool tool = {.library = library, .id = id};

    if (!id) {
        CUSHIM_TRY(open_default(library, call, &tool.opened));
        tool.id = tool.opened;
    }
    tool.driver = cushim__handle_pin(tool.id, cushim__driver_handle_kind(library), call);
    if (!tool.driver)
        return cushim__error()->status;
    *ret_tool = tool;
    return CUSHIM_OK;
}

void cushim__tool_unpin(struct cushim__tool *tool)
{
    const char *here = cushim__handle_source_location(NULL);

    cushim__handle_unpin(tool->id);
    cushim__driver_close(&tool->opened, tool->library, "cushim_close");
    cushim__handle_source_location(here);
}
