/* SPDX-License-Identifier: MIT */
/*
 * A lowered function of a module, which the engine runs.
 *
 * A register is a slot with 32 lanes: 32 times 4 bytes, 32 times 8 bytes for 64-bit types, and one
 * word with a bit for each lane for a predicate. 8- and 16-bit values are zero-extended to 4 bytes.
 * Constants and special registers are slots too, which are filled before the function runs. So each
 * operand is an offset into one register file, and each operation has its own handler: nothing is
 * decoded while a kernel runs.
 *
 * The blocks of a loop are consecutive, and each other block comes after the blocks that lead to
 * it. If the lanes of a warp are in several groups, the group that is furthest behind continues. So
 * the groups meet again at the first place that all of them pass.
 *
 * Code does not change after lowering, so all workers of a launch read it without a lock. Only the
 * compiled tier (jit/tier.h) takes the place of handlers, at any time.
 */
#ifndef CUSHIM_MOCK_PTX_MACHINE_CODE_H
#define CUSHIM_MOCK_PTX_MACHINE_CODE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define PTX__LANES           32
#define PTX__ALL             0xffffffffu
#define PTX__SLOT            (PTX__LANES * 4)
#define PTX__MAX_THREADS     1024 /* of a block */
#define PTX__RESERVED_SHARED 1024 /* bytes of a block's shared memory that the system reserves */

/*
 * Addresses in shared and local memory, and of parameters, begin at 0 in their own space. As
 * generic addresses they are above all addresses that a process of the host can map.
 */
#define PTX__WINDOW_SHIFT  48
#define PTX__SHARED_WINDOW (UINT64_C(1) << PTX__WINDOW_SHIFT)
#define PTX__LOCAL_WINDOW  (UINT64_C(2) << PTX__WINDOW_SHIFT)
#define PTX__PARAM_WINDOW  (UINT64_C(3) << PTX__WINDOW_SHIFT)

/*
 * In addresses of its shared memory, the number of a block in its cluster plus one is stored above
 * this bit.
 */
#define PTX__RANK_SHIFT 24
#define PTX__RANK_MASK  ((1u << PTX__RANK_SHIFT) - 1) /* of the address in the block */
#define PTX__NO_RANK    254 /* more than any cluster has; with 1 added it fits into the address */

/*
 * The first slots of each register file. Results that are not wanted are written to the first four.
 * Then come the carry of each lane, and all ones: the members of operations of a whole warp.
 */
#define PTX__SINK_SLOT  0u
#define PTX__CARRY_SLOT (4 * PTX__SLOT)
#define PTX__ALL_SLOT   (5 * PTX__SLOT)
#define PTX__FIRST_SLOT (6 * PTX__SLOT)

struct ptx__op;
struct ptx__tier;
struct ptx__warp;

/*
 * Runs an operation for the active lanes of the warp. Returns the next operation, or NULL to stop.
 */
typedef const struct ptx__op *(*ptx__handler)(struct ptx__warp *warp, const struct ptx__op *op);

struct ptx__op {
    ptx__handler run;
    uint32_t d, a, b, c; /* slots, as offsets */
    uint64_t imm;
    union {
        const struct ptx__op *target; /* of a jump */
        const struct ptx__code *call; /* a direct call; NULL for one through a register */
    };
    const uint32_t *list; /* more slots: elements of vectors; for calls pairs, see ptx__given */
    uint16_t n_list;
    uint16_t cost; /* of a jump backwards, see warp.h */
    uint32_t site; /* in the list of the program */
    uint32_t skip; /* of a jump inside of an instruction: the number of operations */
    bool waits;    /* it may see changes by others, so a loop with it may wait for them */
    bool relaxed;  /* an atomic operation that orders nothing else, and nothing of other devices */
};

/* The place in the program of an operation. */
struct ptx__site {
    uint32_t line;        /* in the PTX text */
    uint32_t source_line; /* by .loc, 0: unknown */
    const char *file;     /* by .loc, or NULL */
    const char *function;
};

