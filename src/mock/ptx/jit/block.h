/* SPDX-License-Identifier: MIT */
/*
 * The warps of a block, one behind the other, in compiled code. When a warp waits at a barrier or
 * has ended, the engine runs the next one of its block that can run. If that one is at the begin of
 * the same function, or is to go on in it behind a barrier, compiled code goes there by itself: it
 * neither returns to the engine nor loads anew what all warps of the block have in common. The
 * order is the engine's, which also begins each round of the warps. Behind a block that ends in
 * step comes the worker's next one, if it has begun no other.
 */
#ifndef CUSHIM_MOCK_PTX_JIT_BLOCK_H
#define CUSHIM_MOCK_PTX_JIT_BLOCK_H

#include "mock/ptx/machine/grid.h"

#define PTX__JIT_NO_ENTRY   UINT64_MAX
#define PTX__JIT_NEXT_BLOCK (UINT64_MAX - 1) /* its first warp begins */

/* Where a warp stops. A plain barrier has a number that is the same for all, and is for all. */
enum ptx__jit_stop { PTX__JIT_EXIT, PTX__JIT_BARRIER, PTX__JIT_PLAIN_BARRIER };

/*
 * A warp is going to run the function for 32 lanes from an operation. Tells whether its block is in
 * step, or gets so. kept: what the frame says of values that are kept.
 */
bool ptx__jit_keep_step(struct ptx__warp *warp, const struct ptx__op *op, unsigned kept);

/*
 * Does an operation of a kernel at which all 32 lanes of a warp exit, or arrive at a barrier with
 * their values kept. kept: what the frame says of these (see tier.c). Then it makes the warp that
 * comes next the one that runs (block->running), and returns where that one goes on: the number of
 * an operation, plus that of all operations if its values were kept; or PTX__JIT_NEXT_BLOCK: what
 * the function has loaded for the block is out of date. PTX__JIT_NO_ENTRY: the engine goes on, and
 * not with this warp.
 */
uint64_t ptx__jit_stop(struct ptx__warp *warp, const struct ptx__op *op, uint64_t stop,
                       uint64_t kept);

/*
 * All warps of a block in step have done all that the kernel does. Returns PTX__JIT_NEXT_BLOCK, as
 * above, or PTX__JIT_NO_ENTRY.
 */
uint64_t ptx__jit_end_block(struct ptx__block *block);

#endif
