/* SPDX-License-Identifier: MIT */
/*
 * Events of handles. An event keeps the point of its last recording, so that a wait for it also
 * counts as a wait for the stream's work.
 */
#include <stdlib.h>

#include "core/cu/cu_memory.h"
#include "core/order/stream.h"

static void destroy(void *object)
{
    /*
     * Runs without locks: the object's last reference is gone, so no other thread can reach its
     * point. The timeline reference goes after the driver's event, because it may be the last one
     * that keeps the context's timelines.
     */
    struct cushim__event *event = object;
    struct cushim__context *context = event->object.context;
    struct cushim__scope scope;

    cushim__scope_to_free(context, "cushim_event_free", cushim__object_label(&event->object),
                          &scope);
    CU_FREE(&scope, cuEventDestroy_v2, (event->cu));
    cushim__scope_leave(&scope, CUSHIM_OK);
    cushim__timeline_unref(event->point.timeline);
    cushim__object_finish(&event->object);
    free(event);
    cushim__context_unref(context);
}

cushim_status cushim__event_adopt(const struct cushim__scope *scope, CUevent cu, bool interprocess,
                                  struct cushim__event **ret_event)
{
    struct cushim__event *event = calloc(1, sizeof(*event));

    if (!event) {
        CU_FREE(scope, cuEventDestroy_v2, (cu));
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, NULL, "no memory for an event");
    }
    /* The context outlives the event, because the object takes a reference on it. */
    cushim__context_ref(scope->context);
    cushim__object_init(&event->object, CUSHIM__HANDLE_EVENT, scope->context, destroy);
    event->cu = cu;
    event->interprocess = interprocess;
    atomic_init(&event->foreign, interprocess);
    *ret_event = event;
    return CUSHIM_OK;
}

cushim_status cushim__event_new(const struct cushim__scope *scope, unsigned flags,
                                struct cushim__event **ret_event)
{
    CUevent cu = NULL;

    CUSHIM_TRY(CU_CALL(scope, cuEventCreate, (&cu, flags)));
    CUSHIM_TRY(cushim__event_adopt(scope, cu, flags & CU_EVENT_INTERPROCESS, ret_event));
    (*ret_event)->timed = !(flags & CU_EVENT_DISABLE_TIMING);
    return CUSHIM_OK;
}
