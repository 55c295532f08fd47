/* SPDX-License-Identifier: MIT */
/*
 * The operations on tensor memory (machine/tensor.h), and their descriptions: tcgen05.alloc and the
 * like in alloc.c, those of warps in move.c, copies and shifts in copy.c.
 */
#ifndef CUSHIM_MOCK_PTX_TENSOR_TENSOR_H
#define CUSHIM_MOCK_PTX_TENSOR_TENSOR_H

#include "mock/ptx/exec/async.h"

/* tcgen05.alloc, .dealloc, .relinquish_alloc_permit and .commit. */
struct ptx__tensor_call {
    struct ptx__place_in to; /* where the address goes, or the barrier */
    uint32_t address;        /* the slot of the address to free */
    uint32_t columns;        /* the slot of their number */
    uint32_t blocks;         /* the slot of the mask of blocks whose barriers are told; 0: own */
    uint8_t group;           /* of .cta_group */
};

enum ptx__tensor_shape {
    PTX__TENSOR_32X32B,
    PTX__TENSOR_16X64B,
    PTX__TENSOR_16X128B,
    PTX__TENSOR_16X256B,
    PTX__TENSOR_16X32BX2,
};

/* tcgen05.ld and .st. The registers are in the operation's list, and the one of .red in slot d. */
struct ptx__tensor_move {
    struct ptx__place_in at;
    uint8_t shape;                              /* enum ptx__tensor_shape */
    bool packed;                                /* two columns, of 16 bits each, to a register */
    uint16_t split;                             /* columns between the halves of .16x32bx2 */
    bool reduces, most, magnitudes, passes_nan; /* .red: with .max, .abs and .NaN */
    uint8_t type;                               /* enum ptx__type, of .red */
};

/* A register that is used while a tcgen05.ld loads it. */
struct ptx__tensor_use {
    const char *name;
    uint32_t line; /* of the load */
};

/* tcgen05.cp, and .shift, which has an address and a group only. */
struct ptx__tensor_copy {
    struct ptx__place_in at;
    uint32_t descriptor;  /* the slot of the descriptor of shared memory */
    uint8_t group;        /* of .cta_group */
    uint8_t rows, chunks; /* chunks of 16 bytes to a row */
    uint8_t bits;         /* of an element that becomes a byte; 0: bytes stay */
    bool neighbours;      /* .warpx2::01_23: the two that get the same are neighbours */
};

#define H(name) const struct ptx__op *name(struct ptx__warp *warp, const struct ptx__op *op)
H(ptx__do_tensor_alloc);
H(ptx__do_tensor_dealloc);
H(ptx__do_tensor_relinquish);
H(ptx__do_tensor_commit);
H(ptx__do_tensor_load);
H(ptx__do_tensor_store);
H(ptx__do_tensor_stored); /* tcgen05.wait::st */
H(ptx__do_tensor_loaded); /* tcgen05.wait::ld */
H(ptx__do_tensor_early_use);
H(ptx__do_tensor_copy);
H(ptx__do_tensor_shift);
#undef H

#endif
