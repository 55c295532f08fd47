/* SPDX-License-Identifier: MIT */
/* Operations of several lanes and of functions: calls, barriers, votes, shuffles, fences. */
#include <stdio.h>
#include <string.h>

#include "mock/ptx/exec/builtin.h"
#include "mock/ptx/exec/control.h"
#include "mock/ptx/lower/lower_value.h"

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

/* Returns the size of a symbol of the frame; so many bytes are passed. */
static uint32_t bytes_of(const struct ptx__lowering *lower, struct ptx__symbol symbol)
{
    const struct ptx__function *function = lower->function;

    switch (symbol.kind) {
    case PTX_PARAMETER:
        return (uint32_t) function->parameters[symbol.number].bytes;
    case PTX_RESULT:
        return (uint32_t) function->results[symbol.number].bytes;
    default:
        return (uint32_t) function->variables[symbol.number].bytes;
    }
}

/*
 * Returns the prototype of a call: that of the function, of the .callprototype, or of the first
 * function in the list.
 */
static struct ptx__prototype prototype_of(const struct ptx__lowering *lower,
                                          const struct ptx__operand *operands)
{
    const struct ptx__function *callee = NULL;

    if (operands[1].kind == PTX_ADDRESS)
        callee = &lower->module->functions[operands[1].symbol.number];
    else if (operands[3].kind == PTX_PROTOTYPE)
        return lower->function->prototypes[operands[3].target];
    else if (operands[3].kind == PTX_TABLE)
        callee = &lower->module->functions[lower->function->tables[operands[3].target].targets[0]];
    if (!callee)
        return (struct ptx__prototype){.n_results = 0};
    return (struct ptx__prototype){.parameters = callee->parameters,
                                   .n_parameters = callee->n_parameters,
                                   .results = callee->results,
                                   .n_results = callee->n_results};
}

/*
 * Reserves room at the end of the frame. At least 8 bytes, because a register of 64 bits is read as
 * a whole.
 */
static uint32_t take_room(struct ptx__lowering *lower, size_t bytes)
{
    const uint32_t at = (lower->frame_end + 15) / 16 * 16;

    lower->frame_end = at + (bytes > 8 ? (uint32_t) bytes : 8);
    return at;
}

/* Returns the place of an argument in the frame. A register is first stored there. */
static struct ptx__argument argument(struct ptx__lowering *lower,
                                     const struct ptx__operand *operand,
                                     const struct ptx__parameter *parameter)
{
    const bool known = parameter && !parameter->array;
    const bool is_register = operand->kind == PTX_REGISTER;
    const enum ptx__type type = (enum ptx__type)(known         ? parameter->type
                                                 : is_register ? operand->type
                                                               : PTX_B32);
    uint32_t slot, offset, bytes;

    if (operand->kind == PTX_ADDRESS) {
        offset = ptx__frame_offset(lower, operand->symbol);
        if (offset != PTX_NONE)
            return (struct ptx__argument){offset, bytes_of(lower, operand->symbol)};
    }
    slot = ptx__source(lower, operand, type);
    bytes = known ? (uint32_t) parameter->bytes : (uint32_t) ptx__type_bytes(type);
    offset = take_room(lower, known ? bytes : 16);
    ptx__value_put(lower, slot, type, known ? parameter->vector : 0, offset);
    return (struct ptx__argument){offset, bytes};
}

/* Returns the places as pairs of numbers, which ptx__given() reads. */
static const uint32_t *lower_arguments(struct ptx__lowering *lower,
                                       const struct ptx__operand *arguments,
                                       const struct ptx__prototype *prototype)
{
    uint32_t *pairs = ptx__keep(lower, 2 * arguments->count * sizeof(*pairs));

    for (uint32_t i = 0; i < arguments->count; i++) {
        const struct ptx__argument given =
            argument(lower, &arguments->elements[i],
                     i < prototype->n_parameters ? &prototype->parameters[i] : NULL);

        pairs[2 * i] = given.offset;
        pairs[2 * i + 1] = given.bytes;
    }
    return pairs;
}

