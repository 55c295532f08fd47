/* SPDX-License-Identifier: MIT */
/*
 * The barrier of a cluster. It is complete when all threads that have not exited have arrived. A
 * thread may also wait without having arrived; it then waits for the others all the same.
 */
#include "mock/ptx/warps/cluster.h"

#include "mock/ptx/racecheck/racecheck.h"
#include "mock/ptx/warps/warp.h"

/* The barrier orders the warps of a block, too: what one knows when it arrives, all learn. */
static void pass_on(struct ptx__warp *warp)
{
    if (warp->block->shadow)
        ptx__shared_racecheck_pass_on(warp);
}

/*
 * Wakes the threads of a warp that wait. Threads that have arrived but do not wait yet will not
 * have to wait.
 */
static void release(struct ptx__warp *warp)
{
    uint32_t waiting = 0;

    for (unsigned i = 0; i < warp->n_groups; i++) {
        struct ptx__divergence_group *group = &warp->groups[i];

        if (group->state != PTX__AT_CLUSTER_BARRIER)
            continue;
        waiting |= group->mask;
        group->state = PTX__RUNNABLE;
    }
    pass_on(warp);
    warp->cluster_passed |= warp->cluster_arrived & ~waiting;
    warp->cluster_arrived = 0;
}

static void check(struct ptx__cluster *cluster)
{
    if (!cluster->arrived || cluster->arrived < cluster->alive)
        return;
    cluster->arrived = 0;
    for (unsigned i = 0; i < cluster->n_blocks; i++) {
        for (unsigned j = 0; j < cluster->blocks[i]->n_warps; j++)
            release(&cluster->blocks[i]->warps[j]);
    }
}

/* A thread that arrives twice before the barrier is complete counts once. */
void ptx__cluster_arrive(struct ptx__warp *warp)
{
    const uint32_t lanes = warp->mask & ~warp->cluster_arrived;

    pass_on(warp);
    warp->cluster_arrived |= lanes;
    warp->block->cluster->arrived += (unsigned) __builtin_popcount(lanes);
    check(warp->block->cluster);
}

/*
 * Threads that exit are no longer expected. So those of them that have arrived are not counted as
 * arrived any more, either.
 */
void ptx__cluster_leave(struct ptx__warp *warp)
{
    const uint32_t lanes = warp->mask & warp->cluster_arrived;

    if (lanes) {
        warp->cluster_arrived &= ~lanes;
        warp->block->cluster->arrived -= ptx__count_lanes(lanes);
    }
    warp->block->cluster->alive -= ptx__count_lanes(warp->mask);
    check(warp->block->cluster);
}

bool ptx__cluster_ready(const struct ptx__cluster *cluster)
{
    for (unsigned i = 0; i < cluster->n_blocks; i++) {
        const struct ptx__block *block = cluster->blocks[i];

        for (unsigned j = 0; j < block->n_warps; j++) {
            if (ptx__warp_ready(&block->warps[j]))
                return true;
        }
    }
    return false;
}

bool ptx__cluster_awaited(const struct ptx__block *block)
{
    for (unsigned i = 0; i < block->n_warps; i++) {
        for (unsigned j = 0; j < block->warps[i].n_groups; j++) {
            if (block->warps[i].groups[j].state == PTX__AT_CLUSTER_BARRIER)
                return true;
        }
    }
    return false;
}
