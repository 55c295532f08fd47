/* SPDX-License-Identifier: MIT */
/*
 * Accesses to global and shared memory. Addresses with steps are checked as one piece, and
 * become one access of a vector for each row; other addresses are checked lane by lane, and become
 * one access of all lanes. What is wanted by the race check is noted (note.c). Whatever is not
 * right is the handler's: it finds the range, or what is wrong.
 */
#include "mock/ptx/jit/access.h"

#include <stdlib.h>
#include <string.h>

#include "mock/ptx/jit/note.h"

static struct ptx__jit_value both(const struct ptx__jit_access *access, struct ptx__jit_value a,
                                  struct ptx__jit_value b)
{
    return ptx__jit_binary(access->text, "and", a, b);
}

static struct ptx__jit_value plus(const struct ptx__jit_access *access, struct ptx__jit_value a,
                                  struct ptx__jit_value b)
{
    return ptx__jit_binary(access->text, "add", a, b);
}

static struct ptx__jit_value minus(const struct ptx__jit_access *access, struct ptx__jit_value a,
                                   struct ptx__jit_value b)
{
    return ptx__jit_binary(access->text, "sub", a, b);
}

static struct ptx__jit_value any(uint64_t number)
{
    return ptx__jit_number(PTX__JIT_ANY, number);
}

/* --- which memory --- */

static struct ptx__jit_value hit_at(const struct ptx__jit_access *access, size_t offset)
{
    return ptx__jit_at(access->emit, access->emit->hits,
                       access->code->site * sizeof(struct ptx__range_cache) + offset);
}

struct ptx__jit_value ptx__jit_hit(const struct ptx__jit_access *access)
{
    return hit_at(access, 0);
}

struct ptx__jit_value ptx__jit_hit_field(const struct ptx__jit_access *access, size_t offset,
                                         unsigned type)
{
    return ptx__jit_load(access->text, "", hit_at(access, offset), type, 0,
                         ptx__jit_bits(type) / 8);
}

/* Whether nothing is still to be added to the memory, or the access adds, too. */
static struct ptx__jit_value is_complete(const struct ptx__jit_access *access)
{
    const struct ptx__jit_emit *emit = access->emit;

    if (access->atomic || !emit->gathers)
        return ptx__jit_number(PTX__JIT_I1, 1);
    return ptx__jit_compare(access->text, "icmp ne", access->host,
                            FIELD(access->emit, emit->worker, I64, ptx__worker, gathered.memory));
}

static void find_global(struct ptx__jit_access *access)
{
    access->begin = HIT_FIELD(access, I64, begin);
    access->host = HIT_FIELD(access, I64, host);
    access->shadow = HIT_FIELD(access, I64, lines);
    access->noted = ptx__jit_compare(access->text, "icmp ne", access->shadow, any(0));
}

static void find_shared(struct ptx__jit_access *access)
{
    access->begin = ptx__jit_i64(0);
    access->size = ptx__jit_cast(access->text, "zext", access->emit->shared_bytes, PTX__JIT_I64);
    access->host = access->emit->shared;
    access->shadow = FIELD(access->emit, access->emit->block, I64, ptx__block, shadow);
    access->noted = ptx__jit_compare(access->text, "icmp ne", access->shadow, any(0));
}

/* Returns whether the memory may be used in this way. */
static struct ptx__jit_value is_usable(struct ptx__jit_access *access)
{
    if (access->op->space == 's')
        return ptx__jit_number(PTX__JIT_I1, 1);
    access->size = HIT_FIELD(access, I64, size);
    if (access->load)
        return is_complete(access);
    return both(
        access, is_complete(access),
        ptx__jit_compare(access->text, "icmp eq", HIT_FIELD(access, I8, read_only), any(0)));
}

/* --- addresses with steps --- */

static struct ptx__jit_value wide(const struct ptx__jit_access *access, const char *how,
                                  struct ptx__jit_value value)
{
    return ptx__jit_cast(access->text, how, value, PTX__JIT_I64);
}

