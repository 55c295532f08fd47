/* SPDX-License-Identifier: MIT */
/* multimem.ld_reduce, multimem.st, multimem.red. */
#include "mock/ptx/exec/multimem.h"
#include "mock/ptx/lower/lower_memory.h"
#include "mock/ptx/machine/memory_space.h"

/* A register with two numbers holds two of the type that is returned. */
static enum ptx__type number_of(enum ptx__type type)
{
    return type == PTX_F16X2 ? PTX_F16 : type == PTX_BF16X2 ? PTX_BF16 : type;
}

/* In global memory, sums of .f32 lose subnormal numbers, as those of red do. */
static struct ptx__reducing reducing(const struct ptx__instruction *at, enum ptx__type type)
{
    return (struct ptx__reducing){.kind = (uint8_t) ptx__reduction_of(at),
                                  .type = (uint8_t) type,
                                  .bytes = (uint8_t) ptx__type_bytes(type),
                                  .flushes = type == PTX_F32 && at->opcode == PTX_OP_MULTIMEM_RED};
}

static enum ptx__use use_of(const struct ptx__instruction *at)
{
    const enum ptx__use strong = ptx__has(at, PTX_MOD_RELAXED) || ptx__has(at, PTX_MOD_ACQUIRE) ||
                                         ptx__has(at, PTX_MOD_RELEASE)
                                     ? PTX__STRONG
                                     : 0;

    switch (at->opcode) {
    case PTX_OP_MULTIMEM_RED:
        return PTX__UPDATES;
    case PTX_OP_MULTIMEM_ST:
        return PTX__STORES | strong;
    default:
        return PTX__LOADS | strong;
    }
}

static void lower_multimem(struct ptx__lowering *lower, bool loads)
{
    const struct ptx__instruction *at = lower->at;
    const enum ptx__type type = ptx__type_of(at, 0);
    struct ptx__multimem *how = ptx__keep(lower, sizeof(*how));
    uint32_t slots[8];
    unsigned n;
    const struct ptx__operand *values = ptx__elements_of(&at->operands[loads ? 0 : 1], &n);
    struct ptx__op *op;

    *how = (struct ptx__multimem){
        .at = ptx__place_of(lower, &at->operands[loads ? 1 : 0], ptx__space_of(at)),
        .reduction = reducing(at, number_of(type)),
        .wide_sums = ptx__has(at, PTX_MOD_ACC_F32),
        .use = (uint8_t) use_of(at),
        .n_values = (uint8_t) n,
        .value_bytes = (uint8_t) ptx__type_bytes(type)};
    for (unsigned i = 0; i < n && i < 8; i++)
        slots[i] = loads ? ptx__target(lower, &values[i]) : ptx__source(lower, &values[i], type);
    op = ptx__emit(lower, loads ? ptx__do_multimem_load : ptx__do_multimem_store);
    op->imm = (uintptr_t) how;
    op->waits = true;
    ptx__emit_list(lower, op, slots, n);
}

bool ptx__lower_multimem(struct ptx__lowering *lower)
{
    switch (lower->at->opcode) {
    case PTX_OP_MULTIMEM_LD_REDUCE:
        lower_multimem(lower, true);
        return true;
    case PTX_OP_MULTIMEM_ST:
    case PTX_OP_MULTIMEM_RED:
        lower_multimem(lower, false);
        return true;
    default:
        return false;
    }
}
