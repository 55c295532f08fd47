/* SPDX-License-Identifier: MIT */
/* Parts of registers, and logic by a table: what they do is known when they are written. */
#include <string.h>

#include "mock/ptx/jit/emit.h"

static struct ptx__jit_operand result_of(struct ptx__jit_emit *emit, size_t number)
{
    return (struct ptx__jit_operand){.form = ptx__jit_form_of(emit->flow, number)};
}

/* An operand as the result needs it: for each lane, or one for all. */
static struct ptx__jit_value operand(struct ptx__jit_emit *emit,
                                     const struct ptx__jit_operand *result, uint32_t slot,
                                     unsigned bits)
{
    const struct ptx__jit_operand read = ptx__jit_read(emit, slot, bits);

    return result->form.vector ? ptx__jit_vector(emit, &read) : read.base;
}

static struct ptx__jit_value number(uint64_t value)
{
    return ptx__jit_number(PTX__JIT_ANY, value);
}

static struct ptx__jit_value field(struct ptx__jit_emit *emit, struct ptx__jit_value value,
                                   unsigned bits)
{
    if (bits >= 32)
        return value;
    return ptx__jit_binary(&emit->text, "and", value, number((UINT64_C(1) << bits) - 1));
}

/* imm: the number of the first bit << 8 | the number of bits. */
void ptx__jit_unpack(struct ptx__jit_emit *emit, size_t number_of_op)
{
    const struct ptx__op *code = &emit->flow->code->ops[number_of_op];
    const bool wide = !strcmp(emit->flow->ops[number_of_op].keyed->key, "unpack.64");
    const unsigned shift = (unsigned) (code->imm >> 8), bits = code->imm & 0xff;
    struct ptx__jit_operand result = result_of(emit, number_of_op);
    struct ptx__jit_value value = operand(emit, &result, code->a, wide ? 64 : 32);

    if (bits != 64) {
        value = ptx__jit_binary(&emit->text, "lshr", value, number(shift));
        value = field(emit, ptx__jit_cast(&emit->text, "trunc", value, PTX__JIT_I32), bits);
    }
    result.base = value;
    ptx__jit_write(emit, code->d, &result);
}

/* imm: the bits of each part. */
void ptx__jit_pack(struct ptx__jit_emit *emit, size_t number_of_op)
{
    const struct ptx__op *code = &emit->flow->code->ops[number_of_op];
    const bool wide = !strcmp(emit->flow->ops[number_of_op].keyed->key, "pack.64");
    const unsigned bits = (unsigned) code->imm, type = wide ? PTX__JIT_I64 : PTX__JIT_I32;
    struct ptx__jit_operand result = result_of(emit, number_of_op);

    result.base = ptx__jit_number(type, 0);
    for (unsigned i = 0; i < code->n_list; i++) {
        struct ptx__jit_value part = field(emit, operand(emit, &result, code->list[i], 32), bits);

        part = ptx__jit_cast(&emit->text, "zext", part, type);
        part = ptx__jit_binary(&emit->text, "shl", part, number(i * bits));
        result.base = ptx__jit_binary(&emit->text, "or", result.base, part);
    }
    ptx__jit_write(emit, code->d, &result);
}

static struct ptx__jit_value inverted(struct ptx__jit_emit *emit, struct ptx__jit_value value)
{
    return ptx__jit_binary(&emit->text, "xor", value, number(UINT32_MAX));
}

/* The terms of a table's ones: each operand, or its complement. */
void ptx__jit_lop3(struct ptx__jit_emit *emit, size_t number_of_op)
{
    const struct ptx__op *code = &emit->flow->code->ops[number_of_op];
    const uint32_t slots[3] = {code->a, code->b, code->c};
    struct ptx__jit_operand result = result_of(emit, number_of_op);
    struct ptx__jit_value operands[3][2];
    uint64_t table = 0;

    ptx__jit_literal(emit->flow, code->list[0], &table);
    for (unsigned i = 0; i < 3; i++) {
        operands[i][1] = operand(emit, &result, slots[i], 32);
        operands[i][0] = inverted(emit, operands[i][1]);
    }
    result.base = ptx__jit_number(PTX__JIT_I32, 0);
    for (unsigned i = 0; i < 8; i++) {
        struct ptx__jit_value term;

        if (!(table >> i & 1))
            continue;
        term = ptx__jit_binary(&emit->text, "and", operands[0][i >> 2], operands[1][i >> 1 & 1]);
        term = ptx__jit_binary(&emit->text, "and", term, operands[2][i & 1]);
        result.base = ptx__jit_binary(&emit->text, "or", result.base, term);
    }
    ptx__jit_write(emit, code->d, &result);
}
