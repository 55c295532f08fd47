/* SPDX-License-Identifier: MIT */
#include "mock/ptx/warps/warpgroup.h"

#include "mock/ptx/warps/warp.h"

#define EVERY ((1u << PTX__WARPGROUP) - 1)

static struct ptx__warpgroup *group_of(struct ptx__warp *warp)
{
    return &warp->block->warpgroups[warp->number / PTX__WARPGROUP];
}

static unsigned place_of(const struct ptx__warp *warp)
{
    return warp->number % PTX__WARPGROUP;
}

struct ptx__warp *ptx__warpgroup_member(struct ptx__warp *warp, unsigned number)
{
    return warp - place_of(warp) + number;
}

static struct ptx__divergence_group *waiting(struct ptx__warp *warp)
{
    for (unsigned i = 0; i < warp->n_groups; i++) {
        if (warp->groups[i].state == PTX__AT_WARPGROUP)
            return &warp->groups[i];
    }
    return NULL;
}

static bool tell_lanes(struct ptx__warp *warp, const struct ptx__op *op)
{
    return ptx__fault(ptx__first_lane_op(warp, op), PTX__ERROR_ILLEGAL_INSTRUCTION, PTX__BARRIER,
                      "it is at an instruction of a warpgroup with %u of the 32 threads of its "
                      "warp; the others have exited, or do not come",
                      (unsigned) __builtin_popcount(warp->mask));
}

static bool tell_other(struct ptx__warp *warp, const struct ptx__op *op,
                       const struct ptx__warpgroup *group)
{
    return ptx__fault(ptx__first_lane_op(warp, op), PTX__ERROR_ILLEGAL_INSTRUCTION, PTX__BARRIER,
                      "it is at another instruction than warp %u of its warpgroup, which waits at "
                      "line %u",
                      warp->number - place_of(warp) + (unsigned) __builtin_ctz(group->came),
                      ptx__line_of(warp, group->op));
}

bool ptx__warpgroup_together(struct ptx__warp *warp, const struct ptx__op *op,
                             const struct ptx__op **ret_next)
{
    struct ptx__warpgroup *group = group_of(warp);

    *ret_next = NULL;
    if (warp->mask != PTX__ALL)
        return tell_lanes(warp, op);
    if (group->op && group->op != op)
        return tell_other(warp, op, group);
    group->op = op;
    group->came |= 1u << place_of(warp);
    if (group->came == EVERY)
        return true;
    *ret_next = ptx__warp_park(warp, op + 1, PTX__AT_WARPGROUP);
    return false;
}

unsigned char *ptx__warpgroup_registers(struct ptx__warp *warp, unsigned number)
{
    struct ptx__warp *other = ptx__warpgroup_member(warp, number);

    return other == warp ? warp->regs : waiting(other)->frame->registers;
}

void ptx__warpgroup_go(struct ptx__warp *warp)
{
    struct ptx__warpgroup *group = group_of(warp);

    for (unsigned i = 0; i < PTX__WARPGROUP; i++) {
        if (i != place_of(warp))
            waiting(ptx__warpgroup_member(warp, i))->state = PTX__RUNNABLE;
    }
    *group = (struct ptx__warpgroup){.op = NULL};
}

void ptx__warpgroup_tell_missing(struct ptx__warp *warp, const struct ptx__op *op)
{
    const unsigned first = warp->number - place_of(warp);
    const uint32_t came = group_of(warp)->came, missing = EVERY & ~came;

    ptx__fault(
        ptx__lane_op(warp, op, 0), PTX__ERROR_LAUNCH_TIMEOUT, PTX__BARRIER,
        "it waits for the other warps of its warpgroup, %u to %u: %u of them do not come, the "
        "first of which is warp %u%s",
        first, first + PTX__WARPGROUP - 1, (unsigned) __builtin_popcount(missing),
        first + (unsigned) __builtin_ctz(missing),
        first + (unsigned) __builtin_ctz(missing) < warp->block->n_warps
            ? ""
            : ", which the block does not have");
}
