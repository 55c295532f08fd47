/* SPDX-License-Identifier: MIT */
/*
 * Values that compiled code keeps as a base and steps. They are in the area of the frame. Compiled
 * code has them put into the register file where it ends or has a handler do something, and taken
 * from it where it begins.
 */
#ifndef CUSHIM_MOCK_PTX_JIT_SPREAD_H
#define CUSHIM_MOCK_PTX_JIT_SPREAD_H

#include "mock/ptx/machine/warp.h"

/* One value: its base is in the area at 2 * number, and behind it its step of rows, if any. */
struct ptx__jit_stepped {
    uint32_t offset; /* of the slot */
    uint16_t number;
    uint8_t bits, row;
    bool rows; /* they have a step */
    int64_t step;
};

struct ptx__jit_list {
    size_t n;
    struct ptx__jit_stepped values[];
};

/* Fills the slots of the active lanes. */
void ptx__jit_spread(const struct ptx__warp *warp, const struct ptx__jit_list *list);

/* Finds base and steps. 0: an active lane has another value than they say. */
uint64_t ptx__jit_collect(const struct ptx__warp *warp, const struct ptx__jit_list *list);

/* The same for the lanes of a mask. Values that were seen must be the same again. */
void ptx__jit_spread_lanes(const struct ptx__frame *frame, uint32_t mask,
                           const struct ptx__jit_list *list);
bool ptx__jit_collect_lanes(const struct ptx__frame *frame, uint32_t mask,
                            const struct ptx__jit_list *list, uint64_t *seen);

#endif
