/* SPDX-License-Identifier: MIT */
/* Memsets and their checks. Callers hold the lock. */
#ifndef CUSHIM_MOCK_MEMORY_MEMSET_H
#define CUSHIM_MOCK_MEMORY_MEMSET_H

#include <stdbool.h>
#include <stddef.h>

#include "mock/functions.h"

struct mock__work;

/* Rows of equal elements. */
struct mock__fill {
    CUdeviceptr address;
    size_t pitch; /* distance of rows in bytes */
    size_t width; /* in elements */
    size_t height;
    unsigned value;
    size_t element; /* bytes */
};

/* Makes a memset as work. CUDA_ERROR_INVALID_VALUE if there is no such memory. */
CUresult mock__fill_work(const struct mock__fill *fill, struct mock__work **ret_work);
const struct mock__fill *mock__fill_of_work(const struct mock__work *work);

/*
 * Tells whether a memset of an executable graph may become another one. The memory must be of the
 * same class. If there is more than one row, only address and value may change.
 */
bool mock__fill_replaces(const struct mock__work *work, const struct mock__work *old);

#endif
