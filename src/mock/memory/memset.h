/* SPDX-License-Identifier: MIT */
/* Memsets, checked. Callers hold the lock. */
#ifndef CUSHIM_MOCK_MEMORY_MEMSET_H
#define CUSHIM_MOCK_MEMORY_MEMSET_H

#include <stdbool.h>
#include <stddef.h>

#include "mock/functions.h"

struct mock__work;

/* Rows of equal elements. */
struct mock__fill {
    CUdeviceptr address;
    size_t pitch; /* from row to row, in bytes */
    size_t width; /* in elements */
    size_t height;
    unsigned value;
    size_t element; /* bytes */
};

/* A memset as work. CUDA_ERROR_INVALID_VALUE if there is no such memory. */
CUresult mock__fill_work(const struct mock__fill *fill, struct mock__work **ret_work);
const struct mock__fill *mock__fill_of_work(const struct mock__work *work);

/*
 * May an executable graph's memset become another? The memory has to be of the same class, and
 * more than one row has to stay as it is but for address and value.
 */
bool mock__fill_replaces(const struct mock__work *work, const struct mock__work *old);

#endif
