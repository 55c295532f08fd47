/* SPDX-License-Identifier: MIT */
/* Memory pools: what stream-ordered allocations are charged to. Callers hold the lock. */
#ifndef CUSHIM_MOCK_MEM_POOL_H
#define CUSHIM_MOCK_MEM_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/functions.h"
#include "mock/objects.h"

struct mock__device;
struct mock__memory;

struct mock__pool {
    struct mock__object object;
    struct mock__device *device;
    uint64_t release_threshold;
    uint64_t used, used_high;
    int reuse[3]; /* follow events, opportunistic, internal dependencies */
};

/* The device's current pool, or its default one; NULL if there is no memory. */
struct mock__pool *mock__pool_of(struct mock__device *device, bool only_default);

/* Tells the pool that an allocation was made from it, or is about to be freed. */
void mock__pool_charge(struct mock__pool *pool, struct mock__memory *memory);
void mock__pool_credit(const struct mock__memory *memory);

#endif
