/* SPDX-License-Identifier: MIT */
/*
 * The host addresses of page-locked and unified memory. A program may pass such an address where
 * any host memory is allowed. Then the memory is looked up here, so that the call is ordered with
 * other work on it. Thread-safe.
 */
#ifndef CUSHIM_CORE_ORDER_HOST_MEMORY_H
#define CUSHIM_CORE_ORDER_HOST_MEMORY_H

#include "core/order/submit.h"

/* Adds a buffer, which has a host address. False when out of memory. */
bool cushim__host_memory_add(struct cushim__buffer *buffer);

/* Removes a buffer without references. One that was not added is ignored. */
void cushim__host_memory_remove(struct cushim__buffer *buffer);

/*
 * Looks up the buffer in which [host, host + bytes) begins. Returns false if it is none of
 * cushim's; otherwise *ret_access is the part of the buffer, and the caller drops the reference on
 * the buffer.
 */
bool cushim__host_memory_find(const void *host, size_t bytes, bool write,
                              struct cushim__access *ret_access);

#endif
