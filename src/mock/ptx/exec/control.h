/* SPDX-License-Identifier: MIT */
/*
 * The handlers of exec/control.c and warps/stack.c. They are compiled once, not once for each
 * instruction set of the host.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_CONTROL_H
#define CUSHIM_MOCK_PTX_EXEC_CONTROL_H

#include "mock/ptx/machine/code.h"

/* An access by a name and a constant offset that is known to be wrong when the code is lowered. */
enum ptx__wrong_access {
    PTX__WRONG_PLACE,     /* outside of the named variable */
    PTX__WRONG_ALIGNMENT, /* not aligned */
    PTX__WRONG_PARAMETER, /* behind the parameters of a kernel: a finding, but not a fault */
};

struct ptx__wrong {
    uint8_t kind; /* enum ptx__wrong_access */
    const char *name, *verb;
    int64_t offset;
    uint64_t all; /* the size of the named variable in bytes */
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
#undef H

#endif
