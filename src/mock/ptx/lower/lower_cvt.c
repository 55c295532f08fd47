/* SPDX-License-Identifier: MIT */
/*
 * cvt is lowered to several steps. Flushing, saturation and .relu come before or after the
 * conversion. Half precision is converted through .f32, integers through 64 bits, and packed values
 * one by one.
 */
#include <stdio.h>
#include <string.h>

#include "mock/ptx/lower/lower.h"

/* Returns an integer in the form that slots have, if its register is wider than its type. */
static uint32_t narrowed(struct ptx__lowering *lower, uint32_t slot, enum ptx__type type,
                         const struct ptx__operand *operand)
{
    const unsigned bits = ptx__type_bits(type);
    uint32_t result;

    if (!ptx__is_integer(type) || ptx__slot_bits(lower, operand) != 64 || bits == 64)
        return slot;
    result = ptx__new_slot(lower, 32);
    ptx__emit_slots(lower, "cvt.u32.u64", result, slot, slot, 0);
    return result;
}

/*
 * Fills the upper bits of a destination that is wider than its type: with the sign or with zeros.
 */
static void extend(struct ptx__lowering *lower, uint32_t target, uint32_t slot, enum ptx__type type,
                   unsigned declared)
{
    const unsigned bits = ptx__type_bits(type);
    char key[32];

    if (ptx__is_signed(type) && declared > bits)
        snprintf(key, sizeof(key), "cvt.u%u.s%u", declared, bits);
    else if (declared == 64 && bits < 64)
        snprintf(key, sizeof(key), "cvt.u64.u32");
    else
        snprintf(key, sizeof(key), declared == 64 ? "mov.u64" : "mov.u32");
    ptx__emit_slots(lower, key, target, slot, slot, slot);
}

static unsigned declared_bits(const struct ptx__lowering *lower, const struct ptx__operand *d,
                              enum ptx__type type)
{
    if (d->kind != PTX_REGISTER)
        return ptx__type_bits(type);
    return ptx__type_bits(lower->function->registers[d->reg].type);
}

/* Converts between integers: saturate, cut, extend. */
static void convert_integer(struct ptx__lowering *lower, enum ptx__type to, enum ptx__type from)
{
    const struct ptx__operand *d = &lower->at->operands[0], *a = &lower->at->operands[1];
    const unsigned to_bits = ptx__type_bits(to), from_bits = ptx__type_bits(from);
    const uint32_t source = narrowed(lower, ptx__source(lower, a, from), from, a);
    const uint32_t target = ptx__target(lower, d), temporary = ptx__new_slot(lower, to_bits);
    const unsigned declared = declared_bits(lower, d, to);
    char key[48];

    if (ptx__has(lower->at, PTX_MOD_SAT)) {
        const uint32_t wide = from_bits == 64 ? source : ptx__new_slot(lower, 64);

        snprintf(key, sizeof(key), "cvt.u64.%s", ptx__type_name(from));
        if (wide != source)
            ptx__emit_slots(lower, key, wide, source, source, source);
        snprintf(key, sizeof(key), "cvt.sat.%s.%s", ptx__type_name(to),
                 ptx__is_signed(from) ? "s64" : "u64");
        ptx__emit_slots(lower, key, temporary, wide, wide, wide);
    } else if (to_bits > from_bits) {
        snprintf(key, sizeof(key), "cvt.u%u.%s", to_bits, ptx__type_name(from));
        ptx__emit_slots(lower, key, temporary, source, source, source);
    } else if (to_bits < from_bits ||
               (to_bits < 32 && (a->kind == PTX_REGISTER || a->kind == PTX_SPECIAL))) {
        /* The register may have more bits than its type. */
        snprintf(key, sizeof(key), "cvt.u%u.u%u", to_bits, from_bits < 32 ? 32 : from_bits);
        ptx__emit_slots(lower, key, temporary, source, source, source);
    } else {
        extend(lower, target, source, to, declared);
        return;
    }
    extend(lower, target, temporary, to, declared);
}

/* --- floating point --- */

struct conversion {
    struct ptx__lowering *lower;
    const struct ptx__instruction *at;
    enum ptx__type to, from;
    const char *mode; /* "rn", or "" */
};

static const char *mode_of(const struct ptx__instruction *at)
{
    static const enum ptx__modifier modes[] = {PTX_MOD_RN,  PTX_MOD_RZ,  PTX_MOD_RM,
                                               PTX_MOD_RP,  PTX_MOD_RNI, PTX_MOD_RZI,
                                               PTX_MOD_RMI, PTX_MOD_RPI, PTX_MOD_RNA};

    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (ptx__has(at, modes[i]))
            return ptx__modifier_name(modes[i]);
    }
    return "";
}

/* Emits an operation on one slot, with the result in a new one. */
static uint32_t step(struct ptx__lowering *lower, const char *key, uint32_t from, unsigned bits)
{
    const uint32_t to = ptx__new_slot(lower, bits);

    ptx__emit_slots(lower, key, to, from, from, from);
    return to;
}

