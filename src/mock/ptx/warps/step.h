/* SPDX-License-Identifier: MIT */
/*
 * Blocks in step. Most blocks have warps that all do the same, one behind the other, from one
 * barrier to the next: 32 lanes together, in the kernel's own frame. While a block is in step, its
 * state is one for all warps: those behind the one that runs are where they began or at the last
 * barrier, and those before it are at the next one or have exited. No group of any warp says so, no
 * thread is counted, and the frames lack the values of the block. So beginning a warp and waiting
 * at a barrier take next to nothing. Only compiled code runs warps so (jit/block.h). Before
 * anything else happens, it ends the step: then all is as if each warp had been run by itself.
 *
 * The order is that of ptx__block_run(): the warp that comes to a barrier last goes on first, and
 * behind the warp with the last number comes number 0.
 */
#ifndef CUSHIM_MOCK_PTX_WARPS_STEP_H
#define CUSHIM_MOCK_PTX_WARPS_STEP_H

#include "mock/ptx/machine/grid.h"

/*
 * Starts the warps of a block in step. The engine sees the first one only, which can run. False:
 * not this block, and nothing has been done.
 */
bool ptx__step_start(struct ptx__block *block);

/*
 * A warp is going to run from an operation, and compiled code could run all warps of its block.
 * True: the others are going to run from there, too, and the block is in step. kept: what the
 * frames say of values that are kept.
 */
bool ptx__step_join(struct ptx__warp *first, const struct ptx__op *at, uint8_t kept);

/* All warps of the block go on at an operation. */
void ptx__step_begin(struct ptx__warp *first, const struct ptx__op *from, uint8_t kept);

/* Returns the warp behind another one. */
static inline struct ptx__warp *ptx__step_next(const struct ptx__block *block,
                                               struct ptx__warp *warp)
{
    return warp == block->last ? block->warps : warp + 1;
}

/* All warps have exited. */
void ptx__step_exit(struct ptx__block *block);

/* Ends the step, if the block is in step, for a warp that runs. */
void ptx__step_end(struct ptx__warp *running);

#endif
