/* SPDX-License-Identifier: MIT */
/*
 * What is known of bits: the lowest ones of a base that are zero, and the highest ones of all
 * lanes' values. A warp's first tid.x is a multiple of 32, so that tid.x / 32 is the same in all
 * its lanes, and so is whether tid.x is below a multiple of 32; tid.x % 32 is the number of the
 * lane. Only values of 32 bits are looked at.
 */
#include <string.h>

#include "mock/ptx/jit/flow.h"

#define WORD     32u
#define TID_BITS 16u

/* --- constants --- */

static unsigned zeros_below(uint32_t word)
{
    return word ? (unsigned) __builtin_ctz(word) : WORD;
}

static unsigned zeros_above(uint32_t word)
{
    return word ? (unsigned) __builtin_clz(word) : WORD;
}

void ptx__jit_know_constant(const struct ptx__jit_flow *flow, const struct ptx__constant *constant,
                            struct ptx__jit_form *form)
{
    if (constant->fill == PTX__FILL_VALUE && constant->value <= UINT32_MAX) {
        form->aligned = (uint8_t) zeros_below((uint32_t) constant->value);
        form->spare = (uint8_t) zeros_above((uint32_t) constant->value);
    } else if (constant->fill == PTX__FILL_TID_X && flow->row == PTX__LANES) {
        form->aligned = 5;
        form->spare = WORD - TID_BITS;
    } else if (constant->fill == PTX__FILL_LANE && flow->row == PTX__LANES) {
        form->aligned = WORD;
        form->spare = WORD - 5;
    }
}

/* --- operations that take steps away --- */

/* An operation of two values, of which the second one may be a number. */
struct pair {
    struct ptx__jit_form a, b;
    bool is_number;
    uint32_t number;
};

static struct pair pair_of(const struct ptx__jit_flow *flow, size_t number)
{
    const struct ptx__op *op = &flow->code->ops[number];
    struct pair pair = {.a = ptx__jit_form_at(flow, number, op->a),
                        .b = ptx__jit_form_at(flow, number, op->b)};
    uint64_t value = 0;

    pair.is_number = ptx__jit_literal(flow, op->b, &value) && value <= UINT32_MAX;
    pair.number = (uint32_t) value;
    return pair;
}

/* The bits in which lanes differ, if their base has none of them; WORD: others may differ, too. */
static unsigned bits_of_lanes(const struct ptx__jit_flow *flow, struct ptx__jit_form form)
{
    const int64_t span = form.step * (PTX__LANES - 1);
    unsigned bits = 0;

    if (!form.known || form.vector || form.rows || flow->row != PTX__LANES || span <= 0 ||
        span >= INT32_MAX)
        return WORD;
    bits = WORD - zeros_above((uint32_t) span);
    return form.aligned >= bits ? bits : WORD;
}

/* Whether all lanes' values are on the same side of a limit. */
static bool is_limit(const char *compare, uint32_t number, unsigned bits)
{
    if (strncmp(compare, "lt.", 3) && strncmp(compare, "ge.", 3)) {
        if ((strncmp(compare, "le.", 3) && strncmp(compare, "gt.", 3)) || number == INT32_MAX ||
            number == UINT32_MAX)
            return false;
        number++;
    }
    return zeros_below(number) >= bits;
}

static const char *behind(const char *key, const char *begin)
{
    return strncmp(key, begin, strlen(begin)) ? NULL : key + strlen(begin);
}

static bool is_word(const char *type)
{
    return !strcmp(type, "u32") || !strcmp(type, "s32");
}

static bool is_shift_right(const char *key)
{
    return !strcmp(key, "shr.u32") || !strcmp(key, "shr.s32");
}

bool ptx__jit_takes_steps(const struct ptx__jit_flow *flow, size_t number,
                          struct ptx__jit_form *ret_form)
{
    const char *key = flow->ops[number].keyed->key, *compare = behind(key, "setp.");
    const struct pair pair = pair_of(flow, number);
    const unsigned bits = bits_of_lanes(flow, pair.a);
    const uint32_t of_lanes = bits < WORD ? (UINT32_C(1) << bits) - 1 : UINT32_MAX;

    *ret_form = (struct ptx__jit_form){.known = true};
    if (!pair.is_number || bits == WORD)
        return false;
    if (is_shift_right(key))
        return pair.number < WORD &&
               (pair.number >= bits || (pair.a.spare && pair.number >= WORD - pair.a.spare));
    if (!strcmp(key, "and.u32") && !(~pair.number & of_lanes))
        ret_form->step = pair.a.step;
    else if (!strcmp(key, "and.u32"))
        return !(pair.number & of_lanes);
    else
        return compare && strlen(compare) == strlen("lt.u32") && is_word(compare + 3) &&
               is_limit(compare, pair.number, bits);
    return true;
}

/* --- bits of results --- */

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned difference(unsigned a, unsigned b)
{
    return a < b ? 0 : a - b;
}

/* One of both may be zero, else there may be one bit more. */
static unsigned spare_of_sum(unsigned a, unsigned b)
{
    return a == WORD ? b : b == WORD ? a : difference(least(a, b), 1);
}

void ptx__jit_know_result(const struct ptx__jit_flow *flow, size_t number,
                          struct ptx__jit_form *form)
{
    const char *key = flow->ops[number].keyed->key;
    const struct pair pair = pair_of(flow, number);
    unsigned aligned = 0, spare = 0;

    if (!strcmp(key, "mov.u32")) {
        aligned = pair.a.aligned;
        spare = pair.a.spare;
    } else if (!strcmp(key, "add.u32")) {
        aligned = least(pair.a.aligned, pair.b.aligned);
        spare = spare_of_sum(pair.a.spare, pair.b.spare);
    } else if (!strcmp(key, "sub.u32")) {
        aligned = least(pair.a.aligned, pair.b.aligned);
        spare = pair.b.spare == WORD ? pair.a.spare : 0;
    } else if (pair.is_number && !strcmp(key, "and.u32")) {
        aligned = pair.a.aligned > pair.b.aligned ? pair.a.aligned : pair.b.aligned;
        spare = pair.a.spare > pair.b.spare ? pair.a.spare : pair.b.spare;
    } else if (pair.is_number && pair.number < WORD && !strcmp(key, "shl.u32")) {
        aligned = least(WORD, pair.a.aligned + pair.number);
        spare = pair.a.spare == WORD ? WORD : difference(pair.a.spare, pair.number);
    } else if (pair.is_number && pair.number < WORD && is_shift_right(key)) {
        aligned = difference(pair.a.aligned, pair.number);
        spare =
            !strcmp(key, "shr.u32") || pair.a.spare ? least(WORD, pair.a.spare + pair.number) : 0;
    }
    form->aligned = (uint8_t) aligned;
    form->spare = (uint8_t) spare;
}
