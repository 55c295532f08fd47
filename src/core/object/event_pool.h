/* SPDX-License-Identifier: MIT */
/*
 * The event pool: unused events of a context. Two streams are ordered by recording an event in one
 * and waiting for it in the other; taking it from the pool avoids making a new one each time.
 * Thread-safe: the context's pool lock protects the list.
 */
#ifndef CUSHIM_CORE_OBJECT_EVENT_POOL_H
#define CUSHIM_CORE_OBJECT_EVENT_POOL_H

#include "core/object/scope.h"

/* Takes an event without timing from the pool of the context, or makes one. */
cushim_status cushim__event_take(const struct cushim__scope *scope, struct cushim__context *context,
                                 CUevent *ret_event);

/*
 * Gives an event back to the pool. It may still be recorded, and streams may still wait for it:
 * recording it again affects only later waits.
 */
void cushim__event_give(struct cushim__context *context, CUevent event);

/* Destroys the unused events, before the context is destroyed. */
void cushim__event_pool_drain(const struct cushim__scope *scope);

#endif
