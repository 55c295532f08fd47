/* SPDX-License-Identifier: MIT */
/* What lanes, warps and functions do together: calls, barriers, votes, shuffles, fences. */
#include <stdio.h>
#include <string.h>

#include "mock/ptx/exec/builtin.h"
#include "mock/ptx/lower/lower.h"
#include "mock/ptx/warps/control.h"

bool ptx__may_wait(const struct ptx__instruction *instruction)
{
    switch (instruction->opcode) {
    case PTX_OP_CALL:
    case PTX_OP_RET:
    case PTX_OP_EXIT:
    case PTX_OP_BRX_IDX:
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
    case PTX_OP_BAR_WARP_SYNC:
    case PTX_OP_SHFL:
    case PTX_OP_VOTE:
    case PTX_OP_MATCH:
    case PTX_OP_REDUX:
        return true;
    default:
        return ptx__opcodes[instruction->opcode].tier > 2;
    }
}

/* --- calls --- */

/* Where in the frame an argument is; one in a register is put there first. */
static uint32_t argument(struct ptx__lowering *lower, const struct ptx__operand *operand,
                         enum ptx__type type)
{
    const unsigned bits = ptx__type_bits(type);
    uint32_t slot, offset;
    struct ptx__op *op;

    if (operand->kind == PTX_ADDRESS) {
        offset = ptx__frame_offset(lower, operand->symbol);
        if (offset != PTX_NONE)
            return offset + (uint32_t) operand->offset;
    }
    slot = ptx__source(lower, operand, type);
    offset = (lower->frame_end + 7) / 8 * 8;
    lower->frame_end = offset + 8;
    op = ptx__emit_key(lower, "stf.%u.%u", bits, bits <= 32 ? 32 : 64);
    op->a = slot;
    op->imm = offset;
    return offset;
}

/* The parameters of what is called, by its declaration or by its prototype. */
static const struct ptx__parameter *parameters_of(const struct ptx__lowering *lower,
                                                  const struct ptx__operand *function,
                                                  const struct ptx__operand *prototype)
{
    if (function->kind == PTX_ADDRESS)
        return lower->module->functions[function->symbol.number].parameters;
    if (prototype->kind == PTX_PROTOTYPE)
        return lower->function->prototypes[prototype->target].parameters;
    return NULL;
}

static enum ptx__type type_of(const struct ptx__parameter *parameters, uint32_t i,
                              const struct ptx__operand *operand)
{
    if (parameters && !parameters[i].array)
        return parameters[i].type;
    return operand->kind == PTX_REGISTER ? operand->type : PTX_B32;
}

/* A result in a register is taken out of the frame after the call. */
static void take_result(struct ptx__lowering *lower, const struct ptx__operand *operand,
                        uint32_t offset)
{
    const unsigned bits = ptx__type_bits(lower->function->registers[operand->reg].type);
    const uint32_t slot = ptx__target(lower, operand);
    struct ptx__op *op = ptx__emit_key(lower, "ldf.u%u.%u", bits, bits <= 32 ? 32 : 64);

    op->d = slot;
    op->imm = offset;
}

static void lower_call(struct ptx__lowering *lower)
{
    const struct ptx__operand *operands = lower->at->operands;
    const struct ptx__operand *results = &operands[0], *arguments = &operands[2];
    const struct ptx__parameter *parameters = parameters_of(lower, &operands[1], &operands[3]);
    const bool direct = operands[1].kind == PTX_ADDRESS;
    const uint32_t n = arguments->kind == PTX_LIST ? arguments->count : 0;
    uint32_t *offsets = ptx__keep(lower, n * sizeof(*offsets)), result = UINT32_MAX, slot = 0;
    struct ptx__op *op;

    for (uint32_t i = 0; i < n; i++)
        offsets[i] = argument(lower, &arguments->elements[i],
                              type_of(parameters, i, &arguments->elements[i]));
    if (results->kind == PTX_LIST && results->count) {
        if (results->elements[0].kind == PTX_ADDRESS) {
            result = ptx__frame_offset(lower, results->elements[0].symbol);
        } else {
            result = (lower->frame_end + 7) / 8 * 8;
            lower->frame_end = result + 16;
        }
    }
    if (!direct)
        slot = ptx__source(lower, &operands[1], PTX_U64);
    op = ptx__emit(lower, direct ? ptx__do_call : ptx__do_call_indirect);
    op->d = result;
    op->a = slot;
    op->list = offsets;
    op->n_list = (uint16_t) n;
    op->waits = true; /* what is called may */
    if (direct) {
        op->call = &lower->program->codes[operands[1].symbol.number];
        if (!lower->module->functions[operands[1].symbol.number].has_body &&
            !ptx__builtin_known(lower->module->functions[operands[1].symbol.number].name))
            ptx__refuse(lower, "Call of '%.100s', which is not defined",
                        lower->module->functions[operands[1].symbol.number].name);
    }
    if (result != UINT32_MAX && results->elements[0].kind == PTX_REGISTER)
        take_result(lower, &results->elements[0], result);
}

