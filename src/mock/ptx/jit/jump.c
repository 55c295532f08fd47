/* SPDX-License-Identifier: MIT */
/* Jumps, branches and guards. */
#include <string.h>

#include "mock/ptx/jit/emit.h"

static void leave_before(struct ptx__jit_emit *emit, size_t number, struct ptx__jit_value when)
{
    ptx__jit_branch(emit, when, "leave", number, "stay", emit->n_labels);
    ptx__jit_label(emit, "stay", emit->n_labels++);
}

struct ptx__jit_value ptx__jit_spend(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__op *op = &emit->flow->code->ops[number];
    const struct ptx__jit_value left =
        ptx__jit_binary(&emit->text, "sub", FIELD(emit, emit->warp, I32, ptx__warp, budget),
                        ptx__jit_number(PTX__JIT_I32, op->cost));

    leave_before(emit, number,
                 ptx__jit_compare(&emit->text, "icmp sle", left, ptx__jit_number(PTX__JIT_I32, 0)));
    ptx__jit_store(&emit->text, "",
                   ptx__jit_at(emit, emit->warp, offsetof(struct ptx__warp, budget)), left, 4);
    return left;
}

/*
 * A warp whose 32 lanes did not part in the last few turns is one for the function that expects
 * that. Changing costs as much as a few operations do, so not each turn is looked at.
 */
static void change_if_whole(struct ptx__jit_emit *emit, size_t to, struct ptx__jit_value left)
{
    const size_t label = emit->n_labels++;
    const struct ptx__jit_value turn =
        ptx__jit_binary(&emit->text, "and", left, ptx__jit_number(PTX__JIT_I32, 7));

    ptx__jit_branch(
        emit, ptx__jit_compare(&emit->text, "icmp eq", turn, ptx__jit_number(PTX__JIT_I32, 0)),
        "look", label, "on", label);
    ptx__jit_label(emit, "look", label);
    ptx__jit_branch(emit, ptx__jit_whole_again(emit), "change", label, "on", label);
    ptx__jit_label(emit, "change", label);
    ptx__jit_change(emit, to);
    ptx__jit_label(emit, "on", label);
}

void ptx__jit_jump(struct ptx__jit_emit *emit, size_t number, size_t to)
{
    if (to <= number) {
        const struct ptx__jit_value left = ptx__jit_spend(emit, number);

        if (!emit->full && !emit->apart && !emit->flow->ops[to].apart)
            change_if_whole(emit, to, left);
    }
    ptx__jit_go(emit, number, to);
}

static struct ptx__jit_value predicate(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__op *op = &emit->flow->code->ops[number];
    const struct ptx__jit_operand operand = ptx__jit_read(emit, op->a, 1);

    return ptx__jit_binary(&emit->text, "xor", operand.base,
                           ptx__jit_number(PTX__JIT_ANY, op->imm ? 1 : 0));
}

/*
 * Lanes go different ways: those of a full warp are the interpreter's to part, and then another
 * function has them.
 */
static void divide_lanes(struct ptx__jit_emit *emit, size_t number, struct ptx__jit_value which)
{
    const size_t to = ptx__jit_target(emit->flow, number);
    struct ptx__jit_value taken = ptx__jit_word(&emit->text, which);

    if (!emit->full) {
        taken = ptx__jit_binary(&emit->text, "and", taken, emit->mask_word);
        ptx__jit_part_lanes(emit, number, to, taken);
        return;
    }
    ptx__jit_branch(
        emit, ptx__jit_compare(&emit->text, "icmp eq", taken, ptx__jit_number(PTX__JIT_I32, 0)),
        "pass", number, "some", number);
    ptx__jit_label(emit, "some", number);
    ptx__jit_branch(emit, ptx__jit_compare(&emit->text, "icmp eq", taken, emit->mask_word), "take",
                    number, "leave", number);
    ptx__jit_label(emit, "take", number);
    ptx__jit_jump(emit, number, to);
    ptx__jit_label(emit, "pass", number);
    ptx__jit_goto(emit, "op", number + 1);
}

void ptx__jit_divide(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__jit_value which = predicate(emit, number);

    ptx__jit_flush_before(emit, number + 1, ptx__jit_target(emit->flow, number));
    if (which.lanes) {
        divide_lanes(emit, number, which);
        return;
    }
    ptx__jit_branch(emit, which, "take", number, "pass", number);
    ptx__jit_label(emit, "take", number);
    ptx__jit_jump(emit, number, ptx__jit_target(emit->flow, number));
    ptx__jit_label(emit, "pass", number);
    ptx__jit_go(emit, number, number + 1);
}

/* The slots that a guard's operations write, each in turn. */
static uint16_t written_by(const struct ptx__jit_flow *flow, size_t number, unsigned i)
{
    const struct ptx__jit_op *op = &flow->ops[number];

    return i < op->n_writes ? op->writes[i] : PTX__JIT_NONE;
}

#define EACH_GUARDED(emit, at, end, slot)                                                          \
    for (size_t i_ = (at) + 1; i_ < (end); i_++)                                                   \
        for (unsigned j_ = 0; j_ < (emit)->flow->ops[i_].n_writes; j_++)                           \
            if (((slot) = written_by((emit)->flow, i_, j_)) != PTX__JIT_NONE)

void ptx__jit_guard(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__jit_value which = predicate(emit, number);
    const size_t end = number + emit->flow->code->ops[number].skip;
    struct ptx__jit_value through = which;
    uint16_t slot;

    if (which.lanes) {
        emit->guard = emit->full ? which : ptx__jit_binary(&emit->text, "and", which, emit->mask);
        emit->guard_word = ptx__jit_word(&emit->text, emit->guard);
        through = ptx__jit_compare(&emit->text, "icmp ne", emit->guard_word,
                                   ptx__jit_number(PTX__JIT_I32, 0));
    }
    EACH_GUARDED(emit, number, end, slot)
    ptx__jit_read_slot(emit, slot);
    emit->guarded = which.lanes;
    emit->guard_at = number;
    emit->guard_label = emit->label;
    emit->guard_label_number = emit->label_number;
    memcpy(emit->unguarded, emit->known, emit->flow->n_slots * sizeof(*emit->known));
    ptx__jit_branch(emit, through, "through", number, "join", number);
    ptx__jit_label(emit, "through", number);
}

/* Behind a guard, slots have their values of inside or those of before. */
void ptx__jit_unguard(struct ptx__jit_emit *emit, size_t number)
{
    const char *word = emit->label;
    const size_t at = emit->guard_at, label = emit->label_number;
    struct ptx__jit_known *before = emit->unguarded;
    uint16_t slot;

    emit->guarded = false;
    ptx__jit_goto(emit, "join", at);
    ptx__jit_label(emit, "join", at);
    EACH_GUARDED(emit, at, number, slot)
    {
        struct ptx__jit_known *known = &emit->known[slot];

        if (!known->valid)
            continue;
        before[slot].value.base =
            ptx__jit_phi(emit, known->value.base, word, label, before[slot].value.base,
                         emit->guard_label, emit->guard_label_number);
        before[slot].dirty = true;
        known->valid = false;
    }
    memcpy(emit->known, before, emit->flow->n_slots * sizeof(*emit->known));
}
