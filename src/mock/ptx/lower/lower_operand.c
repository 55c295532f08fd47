/* SPDX-License-Identifier: MIT */
/* Slots of operands. */
#include "mock/ptx/lower/lower.h"

static unsigned size_of(enum ptx__type type)
{
    const unsigned bits = ptx__type_bits(type);

    return bits == 1 ? 1 : bits <= 32 ? 32 : bits;
}

uint32_t ptx__new_slot(struct ptx__lowering *lower, unsigned bits)
{
    uint32_t slot;

    if (bits == 1) {
        if (lower->next_pred == lower->preds_end) {
            lower->next_pred = ptx__new_slot(lower, 32);
            lower->preds_end = lower->next_pred + PTX__SLOT;
        }
        slot = lower->next_pred;
        lower->next_pred += 4;
        return slot;
    }
    slot = lower->next_slot;
    lower->next_slot += bits <= 32 ? PTX__SLOT : bits / 32 * PTX__SLOT;
    return slot;
}

uint32_t ptx__register_slot(struct ptx__lowering *lower, uint32_t reg)
{
    const struct ptx__register *declared = &lower->function->registers[reg];

    if (lower->slots[reg] == PTX__NO_SLOT) {
        const unsigned n = declared->vector ? declared->vector : 1;

        lower->slots[reg] = ptx__new_slot(lower, size_of(declared->type));
        for (unsigned i = 1; i < n; i++)
            ptx__new_slot(lower, size_of(declared->type));
    }
    return lower->slots[reg];
}

unsigned ptx__slot_bits(const struct ptx__lowering *lower, const struct ptx__operand *operand)
{
    if (operand->kind == PTX_REGISTER)
        return size_of(lower->function->registers[operand->reg].type);
    if (operand->kind == PTX_SPECIAL)
        return size_of((enum ptx__type) ptx__specials[operand->special].type);
    return 32;
}

static uint32_t register_of(struct ptx__lowering *lower, const struct ptx__operand *operand)
{
    const struct ptx__register *declared = &lower->function->registers[operand->reg];
    const uint32_t slot = ptx__register_slot(lower, operand->reg);

    if (operand->component <= 0)
        return slot;
    return slot + (uint32_t) operand->component * (size_of(declared->type) / 32 * PTX__SLOT);
}

/* --- symbols --- */

uint32_t ptx__frame_offset(const struct ptx__lowering *lower, struct ptx__symbol symbol)
{
    const struct ptx__function *function = lower->function;

    switch (symbol.kind) {
    case PTX_FUNCTION_VARIABLE:
        if (function->variables[symbol.number].space == PTX_LOCAL)
            return (uint32_t) function->variables[symbol.number].offset;
        if (function->variables[symbol.number].space == PTX_PARAM)
            return lower->frame_params + (uint32_t) function->variables[symbol.number].offset;
        return PTX_NONE;
    case PTX_PARAMETER:
        if (function->is_kernel)
            return PTX_NONE;
        return lower->frame_parameters + (uint32_t) function->parameters[symbol.number].offset;
    case PTX_RESULT:
        return lower->frame_results + (uint32_t) function->results[symbol.number].offset;
    default:
        return PTX_NONE;
    }
}

static uint32_t variable_slot(struct ptx__lowering *lower, const struct ptx__variable *variable,
                              int64_t offset, unsigned bits)
{
    if (variable->space != PTX_SHARED && variable->space != PTX_SHARED_CTA)
        return ptx__constant_slot(lower, bits, PTX__FILL_ADDRESS,
                                  variable->address + (uint64_t) offset, 0);
    if (variable->dynamic)
        return ptx__constant_slot(lower, bits, PTX__FILL_DYNAMIC_BASE, (uint64_t) offset, 0);
    return ptx__constant_slot(lower, bits, PTX__FILL_VALUE, variable->offset + (uint64_t) offset,
                              0);
}

uint32_t ptx__symbol_slot(struct ptx__lowering *lower, struct ptx__symbol symbol, int64_t offset,
                          unsigned bits)
{
    const struct ptx__function *function = lower->function;
    const uint32_t frame = ptx__frame_offset(lower, symbol);
    uint32_t slot;
    struct ptx__op *op;

    if (frame != PTX_NONE) {
        slot = ptx__new_slot(lower, bits);
        op = ptx__emit_key(lower, "frame.address.%u", bits);
        op->d = slot;
        op->imm = frame + (uint64_t) offset;
        return slot;
    }
    switch (symbol.kind) {
    case PTX_MODULE_VARIABLE:
        return variable_slot(lower, &lower->module->variables[symbol.number], offset, bits);
    case PTX_FUNCTION_VARIABLE:
        return variable_slot(lower, &function->variables[symbol.number], offset, bits);
    case PTX_PARAMETER: /* of a kernel */
        return ptx__constant_slot(lower, bits, PTX__FILL_VALUE,
                                  function->parameters[symbol.number].offset + (uint64_t) offset,
                                  0);
    case PTX_FUNCTION:
        return ptx__constant_slot(
            lower, bits, PTX__FILL_ADDRESS,
            lower->module->functions[symbol.number].address + (uint64_t) offset, 0);
    default:
        return PTX__SINK_SLOT;
    }
}

