/* SPDX-License-Identifier: MIT */
/* The handlers of control.c, which are the same for all instruction sets of the host. */
#ifndef CUSHIM_MOCK_PTX_WARPS_CONTROL_H
#define CUSHIM_MOCK_PTX_WARPS_CONTROL_H

#include "mock/ptx/machine/code.h"

/* imm of a barrier. Its slots are a: number, b: threads (0: all), c: predicate, d: result. */
enum {
    PTX__BARRIER_ARRIVES = 1, /* and does not wait */
    PTX__BARRIER_VOTES = 2,
    PTX__BARRIER_NEGATED = 4,  /* the predicate is */
    PTX__BARRIER_ALL = 8,      /* the result: was it true in all threads, */
    PTX__BARRIER_ANY = 16,     /* in any, */
    PTX__BARRIER_COUNT = 32,   /* or in how many */
    PTX__BARRIER_ALIGNED = 64, /* all lanes of a warp are to be at the same one */
};

/* An access by name and a constant, of which is known when it is lowered that it is wrong. */
enum ptx__wrong_access {
    PTX__WRONG_PLACE,     /* not in what is named */
    PTX__WRONG_ALIGNMENT, /* not aligned */
    PTX__WRONG_PARAMETER, /* behind the parameters of a kernel, which is told and no fault */
};

struct ptx__wrong {
    uint8_t kind; /* enum ptx__wrong_access */
    const char *name, *verb;
    int64_t offset;
    uint64_t all; /* what is named has so many bytes */
    uint32_t bytes;
};

#define H(name) const struct ptx__op *name(struct ptx__warp *warp, const struct ptx__op *op)
H(ptx__do_jump);
H(ptx__do_branch);
H(ptx__do_branch_index);
H(ptx__do_guard);
H(ptx__do_unguard);
H(ptx__do_exit);
H(ptx__do_return);
H(ptx__do_call);
H(ptx__do_call_indirect);
H(ptx__do_barrier);
H(ptx__do_warp_sync);
H(ptx__do_trap);
H(ptx__do_nothing);
H(ptx__do_wrong_access); /* imm: a struct ptx__wrong */
H(ptx__do_alloca);
H(ptx__do_stack_save);
H(ptx__do_stack_restore);
#undef H

#endif