enum ptx__preload {
    PTX__FILL_VALUE,   /* the same in every launch, */
    PTX__FILL_ADDRESS, /* but not in every process: of a variable, or of a function */
    PTX__FILL_PARAM, /* bytes of a kernel parameter */
    PTX__FILL_TID_X,
    PTX__FILL_TID_Y,
    PTX__FILL_TID_Z,
    PTX__FILL_LANE,
    PTX__FILL_LANEMASK_EQ,
    PTX__FILL_LANEMASK_LE,
    PTX__FILL_LANEMASK_LT,
    PTX__FILL_LANEMASK_GE,
    PTX__FILL_LANEMASK_GT,
    PTX__FILL_WARP,
    PTX__FILL_N_WARPS,
    PTX__FILL_NTID_X,
    PTX__FILL_NTID_Y,
    PTX__FILL_NTID_Z,
    PTX__FILL_NCTAID_X,
    PTX__FILL_NCTAID_Y,
    PTX__FILL_NCTAID_Z,
    PTX__FILL_GRID_ID,
    PTX__FILL_DYNAMIC_SHARED, /* bytes */
    PTX__FILL_TOTAL_SHARED,
    PTX__FILL_DYNAMIC_BASE, /* where dynamic shared memory begins; value is its alignment */
    PTX__FILL_ENVREG1,      /* the workspace of cooperative groups */
    PTX__FILL_ENVREG2,
    PTX__FILL_N_SM,
    PTX__FILL_CLUSTERED,     /* clusters were asked for */
    PTX__FILL_RESERVED_BASE, /* where the shared memory begins that is the system's */
    PTX__FILL_OF_BLOCK,      /* from here on: different for the blocks of a launch */
    PTX__FILL_CTAID_X = PTX__FILL_OF_BLOCK,
    PTX__FILL_CTAID_Y,
    PTX__FILL_CTAID_Z,
    PTX__FILL_SM,
    PTX__FILL_CLUSTERID_X,
    PTX__FILL_CLUSTERID_Y,
    PTX__FILL_CLUSTERID_Z,
    PTX__FILL_CLUSTER_CTAID_X,
    PTX__FILL_CLUSTER_CTAID_Y,
    PTX__FILL_CLUSTER_CTAID_Z,
    PTX__FILL_CLUSTER_CTARANK,
    PTX__FILL_NCLUSTERID_X,
    PTX__FILL_NCLUSTERID_Y,
    PTX__FILL_NCLUSTERID_Z,
    PTX__FILL_CLUSTER_NCTAID_X,
    PTX__FILL_CLUSTER_NCTAID_Y,
    PTX__FILL_CLUSTER_NCTAID_Z,
    PTX__FILL_CLUSTER_NCTARANK,
};

/* A slot that has its value in all lanes before the function runs. */
struct ptx__constant {
    uint32_t slot;
    uint8_t bytes; /* of a lane: 4 or 8, 0 for a predicate */
    uint8_t fill;
    uint8_t of_param; /* bytes of the parameter that are used */
    uint64_t value;   /* or the parameter's offset */
};

/* A parameter of a function, and its place in the function's stack frame. */
struct ptx__argument {
    uint32_t offset, bytes;
};

/* Returns an argument of a call: its place in the caller's frame, and its size. */
static inline struct ptx__argument ptx__given(const struct ptx__op *call, size_t number)
{
    return 2 * number < call->n_list
               ? (struct ptx__argument){call->list[2 * number], call->list[2 * number + 1]}
               : (struct ptx__argument){0, 0};
}

/* Runs a function of the device's runtime. */
typedef const struct ptx__op *(*ptx__builtin)(struct ptx__warp *warp, const struct ptx__op *op);

struct ptx__code {
    const char *name;
    bool is_kernel;
    bool loops;     /* it has jumps backwards */
    bool recursive; /* it may call itself, directly or through other functions, or calls such a
                       function */
    struct ptx__op *ops;
    size_t n_ops;
    uint32_t register_bytes;
    struct ptx__constant *constants;
    size_t n_constants, of_block; /* from of_block on, those from PTX__FILL_OF_BLOCK on */
    uint32_t stack_slot;     /* slot of the bytes that each lane has allocated behind its frame;
                                0: it cannot allocate */
    uint32_t frame_bytes;    /* of local memory: variables, parameters, arguments of calls */
    uint32_t variable_bytes; /* of those, at its beginning: not written at first */
    struct ptx__argument *parameters, result;
    size_t n_parameters;
    uint32_t shared_bytes; /* static, including that of all functions it may call */
    ptx__builtin builtin;
    uint64_t address; /* its address for indirect calls */
    struct ptx__program *program;
    unsigned max_threads, required[3], cluster[3];
    struct ptx__tier *_Atomic tier; /* its machine code, or NULL */
    atomic_uint_fast64_t work;      /* what it has done: see jit/tier.c */
    atomic_bool steps;              /* its begin is for blocks in step, too: see warps/step.h */
};

/* A lowered module. It does not change, so all threads may use it. */
struct ptx__program {
    struct ptx__code *codes; /* in the order of the module's functions */
    size_t n_codes;
    bool uses_reserved;         /* uses the system's shared memory, as cooperative groups do */
    bool debug;                 /* compiled for a debugger, without optimisation */
    uint32_t dynamic_alignment; /* of dynamic shared memory */
    struct cushim__arena arena; /* owns all memory of the program */
    struct ptx__site *sites;    /* the places of operations */
    uint32_t n_sites;
};

/*
 * Bits of a barrier's imm. Its slots are a: the number, b: how many threads (0: all), c: the
 * predicate, d: the result.
 */
enum {
    PTX__BARRIER_ARRIVES = 1, /* the warp arrives and does not wait */
    PTX__BARRIER_VOTES = 2,
    PTX__BARRIER_NEGATED = 4,  /* the predicate is negated */
    PTX__BARRIER_ALL = 8,      /* the result: whether the predicate is true in all threads, */
    PTX__BARRIER_ANY = 16,     /* in any, */
    PTX__BARRIER_COUNT = 32,   /* or in how many threads */
    PTX__BARRIER_ALIGNED = 64, /* all lanes of a warp must be at the same barrier */
};

#endif
