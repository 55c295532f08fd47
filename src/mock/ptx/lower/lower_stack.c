/* SPDX-License-Identifier: MIT */
/* alloca, stacksave, stackrestore. */
#include "mock/ptx/lower/lower.h"
#include "mock/ptx/warps/warp.h"

/* The minimum alignment of a stack frame. */
enum { ALIGNMENT = 8 };

static bool is_wide(const struct ptx__lowering *lower)
{
    return ptx__type_bits(ptx__type_of(lower->at, 0)) == 64;
}

static void lower_alloca(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const struct ptx__operand *o = at->operands;
    const uint64_t given =
        at->n_operands > 2 && o[2].kind == PTX_INTEGER ? o[2].integer : ALIGNMENT;
    const uint32_t size = ptx__source(lower, &o[1], ptx__type_of(at, 0));
    const uint32_t target = ptx__target(lower, &o[0]);
    struct ptx__op *op = ptx__emit(lower, ptx__do_alloca);

    op->d = target;
    op->a = size;
    op->c = is_wide(lower);
    op->imm = given > ALIGNMENT ? given : ALIGNMENT;
}

static void lower_save(struct ptx__lowering *lower)
{
    const uint32_t target = ptx__target(lower, &lower->at->operands[0]);
    struct ptx__op *op = ptx__emit(lower, ptx__do_stack_save);

    op->d = target;
    op->c = is_wide(lower);
}

static void lower_restore(struct ptx__lowering *lower)
{
    const uint32_t source = ptx__source(lower, &lower->at->operands[0], ptx__type_of(lower->at, 0));
    struct ptx__op *op = ptx__emit(lower, ptx__do_stack_restore);

    op->a = source;
    op->c = is_wide(lower);
}

static bool uses_stack(const struct ptx__function *function)
{
    for (uint32_t i = 0; i < function->n_instructions; i++) {
        const uint16_t opcode = function->instructions[i].opcode;

        if (opcode == PTX_OP_ALLOCA || opcode == PTX_OP_STACKSAVE || opcode == PTX_OP_STACKRESTORE)
            return true;
    }
    return false;
}

void ptx__stack_begin(struct ptx__lowering *lower)
{
    uint32_t zero;

    if (!uses_stack(lower->function))
        return;
    zero = ptx__constant_slot(lower, 32, PTX__FILL_VALUE, 0, 0);
    lower->code->stack_slot = ptx__new_slot(lower, 32);
    ptx__emit_slots(lower, "mov.u32", lower->code->stack_slot, zero, zero, 0);
}

bool ptx__lower_stack(struct ptx__lowering *lower)
{
    switch (lower->at->opcode) {
    case PTX_OP_ALLOCA:
        lower_alloca(lower);
        return true;
    case PTX_OP_STACKSAVE:
        lower_save(lower);
        return true;
    case PTX_OP_STACKRESTORE:
        lower_restore(lower);
        return true;
    default:
        return false;
    }
}
