/* SPDX-License-Identifier: MIT */
/*
 * All other instructions. The key is the name with its modifiers and types, except those that make
 * no difference here. The operands become slots in their order.
 */
#include <stdio.h>
#include <string.h>

#include "mock/ptx/lower/lower.h"

/* Tells whether the instruction does the same with signed, unsigned and untyped operands. */
static bool ignores_sign(const struct ptx__instruction *at)
{
    switch (at->opcode) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_NEG:
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_NOT:
    case PTX_OP_CNOT:
    case PTX_OP_SHL:
    case PTX_OP_ADDC:
    case PTX_OP_SUBC:
        return !ptx__has(at, PTX_MOD_SAT);
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_MADC:
        return ptx__has(at, PTX_MOD_LO);
    default:
        return ptx__type_class(ptx__type_of(at, 0)) == PTX_BITS;
    }
}

static void add_word(char *key, size_t size, const char *word)
{
    const size_t length = strlen(key);

    snprintf(key + length, size - length, ".%s", word);
}

/*
 * Tells whether a modifier is not in the key: rounding to nearest is the default, and saturation is
 * a separate operation.
 */
static bool is_left_out(const struct ptx__instruction *at, enum ptx__modifier modifier)
{
    if (modifier == PTX_MOD_SAT)
        return ptx__is_float(ptx__type_of(at, 0));
    return modifier == PTX_MOD_RN || modifier == PTX_MOD_UNI || modifier == PTX_MOD_APPROX ||
           modifier == PTX_MOD_SYNC;
}

static bool is_approximate(const struct ptx__instruction *at)
{
    return ptx__has(at, PTX_MOD_APPROX) &&
           (at->opcode == PTX_OP_RCP || at->opcode == PTX_OP_SQRT || at->opcode == PTX_OP_DIV);
}

static void add_type(const struct ptx__instruction *at, unsigned number, char *key, size_t size)
{
    const enum ptx__type type = ptx__type_of(at, number);
    const unsigned bits = ptx__type_bits(type);
    char text[16];

    if ((at->opcode == PTX_OP_SLCT && number == 0) ||
        (ptx__type_class(type) == PTX_BITS && type != PTX_B128) ||
        (ptx__is_integer(type) && at->opcode != PTX_OP_SLCT && ignores_sign(at))) {
        snprintf(text, sizeof(text), "u%u", bits);
        add_word(key, size, text);
    } else {
        add_word(key, size, ptx__type_name(type));
    }
}

/* For .f32 and .f64, mad is fma. Without .approx and .full, an operation has full precision. */
static const char *name_of(const struct ptx__instruction *at)
{
    if (at->opcode == PTX_OP_MAD && ptx__is_float(ptx__type_of(at, 0)))
        return "fma";
    return ptx__opcode_name(at->opcode);
}

static void make_key(const struct ptx__instruction *at, char *key, size_t size)
{
    snprintf(key, size, "%s%s", name_of(at), is_approximate(at) ? ".approx" : "");
    for (unsigned i = 0; i < at->n_modifiers; i++) {
        if (!is_left_out(at, at->modifiers[i]))
            add_word(key, size, ptx__modifier_name(at->modifiers[i]));
    }
    for (unsigned i = 0; i < at->n_types; i++)
        add_type(at, i, key, size);
}

/* Returns the type as which an operand is read. */
static enum ptx__type operand_type(const struct ptx__instruction *at, uint32_t number)
{
    const struct ptx__shape *shape = &ptx__shapes[ptx__forms[at->form].first_shape];
    const uint32_t n = ptx__forms[at->form].n_shapes;
    enum ptx__type type = ptx__type_of(at, 0);

    if (number < n && shape[number].kind == PTX_SHAPE_TYPED) {
        type = shape[number].type >= 100 ? ptx__type_of(at, shape[number].type - 100u)
                                         : (enum ptx__type) shape[number].type;
        if (shape[number].wide)
            type = ptx__type_bits(type) == 16 ? PTX_U32 : PTX_U64;
    }
    return type;
}

static void saturate(struct ptx__lowering *lower, uint32_t slot)
{
    const struct ptx__instruction *at = lower->at;
    char key[32];

    if (!ptx__has(at, PTX_MOD_SAT) || !ptx__is_float(ptx__type_of(at, 0)))
        return;
    snprintf(key, sizeof(key), "sat.%s", ptx__type_name(ptx__type_of(at, 0)));
    ptx__emit_slots(lower, key, slot, slot, slot, slot);
}

/* --- two .f32 in one register, and .f32 with operands of half precision --- */

static uint32_t half_of(struct ptx__lowering *lower, uint32_t slot, unsigned number)
{
    const uint32_t to = ptx__new_slot(lower, 32);
    struct ptx__op *op = ptx__emit_slots(lower, "unpack.64", to, slot, slot, slot);

    op->imm = (uint64_t) number * 32 << 8 | 32;
    return to;
}

/* Writes the key of the same operation on plain .f32. */
static void single_key(const struct ptx__instruction *at, char *key, size_t size)
{
    struct ptx__instruction single = *at;

    single.n_types = 1;
    single.types[0] = PTX_F32;
    make_key(&single, key, size);
}

