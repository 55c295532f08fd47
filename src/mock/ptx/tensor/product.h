/* SPDX-License-Identifier: MIT */
/*
 * Matrix products of tensor memory: tcgen05.mma with .sp and .ws. A product is planned from its
 * instruction and its instruction descriptor (plan.c), its operands are read as numbers
 * (operands.c, scales.c), multiplied (product.c), and added (sums.c).
 */
#ifndef CUSHIM_MOCK_PTX_TENSOR_PRODUCT_H
#define CUSHIM_MOCK_PTX_TENSOR_PRODUCT_H

#include "mock/ptx/exec/async.h"
#include "mock/ptx/exec/element.h"

enum ptx__tensor_kind {
    PTX__KIND_F16,
    PTX__KIND_TF32,
    PTX__KIND_F8F6F4,
    PTX__KIND_I8,
    PTX__KIND_MXF8F6F4,
    PTX__KIND_MXF4,
    PTX__KIND_MXF4NVF4,
};

/* The instruction. The registers of disable-output-lane are in the operation's list. */
struct ptx__tensor_product {
    struct ptx__place_in d, a, metadata, scale_a, scale_b;
    uint32_t a_descriptor, b_descriptor; /* slots; that of A if it is in shared memory */
    uint32_t instruction;                /* the slot of the instruction descriptor */
    uint32_t zero_columns;               /* the slot of that descriptor; 0: none */
    uint32_t adds;                       /* the slot of the predicate: D is added */
    bool a_in_tensor, a_shifted, sparse, stationary;
    uint8_t kind, group;
    uint8_t scales;  /* factors to a row, of .block_scale */
    uint8_t shift_d; /* D is multiplied by 2 to the power of minus this */
};

/* How a row of D lies in lanes. */
enum ptx__tensor_layout {
    PTX__LAYOUT_FULL, /* a lane for a row */
    PTX__LAYOUT_HALF, /* 16 lanes of each part */
    PTX__LAYOUT_TWO,  /* halves of the columns in lanes from 0 and from 64 on */
    PTX__LAYOUT_FOUR, /* quarters in lanes from 0, 32, 64 and 96 on */
};

/* What instruction and descriptor say together. */
struct ptx__tensor_plan {
    uint16_t m, n, k;
    uint16_t rows;          /* of A and D in one block */
    uint8_t layout;         /* enum ptx__tensor_layout */
    uint8_t splits;         /* how many lanes share a row */
    uint8_t a, b, d;        /* enum ptx__element */
    uint8_t bits_a, bits_b; /* of an element where it takes its place among others */
    bool negates_a, negates_b, a_by_m, b_by_n, saturates, ue4m3;
    uint8_t selector, scale_a, scale_b, most_shift;
};

/* Makes the plan of a descriptor. Returns what is wrong with it, or NULL. */
const char *ptx__tensor_plan(const struct ptx__tensor_product *product, uint32_t descriptor,
                             struct ptx__tensor_plan *ret_plan);

/* The most columns of B: those that a zero-column mask shifts past come on top of N. */
enum { PTX__MOST_K = 128, PTX__MOST_N = 256, PTX__MOST_B = PTX__MOST_N + 32 };

/* The operands as numbers, with their signs and scales, and their exponents. A is of one block. */
struct ptx__tensor_operands {
    double a[128][PTX__MOST_K], b[PTX__MOST_B][PTX__MOST_K];
    int16_t a_exponents[128][PTX__MOST_K], b_exponents[PTX__MOST_B][PTX__MOST_K];
};

#define H(name) const struct ptx__op *name(struct ptx__warp *warp, const struct ptx__op *op)
H(ptx__do_tensor_product);
#undef H

#endif
