/* SPDX-License-Identifier: MIT */
/* The parts of managed memory with the same advice. Callers hold the lock. */
#ifndef CUSHIM_MOCK_ALLOCATION_MEM_RANGE_H
#define CUSHIM_MOCK_ALLOCATION_MEM_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mock/allocation/mem_advise.h"
#include "mock/base/tree.h"

#define MOCK__HOST_BIT ((uint32_t) 1 << 31)

struct mock__part {
    size_t begin, end;
    bool read_mostly;
    struct mock__place preferred, prefetched;
    uint32_t users; /* one bit for each device, and MOCK__HOST_BIT */
    struct mock__tree_node by_begin;
};

/* Returns the part that contains an offset, and the next part; NULL behind the last one. */
const struct mock__part *mock__advice_at(const struct mock__memory *memory, size_t offset);
const struct mock__part *mock__advice_next(const struct mock__part *part);

#endif
