/* SPDX-License-Identifier: MIT */
/*
 * A warp that runs.
 *
 * Its lanes are in groups: those of a group are at the same operation of the same frame. One
 * group is current and runs; of the others, the one that is furthest behind in the innermost frame
 * is next. A group that comes to where another one stands joins it. A group that jumps
 * backwards for very long lets the others pass, so that a lane may wait for one of its own warp.
 *
 * A warp is one worker's: nothing here takes a lock.
 */
#ifndef CUSHIM_MOCK_PTX_MACHINE_WARP_H
#define CUSHIM_MOCK_PTX_MACHINE_WARP_H

#include "mock/ptx/machine/code.h"

struct ptx__block;
struct ptx__worker;

/* A call of a function by some lanes together: its registers, and its part of local memory. */
struct ptx__frame {
    const struct ptx__code *code;
    struct ptx__frame *parent, *made_before;
    const struct ptx__op *back; /* where its lanes go on in the parent */
    unsigned char *registers;
    uint32_t lanes; /* that are in it, or in what it called */
    uint32_t local; /* where its part of local memory begins */
    uint32_t stack; /* what a device has on its stack up to here, at least */
    unsigned depth;
};

enum ptx__group_state {
    PTX__RUNNABLE,
    PTX__GATHERING,  /* waits for other lanes of its warp to come to the same operation */
    PTX__AT_BARRIER, /* waits for other warps */
};

struct ptx__divergence_group {
    const struct ptx__op *at;
    struct ptx__frame *frame;
    uint32_t mask;
    uint32_t members; /* that it gathers */
    uint8_t state;
    uint8_t barrier;
    bool forced;          /* nobody else will come: it goes on without them */
    unsigned yield_round; /* how often it let the others pass */
};

struct ptx__warp {
    /* Of the group that runs. */
    unsigned char *regs;
    uint32_t mask;
    bool converged;              /* no other lane of the frame is alive */
    bool forced;                 /* see ptx__divergence_group */
    int32_t budget;              /* of jumps backwards until somebody else may go on */
    const struct ptx__op *limit; /* where the next group ahead in the same frame stands */
    struct ptx__frame *frame;
    unsigned yield_round;

    struct ptx__frame *base; /* of the kernel itself */
    unsigned char *local;    /* of all lanes, one behind the other */
    unsigned char *written;  /* a byte for each of them, if that is watched; else NULL */
    uint32_t local_bytes;    /* of a lane */
    uint32_t alive;
    struct ptx__block *block;
    struct ptx__worker *worker;
    uint32_t number;        /* in the block */
    uint32_t cluster_phase; /* when it came to the barrier of its cluster */
    bool yielded;           /* it stopped because it jumped backwards for so long */
    uint64_t jumps;         /* backwards, as far as budgets were used up; and calls */

    struct ptx__divergence_group groups[PTX__LANES]; /* that do not run */
    unsigned n_groups;
};

/* A budget is used up by this many jumps backwards; of a loop that may wait, by fewer. */
#define PTX__BUDGET       65536
#define PTX__COST_WAITING 1024

/* A call takes as long as so many jumps, and counts as so many. */
#define PTX__STEPS_OF_CALL 16

/* Runs until all lanes have exited, wait, or have let others pass for a while. */
void ptx__warp_run(struct ptx__warp *warp);

/* Puts all lanes of the mask at the begin of the frame. */
void ptx__warp_start(struct ptx__warp *warp, struct ptx__frame *frame, uint32_t mask);

/* Goes on with the group that is next; NULL if none can run. */
const struct ptx__op *ptx__warp_next(struct ptx__warp *warp);

/* Puts the current group aside, at an operation, and goes on with the next. */
const struct ptx__op *ptx__warp_park(struct ptx__warp *warp, const struct ptx__op *at,
                                     enum ptx__group_state state);

/* A jump that is more than one forwards in the same piece of code. */
const struct ptx__op *ptx__warp_jump(struct ptx__warp *warp, const struct ptx__op *op,
                                     const struct ptx__op *target);

/* Takes from the budget. True: it is used up, and ptx__warp_let_pass() is next. */
bool ptx__warp_spend(struct ptx__warp *warp, int32_t steps);

/* The others of the warp may pass, and then other warps; this group goes on at the target. */
const struct ptx__op *ptx__warp_let_pass(struct ptx__warp *warp, const struct ptx__op *op,
                                         const struct ptx__op *target);

/* Those of the taken lanes go there, the others here. */
const struct ptx__op *ptx__warp_split(struct ptx__warp *warp, const struct ptx__op *op,
                                      uint32_t taken, const struct ptx__op *there,
                                      const struct ptx__op *here);

/* Can any group run? */
bool ptx__warp_ready(const struct ptx__warp *warp);

/* Lets a group that gathers go on with those that are there. False if there is none. */
bool ptx__warp_force(struct ptx__warp *warp);

/*
 * Are all living members here that the lanes name? Those who name others do the operation for
 * themselves. If not, the group waits for them, and *ret_next is what goes on instead. slot
 * holds the members.
 */
bool ptx__warp_together(struct ptx__warp *warp, const struct ptx__op *op, uint32_t slot,
                        const struct ptx__op **ret_next);

/* What comes after such an operation: those who still have to do it come first. */
const struct ptx__op *ptx__warp_after(struct ptx__warp *warp, const struct ptx__op *op);

/* The active lanes call a function, whose arguments are where the operation says. */
const struct ptx__op *ptx__warp_call(struct ptx__warp *warp, const struct ptx__op *op,
                                     const struct ptx__code *code);

/* The active lanes go on at the begin of a frame. */
void ptx__warp_enter(struct ptx__warp *warp, struct ptx__frame *frame);

/* What the active lanes have allocated behind their frame, at most: see stack.c. */
uint32_t ptx__stack_bytes(const struct ptx__warp *warp);

/* A lane's bytes of its frame in local memory. */
static inline unsigned char *ptx__warp_local(const struct ptx__warp *warp, unsigned lane)
{
    return warp->local + (size_t) lane * warp->local_bytes;
}

#endif
