/* SPDX-License-Identifier: MIT */
/*
 * Operations on values in memory: a stream waits for a value, writes one, or makes a barrier. A
 * batch of them is one piece of work, and one node of a graph. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_MEMORY_STREAM_MEMOPS_H
#define CUSHIM_MOCK_MEMORY_STREAM_MEMOPS_H

#include <stdbool.h>

#include "mock/functions.h"

struct mock__context;
struct mock__device;
struct mock__work;

/* CUstreamBatchMemOpType by number, because older headers lack some of the names. */
enum {
    MOCK__WAIT_32 = 1,
    MOCK__WRITE_32 = 2,
    MOCK__FLUSH = 3,
    MOCK__WAIT_64 = 4,
    MOCK__WRITE_64 = 5,
    MOCK__BARRIER = 6,
};

/*
 * The attributes that tell what a device can do, by number, because their names depend on the
 * headers. 0 means that it is always possible. Current drivers do not support the first version of
 * the functions.
 */
struct mock__value_features {
    int ops, wide, nor;
    unsigned write_flags; /* that writes may have */
    bool barriers;
    bool any_place; /* addresses are looked up only when the work is done */
};

extern const struct mock__value_features mock__values_v1, mock__values_v2, mock__values_of_nodes;

/* Tells whether the device's driver has these functions at all. */
bool mock__values_supported(const struct mock__device *device,
                            const struct mock__value_features *features);

/* Checks a batch and makes work of it. */
CUresult mock__values_work(const struct mock__context *context,
                           const CUstreamBatchMemOpParams *params, unsigned count,
                           const struct mock__value_features *features,
                           struct mock__work **ret_work);

/* Returns the batch of such work. It belongs to the work. */
const CUstreamBatchMemOpParams *mock__values_of_work(const struct mock__work *work,
                                                     unsigned *ret_count);

/* Tells whether a batch may replace another one in an executable graph. */
bool mock__values_replace(const struct mock__work *work, const struct mock__work *old);

#endif
