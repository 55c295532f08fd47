/* SPDX-License-Identifier: MIT */
/*
 * Four consecutive warps of a block, of which the first has a number that is a multiple of four,
 * and the operations that they do together. Each comes with all its lanes. The last one to come
 * does the work of all four; the others wait behind the operation meanwhile. A block belongs to one
 * worker, so nothing here takes a lock.
 */
#ifndef CUSHIM_MOCK_PTX_WARPS_WARPGROUP_H
#define CUSHIM_MOCK_PTX_WARPS_WARPGROUP_H

#include "mock/ptx/machine/grid.h"

/*
 * True in the warp that comes last. It then does the work, and calls ptx__warpgroup_go(). If not,
 * *ret_next is the operation that runs instead, or NULL after an error: a warp came with some of
 * its lanes, or to another operation than the others.
 */
bool ptx__warpgroup_together(struct ptx__warp *warp, const struct ptx__op *op,
                             const struct ptx__op **ret_next);

/* Returns a warp of the group, and the registers with which it came. */
struct ptx__warp *ptx__warpgroup_member(struct ptx__warp *warp, unsigned number);
unsigned char *ptx__warpgroup_registers(struct ptx__warp *warp, unsigned number);

/* Lets the others go on. */
void ptx__warpgroup_go(struct ptx__warp *warp);

/* Reports, as an error of the launch, which warps did not come to an operation. */
void ptx__warpgroup_tell_missing(struct ptx__warp *warp, const struct ptx__op *op);

#endif
