/* SPDX-License-Identifier: MIT */
/* multimem: loads, stores and reductions at an address that stands for memory of several devices.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_MULTIMEM_H
#define CUSHIM_MOCK_PTX_EXEC_MULTIMEM_H

#include "mock/ptx/exec/place.h"
#include "mock/ptx/exec/reduce.h"
#include "mock/ptx/machine/code.h"

struct ptx__multimem {
    struct ptx__place_in at;
    struct ptx__reducing reduction; /* of none, for a store */
    bool wide_sums;                 /* .acc::f32: numbers are added as .f32, and rounded once */
    uint8_t use;                    /* enum ptx__use, of each device's memory */
    uint8_t n_values, value_bytes;  /* registers: their slots are in the operation's list */
};

#define H(name) const struct ptx__op *name(struct ptx__warp *warp, const struct ptx__op *op)
H(ptx__do_multimem_load);  /* ld_reduce */
H(ptx__do_multimem_store); /* st, red */
#undef H

#endif
