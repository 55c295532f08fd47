/* SPDX-License-Identifier: MIT */
#include "mock/ptx/warps/cluster.h"

#include "mock/ptx/racecheck/racecheck.h"
#include "mock/ptx/warps/grid.h"
#include "mock/ptx/warps/warp.h"

/* A worker takes so many times a part of all clusters, if each does as much as the others. */
enum { PARTS_OF_WORKER = 8, MOST_AT_ONCE = 256 };

/* --- which one is next --- */

/* splitmix64 */
static uint64_t mixed(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/*
 * With a seed, each eight consecutive clusters begin in an order that the seed decides. The order
 * stays near that of their numbers, because some programs rely on it, although CUDA guarantees no
 * order.
 */
static uint64_t drawn(const struct ptx__grid *grid, uint64_t number)
{
    const uint64_t row = number / 8 * 8;
    const uint64_t n = grid->n_clusters - row < 8 ? grid->n_clusters - row : 8;

    if (!grid->launch->seed)
        return number;
    return row + (number - row + mixed(grid->launch->seed ^ row) % n) % n;
}

uint64_t ptx__clusters_at_once(uint64_t n_clusters, unsigned n_workers)
{
    const uint64_t n = n_clusters / ((uint64_t) n_workers * PARTS_OF_WORKER);

    if (n < 1)
        return 1;
    return n < MOST_AT_ONCE ? n : MOST_AT_ONCE;
}

static void take_some(struct ptx__worker *worker)
{
    const uint64_t n = worker->grid->clusters_at_once;

    worker->next_cluster = atomic_fetch_add(&worker->grid->next_cluster, n);
    worker->end_cluster = worker->next_cluster + n;
}

bool ptx__cluster_next(struct ptx__worker *worker, uint64_t *ret_number)
{
    if (worker->next_cluster == worker->end_cluster)
        take_some(worker);
    if (worker->next_cluster >= worker->grid->n_clusters)
        return false;
    *ret_number = drawn(worker->grid, worker->next_cluster++);
    return true;
}

void ptx__cluster_start(struct ptx__cluster *cluster, uint64_t number)
{
    cluster->alive = cluster->n_blocks * cluster->blocks[0]->grid->n_threads;
    cluster->arrived = 0;
    for (unsigned i = 0; i < cluster->n_blocks; i++)
        ptx__block_start(cluster->blocks[i], number);
}

/*
 * --- the barrier ---
 *
 * It is complete when all threads that have not exited have arrived. A thread may also wait without
 * having arrived; it then waits for the others all the same.
 */

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