/* Returns the size of all results, which are contiguous. */
static uint32_t bytes_of_results(const struct ptx__prototype *prototype,
                                 const struct ptx__operand *first)
{
    const struct ptx__parameter *last = prototype->results + prototype->n_results - 1;

    if (prototype->n_results)
        return (uint32_t) (last->offset + last->bytes);
    return first->kind == PTX_REGISTER ? (uint32_t) ptx__type_bytes((enum ptx__type) first->type)
                                       : 0;
}

/* Returns the place for the results: a variable, or new room in the frame. */
static struct ptx__argument place_results(struct ptx__lowering *lower,
                                          const struct ptx__operand *results,
                                          const struct ptx__prototype *prototype)
{
    const struct ptx__operand *first = results->elements;
    struct ptx__argument place = {UINT32_MAX, 0};

    if (results->kind != PTX_LIST || !results->count)
        return place;
    if (first->kind == PTX_ADDRESS) {
        place.offset = ptx__frame_offset(lower, first->symbol);
        if (place.offset != PTX_NONE)
            place.bytes = bytes_of(lower, first->symbol);
        return place;
    }
    place.bytes = bytes_of_results(prototype, first);
    place.offset = take_room(lower, place.bytes);
    return place;
}

/* Loads results that are registers from the frame after the call. */
static void take_results(struct ptx__lowering *lower, const struct ptx__operand *results,
                         const struct ptx__prototype *prototype, struct ptx__argument place)
{
    for (uint32_t i = 0; place.bytes && i < results->count; i++)
        if (results->elements[i].kind == PTX_REGISTER)
            ptx__value_take_register(lower, &results->elements[i],
                                     place.offset + (i < prototype->n_results
                                                         ? (uint32_t) prototype->results[i].offset
                                                         : 0));
}

static void set_callee(struct ptx__lowering *lower, struct ptx__op *op, uint32_t number)
{
    const struct ptx__function *callee = &lower->module->functions[number];

    op->call = &lower->program->codes[number];
    if (!callee->has_body && !ptx__builtin_known(callee->name))
        ptx__refuse(lower, "Call of '%.100s', which is not defined", callee->name);
}

static void lower_call(struct ptx__lowering *lower)
{
    static const struct ptx__operand none = {.kind = PTX_LIST};
    const struct ptx__operand *operands = lower->at->operands, *results = &operands[0];
    const struct ptx__operand *arguments = operands[2].kind == PTX_LIST ? &operands[2] : &none;
    const struct ptx__prototype prototype = prototype_of(lower, operands);
    const bool direct = operands[1].kind == PTX_ADDRESS;
    const uint32_t *pairs = lower_arguments(lower, arguments, &prototype);
    const struct ptx__argument place = place_results(lower, results, &prototype);
    const uint32_t slot = direct ? 0 : ptx__source(lower, &operands[1], PTX_U64);
    struct ptx__op *op = ptx__emit(lower, direct ? ptx__do_call : ptx__do_call_indirect);

    op->d = place.offset;
    op->imm = place.bytes;
    op->a = slot;
    op->list = pairs;
    op->n_list = (uint16_t) (2 * arguments->count);
    op->waits = true; /* the called function may wait */
    if (direct)
        set_callee(lower, op, operands[1].symbol.number);
    take_results(lower, results, &prototype, place);
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

/* Returns the slot for the second of "d|p", or a slot that is never read. */
static uint32_t second(struct ptx__lowering *lower, const struct ptx__operand *operand)
{
    if (operand->kind == PTX_PAIR && operand->elements[1].kind == PTX_REGISTER)
        return ptx__target(lower, &operand->elements[1]);
    return ptx__new_slot(lower, 1);
}

/*
 * d, a, b and c are the operands. The list has the members and the predicate. imm: the instruction
 * names no members.
 */
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