/*
 * All lanes together lie between the first address and the last; a step of rows that is too large
 * is not right in any case. Returns whether they are in the memory, and aligned.
 */
static struct ptx__jit_value check_steps(struct ptx__jit_access *access)
{
    const int64_t span = access->device.form.step * ((int64_t) ptx__jit_row_lanes(access) - 1);
    const uint64_t large = UINT64_C(1) << 40;
    struct ptx__jit_text *text = access->text;
    struct ptx__jit_value low = ptx__jit_i64((uint64_t) (span < 0 ? span : 0)), fits;
    struct ptx__jit_value length = ptx__jit_i64((uint64_t) (span < 0 ? -span : span) + access->all);
    struct ptx__jit_value bits = access->device.base;

    fits = ptx__jit_compare(text, "icmp uge", access->size, ptx__jit_i64(access->all));
    if (access->device.form.rows) {
        const struct ptx__jit_value all =
            ptx__jit_binary(text, "mul", access->device.rows,
                            ptx__jit_i64(PTX__LANES / ptx__jit_row_lanes(access) - 1));
        const struct ptx__jit_value negative = ptx__jit_compare(text, "icmp slt", all, any(0));

        low = plus(access, low, ptx__jit_select(text, negative, all, any(0)));
        length = plus(access, length,
                      ptx__jit_select(text, negative, minus(access, ptx__jit_i64(0), all), all));
        fits =
            both(access, fits,
                 ptx__jit_compare(text, "icmp ult", plus(access, access->device.rows, any(large)),
                                  any(2 * large)));
        bits = ptx__jit_binary(text, "or", bits, access->device.rows);
    }
    low = plus(access, access->offset, low);
    fits = both(access, fits, ptx__jit_compare(text, "icmp ult", low, access->size));
    fits = both(access, fits,
                ptx__jit_compare(text, "icmp uge", minus(access, access->size, low), length));
    if (access->all > 1)
        fits = both(access, fits,
                    ptx__jit_compare(text, "icmp eq",
                                     ptx__jit_binary(text, "and", bits, any(access->all - 1)),
                                     any(0)));
    return fits;
}

/* --- addresses of each lane --- */

/* Gives inactive lanes the address of an active one where theirs is wrong. */
static struct ptx__jit_value settled(const struct ptx__jit_access *access,
                                     struct ptx__jit_value wrong)
{
    const struct ptx__jit_value word =
        access->emit->guarded ? access->emit->guard_word : access->emit->mask_word;
    const struct ptx__jit_value first = ptx__jit_first_bit(access->text, word);

    return ptx__jit_select(access->text, wrong, ptx__jit_lane(access->text, access->address, first),
                           access->address);
}

/*
 * The highest bit tells that one of these offsets is wrong: it is no offset, or one behind the last
 * element, or its address has a bit that none of a whole number of elements has.
 */
static struct ptx__jit_value wrong_bits(const struct ptx__jit_access *access,
                                        struct ptx__jit_value offset, struct ptx__jit_value to_last,
                                        struct ptx__jit_value address)
{
    const struct ptx__jit_value no = ptx__jit_binary(access->text, "or", offset, to_last);
    const struct ptx__jit_value odd = ptx__jit_with(access, "and", address, access->all - 1);

    return access->all == 1 ? no
                            : ptx__jit_binary(access->text, "or", no,
                                              minus(access, ptx__jit_number(odd.type, 0), odd));
}

/* Whether all lanes are right, none of which is inactive. */
static struct ptx__jit_value all_are_right(const struct ptx__jit_access *access,
                                           struct ptx__jit_value offset,
                                           struct ptx__jit_value to_last,
                                           struct ptx__jit_value address)
{
    struct ptx__jit_text *text = access->text;
    const struct ptx__jit_value folded = ptx__jit_folded(text, address);
    const struct ptx__jit_value no =
        wrong_bits(access, access->from_begin ? folded : ptx__jit_folded(text, offset),
                   ptx__jit_folded(text, to_last), folded);

