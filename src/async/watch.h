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

/* Watches the future of a handle until it has ended, or the handle is closed. */
void cushim__watch(uint64_t id);

#endif
