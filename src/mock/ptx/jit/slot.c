/* SPDX-License-Identifier: MIT */
/*
 * Slots as values. A slot with a value for each lane belongs into the register file; one with a
 * base and steps belongs into the area of the function, two words each. Within a piece of code that
 * is entered at its begin alone, values are passed on, and only those are put where they belong
 * that are needed afterwards.
 */
#include <string.h>

#include "mock/ptx/jit/emit.h"

static unsigned type_of(const struct ptx__jit_slot *slot)
{
    return ptx__jit_type_of_bits(slot->bits);
}

/* --- the register file --- */

struct ptx__jit_value ptx__jit_at(struct ptx__jit_emit *emit, struct ptx__jit_value base,
                                  uint64_t offset)
{
    return offset ? ptx__jit_binary(&emit->text, "add", base, ptx__jit_i64(offset)) : base;
}

static struct ptx__jit_value load_lane(struct ptx__jit_emit *emit, unsigned number, unsigned lane)
{
    const struct ptx__jit_slot *slot = &emit->flow->slots[number];
    const unsigned bytes = slot->bits / 8;

    return ptx__jit_load(&emit->text, "",
                         ptx__jit_at(emit, emit->registers, slot->offset + lane * bytes),
                         type_of(slot), 0, bytes);
}

/* Predicates are a word with a bit for each lane. */
static struct ptx__jit_value load_all(struct ptx__jit_emit *emit, unsigned number)
{
    const struct ptx__jit_slot *slot = &emit->flow->slots[number];
    const struct ptx__jit_value at = ptx__jit_at(emit, emit->registers, slot->offset);

    if (slot->bits == 1)
        return ptx__jit_lanes(&emit->text, ptx__jit_load(&emit->text, "", at, PTX__JIT_I32, 0, 4));
    return ptx__jit_load(&emit->text, "", at, type_of(slot), PTX__LANES, 64);
}

static bool is_of_block(const struct ptx__constant *constant)
{
    return constant->fill < PTX__FILL_TID_X || constant->fill > PTX__FILL_WARP;
}

void ptx__jit_load_constants(struct ptx__jit_emit *emit, bool of_block)
{
    for (unsigned i = 0; i < emit->flow->n_slots; i++) {
        const struct ptx__jit_slot *slot = &emit->flow->slots[i];

        if (!slot->constant || slot->form.vector || is_of_block(slot->constant) != of_block)
            continue;
        if (slot->constant->fill == PTX__FILL_VALUE)
            emit->constants[i] = ptx__jit_number(type_of(slot), slot->constant->value);
        else
            emit->constants[i] = load_lane(emit, i, 0);
        if (slot->form.rows)
            emit->row_steps[i] = ptx__jit_binary(
                &emit->text, "sub", load_lane(emit, i, emit->flow->row), emit->constants[i]);
    }
}

/* --- reading --- */

static struct ptx__jit_value area_word(struct ptx__jit_emit *emit, unsigned number, unsigned word)
{
    return ptx__jit_at(emit, emit->area, (2u * number + word) * 8);
}

static struct ptx__jit_value load_word(struct ptx__jit_emit *emit, unsigned number, unsigned word)
{
    const struct ptx__jit_value value =
        ptx__jit_load(&emit->text, "", area_word(emit, number, word), PTX__JIT_I64, 0, 8);

    return ptx__jit_cast(&emit->text, "trunc", value, type_of(&emit->flow->slots[number]));
}

static struct ptx__jit_operand load(struct ptx__jit_emit *emit, unsigned number)
{
    const struct ptx__jit_slot *slot = &emit->flow->slots[number];
    struct ptx__jit_operand operand = {.form = slot->form};

    if (slot->form.vector) {
        operand.base = load_all(emit, number);
    } else if (slot->constant) {
        operand.base = emit->constants[number];
        operand.rows = emit->row_steps[number];
    } else {
        operand.base = load_word(emit, number, 0);
        if (slot->form.rows)
            operand.rows = load_word(emit, number, 1);
    }
    return operand;
}