static void lower_pairs(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const uint32_t n = at->n_operands - 1;
    uint32_t sources[3] = {0}, results[2];
    struct ptx__op *op;
    char key[96];
    uint32_t d;

    single_key(at, key, sizeof(key));
    for (uint32_t i = 0; i < n && i < 3; i++)
        sources[i] = ptx__source(lower, &at->operands[i + 1], PTX_F32X2);
    for (unsigned h = 0; h < 2; h++) {
        uint32_t halves[3] = {0};

        for (uint32_t i = 0; i < n && i < 3; i++)
            halves[i] = half_of(lower, sources[i], h);
        results[h] = ptx__new_slot(lower, 32);
        ptx__emit_slots(lower, key, results[h], halves[0], halves[1], halves[2]);
    }
    d = ptx__target(lower, &at->operands[0]);
    op = ptx__emit_key(lower, "pack.64");
    op->d = d;
    op->imm = 32;
    ptx__emit_list(lower, op, results, 2);
}

static void lower_mixed(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const enum ptx__type narrow = ptx__type_of(at, 1);
    const uint32_t n = at->n_operands - 1;
    uint32_t slots[3] = {0}, d;
    char key[96];

    single_key(at, key, sizeof(key));
    for (uint32_t i = 0; i < n && i < 3; i++) {
        const enum ptx__type type = operand_type(at, i + 1);

        slots[i] = ptx__source(lower, &at->operands[i + 1], type);
        if (type == narrow) {
            const uint32_t wide = ptx__new_slot(lower, 32);

            ptx__emit_slots(lower, narrow == PTX_F16 ? "cvt.f32.f16" : "cvt.f32.bf16", wide,
                            slots[i], slots[i], 0);
            slots[i] = wide;
        }
    }
    d = ptx__target(lower, &at->operands[0]);
    ptx__emit_slots(lower, key, d, slots[0], slots[1], slots[2]);
    saturate(lower, d);
}

static bool is_arithmetic(const struct ptx__instruction *at)
{
    return at->opcode == PTX_OP_ADD || at->opcode == PTX_OP_SUB || at->opcode == PTX_OP_MUL ||
           at->opcode == PTX_OP_FMA;
}

/* The minimum and the maximum of three: two operations, one after the other. */
static bool lower_three(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    struct ptx__instruction two = *at;
    uint32_t slots[3], first;
    char key[96];

    if ((at->opcode != PTX_OP_MIN && at->opcode != PTX_OP_MAX) || at->n_operands != 4)
        return false;
    two.n_modifiers = 0;
    for (unsigned i = 0; i < at->n_modifiers; i++)
        if (at->modifiers[i] != PTX_MOD_ABS)
            two.modifiers[two.n_modifiers++] = at->modifiers[i];
    make_key(&two, key, sizeof(key));
    for (unsigned i = 0; i < 3; i++) {
        slots[i] = ptx__source(lower, &at->operands[i + 1], PTX_F32);
        if (ptx__has(at, PTX_MOD_ABS)) {
            const uint32_t magnitude = ptx__new_slot(lower, 32);

            ptx__emit_slots(lower, "abs.f32", magnitude, slots[i], slots[i], 0);
            slots[i] = magnitude;
        }
    }
    first = ptx__new_slot(lower, 32);
    ptx__emit_slots(lower, key, first, slots[0], slots[1], 0);
    ptx__emit_slots(lower, key, ptx__target(lower, &at->operands[0]), first, slots[2], 0);
    return true;
}

bool ptx__lower_plain(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    uint32_t slots[6] = {0}, extra = 0, d;
    struct ptx__op *op;
    char key[96];
    uint32_t n = at->n_operands < 7 ? at->n_operands : 7;

    if (!at->n_operands)
        return false;
    if (is_arithmetic(at) && ptx__type_of(at, 0) == PTX_F32X2) {
        lower_pairs(lower);
        return true;
    }
    if (is_arithmetic(at) && at->n_types == 2) {
        lower_mixed(lower);
        return true;
    }
    if (lower_three(lower))
        return true;
    for (uint32_t i = 1; i < n; i++) {
        const struct ptx__operand *operand = &at->operands[i];

        if (operand->kind == PTX_NO_OPERAND)
            break;
        slots[i - 1] = ptx__source(lower, operand, operand_type(at, i));
    }
    d = ptx__target(lower, &at->operands[0]);
    if (at->operands[0].kind == PTX_PAIR && at->operands[0].elements[1].kind == PTX_REGISTER)
        extra = ptx__target(lower, &at->operands[0].elements[1]);
    else if (at->operands[0].kind == PTX_PAIR)
        extra = ptx__new_slot(lower, 1);
    make_key(at, key, sizeof(key));
    op = ptx__emit_slots(lower, key, d, slots[0], slots[1], slots[2]);
    if (n > 4 || extra) {
        const uint32_t list[4] = {slots[3], slots[4], slots[5], extra};

        ptx__emit_list(lower, op, list, 4);
    }
    saturate(lower, d);
    return true;
}