/*
 * Converts from an integer. There are direct conversions of 32 bits to nearest; all others go
 * through 64 bits.
 */
static uint32_t from_integer(struct conversion *conversion, uint32_t slot)
{
    const enum ptx__type from = conversion->from;
    const unsigned bits = ptx__type_bits(from);
    const bool sign = ptx__is_signed(from);
    const bool direct =
        (conversion->to == PTX_F32 || conversion->to == PTX_F64) && !strcmp(conversion->mode, "rn");
    char key[32];

    if (bits == 64)
        return slot;
    if (bits == 32 && direct)
        return slot;
    conversion->from = sign ? PTX_S64 : PTX_U64;
    snprintf(key, sizeof(key), "cvt.u64.%s", ptx__type_name(from));
    return step(conversion->lower, key, slot, 64);
}

/* Converts half precision to .f32, and does what must come before the conversion. */
static uint32_t from_float(struct conversion *conversion, uint32_t slot)
{
    struct ptx__lowering *lower = conversion->lower;
    const struct ptx__instruction *at = conversion->at;

    if (conversion->to == PTX_F64 && !ptx__has(at, PTX_MOD_SAT) &&
        (conversion->from == PTX_F16 || conversion->from == PTX_BF16))
        return slot; /* a NaN keeps its bits, which it would lose in .f32 */
    if (conversion->from == PTX_F16 || conversion->from == PTX_BF16) {
        slot = step(lower, conversion->from == PTX_F16 ? "cvt.f32.f16" : "cvt.f32.bf16", slot, 32);
        conversion->from = PTX_F32;
    } else if (ptx__has(at, PTX_MOD_FTZ) && conversion->from == PTX_F32) {
        slot = step(lower, "flush.f32", slot, 32);
    }
    if (ptx__has(at, PTX_MOD_RELU))
        slot = step(lower, "relu.f32", slot, 32);
    if (ptx__has(at, PTX_MOD_SAT) && !ptx__is_integer(conversion->to))
        slot = step(lower, conversion->from == PTX_F64 ? "sat.f64" : "sat.f32", slot,
                    conversion->from == PTX_F64 ? 64 : 32);
    return slot;
}

/* Rounds to an integer that stays floating point; half precision goes through .f32 and back. */
static uint32_t to_integral(struct conversion *conversion, uint32_t slot)
{
    char key[32];

    if (strlen(conversion->mode) != 3 || conversion->mode[2] != 'i' ||
        ptx__is_integer(conversion->to))
        return slot;
    snprintf(key, sizeof(key), "cvt.%s.%s.%s", conversion->mode, ptx__type_name(conversion->from),
             ptx__type_name(conversion->from));
    slot = step(conversion->lower, key, slot, ptx__type_bits(conversion->from));
    conversion->mode = "rn";
    return slot;
}

/* Emits the conversion itself. */
static void last_step(const struct conversion *conversion, uint32_t target, uint32_t slot)
{
    struct ptx__lowering *lower = conversion->lower;
    const enum ptx__type to = conversion->to, from = conversion->from;
    const bool finite = ptx__has(conversion->at, PTX_MOD_SATFINITE);
    const char *mode = conversion->mode;
    char key[64];

    if (to == from)
        snprintf(key, sizeof(key), to == PTX_F64 ? "mov.u64" : "mov.u32");
    else if (to == PTX_F64 && ptx__is_float(from))
        snprintf(key, sizeof(key), "cvt.f64.%s", ptx__type_name(from));
    else
        snprintf(key, sizeof(key), "cvt.%s%s.%s.%s", *mode ? mode : "rn",
                 finite ? ".satfinite" : "", ptx__type_name(to), ptx__type_name(from));
    ptx__emit_slots(lower, key, target, slot, slot, slot);
    if (ptx__has(conversion->at, PTX_MOD_FTZ) && to == PTX_F32)
        ptx__emit_slots(lower, from == PTX_F64 ? "ftz.f32" : "flush.f32", target, target, target,
                        target);
    if (ptx__has(conversion->at, PTX_MOD_SAT) && ptx__is_integer(from)) {
        snprintf(key, sizeof(key), "sat.%s", ptx__type_name(to));
        ptx__emit_slots(lower, key, target, target, target, target);
    }
}

static void convert(struct ptx__lowering *lower, enum ptx__type to, enum ptx__type from,
                    uint32_t target, uint32_t slot)
{
    struct conversion conversion = {lower, lower->at, to, from, mode_of(lower->at)};

    if (ptx__is_integer(from))
        slot = from_integer(&conversion, slot);
    else
        slot = from_float(&conversion, slot);
    slot = to_integral(&conversion, slot);
    last_step(&conversion, target, slot);
}

/* --- packed values --- */