static struct ptx__jit_known *known_of(struct ptx__jit_emit *emit, uint16_t number)
{
    struct ptx__jit_known *known = &emit->known[number];

    if (!known->valid)
        *known = (struct ptx__jit_known){.valid = true, .value = load(emit, number)};
    return known;
}

/* A NaN becomes the device's. */
static void settle(struct ptx__jit_text *text, struct ptx__jit_operand *operand)
{
    if (operand->any_nan)
        operand->base = ptx__plain_settle(text, operand->base);
    operand->any_nan = false;
}

struct ptx__jit_operand ptx__jit_read_slot(struct ptx__jit_emit *emit, uint16_t number)
{
    struct ptx__jit_operand *value = &known_of(emit, number)->value;

    settle(&emit->text, value);
    return *value;
}

struct ptx__jit_operand ptx__jit_read_number(struct ptx__jit_emit *emit, uint32_t offset)
{
    const uint16_t number = ptx__jit_read_at(emit->flow, emit->at, offset);

    return number == PTX__JIT_NONE ? ptx__jit_read(emit, offset, 32)
                                   : known_of(emit, number)->value;
}

struct ptx__jit_operand ptx__jit_read(struct ptx__jit_emit *emit, uint32_t offset, unsigned bits)
{
    const uint16_t number = ptx__jit_read_at(emit->flow, emit->at, offset);

    if (number == PTX__JIT_NONE)
        return (struct ptx__jit_operand){.form.known = true,
                                         .base = ptx__jit_number(ptx__jit_type_of_bits(bits), 0)};
    return ptx__jit_read_slot(emit, number);
}

/* A vector of numbers: that of the lane in its row times one, plus that of the row times another.
 */
static struct ptx__jit_value pattern(struct ptx__jit_emit *emit, unsigned type, unsigned row,
                                     int64_t step, int64_t row_step)
{
    struct ptx__jit_text *text = &emit->text;
    const struct ptx__jit_value value = ptx__jit_begin(text, type, PTX__LANES);

    ptx__jit_say(text, "add ");
    ptx__jit_say_type(text, type, PTX__LANES);
    ptx__jit_say(text, " zeroinitializer, ");
    for (unsigned l = 0; l < PTX__LANES; l++) {
        ptx__jit_say(text, l ? ", " : "<");
        ptx__jit_say_typed(text,
                           ptx__jit_number(type, (uint64_t) (step * (int64_t) (l % row) +
                                                             row_step * (int64_t) (l / row))));
    }
    ptx__jit_say(text, ">\n");
    return value;
}

struct ptx__jit_value ptx__jit_row(struct ptx__jit_emit *emit,
                                   const struct ptx__jit_operand *operand)
{
    return ptx__jit_binary(&emit->text, "add",
                           ptx__jit_splat(&emit->text, operand->base, PTX__LANES),
                           pattern(emit, operand->base.type, PTX__LANES, operand->form.step, 0));
}

struct ptx__jit_value ptx__jit_vector(struct ptx__jit_emit *emit,
                                      const struct ptx__jit_operand *operand)
{
    const unsigned row = emit->flow->row ? emit->flow->row : PTX__LANES;
    struct ptx__jit_value value = ptx__jit_splat(&emit->text, operand->base, PTX__LANES);

    if (operand->form.vector)
        return value;
    if (operand->form.step)
        value = ptx__jit_binary(&emit->text, "add", value,
                                pattern(emit, value.type, row, operand->form.step, 0));
    if (operand->form.rows)
        value =
            ptx__jit_binary(&emit->text, "add", value,
                            ptx__jit_binary(&emit->text, "mul",
                                            pattern(emit, value.type, row, 0, 1), operand->rows));
    return value;
}

/* --- writing --- */

/* Tells whether other lanes than those of the guard, or of the mask, need what they have. */
static bool is_kept(const struct ptx__jit_emit *emit, uint16_t number)
{
    return emit->flow->ops[emit->at].kept ||
           (emit->guarded && ptx__jit_is_live(emit->flow, emit->piece_end, number));
}

