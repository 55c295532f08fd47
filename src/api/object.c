/* SPDX-License-Identifier: MIT */
#include <cushim/object.h>

#include "base/status.h"
#include "core/object/object.h"

void cushim_source_location(const char *place)
{
    cushim__handle_source_location(place);
}

cushim_status cushim_object_label(uint64_t id, const char *label)
{
    struct cushim__object *object = cushim__object_pin(id, "cushim_label");
    cushim_status status;

    if (!object)
        return cushim__error()->status;
    status = cushim__object_set_label(object, label, "cushim_label");
    cushim__handle_unpin(id);
    return status;
}