    return ptx__jit_none_negative(text, no);
}

/* Whether the active ones are. Others get a right address. */
static struct ptx__jit_value some_are_right(struct ptx__jit_access *access,
                                            struct ptx__jit_value no)
{
    struct ptx__jit_text *text = access->text;

    no = ptx__jit_compare(text, "icmp slt", no, any(0));
    access->address = settled(access, no);
    no = both(access, no, access->emit->guarded ? access->emit->guard : access->emit->mask);
    return ptx__jit_compare(text, "icmp eq", ptx__jit_word(text, no),
                            ptx__jit_number(PTX__JIT_I32, 0));
}

/* The size of shared memory has less than 32 bits, as the address may have. */
static struct ptx__jit_value check_lanes(struct ptx__jit_access *access)
{
    const struct ptx__jit_value address = ptx__jit_vector(access->emit, &access->given);
    const struct ptx__jit_value size =
        ptx__jit_cast(access->text, "trunc", access->size, address.type);
    const struct ptx__jit_value offset =
        access->from_begin ? address : minus(access, address, access->begin);
    const struct ptx__jit_value to_last =
        minus(access, minus(access, size, any(access->all)), offset);

    access->address = access->from_begin ? offset : plus(access, offset, access->host);
    return both(access,
                ptx__jit_compare(access->text, "icmp uge", access->size, ptx__jit_i64(access->all)),
                access->emit->guarded || !access->emit->full
                    ? some_are_right(access, wrong_bits(access, offset, to_last, address))
                    : all_are_right(access, offset, to_last, address));
}

/* --- which kind --- */

static bool is_uniform(const struct ptx__jit_access *access)
{
    return !access->device.form.vector && !access->device.form.step && !access->device.form.rows;
}

static bool in_rows(const struct ptx__jit_access *access)
{
    const struct ptx__jit_form form = access->device.form;

    return !form.vector && (form.step == (int64_t) access->all || !form.step) &&
           access->n * ptx__jit_row_lanes(access) <= 128;
}

/* The elements of a load, as the slots have them. */
static void write_load(const struct ptx__jit_access *access, struct ptx__jit_operand *elements)
{
    for (unsigned i = 0; i < access->n; i++) {
        struct ptx__jit_value value;

        if (is_uniform(access))
            value = ptx__jit_load(access->text, "volatile ",
                                  ptx__jit_place(access, 0, i * access->bytes),
                                  ptx__jit_memory_type(access), 0, access->bytes);
        else
            value =
                in_rows(access) ? ptx__jit_load_rows(access, i) : ptx__jit_load_lanes(access, i);
        elements[i] = (struct ptx__jit_operand){.form = {.known = true, .vector = value.lanes},
                                                .base = ptx__jit_extended(access, value)};
    }
}

static uint16_t result_slot(const struct ptx__jit_access *access, unsigned element)
{
    return ptx__jit_result_slot(access->emit->flow, access->emit->at, access->results[element]);
}

static void write_atomic(const struct ptx__jit_access *access, struct ptx__jit_operand *old)
{
    const bool wanted = result_slot(access, 0) != PTX__JIT_NONE;

    *old = (struct ptx__jit_operand){.form = {.known = true, .vector = true},
                                     .base = ptx__jit_write_atoms(access, wanted)};
}

/* Whether a slot has a value for each lane. */
static bool has_lanes(const struct ptx__jit_access *access, unsigned element)
{
    const uint16_t number = result_slot(access, element);

    return number != PTX__JIT_NONE && access->emit->flow->slots[number].form.vector;
}

void ptx__jit_write_elements(struct ptx__jit_access *access,
                             const struct ptx__jit_operand *elements)
{
    for (unsigned i = 0; i < access->n_results; i++) {
        if (result_slot(access, i) != PTX__JIT_NONE)
            ptx__jit_write(access->emit, access->results[i], &elements[i]);
    }
}

