/* SPDX-License-Identifier: MIT */
/* The parts of managed memory with the same advice. Callers hold the lock. */
#ifndef CUSHIM_MOCK_ALLOCATION_MEM_RANGE_H
#define CUSHIM_MOCK_ALLOCATION_MEM_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mock/allocation/mem_advise.h"

#define MOCK__HOST_BIT ((uint32_t) 1 << 31)

struct mock__part {
    size_t begin, end;
    bool read_mostly;
    struct mock__place preferred, prefetched;
    uint32_t users; /* one bit for each device, and MOCK__HOST_BIT */
};

/* Returns how many parts there are. Memory without advice has one part, whose end is not set. */
size_t mock__advice_parts(const struct mock__memory *memory, const struct mock__part **ret_parts);

#endif
