/* SPDX-License-Identifier: MIT */
/*
 * Writing operations where lanes may be apart: see apart.h. A place there begins with the lanes
 * that come to it and those that waited for them. Without any, the next place is tried.
 */
#include "mock/ptx/jit/emit.h"

bool ptx__jit_may_wait(const struct ptx__jit_flow *flow, size_t number)
{
    return flow->ops[number].label &&
           (flow->ops[number].apart || (number && flow->ops[number - 1].apart));
}

/* Lists the places of the function, and gives those numbers where lanes may wait. */
static struct ptx__jit_places *list_places(struct ptx__jit_emit *emit)
{
    const struct ptx__jit_flow *flow = emit->flow;
    const size_t n = flow->code->n_ops;
    struct ptx__jit_places *places =
        cushim__arena_alloc(emit->arena, sizeof(*places) + n * sizeof(places->of[0]));

    if (!places)
        return NULL;
    places->ops = flow->code->ops;
    places->n = n;
    for (size_t i = 0; i < n; i++) {
        places->of[i].end = (uint32_t) ptx__jit_end_of_part(flow, i);
        places->of[i].list = flow->ops[i].label ? ptx__jit_list_live(emit, i) : NULL;
        places->of[i].wait =
            ptx__jit_may_wait(flow, i) ? (uint16_t) emit->n_waits++ : PTX__JIT_NO_WAIT;
    }
    return places;
}

static struct ptx__jit_value no_lanes(void)
{
    return ptx__jit_number(PTX__JIT_I32, 0);
}

void ptx__jit_begin_waits(struct ptx__jit_emit *emit)
{
    struct ptx__jit_text *text = &emit->text;
    const char *pointer = text->typed ? "i64*" : "ptr";

    emit->places = list_places(emit);
    ptx__jit_say(text, "  %%here = alloca i64\n  %%waits = alloca i64, i64 %zu\n",
                 (size_t) emit->n_waits / 2 + 1);
    emit->here = ptx__jit_begin(text, PTX__JIT_I64, 0);
    ptx__jit_say(text, "ptrtoint %s %%here to i64\n", pointer);
    emit->waits = ptx__jit_begin(text, PTX__JIT_I64, 0);
    ptx__jit_say(text, "ptrtoint %s %%waits to i64\n", pointer);
    ptx__jit_store(text, "", ptx__jit_at(emit, emit->here, 4), no_lanes(), 4);
    for (unsigned i = 0; i < emit->n_waits; i += 2)
        ptx__jit_store(text, "", ptx__jit_at(emit, emit->waits, 4 * i), ptx__jit_i64(0), 8);
}

static struct ptx__jit_value word_at(struct ptx__jit_emit *emit, size_t number)
{
    return ptx__jit_at(emit, emit->waits, 4 * emit->places->of[number].wait);
}

static struct ptx__jit_value load_word(struct ptx__jit_emit *emit, struct ptx__jit_value at)
{
    return ptx__jit_load(&emit->text, "", at, PTX__JIT_I32, 0, 4);
}

static void set_mask(struct ptx__jit_emit *emit, struct ptx__jit_value mask)
{
    const struct ptx__jit_value all =
        ptx__jit_compare(&emit->text, "icmp eq", mask, emit->everyone);

    ptx__jit_store(&emit->text, "", ptx__jit_at(emit, emit->warp, offsetof(struct ptx__warp, mask)),
                   mask, 4);
    ptx__jit_store(&emit->text, "",
                   ptx__jit_at(emit, emit->warp, offsetof(struct ptx__warp, converged)),
                   ptx__jit_cast(&emit->text, "zext", all, PTX__JIT_I8), 1);
}

void ptx__jit_tell_mask(struct ptx__jit_emit *emit)
{
    if (emit->apart)
        set_mask(emit, emit->mask_word);
}

void ptx__jit_use_mask(struct ptx__jit_emit *emit, struct ptx__jit_value mask)
{
    struct ptx__jit_text *text = &emit->text;

    emit->mask_word = mask;
    emit->mask = ptx__jit_lanes(text, mask);
    emit->first = ptx__jit_begin(text, PTX__JIT_I32, 0);
    ptx__jit_say(text, "call i32 @llvm.cttz.i32(");
    ptx__jit_say_typed(text, mask);
    ptx__jit_say(text, ", i1 true)\n");
}

/* --- going on --- */

/* Returns the next place behind an operation where lanes may wait. */
static size_t next_place(const struct ptx__jit_emit *emit, size_t number)
{
    do
        number++;
    while (emit->places->of[number].wait == PTX__JIT_NO_WAIT);
    return number;
}

/* Goes on at a place with some lanes, and with those that wait there. */
static void go_to(struct ptx__jit_emit *emit, size_t place, struct ptx__jit_value lanes)
{
    ptx__jit_store(&emit->text, "", emit->here, lanes, 4);
    ptx__jit_goto(emit, emit->flow->ops[place].apart ? "op" : "meet", place);
}

/* Has lanes wait at a place. */
static void wait_at(struct ptx__jit_emit *emit, size_t place, struct ptx__jit_value lanes)
{
    const struct ptx__jit_value at = word_at(emit, place);

    ptx__jit_store(&emit->text, "", at,
                   ptx__jit_binary(&emit->text, "or", load_word(emit, at), lanes), 4);
}

