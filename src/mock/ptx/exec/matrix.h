/* SPDX-License-Identifier: MIT */
/*
 * Operations of a whole warp on matrices, and their descriptions. Loads and stores of tiles are in
 * matrix_tiles.c.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_MATRIX_H
#define CUSHIM_MOCK_PTX_EXEC_MATRIX_H

#include "mock/ptx/machine/code.h"

enum ptx__element {
    PTX__ELEMENT_F16,
    PTX__ELEMENT_BF16,
    PTX__ELEMENT_TF32,
    PTX__ELEMENT_E4M3,
    PTX__ELEMENT_E5M2,
    PTX__ELEMENT_E3M2, /* of 6 bits in a byte */
    PTX__ELEMENT_E2M3,
    PTX__ELEMENT_E2M1, /* of 4 bits, in the middle of a byte */
    PTX__ELEMENT_F32,
    PTX__ELEMENT_F64,
    PTX__ELEMENT_U8,
    PTX__ELEMENT_S8,
    PTX__ELEMENT_U4,
    PTX__ELEMENT_S4,
    PTX__ELEMENT_B1,
    PTX__ELEMENT_S32,
};

enum ptx__part { PTX__PART_A, PTX__PART_B, PTX__PART_C, PTX__PART_D };

/* The description of an operation. Its registers are in its list: D, A, B, C. */
struct ptx__matrix {
    uint16_t m, n, k;
    uint8_t types[4];           /* enum ptx__element, for each part */
    uint8_t registers[4];       /* registers of a lane, for each part */
    bool fragments;             /* a wmma, whose layout PTX does not define */
    bool finite;                /* sums of integers are limited to the range */
    bool both;                  /* for single bits: and, not xor */
    bool quads;                 /* four products: each of the lanes 4 i to 4 i + 3 and the lanes
                                   16 above */
    bool a_by_column, b_by_row; /* only for quads */
    /* For loads and stores of wmma: the part, its order in memory, and where it is. */
    uint8_t part, space;
    bool by_row;
    int64_t offset;  /* of the address; also for ldmatrix and stmatrix */
    uint32_t stride; /* the slot of the distance between rows in elements; 0: none is given */
    /* For ldmatrix and stmatrix. */
    uint8_t n_matrices;
    bool transposed;
};

#define H(name) const struct ptx__op *name(struct ptx__warp *warp, const struct ptx__op *op)
H(ptx__do_mma);
H(ptx__do_fragment_load);
H(ptx__do_fragment_store);
H(ptx__do_ldmatrix);
H(ptx__do_stmatrix);
H(ptx__do_movmatrix);
#undef H

#endif
