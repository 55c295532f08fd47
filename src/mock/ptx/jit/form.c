/* SPDX-License-Identifier: MIT */
/* Which values are the same in all lanes of a warp, or have steps between them. */
#include <string.h>

#include "mock/ptx/jit/flow.h"
#include "mock/ptx/jit/plain.h"

#define VECTOR  ((struct ptx__jit_form){.known = true, .vector = true})
#define UNIFORM ((struct ptx__jit_form){.known = true})

/* With a larger step, the lanes of a row may lie all over memory, and no number has their span. */
#define MOST_STEP (INT64_C(1) << 40)

static struct ptx__jit_form stepped(int64_t step, bool rows)
{
    if (step > MOST_STEP || step < -MOST_STEP)
        return VECTOR;
    return (struct ptx__jit_form){.known = true, .step = step, .rows = rows};
}

static bool is_uniform(struct ptx__jit_form form)
{
    return !form.vector && !form.step && !form.rows;
}

static struct ptx__jit_form joined(struct ptx__jit_form a, struct ptx__jit_form b)
{
    struct ptx__jit_form both;

    if (!a.known || !b.known)
        return a.known ? a : b;
    if (a.vector || b.vector || a.step != b.step)
        return VECTOR;
    both = stepped(a.step, a.rows || b.rows);
    both.aligned = a.aligned < b.aligned ? a.aligned : b.aligned;
    both.spare = a.spare < b.spare ? a.spare : b.spare;
    return both;
}

/*
 * Rows of all lanes are all there is of a block of one dimension, or of one whose rows are whole
 * warps.
 */
static struct ptx__jit_form of_fill(const struct ptx__jit_flow *flow,
                                    const struct ptx__constant *constant)
{
    switch (constant->fill) {
    case PTX__FILL_TID_X:
        return flow->row ? stepped(1, false) : VECTOR;
    case PTX__FILL_TID_Y:
        return flow->row ? stepped(0, flow->row < PTX__LANES) : VECTOR;
    case PTX__FILL_TID_Z:
        return flow->row ? UNIFORM : VECTOR;
    case PTX__FILL_LANE:
        return flow->row == PTX__LANES ? stepped(1, false) : VECTOR;
    case PTX__FILL_LANEMASK_EQ:
    case PTX__FILL_LANEMASK_LE:
    case PTX__FILL_LANEMASK_LT:
    case PTX__FILL_LANEMASK_GE:
    case PTX__FILL_LANEMASK_GT:
        return VECTOR;
    default:
        return constant->bytes ? UNIFORM : VECTOR;
    }
}

static struct ptx__jit_form of_constant(const struct ptx__jit_flow *flow,
                                        const struct ptx__jit_slot *slot)
{
    struct ptx__jit_form form = of_fill(flow, slot->constant);

    if (!form.vector && slot->bits == 32)
        ptx__jit_know_constant(flow, slot->constant, &form);
    return form;
}

struct ptx__jit_form ptx__jit_form_at(const struct ptx__jit_flow *flow, size_t number,
                                      uint32_t offset)
{
    const uint16_t slot = ptx__jit_read_at(flow, number, offset);

    return slot == PTX__JIT_NONE ? UNIFORM : flow->slots[slot].form;
}

bool ptx__jit_literal(const struct ptx__jit_flow *flow, uint32_t offset, uint64_t *ret_value)
{
    const uint16_t number = ptx__jit_slot_at(flow, offset);
    const struct ptx__constant *constant =
        number == PTX__JIT_NONE ? NULL : flow->slots[number].constant;

    if (!constant || constant->fill != PTX__FILL_VALUE)
        return false;
    *ret_value = constant->value;
    return true;
}

/* --- operations that keep steps --- */

static struct ptx__jit_form sum(struct ptx__jit_form a, struct ptx__jit_form b, int sign)
{
    if (!a.known || !b.known)
        return (struct ptx__jit_form){0};
    if (a.vector || b.vector)
        return VECTOR;
    return stepped(a.step + sign * b.step, a.rows || b.rows);
}

