/* SPDX-License-Identifier: MIT */
/* Which operations a sweep has, and what is known of their results before it. */
#include "mock/ptx/jit/sweep.h"

/* All constants that are read have a value for the block, or are tid.x, or one of its rows. */
static bool is_of_block(const struct ptx__jit_slot *slot)
{
    const uint8_t fill = slot->constant->fill;

    return !slot->form.vector && (fill <= PTX__FILL_TID_Z || fill > PTX__FILL_WARP);
}

static bool can_read(const struct ptx__jit_sweep_code *sweep, const struct ptx__jit_op *op)
{
    const struct ptx__jit_flow *flow = sweep->emit->flow;

    for (unsigned i = 0; i < op->n_reads; i++) {
        const uint16_t slot = op->reads[i];

        if (slot == PTX__JIT_NONE)
            continue;
        if (flow->slots[slot].constant ? !is_of_block(&flow->slots[slot]) : !sweep->defined[slot])
            return false;
    }
    return true;
}

/* The least that is known of what an operation reads. */
static bool reads_only(const struct ptx__jit_sweep_code *sweep, const struct ptx__jit_op *op,
                       uint8_t known)
{
    for (unsigned i = 0; i < op->n_reads; i++) {
        const uint8_t of_read = ptx__jit_sweep_known(sweep, op->reads[i]);

        if (of_read != PTX__JIT_COMMON && of_read != known)
            return false;
    }
    return true;
}

static bool has_steps(const struct ptx__jit_sweep_code *sweep, const struct ptx__jit_op *op)
{
    for (unsigned i = 0; i < op->n_reads; i++) {
        if (op->reads[i] != PTX__JIT_NONE && sweep->emit->flow->slots[op->reads[i]].form.step)
            return true;
    }
    return false;
}

/* What is known of the result of an operation. */
static uint8_t known_of_result(const struct ptx__jit_sweep_code *sweep, size_t number)
{
    const struct ptx__jit_flow *flow = sweep->emit->flow;
    const struct ptx__jit_op *op = &flow->ops[number];
    const struct ptx__jit_slot *slot;

    if (op->kind != PTX__JIT_PLAIN || op->n_writes != 1 || op->writes[0] == PTX__JIT_NONE)
        return PTX__JIT_OF_WARPS;
    slot = &flow->slots[op->writes[0]];
    if (slot->bits == 1 && slot->form.vector)
        return reads_only(sweep, op, PTX__JIT_ENDS) ? PTX__JIT_ENDS : PTX__JIT_OF_WARPS;
    if (slot->form.vector || !reads_only(sweep, op, PTX__JIT_COMMON))
        return PTX__JIT_OF_WARPS;
    return !has_steps(sweep, op) || ptx__jit_is_sum(flow, number) ? PTX__JIT_COMMON
                                                                  : PTX__JIT_OF_WARPS;
}

static bool can_access(struct ptx__jit_sweep_code *sweep, size_t number)
{
    const struct ptx__jit_flow *flow = sweep->emit->flow;
    const uint16_t slot = ptx__jit_read_at(flow, number, flow->code->ops[number].a);

    return ptx__jit_sweep_known(sweep, slot) == PTX__JIT_COMMON &&
           sweep->n_accesses++ < PTX__JIT_SWEPT_ACCESSES && ptx__jit_has_ends(sweep->emit, number);
}

static bool can_branch(const struct ptx__jit_sweep_code *sweep, size_t number)
{
    const struct ptx__jit_flow *flow = sweep->emit->flow;
    const size_t to = ptx__jit_target(flow, number);

    return to > number && ptx__jit_exits(flow, to) &&
           reads_only(sweep, &flow->ops[number], PTX__JIT_ENDS);
}

static bool can_do(struct ptx__jit_sweep_code *sweep, size_t number)
{
    const struct ptx__jit_op *op = &sweep->emit->flow->ops[number];

    if (!can_read(sweep, op))
        return false;
    switch (op->kind) {
    case PTX__JIT_NOTHING:
    case PTX__JIT_PLAIN:
        return true;
    case PTX__JIT_WRITTEN:
        return op->pure;
    case PTX__JIT_LOAD:
    case PTX__JIT_STORE:
        return can_access(sweep, number);
    case PTX__JIT_BRANCH:
        return can_branch(sweep, number);
    default:
        return false;
    }
}

void ptx__jit_sweep_define(struct ptx__jit_sweep_code *sweep, size_t number, uint8_t known)
{
    const struct ptx__jit_op *op = &sweep->emit->flow->ops[number];

    for (unsigned i = 0; i < op->n_writes; i++) {
        if (op->writes[i] == PTX__JIT_NONE)
            continue;
        sweep->known[op->writes[i]] = known;
        sweep->defined[op->writes[i]] = true;
    }
}

static void add(struct ptx__jit_sweep_code *sweep, size_t number)
{
    const uint8_t known = known_of_result(sweep, number);

    ptx__jit_sweep_define(sweep, number, known);
    sweep->results[sweep->n_ops] = known;
    sweep->ops[sweep->n_ops++] = number;
}

bool ptx__jit_list_swept(struct ptx__jit_sweep_code *sweep)
{
    const struct ptx__jit_flow *flow = sweep->emit->flow;

    for (size_t i = 0; i < flow->n_ops && !ptx__jit_exits(flow, i);) {
        const bool jumps = flow->ops[i].kind == PTX__JIT_JUMP;
        const size_t next = jumps ? ptx__jit_target(flow, i) : i + 1;

        if (next <= i || sweep->n_ops == PTX__JIT_SWEPT_OPS || (!jumps && !can_do(sweep, i)))
            return false;
        if (!jumps)
            add(sweep, i);
        i = next;
    }
    return sweep->n_accesses;
}
