/* SPDX-License-Identifier: MIT */
/*
 * Unused events of a context. Making an event takes a driver call, and marks need new events all
 * the time. The pool_lock is held only to change the list: no driver call is made under it, so
 * waiting for it takes no time.
 */
#include "core/object/event_pool.h"

#include <stdlib.h>

cushim_status cushim__event_take(const struct cushim__scope *scope, struct cushim__context *context,
                                 CUevent *ret_event)
{
    CUevent event = NULL;

    cushim__mutex_lock(&context->pool_lock);
    if (context->n_events)
        event = context->events[--context->n_events];
    cushim__mutex_unlock(&context->pool_lock);
    *ret_event = event;
    if (event)
        return CUSHIM_OK;
    CUSHIM_TRY(CU_CALL(scope, cuEventCreate, (ret_event, CU_EVENT_DISABLE_TIMING)));
    cushim__context_label_own(context, (uintptr_t) *ret_event, "cushim's own, for order");
    return CUSHIM_OK;
}

/* Under the pool_lock. */
static bool keep_event(struct cushim__context *context, CUevent event)
{
    if (context->n_events == context->max_events) {
        const size_t max = context->max_events ? 2 * context->max_events : 16;
        CUevent *events = realloc(context->events, max * sizeof(CUevent));

        if (!events)
            return false;
        context->events = events;
        context->max_events = max;
    }
    context->events[context->n_events++] = event;
    return true;
}

/* If the list cannot grow, the event is destroyed, after the lock is released. */
void cushim__event_give(struct cushim__context *context, CUevent event)
{
    struct cushim__scope scope;
    bool kept;

    cushim__mutex_lock(&context->pool_lock);
    kept = keep_event(context, event);
    cushim__mutex_unlock(&context->pool_lock);
    if (kept)
        return;
    cushim__scope_to_free(context, "cushim", NULL, &scope);
    CU_FREE(&scope, cuEventDestroy_v2, (event));
    cushim__scope_leave(&scope, CUSHIM_OK);
}

/* Called when the last reference on the context is gone, so no lock is needed. */
void cushim__event_pool_drain(const struct cushim__scope *scope)
{
    struct cushim__context *context = scope->context;

    while (context->n_events)
        CU_FREE(scope, cuEventDestroy_v2, (context->events[--context->n_events]));
}
