/* SPDX-License-Identifier: MIT */
#include "mock/ptx/warps/warp.h"

#include <stdlib.h>
#include <string.h>

#include "mock/ptx/machine/grid.h"

void ptx__warp_set_limit(struct ptx__warp *warp, const struct ptx__op *at)
{
    warp->limit = PTX__NO_LIMIT;
    for (unsigned i = 0; i < warp->n_groups; i++) {
        const struct ptx__divergence_group *group = &warp->groups[i];

        if (group->state == PTX__RUNNABLE && group->frame == warp->frame && group->at > at &&
            group->at < warp->limit)
            warp->limit = group->at;
    }
    warp->converged = !(warp->frame->lanes & ~warp->mask);
}

static void take(struct ptx__warp *warp, unsigned number)
{
    const struct ptx__divergence_group group = warp->groups[number];

    warp->groups[number] = warp->groups[--warp->n_groups];
    warp->frame = group.frame;
    warp->regs = group.frame->registers;
    warp->mask = group.mask;
    warp->yield_round = group.yield_round;
    warp->forced = group.forced;
    ptx__warp_set_limit(warp, group.at);
}

/*
 * The order in which groups run: a group that has yielded more often comes later; then the
 * innermost frame comes first, then the earlier operation. Running the furthest behind first lets
 * diverged lanes converge.
 */
static bool before(const struct ptx__divergence_group *a, const struct ptx__divergence_group *b)
{
    if (a->yield_round != b->yield_round)
        return a->yield_round < b->yield_round;
    if (a->frame->depth != b->frame->depth)
        return a->frame->depth > b->frame->depth;
    return a->at < b->at;
}

static int first_of(const struct ptx__warp *warp, enum ptx__group_state state)
{
    int best = -1;

    for (unsigned i = 0; i < warp->n_groups; i++) {
        if (warp->groups[i].state == state &&
            (best < 0 || before(&warp->groups[i], &warp->groups[best])))
            best = (int) i;
    }
    return best;
}

/*
 * Tells whether two groups are at the same operation of the same frame and wait for the same thing,
 * so that they can be joined.
 */
static bool belong_together(const struct ptx__divergence_group *a,
                            const struct ptx__divergence_group *b)
{
    return a->at == b->at && a->frame == b->frame && a->state == b->state &&
           (a->state != PTX__AT_BARRIER || a->barrier == b->barrier) &&
           (a->state != PTX__GATHERING || a->members == b->members);
}

static void merge(struct ptx__warp *warp)
{
    for (unsigned i = 0; i < warp->n_groups; i++) {
        struct ptx__divergence_group *a = &warp->groups[i];

        for (unsigned j = i + 1; j < warp->n_groups;) {
            const struct ptx__divergence_group *b = &warp->groups[j];

            if (belong_together(a, b)) {
                a->mask |= b->mask;
                a->yield_round = a->yield_round < b->yield_round ? a->yield_round : b->yield_round;
                warp->groups[j] = warp->groups[--warp->n_groups];
            } else {
                j++;
            }
        }
    }
}

/*
 * Tells whether a group can run. A gathering group can if all living members have arrived, or if it
 * was forced.
 */
static bool can_run(const struct ptx__warp *warp, const struct ptx__divergence_group *group)
{
    return group->state == PTX__RUNNABLE ||
           (group->state == PTX__GATHERING &&
            (group->forced || !(group->members & warp->alive & ~group->mask)));
}

const struct ptx__op *ptx__warp_next(struct ptx__warp *warp)
{
    const struct ptx__op *at;
    int best;

    if (warp->n_groups < 2)
        return warp->n_groups && can_run(warp, &warp->groups[0]) ? ptx__warp_take_only(warp) : NULL;
    merge(warp);
    for (unsigned i = 0; i < warp->n_groups; i++) {
        if (can_run(warp, &warp->groups[i]))
            warp->groups[i].state = PTX__RUNNABLE;
    }
    best = first_of(warp, PTX__RUNNABLE);
    if (best < 0)
        return NULL;
    at = warp->groups[best].at;
    take(warp, (unsigned) best);
    return at;
}