/* --- special registers --- */

static const struct {
    uint16_t special, fill;
} fills[] = {
    {PTX_SREG_TID, PTX__FILL_TID_X},
    {PTX_SREG_NTID, PTX__FILL_NTID_X},
    {PTX_SREG_CTAID, PTX__FILL_CTAID_X},
    {PTX_SREG_NCTAID, PTX__FILL_NCTAID_X},
    {PTX_SREG_LANEID, PTX__FILL_LANE},
    {PTX_SREG_WARPID, PTX__FILL_WARP},
    {PTX_SREG_NWARPID, PTX__FILL_N_WARPS},
    {PTX_SREG_SMID, PTX__FILL_SM},
    {PTX_SREG_NSMID, PTX__FILL_N_SM},
    {PTX_SREG_GRIDID, PTX__FILL_GRID_ID},
    {PTX_SREG_LANEMASK_EQ, PTX__FILL_LANEMASK_EQ},
    {PTX_SREG_LANEMASK_LE, PTX__FILL_LANEMASK_LE},
    {PTX_SREG_LANEMASK_LT, PTX__FILL_LANEMASK_LT},
    {PTX_SREG_LANEMASK_GE, PTX__FILL_LANEMASK_GE},
    {PTX_SREG_LANEMASK_GT, PTX__FILL_LANEMASK_GT},
    {PTX_SREG_DYNAMIC_SMEM_SIZE, PTX__FILL_DYNAMIC_SHARED},
    {PTX_SREG_TOTAL_SMEM_SIZE, PTX__FILL_TOTAL_SHARED},
    {PTX_SREG_AGGR_SMEM_SIZE, PTX__FILL_TOTAL_SHARED},
    {PTX_SREG_ENVREG1, PTX__FILL_ENVREG1},
    {PTX_SREG_ENVREG2, PTX__FILL_ENVREG2},
    {PTX_SREG_CLUSTERID, PTX__FILL_CLUSTERID_X},
    {PTX_SREG_NCLUSTERID, PTX__FILL_NCLUSTERID_X},
    {PTX_SREG_CLUSTER_CTAID, PTX__FILL_CLUSTER_CTAID_X},
    {PTX_SREG_CLUSTER_NCTAID, PTX__FILL_CLUSTER_NCTAID_X},
    {PTX_SREG_CLUSTER_CTARANK, PTX__FILL_CLUSTER_CTARANK},
    {PTX_SREG_CLUSTER_NCTARANK, PTX__FILL_CLUSTER_NCTARANK},
};

/* Emits an operation that reads the clock, because its value differs at each read. */
static uint32_t clock_slot(struct ptx__lowering *lower, unsigned special, unsigned bits)
{
    const uint32_t slot = ptx__new_slot(lower, bits);
    struct ptx__op *op = ptx__emit_key(lower, "sreg.%s", ptx__special_name(special));

    op->d = slot;
    return slot;
}

/* If a kernel uses it, a block has memory of the system behind its own shared memory. */
static uint32_t reserved_slot(struct ptx__lowering *lower, unsigned bits, unsigned offset)
{
    lower->program->uses_reserved = true;
    return ptx__constant_slot(lower, bits, PTX__FILL_RESERVED_BASE, offset, 0);
}

