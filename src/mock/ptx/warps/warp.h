/* SPDX-License-Identifier: MIT */
/*
 * Running a warp: which of its groups runs (warp.c), calls (warp_call.c), and what alloca takes
 * (stack.c). A warp belongs to one worker, so nothing here takes a lock.
 */
#ifndef CUSHIM_MOCK_PTX_WARPS_WARP_H
#define CUSHIM_MOCK_PTX_WARPS_WARP_H

#include "mock/ptx/machine/warp.h"

/*
 * Runs a warp until all its lanes have exited, wait, or have yielded. Compiled code may then have
 * gone on with those behind it, of which none yields but the last one that ran, which is returned.
 */
struct ptx__warp *ptx__warp_run(struct ptx__warp *warp);

/* Sets all lanes of the mask to the begin of a frame. */
void ptx__warp_start(struct ptx__warp *warp, struct ptx__frame *frame, uint32_t mask);

/* Returns the budget with which a warp starts. */
int32_t ptx__warp_budget(const struct ptx__warp *warp);

/* Makes the next group current and returns its operation. NULL if no group can run. */
const struct ptx__op *ptx__warp_next(struct ptx__warp *warp);

/* A position after all operations: no other group is ahead. */
#define PTX__NO_LIMIT ((const struct ptx__op *) UINTPTR_MAX)

/* The same for a warp that has one group, which can run. */
static inline const struct ptx__op *ptx__warp_take_only(struct ptx__warp *warp)
{
    const struct ptx__divergence_group *group = &warp->groups[0];

    warp->n_groups = 0;
    warp->frame = group->frame;
    warp->regs = group->frame->registers;
    warp->mask = group->mask;
    warp->yield_round = group->yield_round;
    warp->forced = group->forced;
    warp->limit = PTX__NO_LIMIT;
    warp->converged = !(group->frame->lanes & ~group->mask);
    return group->at;
}

/* Suspends the current group at an operation, and makes the next group current. */
const struct ptx__op *ptx__warp_park(struct ptx__warp *warp, const struct ptx__op *at,
                                     enum ptx__group_state state);

/*
 * Makes a jump that needs more than a step forwards in the same piece of code: it may join another
 * group or yield.
 */
const struct ptx__op *ptx__warp_jump(struct ptx__warp *warp, const struct ptx__op *op,
                                     const struct ptx__op *target);

/*
 * Takes steps from the budget. If it returns true, the budget is used up, and the caller must call
 * ptx__warp_let_pass().
 */
bool ptx__warp_spend(struct ptx__warp *warp, int32_t steps);

/*
 * Yields to the other groups of the warp, and then to other warps. The group goes on at target
 * later.
 */
const struct ptx__op *ptx__warp_let_pass(struct ptx__warp *warp, const struct ptx__op *op,
                                         const struct ptx__op *target);

/*
 * Splits the current group at a branch: the lanes of taken go on at there, and the others at here.
 */
const struct ptx__op *ptx__warp_split(struct ptx__warp *warp, const struct ptx__op *op,
                                      uint32_t taken, const struct ptx__op *there,
                                      const struct ptx__op *here);

/* Adds a group of the current frame that waits at an operation. */
void ptx__warp_put(struct ptx__warp *warp, const struct ptx__op *at, uint32_t mask,
                   enum ptx__group_state state);

/* Finds the next group ahead of the operation where the current group is. */
void ptx__warp_set_limit(struct ptx__warp *warp, const struct ptx__op *at);

/* Finds the next group ahead of an operation, after a jump backwards to it. */
void ptx__warp_look_ahead(struct ptx__warp *warp, const struct ptx__op *at);

/* Tells whether a group can run. */
bool ptx__warp_ready(const struct ptx__warp *warp);

/* Lets a gathering group go on without the missing lanes. False if there is no such group. */
bool ptx__warp_force(struct ptx__warp *warp);

/*
 * Tells whether all living lanes of the lanes' member masks are in the current group; slot contains
 * the masks. If not, the group waits for the missing lanes, and *ret_next is the operation of the
 * group that runs instead. Lanes with another mask execute the operation separately.
 */
bool ptx__warp_together(struct ptx__warp *warp, const struct ptx__op *op, uint32_t slot,
                        const struct ptx__op **ret_next);

/*
 * Returns the operation after one that needs ptx__warp_together(). Lanes that have not executed it
 * yet run first.
 */
const struct ptx__op *ptx__warp_after(struct ptx__warp *warp, const struct ptx__op *op);

/* Makes the active lanes call a function. The operation tells where its arguments are. */
const struct ptx__op *ptx__warp_call(struct ptx__warp *warp, const struct ptx__op *op,
                                     const struct ptx__code *code);

/* Makes the active lanes go on at the begin of a frame. */
void ptx__warp_enter(struct ptx__warp *warp, struct ptx__frame *frame);

/*
 * Returns the maximum of what an active lane has allocated behind its frame, in bytes: see
 * warps/stack.c.
 */
uint32_t ptx__stack_bytes(const struct ptx__warp *warp);

#define H(name) const struct ptx__op *name(struct ptx__warp *warp, const struct ptx__op *op)
H(ptx__do_alloca);
H(ptx__do_stack_save);
H(ptx__do_stack_restore);
#undef H

#endif
