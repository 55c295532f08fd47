/* SPDX-License-Identifier: MIT */
/* Shares of a device's multiprocessors (base/green.h), by their handles. Callers hold the lock. */
#ifndef CUSHIM_MOCK_DEVICE_RESOURCE_H
#define CUSHIM_MOCK_DEVICE_RESOURCE_H

#include "mock/base/green.h"
#include "mock/base/state.h"

#if CUDA_VERSION >= 12040
/* The share of a description; an error if there is none. */
CUresult mock__share_find(CUdevResourceDesc desc, struct mock__share **ret_share);
#endif

/* All of a device. */
CUresult mock__share_whole(struct mock__device *device, struct mock__share **ret_share);

#endif
