/* SPDX-License-Identifier: MIT */
/* Blocks: allocating them, setting their first register values, and running them. */
#include "mock/ptx/warps/grid.h"

#include <stdlib.h>
#include <string.h>

#include "mock/ptx/machine/tensor.h"
#include "mock/ptx/racecheck/racecheck.h"
#include "mock/ptx/warps/cluster.h"
#include "mock/ptx/warps/step.h"
#include "mock/ptx/warps/warp.h"
#include "mock/ptx/warps/warpgroup.h"

/* The bytes behind the end must not be used; the address sanitizer detects it. */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define FORBID(begin, bytes) ASAN_POISON_MEMORY_REGION(begin, bytes)
#else
#define FORBID(begin, bytes) ((void) (begin), (void) (bytes))
#endif

static void *aligned(size_t bytes)
{
    const size_t rounded_up = (bytes + 63) / 64 * 64 + 64;
    unsigned char *memory = aligned_alloc(64, rounded_up);

    if (memory)
        FORBID(memory + bytes, rounded_up - bytes);
    return memory;
}

/* --- frames and local memory --- */

static struct ptx__frame *frame_make(const struct ptx__code *code)
{
    struct ptx__frame *frame = calloc(1, sizeof(*frame));

    if (!frame || !(frame->registers = aligned(code->register_bytes))) {
        free(frame);
        return NULL;
    }
    memset(frame->registers, 0, code->register_bytes);
    memset(frame->registers + PTX__ALL_SLOT, 0xff, PTX__SLOT);
    frame->code = code;
    return frame;
}

struct ptx__frame *ptx__frame_new(struct ptx__block *block, const struct ptx__warp *warp,
                                  const struct ptx__code *code)
{
    struct ptx__frame *frame = NULL;

    for (size_t i = block->n_frames; i-- > 0 && !frame;) {
        if (block->frames[i]->code == code) {
            frame = block->frames[i];
            block->frames[i] = block->frames[--block->n_frames];
        }
    }
    if (!frame && (frame = frame_make(code))) {
        frame->made_before = block->made;
        block->made = frame;
    }
    if (frame)
        ptx__preload(warp, frame);
    return frame;
}

static void frame_destroy(struct ptx__frame *frame)
{
    if (frame) {
        free(frame->registers);
        free(frame->area);
    }
    free(frame);
}

void ptx__frame_free(struct ptx__block *block, struct ptx__frame *frame)
{
    if (block->n_frames == block->capacity) {
        const size_t capacity = block->capacity ? 2 * block->capacity : 16;
        struct ptx__frame **frames = realloc(block->frames, capacity * sizeof(*frames));

        if (!frames)
            return;
        block->frames = frames;
        block->capacity = capacity;
    }
    block->frames[block->n_frames++] = frame;
}

bool ptx__local_reserve(struct ptx__warp *warp, size_t bytes)
{
    /* Shadow memory is written several bytes at a time, so each lane begins at such a boundary. */
    const size_t limit = warp->block->grid->launch->local_limit / 64 * 64;
    size_t wanted = warp->local_bytes ? warp->local_bytes : 64;
    unsigned char *local;

    if (bytes <= warp->local_bytes)
        return true;
    if (bytes > limit)
        return false;
    while (wanted < bytes)
        wanted *= 2;
    wanted = wanted < limit ? wanted : limit;
    local = aligned(wanted * PTX__LANES);
    if (!local || !ptx__local_racecheck_grow(warp, wanted)) {
        free(local);
        return false;
    }
    memset(local, 0, wanted * PTX__LANES);
    for (unsigned l = 0; warp->local && l < PTX__LANES; l++)
        memcpy(local + l * wanted, ptx__warp_local(warp, l), warp->local_bytes);
    free(warp->local);
    warp->local = local;
    warp->local_bytes = (uint32_t) wanted;
    return true;
}

/* --- blocks --- */

static bool make_warp(struct ptx__block *block, unsigned number)
{
    struct ptx__warp *warp = &block->warps[number];

    warp->block = block;
    warp->number = number;
    warp->base = frame_make(block->grid->code);
    if (!warp->base || !ptx__local_reserve(warp, block->grid->code->frame_bytes))
        return false;
    ptx__preload(warp, warp->base);
    return true;
}

