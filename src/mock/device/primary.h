/* SPDX-License-Identifier: MIT */
/* Primary contexts, which exist as long as somebody has retained them (device_primary_ctx.c). */
#ifndef CUSHIM_MOCK_DEVICE_PRIMARY_H
#define CUSHIM_MOCK_DEVICE_PRIMARY_H

#include "mock/base/state.h"

/* Retains the primary context of a device, which is device->primary then. */
CUresult mock__primary_retain(struct mock__device *device);

/* Releases it again. The last release waits for its work, and ends it. */
void mock__primary_release(struct mock__device *device);

#endif
