/* SPDX-License-Identifier: MIT */
/*
 * Running a block, and the race check of its shared memory. A block belongs to one worker, so
 * nothing here takes a lock.
 */
#ifndef CUSHIM_MOCK_PTX_MACHINE_BLOCK_H
#define CUSHIM_MOCK_PTX_MACHINE_BLOCK_H

#include "mock/ptx/machine/grid.h"

enum ptx__block_state {
    PTX__BLOCK_DONE,
    PTX__BLOCK_YIELDED, /* all its runnable warps are in long loops, and may wait for other blocks
                         */
    PTX__BLOCK_WAITS,   /* for other blocks of its cluster, at their barrier */
    PTX__BLOCK_STOPPED, /* the launch has failed */
};

/*
 * Allocates a block structure, which a worker uses for one block of the launch after another. NULL
 * when out of memory.
 */
struct ptx__block *ptx__block_new(struct ptx__worker *worker);
void ptx__block_free(struct ptx__block *block);

/* Starts the block of its rank in a cluster of the launch. */
void ptx__block_start(struct ptx__block *block, uint64_t cluster);
enum ptx__block_state ptx__block_run(struct ptx__block *block);

/* Sets the preloaded values of a frame, beginning with a kind (enum ptx__preload). */
void ptx__preload(const struct ptx__warp *warp, const struct ptx__frame *frame, unsigned from);

/* Computes the sizes of a grid from the launch and the code. */
void ptx__grid_shape(struct ptx__grid *grid);

/* The race check of shared memory: see racecheck/racecheck_shared.c. */
struct ptx__shared_racecheck *ptx__shared_racecheck_new(uint32_t shared_bytes, unsigned n_warps);
void ptx__shared_racecheck_free(struct ptx__shared_racecheck *watch);
void ptx__shared_racecheck_start(struct ptx__block *block);

/*
 * Called when a warp arrives at a barrier, and when it leaves it: they order the accesses before
 * and after.
 */
void ptx__shared_racecheck_arrive(struct ptx__warp *warp, struct ptx__barrier *barrier);
void ptx__shared_racecheck_leave(struct ptx__warp *warp, const struct ptx__barrier *barrier);

/* Make and free the shadow memory of a range, at its first use and at the end of the launch. */
void ptx__racecheck_range(struct ptx__range *range);
void ptx__racecheck_range_end(struct ptx__range *range);

/* Returns the line of an operation in the PTX text. */
uint32_t ptx__line_of(const struct ptx__warp *warp, const struct ptx__op *op);

#endif
