/* SPDX-License-Identifier: MIT */
/*
 * The events of a context that are used again and again: recording one and waiting for it orders
 * two streams. Thread-safe: the context's pool lock protects the list.
 */
#ifndef CUSHIM_CORE_OBJECT_EVENT_POOL_H
#define CUSHIM_CORE_OBJECT_EVENT_POOL_H

#include "core/object/scope.h"

/* An event without timing, of the context's own: there may be one to use again. */
cushim_status cushim__event_take(const struct cushim__scope *scope, struct cushim__context *context,
                                 CUevent *ret_event);

/* The event may be recorded and waited for: another record replaces only later waits. */
void cushim__event_give(struct cushim__context *context, CUevent event);

/* Destroys the events that nobody uses: the context goes. */
void cushim__event_pool_drain(const struct cushim__scope *scope);

#endif