/* Returns the type of the elements of a packed type; PTX_NO_TYPE for other types. */
static enum ptx__type element_of(enum ptx__type type)
{
    switch (type) {
    case PTX_F16X2:
        return PTX_F16;
    case PTX_BF16X2:
        return PTX_BF16;
    case PTX_E4M3X2:
        return PTX_E4M3;
    case PTX_E5M2X2:
        return PTX_E5M2;
    case PTX_E3M2X2:
        return PTX_E3M2;
    case PTX_E2M3X2:
        return PTX_E2M3;
    case PTX_E2M1X2:
        return PTX_E2M1;
    case PTX_UE8M0X2:
        return PTX_UE8M0;
    default:
        return PTX_NO_TYPE;
    }
}

/* Returns how many bits an element takes: one of 6 bits has a whole byte. */
static unsigned stride_of(enum ptx__type element)
{
    return element == PTX_E2M1 ? 4 : ptx__type_bits(element);
}

static uint32_t element(struct ptx__lowering *lower, uint32_t slot, unsigned number, unsigned bits)
{
    const uint32_t to = ptx__new_slot(lower, 32);
    struct ptx__op *op = ptx__emit_slots(lower, "unpack.32", to, slot, slot, slot);

    op->imm = (uint64_t) number * bits << 8 | bits;
    return to;
}

static void join(struct ptx__lowering *lower, uint32_t target, const uint32_t parts[2],
                 unsigned bits)
{
    struct ptx__op *op = ptx__emit_key(lower, "pack.32");

    op->d = target;
    op->imm = bits;
    ptx__emit_list(lower, op, parts, 2);
}

/* Converts exactly from 8 bits or fewer; .relu comes afterwards. */
static uint32_t widen(struct ptx__lowering *lower, enum ptx__type to, enum ptx__type from,
                      uint32_t slot)
{
    uint32_t wide = ptx__new_slot(lower, 32);
    char key[40];

    snprintf(key, sizeof(key), "cvt.rn%s.%s.%s",
             ptx__has(lower->at, PTX_MOD_SATFINITE) ? ".satfinite" : "", ptx__type_name(to),
             ptx__type_name(from));
    ptx__emit_slots(lower, key, wide, slot, slot, 0);
    if (!ptx__has(lower->at, PTX_MOD_RELU))
        return wide;
    return step(lower, to == PTX_F16 ? "relu.f16" : "relu.bf16", wide, 32);
}

/* Converts packed values. The first of two operands becomes the upper half. */
static void convert_packed(struct ptx__lowering *lower, enum ptx__type to, enum ptx__type from)
{
    const struct ptx__operand *o = lower->at->operands;
    const enum ptx__type part = element_of(to), source = element_of(from);
    uint32_t parts[2], slots[2];

    slots[1] = ptx__source(lower, &o[1], from);
    if (source != PTX_NO_TYPE) {
        slots[0] = element(lower, slots[1], 0, stride_of(source));
        slots[1] = element(lower, slots[1], 1, stride_of(source));
    } else {
        slots[0] = ptx__source(lower, &o[2], from);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (source != PTX_NO_TYPE && ptx__type_bits(source) <= 8) {
            parts[i] = widen(lower, part, source, slots[i]);
            continue;
        }
        parts[i] = ptx__new_slot(lower, 32);
        convert(lower, part, source != PTX_NO_TYPE ? source : from, parts[i], slots[i]);
    }
    join(lower, ptx__target(lower, &o[0]), parts, stride_of(part));
}

/* --- the whole instruction --- */

static void convert_one(struct ptx__lowering *lower, enum ptx__type to, enum ptx__type from)
{
    const struct ptx__operand *d = &lower->at->operands[0], *a = &lower->at->operands[1];
    const uint32_t source = narrowed(lower, ptx__source(lower, a, from), from, a);
    const uint32_t target = ptx__target(lower, d);
    const unsigned declared = declared_bits(lower, d, to);

    if (ptx__is_integer(to) && declared != ptx__type_bits(to)) {
        const uint32_t temporary = ptx__new_slot(lower, ptx__type_bits(to));

        convert(lower, to, from, temporary, source);
        extend(lower, target, temporary, to, declared);
    } else {
        convert(lower, to, from, target, source);
    }
}

void ptx__lower_cvt(struct ptx__lowering *lower)
{
    const enum ptx__type to = ptx__type_of(lower->at, 0), from = ptx__type_of(lower->at, 1);

    if (ptx__has(lower->at, PTX_MOD_RS))
        ptx__refuse_form(lower, "which of the random bits rounds what is not known");
    else if (to == PTX_S2F6X2 || from == PTX_S2F6X2)
        ptx__refuse_form(lower, "how a device rounds and scales numbers of s2f6 is not known");
    else if (ptx__is_integer(to) && ptx__is_integer(from))
        convert_integer(lower, to, from);
    else if (element_of(to) != PTX_NO_TYPE)
        convert_packed(lower, to, from);
    else
        convert_one(lower, to, from);
}