/* After either way: what the access has loaded, or what the handler has. */
static void join_loads(struct ptx__jit_access *access, struct ptx__jit_operand *right,
                       const char *right_word, size_t right_number,
                       const struct ptx__jit_operand *slow, const char *word, size_t number)
{
    for (unsigned i = 0; i < access->n_results; i++) {
        if (result_slot(access, i) == PTX__JIT_NONE)
            continue;
        right[i].base = ptx__jit_phi(access->emit, right[i].base, right_word, right_number,
                                     slow[i].base, word, number);
        right[i].form.vector = right[i].base.lanes;
    }
    ptx__jit_write_elements(access, right);
}

/* One vector for each row, if all lanes store contiguous elements, each its own row. */
static bool stores_rows(const struct ptx__jit_access *access)
{
    return !access->device.form.vector && access->device.form.step == (int64_t) access->all &&
           access->n == 1 && access->emit->full && !access->emit->guarded &&
           (access->device.form.rows || ptx__jit_row_lanes(access) == PTX__LANES);
}

/* The same where only some lanes store; processors have that for elements of 4 and 8 bytes. */
static bool stores_row_of_some(const struct ptx__jit_access *access)
{
    const struct ptx__jit_form form = access->device.form;

    return !form.vector && !form.rows && form.step == (int64_t) access->all && access->n == 1 &&
           access->bytes >= 4 && ptx__jit_row_lanes(access) == PTX__LANES;
}

static void write_store(struct ptx__jit_access *access)
{
    if (stores_rows(access))
        ptx__jit_store_rows(access);
    else if (stores_row_of_some(access))
        ptx__jit_store_row_of_some(access);
    else
        ptx__jit_store_each(access);
}

void ptx__jit_place_access(struct ptx__jit_access *access)
{
    access->offset = minus(access, access->device.base, access->begin);
    access->address = plus(access, access->host, access->offset);
}

/* Some accesses need the pointers of each lane. */
static void place_lanes(struct ptx__jit_access *access)
{
    struct ptx__jit_value address;

    if (!access->atomic && (access->load ? is_uniform(access) || in_rows(access)
                                         : stores_rows(access) || stores_row_of_some(access)))
        return;
    address = ptx__jit_vector(access->emit, &access->given);
    access->address = access->from_begin
                          ? address
                          : plus(access, minus(access, address, access->begin), access->host);
}

static void prepare(struct ptx__jit_access *access, struct ptx__jit_emit *emit, size_t number)
{
    *access = (struct ptx__jit_access){.emit = emit, .text = &emit->text};
    access->op = &emit->flow->ops[number];
    access->code = &emit->flow->code->ops[number];
    access->load = access->op->kind == PTX__JIT_LOAD;
    access->atomic = access->op->kind == PTX__JIT_ATOMIC;
    access->n = access->atomic ? 1 : access->code->n_list;
    access->results = access->atomic ? &access->code->d : access->code->list;
    access->n_results = access->atomic || access->load ? access->n : 0;
    access->bytes = access->op->memory_bits / 8;
    access->all = access->n * access->bytes;
}

/* The address as the kernel has it: 64 bits, in shared memory also 32, which wrap around. */
static void find_address(struct ptx__jit_access *access)
{
    struct ptx__jit_operand *device = &access->device, *given = &access->given;
    const unsigned type = access->code->c ? PTX__JIT_I64 : PTX__JIT_I32;

    access->from_begin = access->op->space == 's';
    *given = ptx__jit_read(access->emit, access->code->a, access->code->c ? 64 : 32);
    if (access->code->imm)
        given->base = plus(access, given->base, ptx__jit_number(type, access->code->imm));
    *device = *given;
    device->base = wide(access, "zext", device->base);
    if (device->form.rows)
        device->rows = wide(access, "sext", device->rows);
}