void ptx__warp_put(struct ptx__warp *warp, const struct ptx__op *at, uint32_t mask,
                   enum ptx__group_state state)
{
    warp->groups[warp->n_groups++] =
        (struct ptx__divergence_group){.at = at,
                                       .frame = warp->frame,
                                       .mask = mask,
                                       .state = (uint8_t) state,
                                       .yield_round = warp->yield_round};
}

const struct ptx__op *ptx__warp_park(struct ptx__warp *warp, const struct ptx__op *at,
                                     enum ptx__group_state state)
{
    ptx__warp_put(warp, at, warp->mask, state);
    return ptx__warp_next(warp);
}

/*
 * With a small step limit the budget is smaller, because the limit is checked only when a budget is
 * used up.
 */
int32_t ptx__warp_budget(const struct ptx__warp *warp)
{
    const uint64_t limit = warp->block->grid->launch->step_limit;

    return limit && limit < PTX__BUDGET ? (int32_t) limit : PTX__BUDGET;
}

bool ptx__warp_spend(struct ptx__warp *warp, int32_t steps)
{
    warp->budget -= steps;
    return warp->budget <= 0;
}

const struct ptx__op *ptx__warp_let_pass(struct ptx__warp *warp, const struct ptx__op *op,
                                         const struct ptx__op *target)
{
    const uint64_t limit = warp->block->grid->launch->step_limit;
    unsigned last = warp->yield_round;

    warp->budget = ptx__warp_budget(warp);
    if (limit && warp->jumps > limit)
        return ptx__fault(ptx__first_lane_op(warp, op), PTX__ERROR_LAUNCH_TIMEOUT, PTX__ENDLESS,
                          "it has jumped backwards %llu times, with calls as %u jumps each: an "
                          "endless loop? A kernel cannot wait for the host here",
                          (unsigned long long) warp->jumps, PTX__STEPS_OF_CALL);
    for (unsigned i = 0; i < warp->n_groups; i++) {
        if (warp->groups[i].state == PTX__RUNNABLE && warp->groups[i].yield_round > last)
            last = warp->groups[i].yield_round;
    }
    warp->yield_round = last + 1;
    ptx__warp_put(warp, target, warp->mask, PTX__RUNNABLE);
    warp->yielded = true;
    return NULL;
}

void ptx__warp_look_ahead(struct ptx__warp *warp, const struct ptx__op *at)
{
    if (warp->n_groups)
        ptx__warp_set_limit(warp, at);
}

const struct ptx__op *ptx__warp_jump(struct ptx__warp *warp, const struct ptx__op *op,
                                     const struct ptx__op *target)
{
    if (target <= op) {
        if (ptx__warp_spend(warp, op->cost)) {
            const uint64_t jumps = (uint64_t) ptx__warp_budget(warp) / op->cost;

            warp->jumps += jumps ? jumps : 1;
            return ptx__warp_let_pass(warp, op, target);
        }
        ptx__warp_look_ahead(warp, target);
    }
    if (target >= warp->limit)
        return ptx__warp_park(warp, target, PTX__RUNNABLE);
    return target;
}

const struct ptx__op *ptx__warp_split(struct ptx__warp *warp, const struct ptx__op *op,
                                      uint32_t taken, const struct ptx__op *there,
                                      const struct ptx__op *here)
{
    const uint32_t others = warp->mask & ~taken;
    const struct ptx__op *ahead = there > here ? there : here;
    const struct ptx__op *next = there > here ? here : there;

    ptx__warp_put(warp, ahead, there > here ? taken : others, PTX__RUNNABLE);
    warp->mask = there > here ? others : taken;
    ptx__warp_set_limit(warp, next);
    return ptx__warp_jump(warp, op, next);
}

bool ptx__warp_force(struct ptx__warp *warp)
{
    const int waiting = first_of(warp, PTX__GATHERING);

    if (waiting < 0)
        return false;
    warp->groups[waiting].forced = true;
    return true;
}

bool ptx__warp_ready(const struct ptx__warp *warp)
{
    for (unsigned i = 0; i < warp->n_groups; i++) {
        if (can_run(warp, &warp->groups[i]))
            return true;
    }
    return false;
}

