/* SPDX-License-Identifier: MIT */
/*
 * wgmma: products of the four warps of a warpgroup. The last warp to come computes them at once for
 * all four. What a program does too early is found all the same: until the warp has waited, its
 * products count as running (struct ptx__flights). So their accumulators may not be used, and the
 * shared memory that they read is checked for races once more when the warp has waited.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_WGMMA_H
#define CUSHIM_MOCK_PTX_EXEC_WGMMA_H

#include "mock/ptx/exec/product.h"

/* Does wgmma.mma_async. */
const struct ptx__op *ptx__wgmma(struct ptx__warp *warp, const struct ptx__op *op,
                                 const struct ptx__arithmetic *arithmetic);

#define H(name) const struct ptx__op *name(struct ptx__warp *warp, const struct ptx__op *op)
H(ptx__do_wgmma_fence);
H(ptx__do_wgmma_commit);
H(ptx__do_wgmma_wait); /* imm: how many groups may still be running */

/* Before another instruction that reads or writes registers of products, which are its list. */
H(ptx__do_wgmma_watch); /* imm: how many of them, from the first one on, it writes */
#undef H

#endif