/* A place where all lanes are together again. */
static void meet(struct ptx__jit_emit *emit, size_t number)
{
    ptx__jit_label(emit, "meet", number);
    ptx__jit_store(&emit->text, "", word_at(emit, number), no_lanes(), 4);
    set_mask(emit, emit->everyone);
    ptx__jit_goto(emit, "op", number);
}

void ptx__jit_begin_place(struct ptx__jit_emit *emit, size_t number)
{
    struct ptx__jit_value lanes, at;

    if (emit->full)
        return;
    if (!emit->flow->ops[number].apart) {
        ptx__jit_use_mask(emit, emit->everyone);
        return;
    }
    at = word_at(emit, number);
    lanes = ptx__jit_binary(&emit->text, "or", load_word(emit, at), load_word(emit, emit->here));
    ptx__jit_branch(emit, ptx__jit_compare(&emit->text, "icmp eq", lanes, no_lanes()), "empty",
                    number, "run", number);
    ptx__jit_label(emit, "empty", number);
    ptx__jit_goto(emit, emit->flow->ops[next_place(emit, number)].apart ? "op" : "meet",
                  next_place(emit, number));
    ptx__jit_label(emit, "run", number);
    ptx__jit_store(&emit->text, "", at, no_lanes(), 4);
    ptx__jit_use_mask(emit, lanes);
}

void ptx__jit_meetings(struct ptx__jit_emit *emit)
{
    for (size_t i = 0; emit->places && i < emit->flow->code->n_ops; i++) {
        if (emit->places->of[i].wait != PTX__JIT_NO_WAIT && !emit->flow->ops[i].apart)
            meet(emit, i);
    }
}

void ptx__jit_go(struct ptx__jit_emit *emit, size_t number, size_t to)
{
    const bool all = emit->full || !emit->apart;
    const size_t next = all || to <= number ? to : next_place(emit, number);

    if (all && !emit->flow->ops[to].apart) {
        ptx__jit_goto(emit, "op", to);
        return;
    }
    if (to != next)
        wait_at(emit, to, emit->mask_word);
    go_to(emit, next, to == next ? emit->mask_word : no_lanes());
}

void ptx__jit_arrive(struct ptx__jit_emit *emit, size_t number)
{
    if (emit->flow->ops[number].apart)
        go_to(emit, number, FIELD(emit, emit->warp, I32, ptx__warp, mask));
    else
        ptx__jit_goto(emit, ptx__jit_passes(emit, number) ? "bring" : "op", number);
}

/* Remembers the lanes that have parted from others. */
static void note_parting(struct ptx__jit_emit *emit, struct ptx__jit_value taken,
                         struct ptx__jit_value others)
{
    struct ptx__jit_text *text = &emit->text;
    const struct ptx__jit_value at = ptx__jit_at(emit, emit->here, 4);
    const struct ptx__jit_value none = ptx__jit_compare(text, "icmp eq", others, no_lanes());

    ptx__jit_store(text, "", at,
                   ptx__jit_binary(text, "or", load_word(emit, at),
                                   ptx__jit_select(text, none, no_lanes(), taken)),
                   4);
}

struct ptx__jit_value ptx__jit_whole(struct ptx__jit_emit *emit)
{
    struct ptx__jit_text *text = &emit->text;
    const struct ptx__jit_value parted = load_word(emit, ptx__jit_at(emit, emit->here, 4));

    return ptx__jit_binary(
        text, "and", ptx__jit_compare(text, "icmp eq", parted, no_lanes()),
        ptx__jit_compare(text, "icmp eq", emit->everyone, ptx__jit_number(PTX__JIT_I32, PTX__ALL)));
}

struct ptx__jit_value ptx__jit_whole_again(struct ptx__jit_emit *emit)
{
    const struct ptx__jit_value whole = ptx__jit_whole(emit);

    ptx__jit_store(&emit->text, "", ptx__jit_at(emit, emit->here, 4), no_lanes(), 4);
    return whole;
}

void ptx__jit_part_lanes(struct ptx__jit_emit *emit, size_t number, size_t to,
                         struct ptx__jit_value taken)
{
    const struct ptx__jit_value others = ptx__jit_binary(
        &emit->text, "and", emit->mask_word,
        ptx__jit_binary(&emit->text, "xor", taken, ptx__jit_number(PTX__JIT_I32, PTX__ALL)));

    if (to == number + 1) {
        ptx__jit_go(emit, number, to);
        return;
    }
    note_parting(emit, taken, others);
    if (to > number) {
        wait_at(emit, to, taken);
        go_to(emit, number + 1, others);
        return;
    }
    ptx__jit_branch(emit, ptx__jit_compare(&emit->text, "icmp eq", taken, no_lanes()), "forth",
                    number, "back", number);
    ptx__jit_label(emit, "forth", number);
    go_to(emit, number + 1, others);
    ptx__jit_label(emit, "back", number);
    ptx__jit_spend(emit, number);
    wait_at(emit, number + 1, others);
    go_to(emit, to, taken);
}
