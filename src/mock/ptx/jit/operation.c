/* SPDX-License-Identifier: MIT */
/* Operations that are computed from their operands. */
#include <string.h>

#include "mock/ptx/jit/emit.h"

static struct ptx__jit_value as_64(struct ptx__jit_emit *emit, bool sign,
                                   struct ptx__jit_value value)
{
    return ptx__jit_cast(&emit->text, sign ? "sext" : "zext", value, PTX__JIT_I64);
}

static struct ptx__jit_value extreme(struct ptx__jit_emit *emit, const char *compare,
                                     struct ptx__jit_value value)
{
    return ptx__jit_select(&emit->text,
                           ptx__jit_compare(&emit->text, compare, value, ptx__jit_i64(0)), value,
                           ptx__jit_i64(0));
}

/* The distance from the first thread that is looked at to the last one, with a step. */
static struct ptx__jit_value span_of(struct ptx__jit_emit *emit, int64_t step, unsigned type)
{
    struct ptx__jit_text *text = &emit->text;

    if (emit->sweep != PTX__JIT_LOOKS)
        return ptx__jit_number(type, (uint64_t) (step * ((int64_t) emit->flow->row - 1)));
    return ptx__jit_binary(text, "mul", ptx__jit_cast(text, "zext", emit->last_thread, type),
                           ptx__jit_number(type, (uint64_t) step));
}

/*
 * A value of 32 bits with steps becomes one of 64 if no lane's value wraps around in between. If
 * one does, the interpreter does the operation.
 */
static struct ptx__jit_value stays_in_range(struct ptx__jit_emit *emit,
                                            const struct ptx__jit_operand *operand, bool sign)
{
    const int64_t least = sign ? INT32_MIN : 0, most = sign ? INT32_MAX : UINT32_MAX;
    const struct ptx__jit_value span = span_of(emit, operand->form.step, PTX__JIT_I64);
    struct ptx__jit_text *text = &emit->text;
    struct ptx__jit_value low = as_64(emit, sign, operand->base), high = low;

    if (operand->form.rows) {
        const struct ptx__jit_value all =
            ptx__jit_binary(text, "mul", as_64(emit, true, operand->rows),
                            ptx__jit_i64(PTX__LANES / emit->flow->row - 1));

        low = ptx__jit_binary(text, "add", low, extreme(emit, "icmp slt", all));
        high = ptx__jit_binary(text, "add", high, extreme(emit, "icmp sgt", all));
    }
    if (operand->form.step < 0)
        low = ptx__jit_binary(text, "add", low, span);
    else
        high = ptx__jit_binary(text, "add", high, span);
    return ptx__jit_binary(text, "and",
                           ptx__jit_compare(text, "icmp sge", low, ptx__jit_i64((uint64_t) least)),
                           ptx__jit_compare(text, "icmp sle", high, ptx__jit_i64((uint64_t) most)));
}

static void check_widening(struct ptx__jit_emit *emit, size_t number,
                           const struct ptx__jit_operand *operands, unsigned n, bool sign)
{
    struct ptx__jit_value fits = ptx__jit_number(PTX__JIT_I1, 1);

    if (emit->sweep == PTX__JIT_SWEEPS)
        return;
    for (unsigned i = 0; i < n; i++) {
        if ((operands[i].form.step || operands[i].form.rows) && !operands[i].form.spare)
            fits =
                ptx__jit_binary(&emit->text, "and", stays_in_range(emit, &operands[i], sign), fits);
    }
    if (emit->early)
        emit->fits = ptx__jit_binary(&emit->text, "and", fits, emit->fits);
    else if (!fits.literal)
        ptx__jit_leave_unless(emit, number, fits);
}

/* What is not done before a copy has a value for each lane, if it could have been. */
static struct ptx__jit_form form_of_result(const struct ptx__jit_emit *emit, size_t number)
{
    if (emit->flow->ops[number].early && !emit->early)
        return (struct ptx__jit_form){.known = true, .vector = true};
    return ptx__jit_form_of(emit->flow, number);
}

/* The step of rows of a result: the operation itself, on the steps of its operands. */
static struct ptx__jit_value row_step(struct ptx__jit_emit *emit, size_t number,
                                      const struct ptx__jit_operand *o, bool sign)
{
    const char *key = emit->flow->ops[number].keyed->key;
    struct ptx__jit_text *text = &emit->text;
    const bool wide = strstr(key, ".wide.");
    struct ptx__jit_value steps[3], zero = ptx__jit_number(PTX__JIT_ANY, 0), product;

    for (unsigned i = 0; i < 3; i++)
        steps[i] = o[i].form.rows ? o[i].rows : zero;
    if (!strncmp(key, "add.", 4) || !strncmp(key, "sub.", 4)) {
        steps[0].type = steps[1].type = o[0].base.type;
        return ptx__jit_binary(text, *key == 'a' ? "add" : "sub", steps[0], steps[1]);
    }
    if (!strncmp(key, "shl.", 4))
        return ptx__jit_binary(text, "shl", steps[0],
                               ptx__jit_number(steps[0].type, o[1].base.number));
    if (strncmp(key, "mul.", 4) && strncmp(key, "mad.", 4))
        return !strcmp(key, "cvt.u32.u64")   ? ptx__jit_cast(text, "trunc", steps[0], PTX__JIT_I32)
               : strncmp(key, "cvt.u64.", 8) ? steps[0]
                                             : as_64(emit, true, steps[0]);
    if (!o[0].form.rows && !o[1].form.rows)
        return steps[2];
    product = ptx__jit_binary(
        text, "mul",
        wide ? as_64(emit, o[0].form.rows || sign, o[0].form.rows ? steps[0] : o[0].base)
        : o[0].form.rows ? steps[0]
                         : o[0].base,
        wide ? as_64(emit, o[1].form.rows || sign, o[1].form.rows ? steps[1] : o[1].base)
        : o[1].form.rows ? steps[1]
                         : o[1].base);
    return o[2].form.rows && *key == 'm' && key[1] == 'a'
               ? ptx__jit_binary(text, "add", product, steps[2])
               : product;
}

