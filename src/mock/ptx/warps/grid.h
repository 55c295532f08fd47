/* SPDX-License-Identifier: MIT */
/*
 * The blocks of a launch: making and running them, their frames and barriers; preload.c, which sets
 * the first values of their registers; and shape.c. A block belongs to one worker, so nothing here
 * takes a lock.
 */
#ifndef CUSHIM_MOCK_PTX_WARPS_GRID_H
#define CUSHIM_MOCK_PTX_WARPS_GRID_H

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

/*
 * A block in step, whose first warp runs, becomes another one of the launch, at the begin. Nothing
 * of the block has changed since it was there itself.
 */
void ptx__block_renumber(struct ptx__block *block, uint64_t cluster);
enum ptx__block_state ptx__block_run(struct ptx__block *block);

/*
 * Set the preloaded values of a frame, and those of a block that has begun, in the kernel's own
 * frames of some of its warps.
 */
void ptx__preload(const struct ptx__warp *warp, const struct ptx__frame *frame);
void ptx__preload_of_block(const struct ptx__block *block, struct ptx__warp *first,
                           const struct ptx__warp *end);

/* The same for the first lane of the first warp alone. */
void ptx__preload_first_lane(const struct ptx__block *block);

/* Computes the sizes of a grid from the launch and the code. */
void ptx__grid_shape(struct ptx__grid *grid);

/*
 * Called when threads of the block arrive at a barrier or exit. If the barrier is complete, all its
 * warps go on.
 */
void ptx__barrier_check(struct ptx__block *block, unsigned number);

/* Returns a frame for a call, or NULL when out of memory. */
struct ptx__frame *ptx__frame_new(struct ptx__block *block, const struct ptx__warp *warp,
                                  const struct ptx__code *code);
void ptx__frame_free(struct ptx__block *block, struct ptx__frame *frame);

/*
 * Makes the local memory of a warp's lanes at least so large. False if a thread may not have so
 * much.
 */
bool ptx__local_reserve(struct ptx__warp *warp, size_t bytes);

#endif
