/* SPDX-License-Identifier: MIT */
/*
 * Where the lanes of a warp may be apart. The engine runs the group of lanes that is furthest
 * behind, so lanes that part at a branch are together again at the first operation that all of them
 * reach last: all jumps of the operations before it stay before it. Between both, a slot may have
 * values of several groups, so it has one for each lane.
 */
#include "mock/ptx/exec/control.h"
#include "mock/ptx/jit/flow.h"

/* Operations in which lanes may be, from begin to before end. */
struct part {
    size_t begin, end;
};

static void include(struct part *part, size_t target)
{
    part->begin = target < part->begin ? target : part->begin;
    part->end = target > part->end ? target : part->end;
}

/* Includes where an operation may lead to, beside the next one. */
static void include_targets(const struct ptx__jit_flow *flow, struct part *part, size_t number)
{
    const struct ptx__jit_op *op = &flow->ops[number];
    const struct ptx__op *code = &flow->code->ops[number];

    if (op->kind == PTX__JIT_JUMP || op->kind == PTX__JIT_BRANCH)
        include(part, ptx__jit_target(flow, number));
    for (uint64_t i = 0; flow->runs[number] == ptx__do_branch_index && i < code->imm; i++)
        include(part, code->list[i]);
}

static struct part part_of(const struct ptx__jit_flow *flow, size_t number)
{
    struct part part = {number + 1, number + 1}, before;

    if (flow->ops[number].kind != PTX__JIT_BRANCH)
        part.begin = number; /* lanes that do not go first repeat it */
    include_targets(flow, &part, number);
    do {
        before = part;
        for (size_t i = before.begin; i < before.end; i++)
            include_targets(flow, &part, i);
    } while (before.begin != part.begin || before.end != part.end);
    return part;
}

static bool parts_lanes(const struct ptx__jit_flow *flow, size_t number)
{
    const struct ptx__jit_op *op = &flow->ops[number];
    struct ptx__jit_form form;

    if (flow->runs[number] == ptx__do_branch_index)
        return true;
    if (op->kind != PTX__JIT_BRANCH || op->reads[0] == PTX__JIT_NONE)
        return false;
    form = flow->slots[op->reads[0]].form;
    return !form.known || form.vector;
}

bool ptx__jit_part(struct ptx__jit_flow *flow)
{
    bool changed = false;

    for (size_t i = 0; i < flow->code->n_ops; i++) {
        const struct part part = parts_lanes(flow, i) ? part_of(flow, i) : (struct part){0, 0};

        for (size_t j = part.begin; j < part.end && j < flow->code->n_ops; j++) {
            changed |= !flow->ops[j].apart;
            flow->ops[j].apart = true;
        }
    }
    return changed;
}

size_t ptx__jit_end_of_part(const struct ptx__jit_flow *flow, size_t number)
{
    size_t end = number;

    while (end < flow->code->n_ops && flow->ops[end].apart)
        end++;
    return end == number ? 0 : end;
}
