/* SPDX-License-Identifier: MIT */
/* isspacep: tests in which state space a generic address is. */
#include "mock/ptx/lower/lower.h"

/* Tests whether the address, without its lowest `shift` bits, is equal to base. */
static uint32_t is_in(struct ptx__lowering *lower, uint32_t address, unsigned shift, uint64_t base)
{
    const uint32_t high = ptx__new_slot(lower, 64), result = ptx__new_slot(lower, 1);
    const uint32_t by = ptx__constant_slot(lower, 32, PTX__FILL_VALUE, shift, 0);
    const uint32_t wanted = ptx__constant_slot(lower, 64, PTX__FILL_VALUE, base >> shift, 0);

    ptx__emit_slots(lower, "shr.u64", high, address, by, 0);
    ptx__emit_slots(lower, "setp.eq.u64", result, high, wanted, 0);
    return result;
}

/*
 * Tests whether the address is in one of the module's constants, which are anywhere in global
 * memory.
 */
static uint32_t is_constant(struct ptx__lowering *lower, uint32_t address)
{
    const uint32_t from = ptx__new_slot(lower, 64);
    const uint32_t inside = ptx__new_slot(lower, 1), result = ptx__new_slot(lower, 1);

    ptx__emit_slots(lower, "mov.pred", result, ptx__constant_slot(lower, 1, PTX__FILL_VALUE, 0, 0),
                    0, 0);
    for (uint32_t i = 0; i < lower->module->n_variables; i++) {
        const struct ptx__variable *variable = &lower->module->variables[i];

        if (variable->space != PTX_CONST || variable->replaced)
            continue;
        ptx__emit_slots(lower, "sub.u64", from, address,
                        ptx__constant_slot(lower, 64, PTX__FILL_ADDRESS, variable->address, 0), 0);
        ptx__emit_slots(lower, "setp.lt.u64", inside, from,
                        ptx__constant_slot(lower, 64, PTX__FILL_VALUE, variable->bytes, 0), 0);
        ptx__emit_slots(lower, "or.pred", result, result, inside, 0);
    }
    return result;
}

/* Any address that is in no other state space counts as global, even if no memory is there. */
static uint32_t is_global(struct ptx__lowering *lower, uint32_t address)
{
    const uint32_t result = is_constant(lower, address);

    ptx__emit_slots(lower, "or.pred", result, result,
                    is_in(lower, address, PTX__WINDOW_SHIFT, PTX__SHARED_WINDOW), 0);
    ptx__emit_slots(lower, "or.pred", result, result,
                    is_in(lower, address, PTX__WINDOW_SHIFT, PTX__LOCAL_WINDOW), 0);
    ptx__emit_slots(lower, "not.pred", result, result, result, 0);
    return result;
}

static uint32_t is_of(struct ptx__lowering *lower, uint32_t address, enum ptx__space space)
{
    switch (space) {
    case PTX_SHARED: /* of this block; addresses of other blocks contain their rank */
    case PTX_SHARED_CTA:
        return is_in(lower, address, PTX__RANK_SHIFT, PTX__SHARED_WINDOW);
    case PTX_SHARED_CLUSTER:
        return is_in(lower, address, PTX__WINDOW_SHIFT, PTX__SHARED_WINDOW);
    case PTX_LOCAL:
        return is_in(lower, address, PTX__WINDOW_SHIFT, PTX__LOCAL_WINDOW);
    case PTX_PARAM:
    case PTX_PARAM_ENTRY: /* of a kernel, also in a function that it calls */
        return is_in(lower, address, PTX__WINDOW_SHIFT, PTX__PARAM_WINDOW);
    case PTX_CONST:
        return is_constant(lower, address);
    default:
        return is_global(lower, address);
    }
}

void ptx__lower_isspacep(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const bool wide =
        ptx__slot_bits(lower, &at->operands[1]) == 64 || at->operands[1].kind != PTX_REGISTER;
    uint32_t source = ptx__source(lower, &at->operands[1], PTX_U64), result;

    if (!wide) {
        const uint32_t narrow = source;

        source = ptx__new_slot(lower, 64);
        ptx__emit_slots(lower, "cvt.u64.u32", source, narrow, narrow, 0);
    }
    result = is_of(lower, source, ptx__space_of(at));
    ptx__emit_slots(lower, "mov.pred", ptx__target(lower, &at->operands[0]), result, result, 0);
}