/* A value times one that is the same in all lanes. Only a constant leaves a constant step. */
static struct ptx__jit_form scaled(const struct ptx__jit_flow *flow, size_t number_of_op,
                                   uint32_t value, uint32_t by)
{
    const struct ptx__jit_form form = ptx__jit_form_at(flow, number_of_op, value),
                               factor = ptx__jit_form_at(flow, number_of_op, by);
    uint64_t number = 0;

    if (!form.known || !factor.known)
        return (struct ptx__jit_form){0};
    if (form.vector || !is_uniform(factor))
        return VECTOR;
    if (!form.step)
        return form;
    if (!ptx__jit_literal(flow, by, &number) || number > INT32_MAX || form.step > INT32_MAX ||
        form.step < -INT32_MAX)
        return VECTOR;
    return stepped(form.step * (int64_t) number, form.rows);
}

static struct ptx__jit_form product(const struct ptx__jit_flow *flow, size_t number)
{
    const struct ptx__op *op = &flow->code->ops[number];
    const struct ptx__jit_form of_a = ptx__jit_form_at(flow, number, op->a);

    return is_uniform(of_a) ? scaled(flow, number, op->b, op->a)
                            : scaled(flow, number, op->a, op->b);
}

static struct ptx__jit_form shifted(const struct ptx__jit_flow *flow, size_t number)
{
    const struct ptx__op *op = &flow->code->ops[number];
    const struct ptx__jit_form form = ptx__jit_form_at(flow, number, op->a),
                               amount = ptx__jit_form_at(flow, number, op->b);
    uint64_t by;

    if (!form.known || !amount.known)
        return (struct ptx__jit_form){0};
    if (is_uniform(form))
        return is_uniform(amount) ? form : VECTOR;
    if (!ptx__jit_literal(flow, op->b, &by) || by > 16 || form.vector || form.step > INT32_MAX ||
        form.step < -INT32_MAX)
        return VECTOR;
    return stepped(form.step * (INT64_C(1) << by), form.rows);
}

/* Steps of 32 bits are those of a signed number. */
static struct ptx__jit_form as_32(struct ptx__jit_form form)
{
    form.step = (int32_t) form.step;
    return form;
}

static bool starts(const char *key, const char *with)
{
    return !strncmp(key, with, strlen(with));
}

/* The result of an operation that keeps steps; other operations do not. */
static bool keeps_steps(const struct ptx__jit_flow *flow, size_t number,
                        struct ptx__jit_form *ret_form)
{
    const struct ptx__op *op = &flow->code->ops[number];
    const char *key = flow->ops[number].keyed->key;
    const bool widens = strstr(key, ".wide.") || starts(key, "cvt.u64.");

    if (widens &&
        (flow->ops[number].inside || (flow->ops[number].copied && !flow->ops[number].early)))
        return false;
    if (!strcmp(key, "mov.u32") || !strcmp(key, "mov.u64") || !strcmp(key, "cvt.u64.u32") ||
        !strcmp(key, "cvt.u64.s32") || !strcmp(key, "cvt.u32.u64") || !strcmp(key, "address.add"))
        *ret_form = ptx__jit_form_at(flow, number, op->a);
    else if (!strcmp(key, "add.u32") || !strcmp(key, "add.u64"))
        *ret_form =
            sum(ptx__jit_form_at(flow, number, op->a), ptx__jit_form_at(flow, number, op->b), 1);
    else if (!strcmp(key, "sub.u32") || !strcmp(key, "sub.u64"))
        *ret_form =
            sum(ptx__jit_form_at(flow, number, op->a), ptx__jit_form_at(flow, number, op->b), -1);
    else if (!strcmp(key, "shl.u32") || !strcmp(key, "shl.u64"))
        *ret_form = shifted(flow, number);
    else if (!strcmp(key, "mul.lo.u32") || !strcmp(key, "mul.lo.u64") ||
             !strcmp(key, "mul.wide.u32") || !strcmp(key, "mul.wide.s32"))
        *ret_form = product(flow, number);
    else if (!strcmp(key, "mad.lo.u32") || !strcmp(key, "mad.lo.u64") ||
             !strcmp(key, "mad.wide.u32") || !strcmp(key, "mad.wide.s32"))
        *ret_form = sum(product(flow, number), ptx__jit_form_at(flow, number, op->c), 1);
    else
        return false;
    return true;
}

bool ptx__jit_is_sum(const struct ptx__jit_flow *flow, size_t number)
{
    struct ptx__jit_form form;

    return flow->ops[number].kind == PTX__JIT_PLAIN && keeps_steps(flow, number, &form) &&
           form.known && !form.vector;
}

