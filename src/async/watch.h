/* SPDX-License-Identifier: MIT */
/*
 * The watch: one thread of this library, which looks every few milliseconds after futures in flight
 * that a program waits for by a descriptor or a function. If the device has failed, the driver may
 * never call the function that ends a future; then the watch does. It starts with the first such
 * future, and sleeps while there are none.
 */
#ifndef CUSHIM_ASYNC_WATCH_H
#define CUSHIM_ASYNC_WATCH_H

#include "async/future.h"

/*
 * Watches a future until it has ended, or its last handle is closed. The caller has pinned it. The
 * watch pins it, too, by its first handle: that one may be closed while there are others.
 */
void cushim__watch(struct cushim__future *future);

/* Ends that, for a future whose last handle is closed. The caller has pinned it. */
void cushim__unwatch(struct cushim__future *future);

#endif
