/* SPDX-License-Identifier: MIT */
/*
 * Writing a copy (copy.c): its operations in their order, each for the lanes that are there. Lanes
 * that jump wait where they jump to, as a word, until the others have come there. A piece between
 * two such places is passed over if it may be that no lane is there.
 *
 * Operations are written as for some lanes (see `full`). What lanes wait for stays in values: a
 * write leaves what waiting lanes need, and what handlers read goes into the register file for
 * those lanes alone that are there.
 */
#include <string.h>

#include "mock/ptx/jit/emit.h"

struct lanes {
    bool any, sure; /* there may be some; there are some */
    struct ptx__jit_value word;
};

struct copy {
    struct ptx__jit_emit *emit;
    size_t first, end; /* its operations; the last one leads on */
    struct lanes here, waiting[PTX__JIT_MOST_COPIED + 1]; /* of each operation */
};

/* --- lanes --- */

static struct lanes both(struct copy *copy, struct lanes a, struct lanes b)
{
    if (!a.any || !b.any)
        return a.any ? a : b;
    return (struct lanes){.any = true,
                          .sure = a.sure || b.sure,
                          .word = ptx__jit_binary(&copy->emit->text, "or", a.word, b.word)};
}

static void wait_at(struct copy *copy, size_t place, struct lanes lanes)
{
    struct lanes *there = &copy->waiting[place - copy->first];

    *there = both(copy, *there, lanes);
}

/* Those that jump wait; the others go on. */
static void part(struct copy *copy, size_t number)
{
    struct ptx__jit_text *text = &copy->emit->text;
    const struct ptx__jit_value which =
        ptx__jit_splat(text, ptx__jit_predicate(copy->emit, number), PTX__LANES);
    struct lanes taken = {.any = true}, others = {.any = true};

    taken.word = ptx__jit_binary(text, "and", ptx__jit_word(text, which), copy->here.word);
    others.word = ptx__jit_binary(text, "xor", taken.word, copy->here.word);
    wait_at(copy, ptx__jit_target(copy->emit->flow, number), taken);
    copy->here = others;
}

/* --- pieces --- */

/* Returns where a piece ends: lanes may leave it or come there, or it is an instruction's guard. */
static size_t end_of_piece(const struct copy *copy, size_t number)
{
    const struct ptx__jit_op *ops = copy->emit->flow->ops;

    do
        number++;
    while (number < copy->end && !copy->waiting[number - copy->first].any &&
           ops[number].kind != PTX__JIT_JUMP && ops[number].kind != PTX__JIT_BRANCH &&
           ops[number].kind != PTX__JIT_GUARD);
    return number;
}

static void write_ops(struct ptx__jit_emit *emit, size_t first, size_t end, bool early)
{
    for (size_t i = first; i < end; i++) {
        emit->at = i;
        if (ptx__jit_is_early(emit->flow, i) == early)
            ptx__jit_write_op(emit, i);
    }
}

/* A guard is a piece of its own, which is passed over unless it lets lanes through. */
static void write_piece(struct copy *copy, size_t first, size_t end)
{
    struct ptx__jit_emit *emit = copy->emit;
    const bool sure = copy->here.sure || emit->flow->ops[first].kind == PTX__JIT_GUARD;

    ptx__jit_use_mask(emit, copy->here.word);
    if (!sure)
        ptx__jit_begin_piece(emit, first, end,
                             ptx__jit_compare(&emit->text, "icmp ne", copy->here.word,
                                              ptx__jit_number(PTX__JIT_I32, 0)));
    write_ops(emit, first, end, false);
    if (!sure)
        ptx__jit_end_piece(emit);
}

/* Writes an operation, or a piece. Returns the number of the next one. */
static size_t write_next(struct copy *copy, size_t number)
{
    const struct ptx__jit_flow *flow = copy->emit->flow;
    size_t next = number + 1;

    copy->emit->at = number;
    copy->here = both(copy, copy->here, copy->waiting[number - copy->first]);
    if (!copy->here.any)
        return next;
    switch (flow->ops[number].kind) {
    case PTX__JIT_JUMP:
        wait_at(copy, ptx__jit_target(flow, number), copy->here);
        copy->here.any = copy->here.sure = false;
        return next;
    case PTX__JIT_BRANCH:
        part(copy, number);
        return next;
    case PTX__JIT_GUARD:
        next = number + flow->code->ops[number].skip;
        break;
    default:
        next = end_of_piece(copy, number);
    }
    write_piece(copy, number, next);
    return next;
}

/* --- all of it --- */

/* If something wraps around, compiled code ends before the branch. */
static void write_early(struct ptx__jit_emit *emit, size_t branch)
{
    const size_t label = emit->n_labels++;

    emit->early = true;
    emit->fits = ptx__jit_number(PTX__JIT_I1, 1);
    write_ops(emit, emit->flow->ops[branch].copy, emit->flow->ops[branch].end_of_copy, true);
    emit->early = false;
    ptx__jit_branch(emit, emit->fits, "fits", label, "leave", branch);
    ptx__jit_label(emit, "fits", label);
}

static void write_lanes(struct copy *copy, size_t branch, struct ptx__jit_value taken)
{
    struct ptx__jit_emit *emit = copy->emit;

    wait_at(copy, ptx__jit_in_copy(emit->flow, branch),
            (struct lanes){.any = true, .sure = true, .word = taken});
    copy->here = (struct lanes){.any = true,
                                .sure = true,
                                .word = ptx__jit_binary(&emit->text, "xor", taken, emit->everyone)};
    for (size_t i = copy->first; i < copy->end;)
        i = write_next(copy, i);
}

void ptx__jit_write_copy(struct ptx__jit_emit *emit, size_t branch, struct ptx__jit_value taken)
{
    const struct ptx__jit_op *op = &emit->flow->ops[branch];
    const size_t bytes = emit->flow->n_slots * sizeof(*emit->known), at = emit->at;
    const struct ptx__jit_value mask = emit->mask;
    struct copy copy = {.emit = emit, .first = op->copy, .end = op->end_of_copy};

    memcpy(emit->together, emit->known, bytes);
    write_early(emit, branch);
    emit->full = false;
    emit->apart = emit->copying = true;
    write_lanes(&copy, branch, taken);
    emit->mask = mask;
    emit->mask_word = emit->everyone;
    ptx__jit_tell_mask(emit);
    emit->full = true;
    emit->apart = emit->copying = false;
    ptx__jit_flush(emit, copy.end);
    ptx__jit_go(emit, copy.end, ptx__jit_target(emit->flow, copy.end));
    memcpy(emit->known, emit->together, bytes);
    emit->at = at;
}