/* --- barriers --- */

static uint64_t barrier_flags(const struct ptx__instruction *at)
{
    uint64_t flags = 0;

    if (at->opcode == PTX_OP_BAR || ptx__has(at, PTX_MOD_ALIGNED))
        flags |= PTX__BARRIER_ALIGNED;
    if (ptx__has(at, PTX_MOD_ARRIVE))
        flags |= PTX__BARRIER_ARRIVES;
    if (!ptx__has(at, PTX_MOD_RED))
        return flags;
    flags |= PTX__BARRIER_VOTES;
    if (ptx__has(at, PTX_MOD_POPC))
        return flags | PTX__BARRIER_COUNT;
    return flags | (ptx__has(at, PTX_MOD_AND) ? PTX__BARRIER_ALL : PTX__BARRIER_ANY);
}

static void lower_barrier(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const bool votes = ptx__has(at, PTX_MOD_RED);
    const struct ptx__operand *operand = at->operands, *end = at->operands + at->n_operands;
    uint32_t d = PTX__SINK_SLOT, a = PTX__SINK_SLOT, b = 0, c = PTX__SINK_SLOT;
    struct ptx__op *op;

    while (end > operand && end[-1].kind == PTX_NO_OPERAND)
        end--;
    if (votes)
        d = ptx__target(lower, operand++);
    if (operand < end)
        a = ptx__source(lower, operand++, PTX_U32);
    if (votes)
        c = ptx__source(lower, --end, PTX_PRED);
    if (operand < end)
        b = ptx__source(lower, operand, PTX_U32);
    op = ptx__emit(lower, ptx__do_barrier);
    op->d = d;
    op->a = a;
    op->b = b;
    op->c = c;
    op->imm = barrier_flags(at);
}

static void lower_warp_sync(struct ptx__lowering *lower)
{
    const uint32_t members = ptx__source(lower, &lower->at->operands[0], PTX_U32);

    ptx__emit(lower, ptx__do_warp_sync)->a = members;
}

/* --- lanes --- */

static uint32_t every_lane(struct ptx__lowering *lower)
{
    return ptx__constant_slot(lower, 32, PTX__FILL_VALUE, PTX__ALL, 0);
}

/* The second of "d|p", or a slot that nobody reads. */
static uint32_t second(struct ptx__lowering *lower, const struct ptx__operand *operand)
{
    if (operand->kind == PTX_PAIR && operand->elements[1].kind == PTX_REGISTER)
        return ptx__target(lower, &operand->elements[1]);
    return ptx__new_slot(lower, 1);
}

/* d, a, b, c; the list has the members and the predicate; imm: no members were named. */
static void lower_shuffle(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const struct ptx__operand *o = at->operands;
    const bool sync = ptx__has(at, PTX_MOD_SYNC);
    static const enum ptx__modifier modes[] = {PTX_MOD_UP, PTX_MOD_DOWN, PTX_MOD_BFLY, PTX_MOD_IDX};
    const uint32_t d = ptx__target(lower, &o[0]), a = ptx__source(lower, &o[1], PTX_B32),
                   b = ptx__source(lower, &o[2], PTX_U32), c = ptx__source(lower, &o[3], PTX_U32);
    const uint32_t list[2] = {sync ? ptx__source(lower, &o[4], PTX_U32) : every_lane(lower),
                              second(lower, &o[0])};
    struct ptx__op *op = NULL;

    for (unsigned i = 0; i < 4; i++) {
        if (ptx__has(at, modes[i]))
            op = ptx__emit_key(lower, "shfl.%s", ptx__modifier_name(modes[i]));
    }
    op->d = d;
    op->a = a;
    op->b = b;
    op->c = c;
    op->imm = !sync;
    ptx__emit_list(lower, op, list, 2);
}

