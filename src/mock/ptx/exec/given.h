/* SPDX-License-Identifier: MIT */
/* What functions of the device's runtime are given, and what they return. */
#ifndef CUSHIM_MOCK_PTX_EXEC_GIVEN_H
#define CUSHIM_MOCK_PTX_EXEC_GIVEN_H

#include <string.h>

#include "mock/ptx/machine/exec.h"

/* Returns an argument of a lane. Missing bytes of it are 0. */
static inline uint64_t ptx__argument(const struct ptx__warp *warp, const struct ptx__op *op,
                                     unsigned lane, unsigned number, unsigned bytes)
{
    const struct ptx__argument given = ptx__given(op, number);
    uint64_t value = 0;

    bytes = bytes < given.bytes ? bytes : given.bytes;
    memcpy(&value, ptx__warp_local(warp, lane) + warp->frame->local + given.offset, bytes);
    return value;
}

static inline void ptx__give_result(const struct ptx__warp *warp, const struct ptx__op *op,
                                    unsigned lane, uint64_t value, unsigned bytes)
{
    bytes = bytes < op->imm ? bytes : (unsigned) op->imm;
    if (bytes)
        memcpy(ptx__warp_local(warp, lane) + warp->frame->local + op->d, &value, bytes);
}

#endif
