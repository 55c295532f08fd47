/* SPDX-License-Identifier: MIT */
#include "mock/ptx/warps/step.h"

#include "mock/ptx/racecheck/racecheck.h"
#include "mock/ptx/warps/grid.h"
#include "mock/ptx/warps/warp.h"

static bool has_whole_warps(const struct ptx__block *block)
{
    return block->grid->n_threads % PTX__LANES == 0;
}

static struct ptx__warp *before(const struct ptx__warp *warp)
{
    const struct ptx__block *block = warp->block;

    return warp == block->warps ? block->last : block->warps + (warp->number - 1);
}

void ptx__step_begin(struct ptx__warp *first, const struct ptx__op *from, uint8_t kept)
{
    struct ptx__block *block = first->block;
    const struct ptx__code *code = block->grid->code;
    const uint64_t number = (uint64_t) (from - code->ops);

    block->step.on = true;
    block->step.first = first;
    block->step.end = before(first);
    block->step.until = block->last;
    block->step.from = from;
    block->step.from_kept = kept;
    block->step.to = block->step.quick = NULL;
    block->step.entry = kept ? code->n_ops + number : number;
}

/* --- beginning --- */

static void start_warps(struct ptx__block *block)
{
    for (struct ptx__warp *warp = block->warps; warp <= block->last; warp++) {
        ptx__warp_start(warp, warp->base, PTX__ALL);
        ptx__warp_take_only(warp);
    }
}

/* The same where the block before has ended in step: nothing has changed but what loops have used.
 */
static void start_again(struct ptx__block *block)
{
    int32_t budget;

    if (!block->grid->code->loops)
        return;
    budget = ptx__warp_budget(block->warps);
    for (struct ptx__warp *warp = block->warps; warp <= block->last; warp++) {
        warp->alive = PTX__ALL;
        warp->budget = budget;
    }
}

bool ptx__step_start(struct ptx__block *block)
{
    struct ptx__step *step = &block->step;
    const struct ptx__code *code = block->grid->code;

    if (step->lasting) {
        start_again(block);
    } else if (has_whole_warps(block) && atomic_load_explicit(&code->steps, memory_order_acquire)) {
        start_warps(block);
    } else {
        *step = (struct ptx__step){.on = false};
        return false;
    }
    ptx__warp_put(block->warps, code->ops, PTX__ALL, PTX__RUNNABLE);
    ptx__preload_first_lane(block);
    step->preloaded = false;
    step->lasting = true;
    ptx__step_begin(block->warps, code->ops, 0);
    return true;
}

static bool goes_on_at(const struct ptx__warp *warp, const struct ptx__op *at, uint8_t kept)
{
    const struct ptx__divergence_group *group = &warp->groups[0];

    return warp->n_groups == 1 && group->state == PTX__RUNNABLE && group->mask == PTX__ALL &&
           group->at == at && group->frame == warp->base && !group->forced &&
           warp->base->kept == kept;
}

bool ptx__step_join(struct ptx__warp *first, const struct ptx__op *at, uint8_t kept)
{
    struct ptx__block *block = first->block;

    if (first->n_groups || first->frame != first->base || first->forced || block->open ||
        !has_whole_warps(block))
        return false;
    /* The one that ran last is the most likely one to be elsewhere. */
    for (struct ptx__warp *warp = before(first); warp != first; warp = before(warp)) {
        if (!goes_on_at(warp, at, kept))
            return false;
    }
    for (struct ptx__warp *warp = before(first); warp != first; warp = before(warp)) {
        ptx__warp_take_only(warp);
        warp->base->kept = 0;
        warp->yielded = false;
    }
    block->step.preloaded = true;
    ptx__step_begin(first, at, kept);
    return true;
}

/* --- ending --- */

void ptx__step_exit(struct ptx__block *block)
{
    block->alive = 0;
    block->cluster->alive -= block->grid->n_threads;
    block->step.on = false;
    block->step.quick = NULL;
}

static void put(struct ptx__warp *warp, const struct ptx__op *at, uint8_t kept,
                enum ptx__group_state state)
{
    ptx__warp_put(warp, at, PTX__ALL, state);
    warp->base->kept = kept;
}

static void put_at_barrier(struct ptx__warp *warp, const struct ptx__op *op, uint8_t kept)
{
    struct ptx__block *block = warp->block;
    const uint32_t number = *(const uint32_t *) (const void *) (warp->regs + op->a);

    put(warp, op + 1, kept, PTX__AT_BARRIER);
    warp->groups[0].barrier = (uint8_t) number;
    block->barriers[number].arrived += PTX__LANES;
    block->open |= 1u << number;
    ptx__shared_racecheck_arrive(warp, &block->barriers[number]);
}

static void put_after_exit(struct ptx__warp *warp)
{
    warp->alive = warp->base->lanes = 0;
    warp->block->alive -= PTX__LANES;
    warp->block->cluster->alive -= PTX__LANES;
}

void ptx__step_end(struct ptx__warp *running)
{
    struct ptx__block *block = running->block;
    struct ptx__step *step = &block->step;

    if (!step->on)
        return;
    step->on = step->lasting = false;
    step->quick = NULL;
    block->running = running;
    if (!step->preloaded)
        ptx__preload_of_block(block, block->warps, block->last + 1);
    for (struct ptx__warp *warp = step->first; warp != running;
         warp = ptx__step_next(block, warp)) {
        if (step->to_kept)
            put_at_barrier(warp, step->to, step->to_kept);
        else
            put_after_exit(warp);
    }
    for (struct ptx__warp *warp = step->end; warp != running; warp = before(warp))
        put(warp, step->from, step->from_kept, PTX__RUNNABLE);
}