static void lower_vote(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const bool sync = ptx__has(at, PTX_MOD_SYNC);
    static const enum ptx__modifier modes[] = {PTX_MOD_ALL, PTX_MOD_ANY, PTX_MOD_UNI,
                                               PTX_MOD_BALLOT};
    const uint32_t d = ptx__target(lower, &at->operands[0]),
                   a = ptx__source(lower, &at->operands[1], PTX_PRED),
                   b = sync ? ptx__source(lower, &at->operands[2], PTX_U32) : every_lane(lower);
    struct ptx__op *op = NULL;

    for (unsigned i = 0; i < 4; i++) {
        if (ptx__has(at, modes[i]))
            op = ptx__emit_key(lower, "vote.%s", ptx__modifier_name(modes[i]));
    }
    op->d = d;
    op->a = a;
    op->b = b;
    op->imm = !sync;
}

static void lower_match(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const enum ptx__type type = ptx__type_of(at, 0);
    const uint32_t d = ptx__target(lower, &at->operands[0]),
                   a = ptx__source(lower, &at->operands[1], type),
                   b = ptx__source(lower, &at->operands[2], PTX_U32),
                   c = second(lower, &at->operands[0]);
    struct ptx__op *op = ptx__emit_key(
        lower, "match.%s.%u", ptx__has(at, PTX_MOD_ALL) ? "all" : "any", ptx__type_bits(type));

    op->d = d;
    op->a = a;
    op->b = b;
    op->c = c;
}

static void lower_redux(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const enum ptx__type type = ptx__type_of(at, 0);
    const uint32_t d = ptx__target(lower, &at->operands[0]),
                   a = ptx__source(lower, &at->operands[1], type),
                   b = ptx__source(lower, &at->operands[2], PTX_U32);
    const uint32_t of = ptx__has(at, PTX_MOD_ABS) ? ptx__new_slot(lower, 32) : a;
    char key[48];

    if (of != a)
        ptx__emit_slots(lower, "abs.f32", of, a, a, 0);
    snprintf(key, sizeof(key), "redux");
    for (unsigned i = 0; i < at->n_modifiers; i++) {
        if (at->modifiers[i] != PTX_MOD_SYNC && at->modifiers[i] != PTX_MOD_ABS)
            snprintf(key + strlen(key), sizeof(key) - strlen(key), ".%s",
                     ptx__modifier_name(at->modifiers[i]));
    }
    snprintf(key + strlen(key), sizeof(key) - strlen(key), ".%s",
             type == PTX_B32 ? "u32" : ptx__type_name(type));
    ptx__emit_slots(lower, key, d, of, b, 0);
}

static void lower_plain_one(struct ptx__lowering *lower, const char *key)
{
    ptx__emit_slots(lower, key, ptx__target(lower, &lower->at->operands[0]), 0, 0, 0);
}

bool ptx__lower_warp(struct ptx__lowering *lower)
{
    switch (lower->at->opcode) {
    case PTX_OP_CALL:
        lower_call(lower);
        return true;
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
        lower_barrier(lower);
        return true;
    case PTX_OP_BAR_WARP_SYNC:
        lower_warp_sync(lower);
        return true;
    case PTX_OP_SHFL:
        lower_shuffle(lower);
        return true;
    case PTX_OP_VOTE:
        lower_vote(lower);
        return true;
    case PTX_OP_MATCH:
        lower_match(lower);
        return true;
    case PTX_OP_REDUX:
        lower_redux(lower);
        return true;
    case PTX_OP_ACTIVEMASK:
        lower_plain_one(lower, "activemask");
        return true;
    case PTX_OP_MEMBAR:
    case PTX_OP_FENCE:
        ptx__emit_key(lower, "fence")->waits = true;
        return true;
    case PTX_OP_NANOSLEEP:
        ptx__emit_key(lower, "nanosleep")->waits = true;
        return true;
    default:
        return false;
    }
}
