/* SPDX-License-Identifier: MIT */
/* Which slots have one value at an operation, whoever comes there, as compilers move numbers. */
#include <string.h>

#include "mock/ptx/exec/control.h"
#include "mock/ptx/jit/flow.h"

/* Tells whether an operation leads behind one and at most to another, but not as the next one. */
static bool leads(const struct ptx__jit_flow *flow, size_t number, size_t behind, size_t last)
{
    const struct ptx__op *code = &flow->code->ops[number];
    const uint8_t kind = flow->ops[number].kind;
    bool does = false;

    if (kind == PTX__JIT_JUMP || kind == PTX__JIT_BRANCH) {
        const size_t target = ptx__jit_target(flow, number);

        does = target > behind && target <= last;
    }
    for (uint64_t i = 0; flow->runs[number] == ptx__do_branch_index && i < code->imm; i++)
        does |= code->list[i] > behind && code->list[i] <= last;
    return does;
}

/*
 * Tells whether all ways to an operation pass one before it: none leads from before that one into
 * what is between both, with the loops that begin there. A copy leads where its branch does.
 */
static bool passes(const struct ptx__jit_flow *flow, size_t first, size_t number)
{
    size_t last = number, before;

    do {
        before = last;
        for (size_t i = last + 1; i < flow->n_ops; i++) {
            if (leads(flow, i, first, before))
                last = i;
        }
    } while (last != before);
    for (size_t i = 0; i < first; i++) {
        if (leads(flow, i, first, last))
            return false;
    }
    return true;
}

/* What is left to the interpreter may write any slot, but for these. */
static bool may_write(const struct ptx__jit_flow *flow, size_t number, uint32_t offset)
{
    if (flow->ops[number].kind != PTX__JIT_OUTSIDE || flow->ops[number].ends ||
        flow->runs[number] == ptx__do_branch_index)
        return false;
    return flow->runs[number] != ptx__do_barrier || flow->code->ops[number].d == offset;
}

static unsigned writes(const struct ptx__jit_op *op, uint16_t slot)
{
    unsigned n = 0;

    for (unsigned i = 0; i < op->n_writes; i++)
        n += op->writes[i] == slot;
    return n;
}

/* Returns the number of the only operation that writes a slot; that of operations if there are
 * none, or more. */
static size_t writer_of(const struct ptx__jit_flow *flow, uint16_t slot)
{
    const uint32_t offset = flow->slots[slot].offset;
    const size_t n = flow->code->n_ops;
    size_t found = n;

    for (size_t i = 0; i < n; i++) {
        const unsigned here = writes(&flow->ops[i], slot);

        if (may_write(flow, i, offset) || here > 1 || (here && found < n))
            return n;
        found = here ? i : found;
    }
    return found;
}

bool ptx__jit_literal_at(const struct ptx__jit_flow *flow, size_t number, uint32_t offset,
                         uint64_t *ret_value)
{
    uint16_t slot;
    size_t writer;

    if (ptx__jit_literal(flow, offset, ret_value))
        return true;
    slot = ptx__jit_read_at(flow, number, offset);
    if (slot == PTX__JIT_NONE)
        return false;
    writer = writer_of(flow, slot);
    return writer < number && !flow->ops[writer].inside && flow->ops[writer].keyed &&
           !strcmp(flow->ops[writer].keyed->key, "mov.u32") &&
           ptx__jit_literal(flow, flow->code->ops[writer].a, ret_value) &&
           passes(flow, writer, number);
}
