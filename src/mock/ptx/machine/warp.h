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
    uint64_t *area; /* what compiled code keeps beside them; NULL: it has not run (jit/spread.h) */
    uint32_t area_slots;
    uint8_t kept;   /* 0, or whose values in the area are needed next: see jit/tier.c */
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
    PTX__AT_ALLOCATION,      /* waits for free tensor memory, and then repeats the operation */
    PTX__AT_WARPGROUP,       /* waits for the other warps of its warpgroup */
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

/* A product of wgmma for which the warp has not waited yet. */
struct ptx__flight {
    const struct ptx__op *op;
    uint64_t descriptors[2];
    uint32_t group; /* its number */
};

/* What is known of a warp's products. What does not fit into it is not checked. */
struct ptx__flights {
    unsigned n;
    uint32_t n_groups;           /* that were committed */
    bool fenced;                 /* there was a wgmma.fence */
    uint32_t slot;               /* a register of products that was written since then, */
    const struct ptx__op *wrote; /* by this operation */
    struct ptx__flight list[32];
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

    unsigned n_groups;
    struct ptx__divergence_group groups[PTX__LANES]; /* all except the current group */
    struct ptx__flights flights;
};

/*
 * The number of jumps backwards before a group yields. In a loop that may be waiting, each jump
 * costs more, so that the group yields sooner.
 */
#define PTX__BUDGET       65536
#define PTX__COST_WAITING 1024

/* A call takes about as much time as this many jumps, and costs as much. */
#define PTX__STEPS_OF_CALL 16

/* Returns how many lanes a mask has. Most often it has all of them, and not every host can count.
 */
static inline unsigned ptx__count_lanes(uint32_t mask)
{
    return mask == PTX__ALL ? PTX__LANES : (unsigned) __builtin_popcount(mask);
}

/* Returns a lane's local memory. */
static inline unsigned char *ptx__warp_local(const struct ptx__warp *warp, unsigned lane)
{
    return warp->local + (size_t) lane * warp->local_bytes;
}

#endif
