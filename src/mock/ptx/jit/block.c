/* SPDX-License-Identifier: MIT */
#include "mock/ptx/jit/block.h"

#include "mock/ptx/exec/control.h"
#include "mock/ptx/jit/tier.h"
#include "mock/ptx/racecheck/racecheck.h"
#include "mock/ptx/warps/cluster.h"
#include "mock/ptx/warps/grid.h"
#include "mock/ptx/warps/step.h"
#include "mock/ptx/warps/warp.h"

/* --- in step --- */

bool ptx__jit_keep_step(struct ptx__warp *warp, const struct ptx__op *op, unsigned kept)
{
    struct ptx__block *block = warp->block;

    if (warp->mask != PTX__ALL || block->cluster->arrived)
        return false;
    return block->step.on || ptx__step_join(warp, op, (uint8_t) kept);
}

/*
 * Tells whether a warp does what those before it did, which is for the first one to say. Tensor
 * memory is looked at when a block ends.
 */
static bool is_in_step(const struct ptx__warp *warp, const struct ptx__op *op,
                       enum ptx__jit_stop stop, uint64_t kept)
{
    struct ptx__block *block = warp->block;
    struct ptx__step *step = &block->step;

    if (!step->on || warp != step->first)
        return step->on && step->to == op;
    if (stop == PTX__JIT_BARRIER || (stop == PTX__JIT_EXIT && block->tensor))
        return false;
    step->to = op;
    step->to_kept = stop == PTX__JIT_EXIT ? 0 : (uint8_t) kept;
    step->quick = op;
    return true;
}

/* The barrier is complete: all warps go on behind it, beginning with the one that came last. */
static uint64_t next_round(struct ptx__warp *warp, const struct ptx__op *op)
{
    struct ptx__block *block = warp->block;

    ptx__shared_racecheck_meet(block);
    ptx__step_begin(warp, op + 1, block->step.to_kept);
    return block->step.entry;
}

/* If the worker has begun no other block, its next one follows at once. */
static uint64_t next_block(struct ptx__block *block)
{
    struct ptx__worker *worker = block->worker;
    uint64_t number;

    if (!worker->by_itself || !ptx__cluster_next(worker, &number))
        return PTX__JIT_NO_ENTRY;
    ptx__gathered_add_old(&worker->gathered);
    ptx__cluster_start(block->cluster, number);
    if (!block->step.on)
        return PTX__JIT_NO_ENTRY;
    block->rounds++;
    block->running = block->warps;
    ptx__warp_take_only(block->warps);
    return PTX__JIT_NEXT_BLOCK;
}

static uint64_t step(struct ptx__warp *warp, const struct ptx__op *op, enum ptx__jit_stop stop)
{
    struct ptx__block *block = warp->block;

    block->running = warp;
    if (atomic_load_explicit(&block->grid->stop, memory_order_relaxed))
        return PTX__JIT_NO_ENTRY;
    if (warp != block->step.end) {
        if (warp == block->last) {
            block->step.until = block->step.end;
            block->rounds++;
        }
        block->running = ptx__step_next(block, warp);
        return block->step.entry;
    }
    if (stop != PTX__JIT_EXIT)
        return next_round(warp, op);
    ptx__step_exit(block);
    return next_block(block);
}

/* The engine has not seen any of what the block did, so that the next one begins as it did. */
uint64_t ptx__jit_end_block(struct ptx__block *block)
{
    struct ptx__worker *worker = block->worker;
    uint64_t number;

    if (!worker->by_itself || atomic_load_explicit(&block->grid->stop, memory_order_relaxed) ||
        !ptx__cluster_next(worker, &number)) {
        block->running = block->last;
        ptx__step_exit(block);
        return PTX__JIT_NO_ENTRY;
    }
    ptx__block_renumber(block, number);
    block->rounds++;
    block->running = block->warps;
    return PTX__JIT_NEXT_BLOCK;
}

/* --- by itself --- */

/*
 * Tells whether all 32 lanes of a warp can go on together in the kernel's own frame, and no other
 * function has values there.
 */
static bool is_whole(const struct ptx__warp *warp, uint64_t kept)
{
    const struct ptx__divergence_group *group = &warp->groups[0];

    return warp->n_groups == 1 && group->mask == PTX__ALL && group->state == PTX__RUNNABLE &&
           group->frame == warp->base && (!warp->base->kept || warp->base->kept == kept) &&
           ptx__jit_make_area(warp->base, (unsigned) kept - 1);
}

/* Each warp comes by here, so that the way is short. */
__attribute__((always_inline)) static inline uint64_t next_warp(struct ptx__warp *warp,
                                                                uint64_t kept)
{
    struct ptx__block *block = warp->block;
    struct ptx__warp *next = warp + 1;
    struct ptx__frame *frame;
    uint64_t entry;

    if (warp->number + 1 == block->n_warps || !is_whole(next, kept) ||
        atomic_load_explicit(&block->grid->stop, memory_order_relaxed))
        return PTX__JIT_NO_ENTRY;
    frame = next->base;
    entry = (uint64_t) (next->groups[0].at - frame->code->ops);
    if (frame->kept == kept)
        entry += frame->code->n_ops;
    else if (entry)
        return PTX__JIT_NO_ENTRY;
    frame->kept = 0;
    block->running = next;
    next->yielded = false;
    ptx__warp_take_only(next);
    return entry;
}

/* Exits, if nobody waits for that, and another warp goes on. */
static uint64_t exit_quietly(struct ptx__warp *warp, uint64_t kept)
{
    struct ptx__block *block = warp->block;
    const uint64_t entry =
        block->open || block->cluster->arrived ? PTX__JIT_NO_ENTRY : next_warp(warp, kept);

    if (entry != PTX__JIT_NO_ENTRY) {
        warp->base->lanes = 0;
        warp->alive = 0;
        block->alive -= PTX__LANES;
        block->cluster->alive -= PTX__LANES;
    }
    return entry;
}

static uint64_t arrive(struct ptx__warp *warp, const struct ptx__op *op, uint64_t kept)
{
    const struct ptx__op *next;

    warp->frame->kept = (uint8_t) kept;
    next = ptx__do_barrier(warp, op);
    if (!next)
        return next_warp(warp, kept);
    warp->frame->kept = 0;
    return warp->frame->code->n_ops + (uint64_t) (next - warp->frame->code->ops);
}

uint64_t ptx__jit_stop(struct ptx__warp *warp, const struct ptx__op *op, uint64_t stop,
                       uint64_t kept)
{
    uint64_t entry;

    if (is_in_step(warp, op, (enum ptx__jit_stop) stop, kept))
        return step(warp, op, (enum ptx__jit_stop) stop);
    ptx__step_end(warp);
    if (stop != PTX__JIT_EXIT)
        return arrive(warp, op, kept);
    entry = exit_quietly(warp, kept);
    if (entry != PTX__JIT_NO_ENTRY)
        return entry;
    ptx__do_exit(warp, op);
    return next_warp(warp, kept);
}