/* Operations with four sources, and address.add, are not among those whose bits are noted. */
static unsigned bits_of(const struct ptx__keyed *keyed, unsigned operand)
{
    const uint8_t noted[] = {keyed->a, keyed->b, keyed->c};

    if (keyed->d)
        return noted[operand];
    return operand < 2 && strcmp(keyed->key, "bfi.u32") ? 64 : 32;
}

/* --- comparisons --- */

/* Which of two operands has a step, if the other one is the same in all lanes; else 2. */
static unsigned stepped_operand(const struct ptx__jit_operand *operands)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct ptx__jit_form a = operands[i].form, b = operands[1 - i].form;

        if (!a.vector && !a.rows && a.step > 0 && !b.vector && !b.rows && !b.step)
            return i;
    }
    return 2;
}

/* Whether an order is asked for, of which numbers: 's' or 'u'. 0: neither. */
static char order_of(const char *key)
{
    static const char *const orders[] = {"lt.", "le.", "gt.", "ge."};

    if (strncmp(key, "setp.", 5) || (strcmp(key + 9, "32") && strcmp(key + 9, "64")))
        return 0;
    for (unsigned i = 0; i < 4; i++) {
        if (!strncmp(key + 5, orders[i], 3))
            return key[8] == 's' || key[8] == 'u' ? key[8] : 0;
    }
    return 0;
}

/*
 * If the first lane and the last one have the same result, so have those in between, unless the
 * values wrap around. So most warps need not compare all their lanes.
 */
static void compare_ends(struct ptx__jit_emit *emit, const struct ptx__jit_op *op,
                         const struct ptx__jit_operand *operands, struct ptx__jit_value lanes)
{
    const char order = order_of(op->keyed->key);
    const unsigned stepped = order ? stepped_operand(operands) : 2;
    struct ptx__jit_operands values = {.slots = {operands[0].base, operands[1].base}};
    struct ptx__jit_value first, last, same, span;
    unsigned type;
    uint64_t most;

    if (stepped == 2 || !emit->full || emit->copying || emit->sweep == PTX__JIT_SWEEPS)
        return;
    type = op->keyed->key[9] == '3' ? PTX__JIT_I32 : PTX__JIT_I64;
    most = UINT64_MAX >> (64 - ptx__jit_bits(type) + (order == 's'));
    if ((uint64_t) operands[stepped].form.step * (PTX__MAX_WARPS * PTX__LANES) > most)
        return;
    span = span_of(emit, operands[stepped].form.step, type);
    first = ptx__plain_write(&emit->text, op->plain, &values);
    same =
        ptx__jit_compare(&emit->text, order == 's' ? "icmp sle" : "icmp ule", values.slots[stepped],
                         ptx__jit_binary(&emit->text, "sub", ptx__jit_number(type, most), span));
    values.slots[stepped] = ptx__jit_binary(&emit->text, "add", values.slots[stepped], span);
    last = ptx__plain_write(&emit->text, op->plain, &values);
    same = ptx__jit_binary(&emit->text, "and", same,
                           ptx__jit_compare(&emit->text, "icmp eq", first, last));
    emit->compared = (struct ptx__jit_comparison){.lanes = lanes, .same = same, .first = first};
}

void ptx__jit_plain(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__jit_op *op = &emit->flow->ops[number];
    const struct ptx__op *code = &emit->flow->code->ops[number];
    const unsigned n = ptx__plain_operands(op->plain);
    const uint32_t offsets[4] = {code->a, code->b, code->c, n > 3 ? code->list[0] : 0};
    struct ptx__jit_operand operands[4] = {{.any_nan = false}};
    struct ptx__jit_operand result = {.form = form_of_result(emit, number)};
    struct ptx__jit_operands values = {.imm = code->imm};
    const char *widening = strstr(op->keyed->key, ".wide.");
    const bool sign = strstr(op->keyed->key, ".s32");
    const bool numbers = ptx__plain_takes_numbers(op->plain);

    for (unsigned i = 0; i < n; i++)
        operands[i] = numbers ? ptx__jit_read_number(emit, offsets[i])
                              : ptx__jit_read(emit, offsets[i], bits_of(op->keyed, i));
    if (!result.form.vector && (widening || !strncmp(op->keyed->key, "cvt.u64.", 8))) {
        check_widening(emit, number, operands, n < 2 ? n : 2, sign);
    }
    for (unsigned i = 0; i < n; i++)
        values.slots[i] =
            result.form.vector ? ptx__jit_vector(emit, &operands[i]) : operands[i].base;
    result.any_nan = ptx__plain_makes_number(op->plain);
    result.base = result.any_nan ? ptx__plain_write_number(&emit->text, op->plain, &values)
                                 : ptx__plain_write(&emit->text, op->plain, &values);
    if (result.form.rows)
        result.rows = row_step(emit, number, operands, sign);
    compare_ends(emit, op, operands, result.base);
    ptx__jit_write(emit, code->d, &result);
}