/* Returns the lanes of a mask that name the same members. */
static uint32_t same_members(const uint32_t *names, uint32_t mask, uint32_t members)
{
    uint32_t same = 0;

    for (unsigned l = 0; l < PTX__LANES; l++)
        same |= (uint32_t) (names[l] == members) << l;
    return same & mask;
}

/* Tells whether the group waits at a barrier. Then it is already behind the operation. */
static bool at_barrier(const struct ptx__divergence_group *group)
{
    return group->state == PTX__AT_BARRIER || group->state == PTX__AT_CLUSTER_BARRIER ||
           group->state == PTX__AT_WARPGROUP;
}

/* Joins the lanes that have reached this operation earlier and name the same members. */
static void gather(struct ptx__warp *warp, const struct ptx__op *op, const uint32_t *names,
                   uint32_t members)
{
    for (unsigned i = 0; i < warp->n_groups;) {
        struct ptx__divergence_group *group = &warp->groups[i];
        uint32_t joining = 0;

        if (group->at == op && group->frame == warp->frame && !at_barrier(group))
            joining = same_members(names, group->mask, members);
        warp->mask |= joining;
        warp->forced |= joining && group->forced;
        group->mask &= ~joining;
        if (group->mask)
            i++;
        else
            warp->groups[i] = warp->groups[--warp->n_groups];
    }
}

bool ptx__warp_together(struct ptx__warp *warp, const struct ptx__op *op, uint32_t slot,
                        const struct ptx__op **ret_next)
{
    const uint32_t *names = (const uint32_t *) (const void *) (warp->regs + slot);
    const uint32_t members = names[__builtin_ctz(warp->mask)];
    const uint32_t same = same_members(names, warp->mask, members);

    if (same != warp->mask) {
        ptx__warp_put(warp, op, warp->mask & ~same, PTX__RUNNABLE);
        warp->mask = same;
    }
    gather(warp, op, names, members);
    ptx__warp_set_limit(warp, op);
    if (!(members & warp->alive & ~warp->mask) || warp->forced) {
        warp->forced = false;
        return true;
    }
    ptx__warp_put(warp, op, warp->mask, PTX__GATHERING);
    warp->groups[warp->n_groups - 1].members = members;
    *ret_next = ptx__warp_next(warp);
    return false;
}

const struct ptx__op *ptx__warp_after(struct ptx__warp *warp, const struct ptx__op *op)
{
    for (unsigned i = 0; i < warp->n_groups; i++) {
        const struct ptx__divergence_group *group = &warp->groups[i];

        if (group->frame == warp->frame && group->state == PTX__RUNNABLE &&
            (group->at == op || group->at == op + 1))
            return ptx__warp_park(warp, op + 1, PTX__RUNNABLE);
    }
    return op + 1;
}

void ptx__warp_start(struct ptx__warp *warp, struct ptx__frame *frame, uint32_t mask)
{
    warp->frame = frame;
    warp->regs = frame->registers;
    warp->n_groups = 0;
    warp->yield_round = 0;
    warp->alive = mask;
    warp->yielded = false;
    warp->jumps = 0;
    warp->cluster_arrived = 0;
    warp->cluster_passed = 0;
    warp->forced = false;
    warp->flights.n = 0;
    warp->flights.n_groups = 0;
    warp->flights.fenced = false;
    warp->flights.wrote = NULL;
    warp->budget = ptx__warp_budget(warp);
    frame->lanes = mask;
    frame->kept = 0;
    ptx__warp_put(warp, frame->code->ops, mask, PTX__RUNNABLE);
}

struct ptx__warp *ptx__warp_run(struct ptx__warp *warp)
{
    struct ptx__block *block = warp->block;
    const struct ptx__op *op;

    block->running = warp;
    warp->yielded = false;
    op = ptx__warp_next(warp);
    ptx__gathered_add_before(&warp->worker->gathered, op);
    while (op)
        op = __atomic_load_n(&op->run, __ATOMIC_RELAXED)(block->running, op);
    return block->running;
}

void ptx__warp_enter(struct ptx__warp *warp, struct ptx__frame *frame)
{
    warp->frame = frame;
    warp->regs = frame->registers;
    ptx__warp_set_limit(warp, frame->code->ops);
}
