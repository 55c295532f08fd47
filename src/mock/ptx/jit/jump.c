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

struct ptx__jit_value ptx__jit_predicate(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__op *op = &emit->flow->code->ops[number];
    const struct ptx__jit_operand operand = ptx__jit_read(emit, op->a, 1);

    return ptx__jit_binary(&emit->text, "xor", operand.base,
                           ptx__jit_number(PTX__JIT_ANY, op->imm ? 1 : 0));
}

/* Jumps or passes at once, if the first lane and the last one say the same for all. */
static void look_at_ends(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__op *op = &emit->flow->code->ops[number];
    const struct ptx__jit_value lanes = ptx__jit_read(emit, op->a, 1).base;
    const struct ptx__jit_comparison *compared = &emit->compared;

    if (!compared->lanes.lanes || lanes.literal || lanes.number != compared->lanes.number)
        return;
    ptx__jit_branch(emit, compared->same, "alike", number, "apart", number);
    ptx__jit_label(emit, "alike", number);
    if (op->imm)
        ptx__jit_branch(emit, compared->first, "pass", number, "take", number);
    else
        ptx__jit_branch(emit, compared->first, "take", number, "pass", number);
    ptx__jit_label(emit, "apart", number);
}

/* Jumps. What is put where it belongs before that is not yet there on the other ways. */
static void take(struct ptx__jit_emit *emit, size_t number, size_t to)
{
    ptx__jit_label(emit, "take", number);
    ptx__jit_flush(emit, to);
    ptx__jit_jump(emit, number, to);
    memcpy(emit->known, emit->passed, emit->flow->n_slots * sizeof(*emit->known));
}

/*
 * Lanes go different ways: those of a full warp do a copy of what is behind the branch, each what
 * is its own. Without a copy they are the interpreter's to part, and then another function has
 * them.
 */
static void divide_lanes(struct ptx__jit_emit *emit, size_t number, struct ptx__jit_value which)
{
    const size_t to = ptx__jit_target(emit->flow, number);
    const bool copied = emit->flow->ops[number].copy;
    struct ptx__jit_value taken;

    if (emit->full)
        look_at_ends(emit, number);
    taken = ptx__jit_word(&emit->text, which);
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
                    number, copied ? "part" : "leave", number);
    take(emit, number, to);
    ptx__jit_label(emit, "pass", number);
    ptx__jit_goto(emit, "op", number + 1);
    if (!copied)
        return;
    ptx__jit_label(emit, "part", number);
    ptx__jit_write_copy(emit, number, taken);
}

void ptx__jit_divide(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__jit_value which = ptx__jit_predicate(emit, number);

    if (!ptx__jit_passes(emit, number + 1) || emit->flow->ops[number].copy)
        ptx__jit_flush_before(emit, number + 1, ptx__jit_target(emit->flow, number));
    memcpy(emit->passed, emit->known, emit->flow->n_slots * sizeof(*emit->passed));
    emit->branch = number;
    if (which.lanes) {
        divide_lanes(emit, number, which);
        return;
    }
    ptx__jit_branch(emit, which, "take", number, "pass", number);
    take(emit, number, ptx__jit_target(emit->flow, number));
    ptx__jit_label(emit, "pass", number);
    ptx__jit_go(emit, number, number + 1);
}

/* --- pieces that are passed over --- */

/* The slots that a piece writes, each in turn. */
#define EACH_WRITTEN(emit, slot)                                                                   \
    for (size_t i_ = (emit)->piece_first; i_ < (emit)->piece_end; i_++)                            \
        for (unsigned j_ = 0; j_ < (emit)->flow->ops[i_].n_writes; j_++)                           \
            if (((slot) = (emit)->flow->ops[i_].writes[j_]) != PTX__JIT_NONE)

/* Tells whether lanes that do a piece, or wait for that, need a slot behind it. */
static bool is_needed(const struct ptx__jit_emit *emit, uint16_t slot)
{
    const struct ptx__jit_flow *flow = emit->flow;

    if (ptx__jit_is_live(flow, emit->piece_end, slot))
        return true;
    for (size_t i = emit->piece_first; i < emit->piece_end; i++) {
        for (unsigned j = 0; flow->ops[i].kept && j < flow->ops[i].n_writes; j++) {
            if (flow->ops[i].writes[j] == slot)
                return true;
        }
    }
    return false;
}

void ptx__jit_begin_piece(struct ptx__jit_emit *emit, size_t first, size_t end,
                          struct ptx__jit_value through)
{
    uint16_t slot;

    emit->piece_first = first;
    emit->piece_end = end;
    EACH_WRITTEN(emit, slot)
    {
        if (is_needed(emit, slot))
            ptx__jit_read_slot(emit, slot);
    }
    emit->piece_label = emit->label;
    emit->piece_label_number = emit->label_number;
    memcpy(emit->unguarded, emit->known, emit->flow->n_slots * sizeof(*emit->known));
    ptx__jit_branch(emit, through, "through", first, "join", first);
    ptx__jit_label(emit, "through", first);
}

static struct ptx__jit_value joined(struct ptx__jit_emit *emit, struct ptx__jit_value inside,
                                    const char *word, size_t label, struct ptx__jit_value before)
{
    return ptx__jit_phi(emit, inside, word, label, before, emit->piece_label,
                        emit->piece_label_number);
}

void ptx__jit_end_piece(struct ptx__jit_emit *emit)
{
    const char *word = emit->label;
    const size_t label = emit->label_number;
    uint16_t slot;

    EACH_WRITTEN(emit, slot)
    {
        if (emit->known[slot].valid)
            ptx__jit_read_slot(emit, slot); /* what was there before need not be a number */
    }
    ptx__jit_goto(emit, "join", emit->piece_first);
    ptx__jit_label(emit, "join", emit->piece_first);
    EACH_WRITTEN(emit, slot)
    {
        struct ptx__jit_known *known = &emit->known[slot], *before = &emit->unguarded[slot];

        if (!known->valid)
            continue;
        known->valid = false;
        before->valid = before->dirty = is_needed(emit, slot);
        if (!before->valid)
            continue;
        before->value.base = joined(emit, known->value.base, word, label, before->value.base);
        if (before->value.form.rows)
            before->value.rows = joined(emit, known->value.rows, word, label, before->value.rows);
    }
    memcpy(emit->known, emit->unguarded, emit->flow->n_slots * sizeof(*emit->known));
}

/* --- guards --- */

/* Where lanes wait, there need not be any others. */
static struct ptx__jit_value through_guard(struct ptx__jit_emit *emit, size_t number)
{
    struct ptx__jit_value which = ptx__jit_predicate(emit, number);

    if (emit->copying)
        which = ptx__jit_splat(&emit->text, which, PTX__LANES);
    emit->guarded = which.lanes;
    if (!emit->guarded)
        return which;
    emit->guard = emit->full ? which : ptx__jit_binary(&emit->text, "and", which, emit->mask);
    emit->guard_word = ptx__jit_word(&emit->text, emit->guard);
    return ptx__jit_compare(&emit->text, "icmp ne", emit->guard_word,
                            ptx__jit_number(PTX__JIT_I32, 0));
}

void ptx__jit_guard(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__jit_value through = through_guard(emit, number);

    ptx__jit_begin_piece(emit, number + 1, number + emit->flow->code->ops[number].skip - 1,
                         through);
}

void ptx__jit_unguard(struct ptx__jit_emit *emit)
{
    emit->guarded = false;
    ptx__jit_end_piece(emit);
}