/* An operation whose operands are all the same has one result for all lanes. */
static struct ptx__jit_form of_operands(const struct ptx__jit_flow *flow, size_t number)
{
    const struct ptx__jit_op *op = &flow->ops[number];
    struct ptx__jit_form form = UNIFORM;

    for (unsigned i = 0; i < op->n_reads; i++) {
        const struct ptx__jit_form of_read =
            op->reads[i] == PTX__JIT_NONE ? UNIFORM : flow->slots[op->reads[i]].form;

        if (!of_read.known)
            form.known = false;
        else if (!is_uniform(of_read))
            return VECTOR;
    }
    return form;
}

static struct ptx__jit_form of_address(const struct ptx__jit_flow *flow, size_t number)
{
    const struct ptx__jit_form form = ptx__jit_form_at(flow, number, flow->code->ops[number].a);

    return form.known && !is_uniform(form) ? VECTOR : form;
}

/* Lanes that a guard leaves out, or that wait elsewhere, keep another value. */
struct ptx__jit_form ptx__jit_form_of(const struct ptx__jit_flow *flow, size_t number)
{
    const struct ptx__jit_op *op = &flow->ops[number];
    struct ptx__jit_form form = VECTOR;

    if (op->inside || op->apart || op->kept)
        return VECTOR;
    if (op->kind == PTX__JIT_LOAD)
        return of_address(flow, number);
    if (op->pure)
        return of_operands(flow, number);
    if (op->kind != PTX__JIT_PLAIN)
        return VECTOR;
    if (!keeps_steps(flow, number, &form) && !ptx__jit_takes_steps(flow, number, &form))
        form = of_operands(flow, number);
    if (!op->n_writes || op->writes[0] == PTX__JIT_NONE || flow->slots[op->writes[0]].bits != 32)
        return form;
    form = as_32(form);
    if (!form.vector)
        ptx__jit_know_result(flow, number, &form);
    return form;
}

static bool differs(struct ptx__jit_form a, struct ptx__jit_form b)
{
    return a.known != b.known || a.vector != b.vector || a.rows != b.rows || a.step != b.step ||
           a.aligned != b.aligned || a.spare != b.spare;
}

/* Joins the form of an operation's results with those that their slots have. */
static bool spread(struct ptx__jit_flow *flow, size_t number)
{
    const struct ptx__jit_op *op = &flow->ops[number];
    const struct ptx__jit_form form = ptx__jit_form_of(flow, number);
    bool changed = false;

    for (unsigned j = 0; j < op->n_writes; j++) {
        struct ptx__jit_slot *slot = &flow->slots[op->writes[j]];
        struct ptx__jit_form next;

        if (op->writes[j] == PTX__JIT_NONE)
            continue;
        next = joined(slot->form, form);
        changed |= differs(next, slot->form);
        slot->form = next;
    }
    return changed;
}

/* What is copied counts where lanes may part. */
static bool spread_copy(struct ptx__jit_flow *flow, size_t branch)
{
    bool changed = false;

    for (size_t i = flow->ops[branch].copy; i < flow->ops[branch].end_of_copy; i++)
        changed |= ptx__jit_uses_copy(flow, branch) && spread(flow, i);
    return changed;
}

/* Until nothing changes: what lanes compute alone may make them part, and alone they compute more.
 */
static void spread_all(struct ptx__jit_flow *flow)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t i = 0; i < flow->n_ops; i++)
            changed |= spread(flow, i);
        for (size_t i = 0; i < flow->n_ops; i++)
            changed |= spread_copy(flow, i);
        changed = changed || (!flow->full && ptx__jit_part(flow));
    }
}

/*
 * A slot that is computed from itself alone begins with what the interpreter wrote: it may be
 * anything, and so is what is computed from it.
 */
void ptx__jit_forms(struct ptx__jit_flow *flow)
{
    for (unsigned i = 0; i < flow->n_slots; i++) {
        struct ptx__jit_slot *slot = &flow->slots[i];

        slot->form = slot->constant  ? of_constant(flow, slot)
                     : slot->written ? (struct ptx__jit_form){0}
                                     : VECTOR;
    }
    spread_all(flow);
    for (unsigned i = 0; i < flow->n_slots; i++) {
        if (!flow->slots[i].form.known)
            flow->slots[i].form = VECTOR;
    }
    spread_all(flow);
}