/* The new value in the lanes of the guard or the mask, and the old one, which may be no number. */
static void keep_others(struct ptx__jit_emit *emit, uint16_t number,
                        struct ptx__jit_operand *operand)
{
    struct ptx__jit_text *text = &emit->text;

    settle(text, operand);
    operand->base = ptx__jit_select(text, emit->guarded ? emit->guard : emit->mask, operand->base,
                                    ptx__jit_read_slot(emit, number).base);
}

void ptx__jit_write_slot(struct ptx__jit_emit *emit, uint16_t number,
                         const struct ptx__jit_operand *operand)
{
    const struct ptx__jit_slot *slot = &emit->flow->slots[number];
    struct ptx__jit_operand typed = *operand;

    if (typed.base.type == PTX__JIT_ANY)
        typed.base.type = (uint8_t) type_of(slot);
    if (slot->form.vector) {
        typed.base = ptx__jit_vector(emit, &typed);
        if (is_kept(emit, number))
            keep_others(emit, number, &typed);
    } else if (slot->form.rows && !typed.form.rows) {
        typed.rows = ptx__jit_number(type_of(slot), 0);
    }
    typed.form = slot->form;
    emit->known[number] = (struct ptx__jit_known){.valid = true, .dirty = true, .value = typed};
}

void ptx__jit_write(struct ptx__jit_emit *emit, uint32_t offset,
                    const struct ptx__jit_operand *operand)
{
    const uint16_t number = ptx__jit_written_at(emit->flow, emit->at, offset);

    if (number != PTX__JIT_NONE)
        ptx__jit_write_slot(emit, number, operand);
}

static void store_word(struct ptx__jit_emit *emit, unsigned number, unsigned word,
                       struct ptx__jit_value value)
{
    ptx__jit_store(&emit->text, "", area_word(emit, number, word),
                   ptx__jit_cast(&emit->text, "zext", value, PTX__JIT_I64), 8);
}

static void store_predicate(struct ptx__jit_emit *emit, struct ptx__jit_value at,
                            struct ptx__jit_value word)
{
    struct ptx__jit_text *text = &emit->text;

    if (emit->apart) {
        const struct ptx__jit_value old = ptx__jit_load(text, "", at, PTX__JIT_I32, 0, 4);

        /* Those of the mask, and the old ones of the others. */
        word = ptx__jit_binary(
            text, "xor", old,
            ptx__jit_binary(text, "and", emit->mask_word, ptx__jit_binary(text, "xor", old, word)));
    }
    ptx__jit_store(text, "", at, word, 4);
}

/* Where lanes may be apart, others than the active ones may belong to another group. */
static void store_vector(struct ptx__jit_emit *emit, unsigned number, struct ptx__jit_value value)
{
    const struct ptx__jit_slot *slot = &emit->flow->slots[number];
    const struct ptx__jit_value at = ptx__jit_at(emit, emit->registers, slot->offset);

    if (slot->bits == 1) {
        store_predicate(emit, at, ptx__jit_word(&emit->text, value));
        return;
    }
    if (emit->apart)
        value = ptx__jit_select(&emit->text, emit->mask, value, load_all(emit, number));
    ptx__jit_store(&emit->text, "", at, value, 64);
}

void ptx__jit_flush_slot(struct ptx__jit_emit *emit, unsigned number)
{
    struct ptx__jit_known *known = &emit->known[number];

    if (!known->dirty)
        return;
    known->dirty = emit->copying; /* what lanes have that wait is not there yet */
    ptx__jit_read_slot(emit, (uint16_t) number);
    if (known->value.form.vector) {
        store_vector(emit, number, known->value.base);
        return;
    }
    store_word(emit, number, 0, known->value.base);
    if (known->value.form.rows)
        store_word(emit, number, 1, known->value.rows);
}

void ptx__jit_flush(struct ptx__jit_emit *emit, size_t number)
{
    for (unsigned i = 0; i < emit->flow->n_slots; i++) {
        if (emit->known[i].dirty && ptx__jit_is_live(emit->flow, number, i))
            ptx__jit_flush_slot(emit, i);
    }
}

