/* SPDX-License-Identifier: MIT */
#include "mock/ptx/jit/block.h"

#include "mock/ptx/exec/control.h"
#include "mock/ptx/jit/tier.h"
#include "mock/ptx/warps/warp.h"

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

uint64_t ptx__jit_stop(struct ptx__warp *warp, const struct ptx__op *op, uint64_t is_barrier,
                       uint64_t kept)
{
    uint64_t entry;

    if (is_barrier)
        return arrive(warp, op, kept);
    entry = exit_quietly(warp, kept);
    if (entry != PTX__JIT_NO_ENTRY)
        return entry;
    ptx__do_exit(warp, op);
    return next_warp(warp, kept);
}
