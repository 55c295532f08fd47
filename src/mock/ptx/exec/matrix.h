/* SPDX-License-Identifier: MIT */
/*
 * Operations of a whole warp on matrices, and their descriptions. Loads and stores of tiles are in
 * matrix_tiles.c, products in mma.c, wgmma.c and matrix_exact.c.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_MATRIX_H
#define CUSHIM_MOCK_PTX_EXEC_MATRIX_H

#include "mock/ptx/exec/element.h"
#include "mock/ptx/machine/code.h"

enum ptx__part { PTX__PART_A, PTX__PART_B, PTX__PART_C, PTX__PART_D };

/* Scales of A or B of mma: bytes in the registers of some lanes. */
struct ptx__scales {
    uint32_t slot;
    uint32_t byte, thread; /* the slots of the first byte's number, and of which lanes of a quad */
};

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
    /* Of a sparse A, half of the elements are there. */
    bool sparse;
    bool halved;       /* done as .f16, one half after the other: see mma.c */
    uint8_t selector;  /* the lanes of a quad that have the metadata */
    uint32_t metadata; /* the slot */
    /* Scales for K / n_scales elements each. */
    uint8_t n_scales;
    bool fine_scales; /* ue4m3, not ue8m0 */
    struct ptx__scales scales[2];
    /* Of wgmma: m is that of one warp. */
    uint32_t descriptors[2]; /* the slots of those of A and B; 0: A is in registers */
    uint32_t adds;           /* the slot of the predicate: C is D, not 0 */
    bool negative[2], mn_major[2];
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
H(ptx__do_mma_exact);
H(ptx__do_fragment_load);
H(ptx__do_fragment_store);
H(ptx__do_ldmatrix);
H(ptx__do_stmatrix);
H(ptx__do_movmatrix);
#undef H

#endif