void ptx__block_free(struct ptx__block *block)
{
    for (unsigned i = 0; block->warps && i < block->n_warps; i++) {
        frame_destroy(block->warps[i].base);
        free(block->warps[i].local);
        free(block->warps[i].written);
    }
    while (block->made) {
        struct ptx__frame *frame = block->made;

        block->made = frame->made_before;
        frame_destroy(frame);
    }
    free(block->frames);
    free(block->warps);
    free(block->shared);
    free(block->tensor);
    free(block->last_errors);
    ptx__shared_racecheck_free(block->shadow);
    free(block);
}

struct ptx__block *ptx__block_new(struct ptx__worker *worker)
{
    struct ptx__grid *grid = worker->grid;
    struct ptx__block *block = calloc(1, sizeof(*block));

    if (!block)
        return NULL;
    block->grid = grid;
    block->worker = worker;
    block->n_warps = grid->n_warps;
    block->shared = aligned(grid->shared_room);
    block->warps = calloc(grid->n_warps, sizeof(*block->warps));
    if (!block->shared || !block->warps)
        goto fail;
    block->last = block->warps + block->n_warps - 1;
    memset(block->shared, 0, grid->shared_room);
    if (grid->launch->check_shared && grid->shared_bytes &&
        !(block->shadow = ptx__shared_racecheck_new(grid->shared_room, grid->n_warps)))
        goto fail;
    for (unsigned i = 0; i < grid->n_warps; i++) {
        block->warps[i].worker = worker;
        if (!make_warp(block, i))
            goto fail;
    }
    return block;

fail:
    ptx__block_free(block);
    return NULL;
}

/* Most often the number is smaller, and dividing takes long. */
static uint64_t divided(uint64_t number, unsigned by)
{
    if (number < by)
        return 0;
    return number <= UINT32_MAX ? (uint32_t) number / by : number / by;
}

/* Of a cluster of the launch, the block of its rank. */
static void place_in_grid(struct ptx__block *block, uint64_t cluster)
{
    const struct ptx__launch *launch = block->grid->launch;
    uint64_t rank = block->rank;

    for (unsigned i = 0; i < 3; i++) {
        const unsigned size = block->grid->cluster_blocks > 1 ? launch->cluster[i] : 1;
        const unsigned n = size > 1 ? launch->grid[i] / size : launch->grid[i];
        const uint64_t planes = divided(cluster, n), beside = divided(rank, size);

        block->index[i] = (uint32_t) ((cluster - planes * n) * size + rank - beside * size);
        cluster = planes;
        rank = beside;
    }
}

/* Nothing has been written to local memory. */
static void start_local(struct ptx__block *block)
{
    for (struct ptx__warp *warp = block->warps; warp <= block->last; warp++) {
        if (warp->written)
            ptx__local_racecheck_frame(warp, warp->base, PTX__ALL);
    }
}

static void set_number(struct ptx__block *block, uint64_t cluster)
{
    const unsigned *size = block->grid->launch->grid;

    place_in_grid(block, cluster);
    block->number =
        block->index[0] + size[0] * (block->index[1] + (uint64_t) size[1] * block->index[2]);
    block->owner = ptx__owner_of_block(block->number);
}

void ptx__block_renumber(struct ptx__block *block, uint64_t cluster)
{
    set_number(block, cluster);
    ptx__preload_first_lane(block);
    block->step.preloaded = false;
}

void ptx__block_start(struct ptx__block *block, uint64_t cluster)
{
    const struct ptx__grid *grid = block->grid;

    set_number(block, cluster);
    block->alive = grid->n_threads;
    block->strong = false;
    for (; block->open; block->open &= block->open - 1)
        block->barriers[__builtin_ctz(block->open)] = (struct ptx__barrier){0};
    if (!block->step.lasting)
        memset(block->warpgroups, 0, sizeof(block->warpgroups));
    free(block->last_errors);
    block->last_errors = NULL;
    if (block->shadow)
        ptx__shared_racecheck_start(block);
    if (block->tensor)
        ptx__tensor_start(block->tensor);
    if (grid->launch->check_shared)
        start_local(block);
    if (ptx__step_start(block))
        return;
    ptx__preload_of_block(block, block->warps, block->last + 1);
    for (unsigned i = 0; i < block->n_warps; i++) {
        struct ptx__warp *warp = &block->warps[i];
        const unsigned left = grid->n_threads - i * PTX__LANES;

        ptx__warp_start(warp, warp->base, left < PTX__LANES ? (1u << left) - 1 : PTX__ALL);
    }
}

