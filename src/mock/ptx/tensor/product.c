/* SPDX-License-Identifier: MIT */
/*
 * tcgen05.mma: a thread has a product of matrices added to tensor memory. It is asynchronous on a
 * device, and done at once here.
 */
#include "mock/ptx/tensor/product.h"

#include <math.h>
#include <stdlib.h>

#include "mock/ptx/machine/softfloat.h"
#include "mock/ptx/tensor/operands.h"

static const struct ptx__tensor_product *product_of(const struct ptx__op *op)
{
    return (const struct ptx__tensor_product *) (uintptr_t) op->imm;
}

/* --- elements of D --- */

static double number_of_d(const struct ptx__issued *issued, uint32_t cell)
{
    switch (issued->plan.d) {
    case PTX__ELEMENT_S32:
        return (int32_t) cell;
    case PTX__ELEMENT_F16:
        return ldexp((double) ptx__float_of_half((uint16_t) cell), -issued->product->shift_d);
    default:
        return ldexp((double) ptx__f32(cell), -issued->product->shift_d);
    }
}

/* --- a block --- */

/* Tells whether the instruction leaves a lane of the block as it is. */
static bool is_disabled(const struct ptx__issued *issued, unsigned lane)
{
    const struct ptx__warp *w = issued->at.warp;
    const struct ptx__op *op = issued->at.op;
    const unsigned first = op->n_list == 8 ? (issued->block->rank & 1) * 4 : 0;

    return op->n_list &&
           REG(uint32_t, op->list[first + lane / 32])[issued->at.lane] >> lane % 32 & 1;
}

static void multiply(struct ptx__issued *issued, bool adds)
{
    for (unsigned row = 0; row < issued->plan.rows; row++) {
        for (unsigned i = 0; i < issued->plan.n; i++) {
            const struct ptx__tensor_place at = ptx__tensor_of_d(&issued->plan, row, i);
            const unsigned lane = issued->d.lane + at.lane, column = issued->d.column + at.column;
            double sum = 0;

            if (is_disabled(issued, lane))
                continue;
            if (adds)
                sum = number_of_d(issued, ptx__tensor_read(issued, lane, column));
            ptx__tensor_write(issued->tensor, column, lane,
                              ptx__tensor_result(issued, ptx__tensor_sum(issued, row, i, sum)),
                              UINT32_MAX);
        }
    }
}

/* The rows of half of the lanes may begin at lane 16. */
static bool right_lane(const struct ptx__issued *issued)
{
    const unsigned lane = issued->d.lane;

    if (!lane || (lane == 16 && issued->plan.layout == PTX__LAYOUT_HALF))
        return true;
    return ptx__fault(issued->at, PTX__ERROR_MISALIGNED_ADDRESS, PTX__MISALIGNED,
                      "D begins at lane %u of tensor memory, and not at 0%s", lane,
                      issued->plan.layout == PTX__LAYOUT_HALF ? " or 16" : "");
}

static bool run_block(struct ptx__issued *issued, bool adds)
{
    const struct ptx__tensor_area area = {issued->d.column, issued->plan.n / issued->plan.splits,
                                          15};

    issued->tensor = ptx__tensor_reach(issued->at, issued->block, area, "writes");
    if (!issued->tensor || !ptx__tensor_read_a(issued))
        return false;
    ptx__tensor_exponents_a(issued);
    ptx__tensor_check(issued->at, issued->tensor, area, PTX__TENSOR_HARM_CORES);
    ptx__tensor_set(issued->tensor, area, PTX__TENSOR_ISSUED, ptx__tensor_thread(issued->at));
    multiply(issued, adds);
    return true;
}

/* --- a lane --- */

static bool run(struct ptx__issued *issued, bool adds)
{
    const uint8_t group = issued->product->group;

    issued->d = ptx__tensor_place(ptx__tensor_address(issued->at, &issued->product->d));
    if (!right_lane(issued) || !ptx__tensor_read_b(issued))
        return false;
    for (unsigned i = 0; i < group; i++) {
        issued->block = ptx__tensor_block(issued->at, group, i);
        issued->tensor = issued->block->tensor;
        if (!i && issued->product->scales && !ptx__tensor_scale_b(issued))
            return false;
        if (!i)
            ptx__tensor_exponents_b(issued);
        if (!run_block(issued, adds))
            return false;
    }
    return true;
}

static bool plan(struct ptx__issued *issued)
{
    const struct ptx__warp *w = issued->at.warp;
    const uint32_t descriptor = REG(uint32_t, issued->product->instruction)[issued->at.lane];
    const char *mistake = ptx__tensor_plan(issued->product, descriptor, &issued->plan);

    if (mistake)
        return ptx__tensor_wrong(issued->at, "the instruction descriptor is 0x%08x: %s", descriptor,
                                 mistake);
    return true;
}

static bool run_lane(struct ptx__lane_op at)
{
    const struct ptx__warp *w = at.warp;
    struct ptx__issued issued = {.at = at, .product = product_of(at.op)};
    const bool adds = PRED(issued.product->adds) >> at.lane & 1;
    bool done;

    if (!ptx__tensor_group(at, issued.product->group) || !plan(&issued))
        return false;
    issued.operands = calloc(1, sizeof(*issued.operands));
    if (!issued.operands) {
        ptx__grid_stop(w->block->grid, PTX__ERROR_OUT_OF_MEMORY);
        return false;
    }
    done = run(&issued, adds);
    free(issued.operands);
    return done;
}

const struct ptx__op *ptx__do_tensor_product(struct ptx__warp *w, const struct ptx__op *op)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        if (!run_lane(ptx__lane_op(w, op, (unsigned) __builtin_ctz(m))))
            return NULL;
    }
    return op + 1;
}
