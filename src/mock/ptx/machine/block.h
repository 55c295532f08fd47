/* SPDX-License-Identifier: MIT */
/*
 * A block from its begin to its end; and what watches its shared memory. A block is one worker's:
 * nothing here takes a lock.
 */
#ifndef CUSHIM_MOCK_PTX_MACHINE_BLOCK_H
#define CUSHIM_MOCK_PTX_MACHINE_BLOCK_H

#include "mock/ptx/machine/grid.h"

enum ptx__block_state {
    PTX__BLOCK_DONE,
    PTX__BLOCK_YIELDED, /* all warps that can run wait in loops, for other blocks perhaps */
    PTX__BLOCK_STOPPED, /* something went wrong in the launch */
};

/* A block that can be any of the launch, one after another; NULL if there is no memory. */
struct ptx__block *ptx__block_new(struct ptx__worker *worker);
void ptx__block_free(struct ptx__block *block);

/* Becomes the block of its rank in a cluster of the launch. */
void ptx__block_start(struct ptx__block *block, uint64_t cluster);
enum ptx__block_state ptx__block_run(struct ptx__block *block);

/* Fills the constants of a frame, those from a kind (enum ptx__preload) on. */
void ptx__preload(const struct ptx__warp *warp, const struct ptx__frame *frame, unsigned from);

/* How large everything is, from the launch and the code. */
void ptx__grid_shape(struct ptx__grid *grid);

/* What watches shared memory: see racecheck_shared.c. */
struct ptx__shared_racecheck *ptx__shared_racecheck_new(uint32_t shared_bytes, unsigned n_warps);
void ptx__shared_racecheck_free(struct ptx__shared_racecheck *watch);
void ptx__shared_racecheck_start(struct ptx__block *block);

/* A warp comes to a barrier, and leaves it. */
void ptx__shared_racecheck_arrive(struct ptx__warp *warp, struct ptx__barrier *barrier);
void ptx__shared_racecheck_leave(struct ptx__warp *warp, const struct ptx__barrier *barrier);

/* What is noted about a range, from its first use to the end of the launch. */
void ptx__racecheck_range(struct ptx__range *range);
void ptx__racecheck_range_end(struct ptx__range *range);

/* The line in the text of an operation. */
uint32_t ptx__line_of(const struct ptx__warp *warp, const struct ptx__op *op);

#endif
