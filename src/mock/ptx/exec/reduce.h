/* SPDX-License-Identifier: MIT */
/* Reductions in memory by other instructions than red and atom: bulk copies, and their like. */
#ifndef CUSHIM_MOCK_PTX_EXEC_REDUCE_H
#define CUSHIM_MOCK_PTX_EXEC_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/ptx/machine/reduction.h"

struct ptx__reducing {
    uint8_t kind;  /* enum ptx__reduction */
    uint8_t type;  /* enum ptx__type */
    uint8_t bytes; /* of a number */
    bool flushes;  /* small numbers of .f32 become zeros, before and after */
};

/* Returns what two numbers become. */
uint64_t ptx__reduced(const struct ptx__reducing *how, uint64_t old, uint64_t value);

/* Reduces a number in memory, which other threads may change at the same time. */
void ptx__reduce(const struct ptx__reducing *how, void *at, const void *value);

#endif