void ptx__jit_flush_before(struct ptx__jit_emit *emit, size_t next, size_t other)
{
    for (unsigned i = 0; i < emit->flow->n_slots; i++) {
        if (emit->known[i].dirty &&
            (ptx__jit_is_live(emit->flow, next, i) || ptx__jit_is_live(emit->flow, other, i)))
            ptx__jit_flush_slot(emit, i);
    }
}

void ptx__jit_know_nothing(struct ptx__jit_emit *emit)
{
    memset(emit->known, 0, emit->flow->n_slots * sizeof(*emit->known));
}

/* --- behind a branch --- */

bool ptx__jit_passes(const struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__jit_op *op = &emit->flow->ops[number];

    return emit->full && number && number < emit->flow->n_ops &&
           emit->flow->ops[number - 1].kind == PTX__JIT_BRANCH && op->entry && !op->target;
}

/* Nothing leads to a branch that was not written. */
static bool is_passed(const struct ptx__jit_emit *emit, size_t number, unsigned slot)
{
    return emit->branch == number - 1 && emit->passed[slot].valid &&
           ptx__jit_is_live(emit->flow, number, slot);
}

/* The same in all of the function. */
static bool is_fixed(const struct ptx__jit_slot *slot)
{
    return slot->constant && !slot->form.vector;
}

static struct ptx__jit_value passed(struct ptx__jit_emit *emit, size_t number,
                                    struct ptx__jit_value value, struct ptx__jit_value loaded)
{
    return ptx__jit_phi(emit, value, "pass", number - 1, loaded, "bring", number);
}

void ptx__jit_pass(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__jit_flow *flow = emit->flow;

    ptx__jit_label(emit, "bring", number);
    ptx__jit_know_nothing(emit);
    for (uint16_t i = 0; i < flow->n_slots; i++) {
        if (is_passed(emit, number, i))
            ptx__jit_read_slot(emit, i);
    }
    ptx__jit_goto(emit, "op", number);
    ptx__jit_label(emit, "op", number);
    for (unsigned i = 0; i < flow->n_slots; i++) {
        struct ptx__jit_operand *value = &emit->known[i].value, *before = &emit->passed[i].value;

        if (!is_passed(emit, number, i) || is_fixed(&flow->slots[i]))
            continue;
        emit->known[i].dirty = emit->passed[i].dirty;
        value->any_nan = before->any_nan;
        value->base = passed(emit, number, before->base, value->base);
        if (value->form.rows)
            value->rows = passed(emit, number, before->rows, value->rows);
    }
}

struct ptx__jit_operand ptx__jit_written(struct ptx__jit_emit *emit, unsigned number)
{
    const struct ptx__jit_slot *slot = &emit->flow->slots[number];
    const struct ptx__jit_value all = load_all(emit, number);
    const struct ptx__jit_value first = emit->full ? ptx__jit_number(PTX__JIT_I32, 0) : emit->first;

    if (slot->form.vector)
        return (struct ptx__jit_operand){.form = slot->form, .base = all};
    return (struct ptx__jit_operand){.form.known = true,
                                     .base = ptx__jit_lane(&emit->text, all, first)};
}

struct ptx__jit_value ptx__jit_phi(struct ptx__jit_emit *emit, struct ptx__jit_value a,
                                   const char *word_a, size_t number_a, struct ptx__jit_value b,
                                   const char *word_b, size_t number_b)
{
    struct ptx__jit_text *text = &emit->text;
    const struct ptx__jit_value r = ptx__jit_begin(text, a.type, a.lanes);

    ptx__jit_say(text, "phi ");
    ptx__jit_say_type(text, a.type, a.lanes);
    ptx__jit_say(text, " [ ");
    ptx__jit_say_value(text, a);
    ptx__jit_say(text, ", %%%s%zu ], [ ", word_a, number_a);
    ptx__jit_say_value(text, b);
    ptx__jit_say(text, ", %%%s%zu ]\n", word_b, number_b);
    return r;
}