void ptx__jit_begin_access(struct ptx__jit_access *access, struct ptx__jit_emit *emit,
                           size_t number)
{
    prepare(access, emit, number);
    find_address(access);
}

/* What the handler does instead. */
static void go_slow(struct ptx__jit_access *access, size_t number,
                    struct ptx__jit_operand *elements)
{
    ptx__jit_run_handler(access->emit, number);
    for (unsigned i = 0; i < access->n_results; i++) {
        const uint16_t slot = result_slot(access, i);

        if (slot != PTX__JIT_NONE)
            elements[i] = ptx__jit_written(access->emit, slot);
    }
}

void ptx__jit_make_access(struct ptx__jit_access *access, struct ptx__jit_operand *elements)
{
    if (ptx__jit_in_one_piece(access))
        place_lanes(access);
    ptx__jit_note(access, access->noted);
    if (access->atomic)
        write_atomic(access, elements);
    else if (access->load)
        write_load(access, elements);
    else
        write_store(access);
    for (unsigned i = 0; i < access->n_results; i++) {
        if (has_lanes(access, i))
            elements[i].base = ptx__jit_splat(access->text, elements[i].base, PTX__LANES);
    }
}

/* What the access reads is known on both ways. */
static void read_operands(const struct ptx__jit_access *access)
{
    for (unsigned i = 0; access->atomic && i < access->code->n_list; i++)
        ptx__jit_operand_of_atom(access, i);
    for (unsigned i = 0; !access->atomic && !access->load && i < access->n; i++)
        ptx__jit_stored(access, i);
}

/*
 * Branches to where the access is made, or to where the handler does it. Nothing that is loaded for
 * the second look is needed where the first one is enough.
 */
static void check(struct ptx__jit_access *access, size_t label)
{
    struct ptx__jit_emit *emit = access->emit;
    struct ptx__jit_value usable;

    if (ptx__jit_in_one_piece(access))
        ptx__jit_place_access(access);
    if (ptx__jit_counts_starts(access)) {
        ptx__jit_branch(emit, both(access, ptx__jit_is_start(access), is_complete(access)), "right",
                        label, "count", label);
        ptx__jit_label(emit, "count", label);
        ptx__jit_count_starts(access);
    }
    usable = is_usable(access);
    usable = both(access, usable,
                  ptx__jit_in_one_piece(access) ? check_steps(access) : check_lanes(access));
    ptx__jit_branch(emit, usable, "right", label, "slow", label);
}

void ptx__jit_write_access(struct ptx__jit_emit *emit, size_t number)
{
    struct ptx__jit_operand right[16] = {{.any_nan = false}}, slow[16] = {{.any_nan = false}};
    const size_t bytes = emit->flow->n_slots * sizeof(*emit->known);
    struct ptx__jit_known *before;
    struct ptx__jit_access access;
    const char *word, *right_word;
    size_t label, word_number, right_number;

    ptx__jit_begin_access(&access, emit, number);
    label = emit->n_labels++;
    read_operands(&access);
    if (access.op->space == 's')
        find_shared(&access);
    else
        find_global(&access);
    check(&access, label);
    before = malloc(bytes);
    ptx__jit_label(emit, "right", label);
    if (before)
        memcpy(before, emit->known, bytes);
    ptx__jit_make_access(&access, right);
    right_word = emit->label;
    right_number = emit->label_number;
    ptx__jit_goto(emit, "after", label);
    ptx__jit_label(emit, "slow", label);
    if (before)
        memcpy(emit->known, before, bytes);
    go_slow(&access, number, slow);
    word = emit->label;
    word_number = emit->label_number;
    ptx__jit_goto(emit, "after", label);
    ptx__jit_label(emit, "after", label);
    if (before)
        memcpy(emit->known, before, bytes);
    emit->text.text.failed |= !before;
    free(before);
    if (access.n_results)
        join_loads(&access, right, right_word, right_number, slow, word, word_number);
}
