/* SPDX-License-Identifier: MIT */
#include <cushim/object.h>

#include "base/status.h"
#include "core/memory/slice.h"
#include "core/order/stream.h"

void cushim_source_location(const char *place)
{
    cushim__handle_source_location(place);
}

/* The driver's name of an object, or the address of its memory; 0 if findings do not name it. */
static uint64_t raw_of(const struct cushim__object *object)
{
    switch (object->kind) {
    case CUSHIM__HANDLE_SLICE:
    case CUSHIM__HANDLE_PINNED:
    case CUSHIM__HANDLE_UNIFIED:
        return ((const struct cushim__slice *) object)->buffer->address +
               ((const struct cushim__slice *) object)->begin;
    case CUSHIM__HANDLE_STREAM:
        return (uintptr_t) ((const struct cushim__stream *) object)->cu;
    case CUSHIM__HANDLE_EVENT:
        return (uintptr_t) ((const struct cushim__event *) object)->cu;
    default:
        return 0;
    }
}

/* The default streams have small numbers, and are the driver's. */
static void tell_driver(const struct cushim__object *object, const char *label)
{
    const uint64_t raw = raw_of(object);

    if (raw > (uintptr_t) CU_STREAM_PER_THREAD)
        cushim__driver_label(object->context->driver, raw, label);
}

cushim_status cushim_object_label(uint64_t id, const char *label)
{
    struct cushim__object *object = cushim__object_pin(id, "cushim_label");
    cushim_status status;

    if (!object)
        return cushim__error()->status;
    status = cushim__object_set_label(object, label, "cushim_label");
    if (!status)
        tell_driver(object, label);
    cushim__handle_unpin(id);
    return status;
}
