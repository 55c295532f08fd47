/* SPDX-License-Identifier: MIT */
/* Operations that are computed from their operands alone: a table of expressions
 * (plain_table.c), and writing them (plain.c). */
#ifndef CUSHIM_MOCK_PTX_JIT_PLAIN_H
#define CUSHIM_MOCK_PTX_JIT_PLAIN_H

#include "mock/ptx/jit/text.h"

struct ptx__expression {
    const char *key, *text;
};

/* The operands of an operation: its slots a, b, c and e, and its imm. */
struct ptx__jit_operands {
    struct ptx__jit_value slots[4];
    uint64_t imm;
};

/* Returns the expression of a handler's key, or NULL if there is none. */
const struct ptx__expression *ptx__plain_row(const char *key, size_t length);

/* How many of the operands a, b, c and e it uses. */
unsigned ptx__plain_operands(const struct ptx__expression *expression);

/*
 * The result of an operation of .f32 that is a NaN is the device's, whichever one its operands are.
 * So where such operations follow each other, only the last one has to see to that: it may be any
 * NaN as long as nothing else than numbers are computed from it. These tell whether an operation
 * has such a result, or takes all of its operands for numbers; and the last one makes of any NaN
 * the device's.
 */
bool ptx__plain_makes_number(const struct ptx__expression *expression);
bool ptx__plain_takes_numbers(const struct ptx__expression *expression);
struct ptx__jit_value ptx__plain_settle(struct ptx__jit_text *text, struct ptx__jit_value value);

/* Writes the instructions. The value has the type of the slot's lanes: i1, i32 or i64. Of what
 * makes a number, the other function leaves any NaN. */
struct ptx__jit_value ptx__plain_write(struct ptx__jit_text *text,
                                       const struct ptx__expression *expression,
                                       const struct ptx__jit_operands *operands);
struct ptx__jit_value ptx__plain_write_number(struct ptx__jit_text *text,
                                              const struct ptx__expression *expression,
                                              const struct ptx__jit_operands *operands);

#endif
