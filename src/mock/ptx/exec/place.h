/* SPDX-License-Identifier: MIT */
/* Address operands of copies: where they lead to in one lane. The functions are those of async.c.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_PLACE_H
#define CUSHIM_MOCK_PTX_EXEC_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/ptx/machine/grid.h"

/* An address operand: its slot, its offset, whether the slot has 64 bits, and the state space. */
struct ptx__place_in {
    uint32_t slot;
    int64_t offset;
    bool wide;
    uint8_t space;
};

uint64_t ptx__place_address(const struct ptx__warp *warp, const struct ptx__place_in *place,
                            unsigned lane);

/* Returns the same address in the shared memory of another block of the cluster. */
uint64_t ptx__in_block(uint64_t address, unsigned rank);

/* Tells the barrier at an address that bytes which it counts have arrived. False: a fault. */
bool ptx__tell_barrier(struct ptx__lane_op at, const struct ptx__place_in *barrier,
                       uint64_t address, uint64_t bytes);

#endif
