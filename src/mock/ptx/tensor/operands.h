/* SPDX-License-Identifier: MIT */
/* Shared by operands.c, scales.c, sums.c and product.c: a product that a lane issues. */
#ifndef CUSHIM_MOCK_PTX_TENSOR_OPERANDS_H
#define CUSHIM_MOCK_PTX_TENSOR_OPERANDS_H

#include "mock/ptx/tensor/access.h"
#include "mock/ptx/tensor/product.h"

/* A product that a lane issues, and the block whose rows are computed. */
struct ptx__issued {
    struct ptx__lane_op at;
    const struct ptx__tensor_product *product;
    struct ptx__tensor_plan plan;
    struct ptx__tensor_operands *operands;
    struct ptx__block *block;
    struct ptx__tensor *tensor; /* of the block */
    struct ptx__tensor_place d;
};

/* Returns the lane and the column, from the begin of D, of an element of D in a block. */
static inline struct ptx__tensor_place ptx__tensor_of_d(const struct ptx__tensor_plan *plan,
                                                        unsigned row, unsigned column)
{
    const unsigned columns = plan->n / plan->splits;
    const unsigned lane = plan->layout == PTX__LAYOUT_HALF ? row / 16 * 32 + row % 16 : row;

    return (struct ptx__tensor_place){lane + column / columns * (PTX__TENSOR_LANES / plan->splits),
                                      column % columns};
}

/*
 * Returns the tensor memory of the block with an area in it that the product reads. NULL after a
 * fault.
 */
struct ptx__tensor *ptx__tensor_source(const struct ptx__issued *issued,
                                       struct ptx__tensor_area area);

/* Reads a cell of the block's tensor memory; a finding if nothing has written it. */
uint32_t ptx__tensor_read(const struct ptx__issued *issued, unsigned lane, unsigned column);

/* Reads the rows of A of the block, with their signs and scales. False after a fault. */
bool ptx__tensor_read_a(struct ptx__issued *issued);

/* Reads B, of which each block of a pair has half of the columns. False after a fault. */
bool ptx__tensor_read_b(struct ptx__issued *issued);

/* Moves the elements of a sparse A to their places in its rows. False after a fault. */
bool ptx__tensor_expand(struct ptx__issued *issued);

/* Multiplies A, or B, by its scale factors. False after a fault. */
bool ptx__tensor_scale_a(struct ptx__issued *issued);
bool ptx__tensor_scale_b(struct ptx__issued *issued);

/* Find the exponents of A, and of B, which sums need. */
void ptx__tensor_exponents_a(const struct ptx__issued *issued);
void ptx__tensor_exponents_b(const struct ptx__issued *issued);

/* Returns the sum of an element of D with its products. */
double ptx__tensor_sum(const struct ptx__issued *issued, unsigned row, unsigned column, double d);

/* Returns the bits of a sum as an element of D. */
uint32_t ptx__tensor_result(const struct ptx__issued *issued, double sum);

#endif
