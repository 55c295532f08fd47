/* SPDX-License-Identifier: MIT */
/* One function on its way to machine code: its flow, its text, and what the text refers to. */
#ifndef CUSHIM_MOCK_PTX_JIT_UNIT_H
#define CUSHIM_MOCK_PTX_JIT_UNIT_H

#include "mock/ptx/jit/emit.h"
#include "mock/ptx/jit/object.h"

struct ptx__jit_unit {
    struct ptx__jit_flow flow;
    struct ptx__jit_text text;
    struct ptx__jit_addresses addresses;
    struct cushim__arena arena; /* what the machine code refers to */
    char name[200];             /* for people */
    bool full;
};

/* For which warps a function is. */
struct ptx__jit_shape {
    unsigned row;  /* see ptx__row_of_block() */
    bool full;     /* 32 lanes that are together */
    unsigned kept; /* what the frame says when values stay in its area */
};

/*
 * Writes the text; the unit begins as zeros. typed: for a version of LLVM whose pointers have
 * types. False: the tier does not take the code, or there is no memory.
 */
bool ptx__jit_unit_write(struct ptx__jit_unit *unit, const struct ptx__code *code,
                         const ptx__handler *runs, struct ptx__jit_shape shape, bool typed);

/*
 * Returns the machine code that an earlier process has kept, or else, if that is wanted, what LLVM
 * makes of the text. NULL: neither. The code itself is not touched, so that it may be freed
 * meanwhile.
 */
struct ptx__machine_code *ptx__jit_unit_make(struct ptx__jit_unit *unit, bool only_look);

void ptx__jit_unit_finish(struct ptx__jit_unit *unit);

#endif
