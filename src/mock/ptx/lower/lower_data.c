/* SPDX-License-Identifier: MIT */
/* mov, comparisons, selection. */
#include <stdio.h>
#include <string.h>

#include "mock/ptx/lower/lower.h"

/* --- mov --- */

static void move(struct ptx__lowering *lower, uint32_t to, uint32_t from, unsigned bits)
{
    if (bits == 1)
        ptx__emit_slots(lower, "mov.pred", to, from, from, 0);
    else
        ptx__emit_slots(lower, bits <= 32 ? "mov.u32" : "mov.u64", to, from, from, from);
    if (bits == 128)
        ptx__emit_slots(lower, "mov.u64", to + 2 * PTX__SLOT, from + 2 * PTX__SLOT,
                        from + 2 * PTX__SLOT, 0);
}

/* Splits a register into a vector: element i gets bits/n bits from bit i * bits/n on. */
static void unpack(struct ptx__lowering *lower, const struct ptx__operand *vector,
                   const struct ptx__operand *whole, enum ptx__type type)
{
    const unsigned bits = ptx__type_bits(type), each = bits / vector->count;
    const uint32_t from = ptx__source(lower, whole, type);

    for (uint32_t i = 0; i < vector->count; i++) {
        const uint32_t half = from + i * each / 64 * 2 * PTX__SLOT; /* of 128 bits */
        struct ptx__op *op;

        if (vector->elements[i].kind == PTX_SINK)
            continue;
        if (each >= 64) {
            move(lower, ptx__target(lower, &vector->elements[i]), half, each);
            continue;
        }
        op = ptx__emit_slots(lower, bits >= 64 ? "unpack.64" : "unpack.32",
                             ptx__target(lower, &vector->elements[i]), half, half, half);
        op->imm = (uint64_t) i * each % 64 << 8 | each;
    }
}

static void pack(struct ptx__lowering *lower, const struct ptx__operand *whole,
                 const struct ptx__operand *vector, enum ptx__type type)
{
    static const enum ptx__type parts[] = {PTX_B8, PTX_B16, PTX_B32, PTX_B64};
    const unsigned bits = ptx__type_bits(type), each = bits / vector->count;
    const enum ptx__type part = parts[each == 8 ? 0 : each == 16 ? 1 : each == 32 ? 2 : 3];
    const unsigned at_once = each >= 64 ? 1 : bits == 128 ? vector->count / 2 : vector->count;
    uint32_t slots[8];
    const uint32_t to = ptx__target(lower, whole);

    for (uint32_t i = 0; i < vector->count && i < 8; i++)
        slots[i] = ptx__source(lower, &vector->elements[i], part);
    for (uint32_t i = 0; i < vector->count && i < 8; i += at_once) {
        const uint32_t half = to + i * each / 64 * 2 * PTX__SLOT; /* of 128 bits */
        struct ptx__op *op;

        if (each >= 64) {
            move(lower, half, slots[i], each);
            continue;
        }
        op = ptx__emit_key(lower, bits >= 64 ? "pack.64" : "pack.32");
        op->d = half;
        op->imm = each;
        ptx__emit_list(lower, op, &slots[i], at_once);
    }
}

/* Moves a vector. All elements are read before one is written: "{a, b}, {b, a}" swaps. */
static void move_each(struct ptx__lowering *lower, const struct ptx__operand *d,
                      const struct ptx__operand *a, enum ptx__type type)
{
    const unsigned bits = ptx__type_bits(type);
    uint32_t copies[4];

    for (uint32_t i = 0; i < a->count && i < 4; i++) {
        copies[i] = ptx__new_slot(lower, bits);
        move(lower, copies[i], ptx__source(lower, &a->elements[i], type), bits);
    }
    for (uint32_t i = 0; i < d->count && i < 4; i++)
        if (d->elements[i].kind != PTX_SINK)
            move(lower, ptx__target(lower, &d->elements[i]), copies[i], bits);
}

static void lower_mov(struct ptx__lowering *lower)
{
    const struct ptx__operand *d = &lower->at->operands[0], *a = &lower->at->operands[1];
    const enum ptx__type type = ptx__type_of(lower->at, 0);
    uint32_t from;

    if (d->kind == PTX_VECTOR && a->kind != PTX_VECTOR) {
        unpack(lower, d, a, type);
    } else if (a->kind == PTX_VECTOR && d->kind != PTX_VECTOR) {
        pack(lower, d, a, type);
    } else if (d->kind == PTX_VECTOR) {
        move_each(lower, d, a, type);
    } else {
        from = ptx__source(lower, a, type);
        move(lower, ptx__target(lower, d), from, ptx__type_bits(type));
    }
}