static uint32_t special_slot(struct ptx__lowering *lower, const struct ptx__operand *operand)
{
    const struct ptx__special_row *row = &ptx__specials[operand->special];
    const unsigned bits = size_of(row->type);
    const unsigned component = operand->component > 0 ? (unsigned) operand->component : 0;

    for (size_t i = 0; i < sizeof(fills) / sizeof(fills[0]); i++) {
        if (fills[i].special != operand->special)
            continue;
        if (component > 2) /* .w is always 0 */
            return ptx__constant_slot(lower, bits, PTX__FILL_VALUE, 0, 0);
        return ptx__constant_slot(lower, bits, fills[i].fill + component, 0, 0);
    }
    switch (operand->special) {
    case PTX_SREG_CLOCK:
    case PTX_SREG_CLOCK_HI:
    case PTX_SREG_CLOCK64:
    case PTX_SREG_GLOBALTIMER:
    case PTX_SREG_GLOBALTIMER_LO:
    case PTX_SREG_GLOBALTIMER_HI:
        return clock_slot(lower, operand->special, bits);
    case PTX_SREG_IS_EXPLICIT_CLUSTER:
        return ptx__constant_slot(lower, 1, PTX__FILL_CLUSTERED, 0, 0);
    case PTX_SREG_RESERVED_SMEM_OFFSET_BEGIN:
    case PTX_SREG_RESERVED_SMEM_OFFSET_0:
        return reserved_slot(lower, bits, 0);
    case PTX_SREG_RESERVED_SMEM_OFFSET_1:
        return reserved_slot(lower, bits, PTX__RESERVED_SHARED / 2);
    case PTX_SREG_RESERVED_SMEM_OFFSET_END:
    case PTX_SREG_RESERVED_SMEM_OFFSET_CAP:
        return reserved_slot(lower, bits, PTX__RESERVED_SHARED);
    default: /* other environment registers and performance counters: 0 */
        return ptx__constant_slot(lower, bits, PTX__FILL_VALUE, 0, 0);
    }
}

/*
 * Compiled code has what differs between blocks alone in the first lane, where its own moves read
 * it. So other instructions read a copy.
 */
static uint32_t read_special(struct ptx__lowering *lower, const struct ptx__operand *operand)
{
    const unsigned bits = ptx__slot_bits(lower, operand);
    const uint32_t slot = special_slot(lower, operand);
    uint32_t copy;

    if (lower->at->opcode == PTX_OP_MOV)
        return slot;
    copy = ptx__new_slot(lower, bits);
    ptx__emit_slots(lower, bits == 64 ? "mov.u64" : "mov.u32", copy, slot, slot, slot);
    return copy;
}

/* --- operands --- */

static uint64_t cut(uint64_t value, enum ptx__type type)
{
    const unsigned bits = ptx__type_bits(type);

    return bits == 1 ? value != 0 : bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static uint32_t negated(struct ptx__lowering *lower, uint32_t slot)
{
    const uint32_t result = ptx__new_slot(lower, 1);

    ptx__emit_slots(lower, "not.pred", result, slot, slot, 0);
    return result;
}

/* Computes a sum such as "%r1+4" with as many bits as the register has. */
static uint32_t sum_of(struct ptx__lowering *lower, const struct ptx__operand *operand,
                       uint32_t slot)
{
    const enum ptx__type type = (enum ptx__type) lower->function->registers[operand->reg].type;
    const unsigned bits = size_of(type);
    const uint32_t result = ptx__new_slot(lower, bits);
    const uint32_t constant =
        ptx__constant_slot(lower, bits, PTX__FILL_VALUE, cut(operand->integer, type), 0);

    ptx__emit_slots(lower, bits == 64 ? "add.u64" : "add.u32", result, slot, constant, 0);
    if (ptx__type_bits(type) == 16)
        ptx__emit_slots(lower, "cvt.u16.u32", result, result, result, 0);
    if (ptx__type_bits(type) == 8)
        ptx__emit_slots(lower, "cvt.u8.u32", result, result, result, 0);
    return result;
}

uint32_t ptx__source(struct ptx__lowering *lower, const struct ptx__operand *operand,
                     enum ptx__type type)
{
    uint32_t slot;

    switch (operand->kind) {
    case PTX_REGISTER:
        slot = register_of(lower, operand);
        if (operand->sum)
            return sum_of(lower, operand, slot);
        return operand->negative ? negated(lower, slot) : slot;
    case PTX_SPECIAL:
        return read_special(lower, operand);
    case PTX_INTEGER:
        return ptx__constant_slot(lower, size_of(type), PTX__FILL_VALUE,
                                  cut(operand->integer, type), 0);
    case PTX_REAL:
        return ptx__constant_slot(lower, size_of(type), PTX__FILL_VALUE, cut(operand->real, type),
                                  0);
    case PTX_ADDRESS:
        return ptx__symbol_slot(lower, operand->symbol, operand->offset, size_of(type));
    default:
        ptx__refuse_form(lower, "an operand of this form");
        return PTX__SINK_SLOT;
    }
}

uint32_t ptx__target(struct ptx__lowering *lower, const struct ptx__operand *operand)
{
    if (operand->kind == PTX_REGISTER)
        return register_of(lower, operand);
    if (operand->kind == PTX_PAIR)
        return ptx__target(lower, &operand->elements[0]);
    return PTX__SINK_SLOT;
}
