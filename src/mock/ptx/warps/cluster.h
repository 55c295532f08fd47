/* SPDX-License-Identifier: MIT */
/*
 * The clusters of a launch, and their barrier. A cluster belongs to one worker, so nothing here
 * takes a lock.
 */
#ifndef CUSHIM_MOCK_PTX_WARPS_CLUSTER_H
#define CUSHIM_MOCK_PTX_WARPS_CLUSTER_H

#include "mock/ptx/machine/grid.h"

/*
 * How many clusters a worker takes at a time. Neighbours often use the same memory: it is better if
 * one worker does them, and others what is far away. The workers also wait for each other to take
 * some.
 */
uint64_t ptx__clusters_at_once(uint64_t n_clusters, unsigned n_workers);

/* Gives a worker its next cluster of the launch. False: there is none left. */
bool ptx__cluster_next(struct ptx__worker *worker, uint64_t *ret_number);

/* Starts the blocks of a structure as those of a cluster of the launch. */
void ptx__cluster_start(struct ptx__cluster *cluster, uint64_t number);

/*
 * Called when the active lanes arrive at the barrier of their cluster, and when they exit. If the
 * barrier is then complete, all threads that wait at it go on.
 */
void ptx__cluster_arrive(struct ptx__warp *warp);
void ptx__cluster_leave(struct ptx__warp *warp);

/* Tells whether a warp of the cluster can run. */
bool ptx__cluster_ready(const struct ptx__cluster *cluster);

/* Tells whether a thread of the block waits at the barrier of its cluster. */
bool ptx__cluster_awaited(const struct ptx__block *block);

#endif