/* --- comparisons --- */

/*
 * Makes the words of a comparison, such as "lt" and "u32". Unsigned comparisons have names of their
 * own in PTX, and equality has no sign.
 */
static void comparison(const struct ptx__instruction *at, enum ptx__type type, char key[48])
{
    static const struct {
        enum ptx__modifier modifier;
        const char *word;
    } words[] = {{PTX_MOD_LO, "lt"}, {PTX_MOD_LS, "le"}, {PTX_MOD_HI, "gt"}, {PTX_MOD_HS, "ge"}};
    const char *word = ptx__modifier_name(at->modifiers[0]);
    const bool equality = at->modifiers[0] == PTX_MOD_EQ || at->modifiers[0] == PTX_MOD_NE;
    char text[16];

    snprintf(text, sizeof(text), "%s", ptx__type_name(type));
    for (size_t i = 0; i < 4; i++) {
        if (at->modifiers[0] == words[i].modifier) {
            word = words[i].word;
            snprintf(text, sizeof(text), "u%u", ptx__type_bits(type));
        }
    }
    if (!ptx__is_float(type) && (equality || ptx__type_class(type) == PTX_BITS))
        snprintf(text, sizeof(text), "u%u", ptx__type_bits(type));
    snprintf(key, 48, "setp.%s.%s%s", word,
             ptx__has(at, PTX_MOD_FTZ) && ptx__is_float(type) ? "ftz." : "", text);
}

static const char *combination(const struct ptx__instruction *at)
{
    if (ptx__has(at, PTX_MOD_AND))
        return "and.pred";
    if (ptx__has(at, PTX_MOD_OR))
        return "or.pred";
    return ptx__has(at, PTX_MOD_XOR) ? "xor.pred" : NULL;
}

/* Returns the predicate of the comparison itself, before it is combined with another one. */
static uint32_t compare(struct ptx__lowering *lower, enum ptx__type type, uint32_t target)
{
    const struct ptx__instruction *at = lower->at;
    const uint32_t a = ptx__source(lower, &at->operands[1], type),
                   b = ptx__source(lower, &at->operands[2], type);
    char key[48];

    comparison(at, type, key);
    ptx__emit_slots(lower, key, target, a, b, 0);
    return target;
}

static uint32_t half_of(struct ptx__lowering *lower, uint32_t slot, unsigned number)
{
    const uint32_t to = ptx__new_slot(lower, 32);
    struct ptx__op *op = ptx__emit_slots(lower, "unpack.32", to, slot, slot, slot);

    op->imm = (uint64_t) number * 16 << 8 | 16;
    return to;
}

/* Compares the lower halves and the upper halves. */
static void compare_halves(struct ptx__lowering *lower, enum ptx__type part, uint32_t results[2])
{
    const struct ptx__operand *o = lower->at->operands;
    const uint32_t a = ptx__source(lower, &o[1], PTX_B32), b = ptx__source(lower, &o[2], PTX_B32);
    const char *word = combination(lower->at);
    const uint32_t c = word ? ptx__source(lower, &o[3], PTX_PRED) : 0;
    char key[48];

    comparison(lower->at, part, key);
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t x = half_of(lower, a, i), y = half_of(lower, b, i);

        results[i] = ptx__new_slot(lower, 1);
        ptx__emit_slots(lower, key, results[i], x, y, 0);
        if (word)
            ptx__emit_slots(lower, word, results[i], results[i], c, 0);
    }
}

static void setp_halves(struct ptx__lowering *lower, enum ptx__type part)
{
    const struct ptx__operand *o = lower->at->operands;
    uint32_t results[2];

    compare_halves(lower, part, results);
    ptx__emit_slots(lower, "mov.pred", ptx__target(lower, &o[0]), results[0], results[0], 0);
    if (o[0].kind == PTX_PAIR && o[0].elements[1].kind == PTX_REGISTER)
        ptx__emit_slots(lower, "mov.pred", ptx__target(lower, &o[0].elements[1]), results[1],
                        results[1], 0);
}

