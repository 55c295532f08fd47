/* SPDX-License-Identifier: MIT */
/* Whether a device has room for memory, and what has taken it if not. */
#ifndef CUSHIM_MOCK_BASE_DEVICE_ROOM_H
#define CUSHIM_MOCK_BASE_DEVICE_ROOM_H

#include "mock/base/state.h"

/* As mock__device_has_room(), for a call that fails otherwise: then the user is told why. */
bool mock__device_wants_room(const struct mock__device *device, uint64_t bytes);

#endif