/* --- barriers --- */

static uint32_t result_of(const struct ptx__barrier *barrier, uint64_t flags)
{
    if (flags & PTX__BARRIER_COUNT)
        return barrier->count;
    return flags & PTX__BARRIER_ALL ? barrier->count == barrier->voters : barrier->count > 0;
}

static void deliver(const struct ptx__barrier *barrier, const struct ptx__divergence_group *group)
{
    const struct ptx__op *op = group->at - 1;
    unsigned char *slot = group->frame->registers + op->d;
    const uint32_t result = result_of(barrier, op->imm);
    uint32_t bits;

    if (op->imm & PTX__BARRIER_COUNT) {
        for (uint32_t m = group->mask; m; m &= m - 1)
            memcpy(slot + 4 * (unsigned) __builtin_ctz(m), &result, 4);
        return;
    }
    memcpy(&bits, slot, 4);
    bits = result ? bits | group->mask : bits & ~group->mask;
    memcpy(slot, &bits, 4);
}

/* .aligned: all lanes of a warp are to execute the same one. */
static void check_alignment(struct ptx__warp *warp, const struct ptx__divergence_group *a,
                            const struct ptx__divergence_group *b)
{
    if ((a->at - 1)->imm & PTX__BARRIER_ALIGNED && a->at != b->at)
        ptx__note(ptx__lane_op(warp, b->at - 1, (unsigned) __builtin_ctz(b->mask)), PTX__BARRIER,
                  "lanes of one warp wait at different barriers: others are at line %u",
                  ptx__line_of(warp, a->at - 1));
}

static void release_group(struct ptx__warp *warp, const struct ptx__barrier *barrier,
                          struct ptx__divergence_group *group)
{
    if ((group->at - 1)->imm & PTX__BARRIER_VOTES)
        deliver(barrier, group);
    if (warp->block->shadow)
        ptx__shared_racecheck_leave(warp, barrier);
    group->state = PTX__RUNNABLE;
}

static bool waits_at(const struct ptx__divergence_group *group, unsigned number)
{
    return group->state == PTX__AT_BARRIER && group->barrier == number;
}

/*
 * Returns the group with the first lane among those of a warp, or of those that wait at a barrier.
 * Where groups lie is another thing: compiled code puts them elsewhere than handlers do.
 */
static const struct ptx__divergence_group *first_group(const struct ptx__warp *warp, bool all,
                                                       unsigned number)
{
    const struct ptx__divergence_group *first = NULL;

    for (unsigned i = 0; i < warp->n_groups; i++) {
        const struct ptx__divergence_group *group = &warp->groups[i];

        if ((all || waits_at(group, number)) &&
            (!first || __builtin_ctz(group->mask) < __builtin_ctz(first->mask)))
            first = group;
    }
    return first;
}

static void release(struct ptx__warp *warp, const struct ptx__barrier *barrier, unsigned number)
{
    const struct ptx__divergence_group *first =
        warp->n_groups > 1 ? first_group(warp, false, number) : NULL;

    for (unsigned i = 0; i < warp->n_groups; i++) {
        struct ptx__divergence_group *group = &warp->groups[i];

        if (!waits_at(group, number))
            continue;
        if (first && group != first)
            check_alignment(warp, first, group);
        release_group(warp, barrier, group);
    }
}

/* Not a part of the function that is called for each warp that arrives: most do not complete it. */
__attribute__((noinline)) static void complete(struct ptx__block *block,
                                               struct ptx__barrier *barrier, unsigned number)
{
    for (unsigned i = 0; i < block->n_warps; i++)
        release(&block->warps[i], barrier, number);
    barrier->arrived = barrier->expected = barrier->count = barrier->voters = 0;
    if (block->shadow)
        memset(barrier->clock, 0, sizeof(barrier->clock));
    block->open &= ~(1u << number);
}

void ptx__barrier_check(struct ptx__block *block, unsigned number)
{
    struct ptx__barrier *barrier = &block->barriers[number];

    if (barrier->arrived >= (barrier->expected ? barrier->expected : block->alive))
        complete(block, barrier, number);
}

/* --- running --- */

/*
 * Called when no warp of the block can run. The event that its threads wait for can only come from
 * themselves, or at the barrier of the cluster from other blocks.
 */
