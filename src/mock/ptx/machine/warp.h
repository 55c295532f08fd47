/* SPDX-License-Identifier: MIT */
/*
 * A running warp.
 *
 * The lanes of a diverged warp are in several divergence groups. The lanes of a group are at the
 * same operation of the same frame. Only the current group runs. The next one is the group that is
 * furthest behind in the innermost frame. A group that reaches the operation of another group joins
 * it, so the lanes converge again. A group that jumps backwards very often yields to the others, so
 * that a lane may wait for another lane of its warp. A warp belongs to one worker, so nothing here
 * takes a lock.
 */
#ifndef CUSHIM_MOCK_PTX_MACHINE_WARP_H
#define CUSHIM_MOCK_PTX_MACHINE_WARP_H

#include "mock/ptx/machine/code.h"

struct ptx__block;
struct ptx__worker;

/* A function call of some lanes: its registers and its part of local memory. */
struct ptx__frame {
    const struct ptx__code *code;
    struct ptx__frame *parent, *made_before;
    const struct ptx__op *back; /* the return operation in the parent */
    unsigned char *registers;
    uint32_t lanes; /* in this function or in functions that it called */
    uint32_t local; /* the begin of its part of local memory */
    uint32_t stack; /* the least stack that a device needs up to here */
    unsigned depth;
};

enum ptx__group_state {
    PTX__RUNNABLE,
    PTX__GATHERING,          /* waits until other lanes of its warp reach the same operation */
    PTX__AT_BARRIER,         /* waits for other warps */
    PTX__AT_CLUSTER_BARRIER, /* waits for other blocks of the cluster, too */
};

struct ptx__divergence_group {
    const struct ptx__op *at;
    struct ptx__frame *frame;
    uint32_t mask;
    uint32_t members; /* the lanes for which it waits */
    uint8_t state;
    uint8_t barrier;
    bool forced;          /* no other lane will come: it goes on without them */
    unsigned yield_round; /* how often it has yielded */
};

struct ptx__warp {
    /* The state of the current group. */
    unsigned char *regs;
    uint32_t mask;
    bool converged;              /* all living lanes of the frame are in this group */
    bool forced;                 /* see ptx__divergence_group */
    int32_t budget;              /* the jumps backwards that are left until it yields */
    const struct ptx__op *limit; /* the operation of the next group ahead in the same frame */
    struct ptx__frame *frame;
    unsigned yield_round;

    struct ptx__frame *base; /* the kernel's own frame */
    unsigned char *local;    /* local memory: of lane 0, lane 1 and so on */
    unsigned char *written;  /* its shadow memory, a byte for each byte; NULL: not checked */
    uint32_t local_bytes;    /* of a lane */
    uint32_t alive;
    struct ptx__block *block;
    struct ptx__worker *worker;
    uint32_t number;          /* in the block */
    uint32_t cluster_arrived; /* the lanes that have arrived at the barrier of the cluster */
    uint32_t cluster_passed;  /* the lanes for which it was complete before they waited */
    bool yielded;             /* it stopped because its budget was used up */
    uint64_t jumps;           /* jumps backwards, counted by whole budgets, and calls */

    struct ptx__divergence_group groups[PTX__LANES]; /* all except the current group */
    unsigned n_groups;
};

/*
 * The number of jumps backwards before a group yields. In a loop that may be waiting, each jump
 * costs more, so that the group yields sooner.
 */
#define PTX__BUDGET       65536
#define PTX__COST_WAITING 1024

/* A call takes about as much time as this many jumps, and costs as much. */
#define PTX__STEPS_OF_CALL 16

/* Runs a warp until all its lanes have exited, wait, or have yielded. */
void ptx__warp_run(struct ptx__warp *warp);

/* Sets all lanes of the mask to the begin of a frame. */
void ptx__warp_start(struct ptx__warp *warp, struct ptx__frame *frame, uint32_t mask);

/* Makes the next group current and returns its operation. NULL if no group can run. */
const struct ptx__op *ptx__warp_next(struct ptx__warp *warp);

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

/* Returns a lane's local memory. */
static inline unsigned char *ptx__warp_local(const struct ptx__warp *warp, unsigned lane)
{
    return warp->local + (size_t) lane * warp->local_bytes;
}

#endif