/* p = comparison op c; q = !comparison op c. */
static void lower_setp(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const enum ptx__type type = ptx__type_of(at, 0);
    const struct ptx__operand *d = &at->operands[0];
    const char *word = combination(at);
    const bool pair = d->kind == PTX_PAIR;
    uint32_t c = 0, result;
    struct ptx__op *op;

    if (type == PTX_F16X2 || type == PTX_BF16X2) {
        setp_halves(lower, type == PTX_F16X2 ? PTX_F16 : PTX_BF16);
        return;
    }
    if (!word && !pair) {
        compare(lower, type, ptx__target(lower, d));
        return;
    }
    if (word)
        c = ptx__source(lower, &at->operands[3], PTX_PRED);
    result = compare(lower, type, ptx__new_slot(lower, 1));
    /* c may be one of the results, so it is copied first. */
    if (word && pair) {
        const uint32_t copy = ptx__new_slot(lower, 1);

        ptx__emit_slots(lower, "mov.pred", copy, c, c, 0);
        c = copy;
    }
    ptx__emit_slots(lower, word ? word : "mov.pred", ptx__target(lower, d), result,
                    word ? c : result, 0);
    if (!pair || d->elements[1].kind != PTX_REGISTER)
        return;
    op = ptx__emit_slots(lower, word ? word : "mov.pred", ptx__target(lower, &d->elements[1]),
                         result, word ? c : result, 0);
    op->imm = 1; /* the opposite of the comparison */
}

/* Returns what `set` yields for true: all ones or 1.0, in each half of a packed result. */
static uint32_t truth(enum ptx__type to, bool halves)
{
    switch (to) {
    case PTX_F32:
        return 0x3f800000;
    case PTX_F16:
    case PTX_F16X2:
        return 0x3c00;
    case PTX_BF16:
    case PTX_BF16X2:
        return 0x3f80;
    default:
        return halves || ptx__type_bits(to) == 16 ? 0xffff : 0xffffffff;
    }
}

static void choose(struct ptx__lowering *lower, uint32_t target, uint32_t value, uint32_t predicate)
{
    const uint32_t yes = ptx__constant_slot(lower, 32, PTX__FILL_VALUE, value, 0),
                   no = ptx__constant_slot(lower, 32, PTX__FILL_VALUE, 0, 0);

    ptx__emit_slots(lower, "selp.u32", target, yes, no, predicate);
}

static void set_halves(struct ptx__lowering *lower, enum ptx__type to, enum ptx__type part)
{
    uint32_t results[2], parts[2];
    struct ptx__op *op;

    compare_halves(lower, part, results);
    for (unsigned i = 0; i < 2; i++) {
        parts[i] = ptx__new_slot(lower, 32);
        choose(lower, parts[i], truth(to, true), results[i]);
    }
    op = ptx__emit_key(lower, "pack.32");
    op->d = ptx__target(lower, &lower->at->operands[0]);
    op->imm = 16;
    ptx__emit_list(lower, op, parts, 2);
}

static void lower_set(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const enum ptx__type to = ptx__type_of(at, 0), type = ptx__type_of(at, 1);
    const char *word = combination(at);
    uint32_t result;

    if (type == PTX_F16X2 || type == PTX_BF16X2) {
        set_halves(lower, to, type == PTX_F16X2 ? PTX_F16 : PTX_BF16);
        return;
    }
    result = compare(lower, type, ptx__new_slot(lower, 1));
    if (word)
        ptx__emit_slots(lower, word, result, result, ptx__source(lower, &at->operands[3], PTX_PRED),
                        0);
    choose(lower, ptx__target(lower, &at->operands[0]), truth(to, false), result);
}

static void lower_selp(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const enum ptx__type type = ptx__type_of(at, 0);
    const uint32_t a = ptx__source(lower, &at->operands[1], type),
                   b = ptx__source(lower, &at->operands[2], type),
                   c = ptx__source(lower, &at->operands[3], PTX_PRED);

    ptx__emit_slots(lower, ptx__type_bits(type) <= 32 ? "selp.u32" : "selp.u64",
                    ptx__target(lower, &at->operands[0]), a, b, c);
}

bool ptx__lower_data(struct ptx__lowering *lower)
{
    switch (lower->at->opcode) {
    case PTX_OP_MOV:
        lower_mov(lower);
        return true;
    case PTX_OP_SETP:
        lower_setp(lower);
        return true;
    case PTX_OP_SET:
        lower_set(lower);
        return true;
    case PTX_OP_SELP:
        lower_selp(lower);
        return true;
    case PTX_OP_CVT:
        ptx__lower_cvt(lower);
        return true;
    default:
        return false;
    }
}