static bool others_come_first(const struct ptx__block *block)
{
    return ptx__cluster_awaited(block) && ptx__cluster_ready(block->cluster);
}

/* Lets lanes go on that wait for others of their warp, which will not come any more. */
static bool force(struct ptx__block *block)
{
    for (unsigned i = 0; i < block->n_warps; i++) {
        if (ptx__warp_force(&block->warps[i]))
            return true;
    }
    return false;
}

/* The lanes may be those of another block, for which this one waits. */
static bool force_one(struct ptx__block *block)
{
    const struct ptx__cluster *cluster = block->cluster;

    if (!ptx__cluster_awaited(block))
        return force(block);
    for (unsigned i = 0; i < cluster->n_blocks; i++) {
        if (force(cluster->blocks[i]))
            return true;
    }
    return false;
}

static void report_waiting(struct ptx__warp *warp, const struct ptx__divergence_group *group)
{
    const struct ptx__block *block = warp->block;
    const struct ptx__barrier *barrier = &block->barriers[group->barrier];
    const unsigned lane = (unsigned) __builtin_ctz(group->mask);

    if (group->state == PTX__AT_CLUSTER_BARRIER)
        ptx__fault(ptx__lane_op(warp, group->at - 1, lane), PTX__ERROR_LAUNCH_TIMEOUT, PTX__BARRIER,
                   "it waits at the barrier of its cluster, to which %u of the cluster's %u living "
                   "threads came, and all of them wait",
                   block->cluster->arrived, block->cluster->alive);
    else if (group->state == PTX__AT_ALLOCATION)
        ptx__fault(ptx__lane_op(warp, group->at, lane), PTX__ERROR_LAUNCH_TIMEOUT, PTX__BARRIER,
                   "it waits for free columns of tensor memory, of which %u are allocated, and all "
                   "of the block's %u living threads wait",
                   ptx__tensor_in_use(block->tensor), block->alive);
    else if (group->state == PTX__AT_WARPGROUP)
        ptx__warpgroup_tell_missing(warp, group->at - 1);
    else
        ptx__fault(ptx__lane_op(warp, group->at - 1, lane), PTX__ERROR_LAUNCH_TIMEOUT, PTX__BARRIER,
                   "it waits at barrier %u, to which %u threads came; %u are expected, and all of "
                   "the block's %u living threads wait",
                   group->barrier, barrier->arrived,
                   barrier->expected ? barrier->expected : block->alive, block->alive);
}

/* Tells what the block waits for, which will never come. */
static void report_stuck(struct ptx__block *block)
{
    for (unsigned i = 0; i < block->n_warps; i++) {
        struct ptx__warp *warp = &block->warps[i];

        if (warp->n_groups) {
            report_waiting(warp, first_group(warp, true, 0));
            return;
        }
    }
}

/* What a round of a block's warps has done. */
struct round {
    bool ran, yielded; /* a warp has run, and has not just yielded; one has yielded */
};

/*
 * Runs a warp, and those that compiled code goes on with. Returns the number of the last one. If
 * that is one of a later round, this is as if the engine had begun it.
 */
static unsigned run_warp(struct ptx__block *block, unsigned first, struct round *round)
{
    const unsigned rounds = block->rounds;
    const struct ptx__warp *last = ptx__warp_run(&block->warps[first]);

    if (block->rounds != rounds) {
        *round = (struct round){.ran = false};
        first = 0;
    }
    round->yielded |= last->yielded;
    round->ran |= !last->yielded || last->number != first;
    return last->number;
}

enum ptx__block_state ptx__block_run(struct ptx__block *block)
{
    for (;;) {
        struct round round = {.ran = false};

        for (unsigned i = 0; i < block->n_warps; i++) {
            if (!ptx__warp_ready(&block->warps[i]))
                continue;
            i = run_warp(block, i, &round);
            if (atomic_load_explicit(&block->grid->stop, memory_order_relaxed))
                return PTX__BLOCK_STOPPED;
        }
        if (!block->alive)
            return PTX__BLOCK_DONE;
        if (!round.ran && round.yielded)
            return PTX__BLOCK_YIELDED;
        if (!round.ran && others_come_first(block))
            return PTX__BLOCK_WAITS;
        if (!round.ran && !force_one(block)) {
            report_stuck(block);
            return PTX__BLOCK_STOPPED;
        }
    }
}
