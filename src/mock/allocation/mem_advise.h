/* SPDX-License-Identifier: MIT */
/*
 * The advice that a program gave about managed memory: where it should be, which processors use it,
 * and where it was prefetched to. It changes only the results of queries. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_ALLOCATION_MEM_ADVISE_H
#define CUSHIM_MOCK_ALLOCATION_MEM_ADVISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tree.h"
#include "mock/functions.h"

struct mock__memory;

/* Like CUmemLocation, which toolkits before 12.2 do not have for the host. */
struct mock__place {
    int type, id;
};

enum {
    MOCK__NO_PLACE = 0,
    MOCK__ON_DEVICE = 1,
    MOCK__ON_HOST = 2,
    MOCK__ON_HOST_NUMA = 3,
    MOCK__ON_HOST_NUMA_CURRENT = 4,
    MOCK__NO_DEVICE = -2, /* CU_DEVICE_INVALID */
};

/* Returns the place for an ordinal, or the host for -1, as older functions write it. */
struct mock__place mock__place_of(CUdevice device);

/* Checks that the place exists and can have managed memory. */
CUresult mock__place_check(struct mock__place place);

/* A part of managed memory, in whole pages; of a size that wraps around, no part: `end` is `begin`.
 */
struct mock__managed_range {
    struct mock__memory *memory;
    size_t begin, end;
};

/* CUDA_ERROR_INVALID_VALUE if no managed memory contains the whole range. */
CUresult mock__managed_find(CUdeviceptr address, size_t bytes,
                            struct mock__managed_range *ret_managed);

/* Stores the last place to which a range was prefetched. */
CUresult mock__advice_prefetched(const struct mock__managed_range *managed,
                                 struct mock__place place);

#define MOCK__HOST_BIT ((uint32_t) 1 << 31)

struct mock__part {
    size_t begin, end;
    bool read_mostly;
    struct mock__place preferred, prefetched;
    uint32_t users; /* one bit for each device, and MOCK__HOST_BIT */
    struct cushim__tree_node by_begin;
};

/* Returns the part that contains an offset, and the next part; NULL behind the last one. */
const struct mock__part *mock__advice_at(const struct mock__memory *memory, size_t offset);
const struct mock__part *mock__advice_next(const struct mock__part *part);

/* Removes all advice. */
void mock__advice_forget(struct mock__memory *memory);

#endif
