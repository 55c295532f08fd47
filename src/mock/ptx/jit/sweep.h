/* SPDX-License-Identifier: MIT */
/* A sweep (see sweep.c) while it is written, and which operations it has (swept.c). */
#ifndef CUSHIM_MOCK_PTX_JIT_SWEEP_H
#define CUSHIM_MOCK_PTX_JIT_SWEEP_H

#include "mock/ptx/jit/access.h"

enum { PTX__JIT_SWEPT_OPS = 256, PTX__JIT_SWEPT_ACCESSES = 20 };

/* What is known of a slot before the loop. */
enum ptx__jit_sweep_known {
    PTX__JIT_OF_WARPS, /* nothing */
    PTX__JIT_COMMON,   /* its value in the first thread, and one step in all of the block */
    PTX__JIT_ENDS,     /* of a predicate: the first thread's, and whether all have the same */
};

struct ptx__jit_sweep_code {
    struct ptx__jit_emit *emit;
    size_t ops[PTX__JIT_SWEPT_OPS], n_ops; /* in their order */
    uint8_t results[PTX__JIT_SWEPT_OPS];   /* what is known of what they write */
    unsigned n_accesses;
    /* As they were looked at; address is what an address on the host has more than the kernel's. */
    struct ptx__jit_access accesses[PTX__JIT_SWEPT_ACCESSES];
    /* Of each slot, up to the current operation. */
    uint8_t *known;
    bool *defined;
    struct ptx__jit_comparison *ends;
};

/* What is known of a slot that the current operation reads. */
static inline uint8_t ptx__jit_sweep_known(const struct ptx__jit_sweep_code *sweep, uint16_t slot)
{
    return slot == PTX__JIT_NONE || sweep->emit->flow->slots[slot].constant ? PTX__JIT_COMMON
                                                                            : sweep->known[slot];
}

/* Notes what is known of what an operation writes. */
void ptx__jit_sweep_define(struct ptx__jit_sweep_code *sweep, size_t number, uint8_t known);

/*
 * Lists the operations from the begin of the kernel to its end, in the order in which they are
 * done. False: there are others than a sweep can have.
 */
bool ptx__jit_list_swept(struct ptx__jit_sweep_code *sweep);

/*
 * Where a block begins, writes the loop for all of its warps, if the kernel can have one. What
 * comes next in the text is reached if the block is not one for it, and nothing has been done.
 * Behind the loop, code goes to "again" for the next block, or to "end".
 */
void ptx__jit_write_sweep(struct ptx__jit_emit *emit);

#endif
