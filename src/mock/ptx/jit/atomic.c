/* SPDX-License-Identifier: MIT */
/*
 * Atomic operations on memory that has been checked. The lanes do them one after another, in their
 * order. In global memory they use the host's, as the handlers do. What the host does not have is
 * repeated until nobody has changed the value in between. The shared memory of a block belongs to
 * one worker, so nobody does.
 *
 * Additions whose results nobody wants are gathered by the worker, if nothing can tell: see
 * machine/gathered.h.
 */
#include <string.h>

#include "mock/ptx/exec/control.h"
#include "mock/ptx/jit/access.h"

/* The lists of what lanes use. */
enum { ADDRESSES, OPERANDS, OTHERS, RESULTS };

struct lane {
    const struct ptx__jit_access *access;
    struct ptx__jit_emit *emit;
    struct ptx__jit_text *text;
    unsigned type;
    struct ptx__jit_value at, operands[2];
};

static bool is_exchange(const struct ptx__jit_access *access)
{
    return strstr(access->op->keyed->key, ".cas.");
}

/* Returns the host's own operation, or NULL. */
static const char *of_host(const struct ptx__jit_access *access)
{
    static const char *const names[][2] = {
        {".add.u", "add"}, {".and.u", "and"},   {".or.u", "or"},
        {".xor.u", "xor"}, {".exch.u", "xchg"}, {".min.s", "min"},
        {".max.s", "max"}, {".min.u", "umin"},  {".max.u", "umax"}};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strstr(access->op->keyed->key, names[i][0]))
            return names[i][1];
    }
    return NULL;
}

/* --- one lane --- */

static struct ptx__jit_value result_of(const struct lane *lane, struct ptx__jit_value old)
{
    const struct ptx__jit_operands operands = {
        .slots = {old, lane->operands[0], lane->operands[1]}};

    return ptx__plain_write(lane->text, lane->access->op->plain, &operands);
}

static struct ptx__jit_value alone(const struct lane *lane)
{
    const unsigned bytes = lane->access->bytes;
    const struct ptx__jit_value old =
        ptx__jit_load(lane->text, "volatile ", lane->at, lane->type, 0, bytes);

    ptx__jit_store(lane->text, "volatile ", lane->at, result_of(lane, old), bytes);
    return old;
}

static struct ptx__jit_value repeated(const struct lane *lane, size_t label)
{
    struct ptx__jit_emit *emit = lane->emit;
    const struct ptx__jit_value first =
        ptx__jit_load(lane->text, "volatile ", lane->at, lane->type, 0, lane->access->bytes);
    const struct ptx__jit_value seen = {.type = (uint8_t) lane->type, .number = lane->text->next++};
    struct ptx__jit_value old, done;

    ptx__jit_goto(emit, "try", label);
    ptx__jit_label(emit, "try", label);
    old = ptx__jit_phi(emit, first, "each", label, seen, "try", label);
    done = ptx__jit_exchange(lane->text, lane->at, old, result_of(lane, old), seen);
    ptx__jit_branch(emit, done, "tried", label, "try", label);
    ptx__jit_label(emit, "tried", label);
    return old;
}

static struct ptx__jit_value with_others(const struct lane *lane, size_t label)
{
    const char *name = of_host(lane->access);
    struct ptx__jit_value old = {.type = (uint8_t) lane->type};

    if (name)
        return ptx__jit_atomic(lane->text, name, lane->at, lane->operands[0]);
    if (!is_exchange(lane->access))
        return repeated(lane, label);
    old.number = lane->text->next++;
    ptx__jit_exchange(lane->text, lane->at, lane->operands[0], lane->operands[1], old);
    return old;
}

struct ptx__jit_value ptx__jit_operand_of_atom(const struct ptx__jit_access *access,
                                               unsigned number)
{
    const struct ptx__jit_operand operand =
        ptx__jit_read(access->emit, access->code->list[number], access->op->memory_bits);

    return operand.form.step || operand.form.rows ? ptx__jit_vector(access->emit, &operand)
                                                  : operand.base;
}

static void list_operands(const struct ptx__jit_access *access)
{
    for (unsigned i = 0; i < 1u + is_exchange(access); i++) {
        const struct ptx__jit_value value = ptx__jit_operand_of_atom(access, i);

        if (value.lanes)
            ptx__jit_put_list(access, OPERANDS + i, value);
    }
}

static struct ptx__jit_value operand_of_lane(const struct ptx__jit_access *access, unsigned number,
                                             struct ptx__jit_value lane)
{
    const struct ptx__jit_value value = ptx__jit_operand_of_atom(access, number);

    return value.lanes
               ? ptx__jit_listed(access, OPERANDS + number, lane, ptx__jit_memory_type(access))
               : value;
}

static struct ptx__jit_value write_lane(const struct ptx__jit_access *access,
                                        struct ptx__jit_value number, size_t label)
{
    struct lane lane = {.access = access, .emit = access->emit, .text = access->text};

    lane.type = ptx__jit_memory_type(access);
    lane.at = ptx__jit_listed_address(access, ADDRESSES, number);
    for (unsigned i = 0; i < 1u + is_exchange(access); i++)
        lane.operands[i] = operand_of_lane(access, i, number);
    return access->op->space == 's' ? alone(&lane) : with_others(&lane, label);
}

/* --- all lanes --- */

static struct ptx__jit_value mask_of(const struct ptx__jit_emit *emit)
{
    return emit->guarded ? emit->guard_word : emit->mask_word;
}

/* Hands the lanes' addresses and operands to the worker. */
static void hand_over(const struct ptx__jit_access *access)
{
    struct ptx__jit_emit *emit = access->emit;
    const struct ptx__jit_value operands[] = {
        ptx__jit_at(emit, emit->worker, offsetof(struct ptx__worker, gathered)), emit->room,
        ptx__jit_cast(access->text, "zext", mask_of(emit), PTX__JIT_I64), access->host};

    ptx__jit_put_list(access, ADDRESSES, access->address);
    ptx__jit_put_list(access, OPERANDS, ptx__jit_operand_of_atom(access, 0));
    ptx__jit_call_engine(
        emit, access->bytes == 8 ? (uintptr_t) ptx__gather_64 : (uintptr_t) ptx__gather_32, "void",
        4, operands);
}

#define GATHERED(access, type, member)                                                             \
    FIELD((access)->emit, (access)->emit->worker, type, ptx__worker, gathered.member)

/* Whether the worker gathers for this memory, and all lanes add to what it has the window of. */
static struct ptx__jit_value is_in_window(const struct ptx__jit_access *access,
                                          struct ptx__jit_value gain)
{
    struct ptx__jit_text *text = access->text;
    const struct ptx__jit_value in_window = ptx__jit_folded(
        text, ptx__jit_binary(text, "sub", access->address, GATHERED(access, I64, window_at)));
    const struct ptx__jit_value is[] = {
        ptx__jit_compare(text, "icmp eq", GATHERED(access, I64, memory), access->host),
        ptx__jit_compare(text, "icmp eq", GATHERED(access, I32, bytes),
                         ptx__jit_number(PTX__JIT_I32, access->bytes)),
        ptx__jit_compare(text, "icmp sge", gain,
                         ptx__jit_number(PTX__JIT_I32, (uint32_t) -PTX__GATHER_LOSS))};
    struct ptx__jit_value all = ptx__jit_all_zero(
        text, ptx__jit_with(access, "and", in_window, ~(uint64_t) (PTX__GATHER_WINDOW - 1)));

    for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++)
        all = ptx__jit_binary(text, "and", all, is[i]);
    return all;
}

static void set_gathered(const struct ptx__jit_access *access, size_t offset,
                         struct ptx__jit_value value)
{
    ptx__jit_store(access->text, "",
                   ptx__jit_at(access->emit, access->emit->worker,
                               offsetof(struct ptx__worker, gathered) + offset),
                   value, ptx__jit_bits(value.type) / 8);
}

/* Adds for 32 lanes to the sums of the window, and to what has been gained. */
static void add_to_window(const struct ptx__jit_access *access, struct ptx__jit_value gain)
{
    struct ptx__jit_text *text = access->text;
    const unsigned type = ptx__jit_memory_type(access);
    const struct ptx__jit_value more = ptx__jit_with(access, "add", gain, PTX__LANES);
    const struct ptx__jit_value most = ptx__jit_number(PTX__JIT_I32, PTX__GATHER_GAIN);
    const struct ptx__jit_value down = ptx__jit_binary(text, "sub", GATHERED(access, I64, window),
                                                       GATHERED(access, I64, window_at));

    ptx__jit_put_list(access, ADDRESSES, access->address);
    list_operands(access);
    for (unsigned l = 0; l < PTX__LANES; l++) {
        const struct ptx__jit_value lane = ptx__jit_number(PTX__JIT_I32, l);
        const struct ptx__jit_value at =
            ptx__jit_binary(text, "add", ptx__jit_listed_address(access, ADDRESSES, lane), down);
        const struct ptx__jit_value sum = ptx__jit_load(text, "", at, type, 0, access->bytes);

        ptx__jit_store(text, "", at,
                       ptx__jit_binary(text, "add", sum, operand_of_lane(access, 0, lane)),
                       access->bytes);
    }
    set_gathered(access, offsetof(struct ptx__gathered, window_used),
                 ptx__jit_number(PTX__JIT_I8, 1));
    set_gathered(access, offsetof(struct ptx__gathered, gain),
                 ptx__jit_select(text, ptx__jit_compare(text, "icmp slt", more, most), more, most));
}

static void gather(const struct ptx__jit_access *access)
{
    struct ptx__jit_emit *emit = access->emit;
    const size_t label = emit->n_labels++;
    struct ptx__jit_value gain;

    if (!emit->full || emit->guarded) {
        hand_over(access);
        return;
    }
    gain = GATHERED(access, I32, gain);
    ptx__jit_branch(emit, is_in_window(access, gain), "window", label, "hand", label);
    ptx__jit_label(emit, "window", label);
    add_to_window(access, gain);
    ptx__jit_goto(emit, "gathered", label);
    ptx__jit_label(emit, "hand", label);
    hand_over(access);
    ptx__jit_goto(emit, "gathered", label);
    ptx__jit_label(emit, "gathered", label);
}

/* One lane after the other. */
static struct ptx__jit_value in_order(const struct ptx__jit_access *access, bool wanted)
{
    struct ptx__jit_emit *emit = access->emit;
    struct ptx__jit_text *text = access->text;
    const size_t label = emit->n_labels++, before = emit->label_number;
    const char *word = emit->label;
    struct ptx__jit_value lanes, lane, old, next = {.type = PTX__JIT_I32};

    ptx__jit_goto(emit, "each", label);
    ptx__jit_label(emit, "each", label);
    next.number = text->next++;
    lanes = ptx__jit_phi(emit, mask_of(emit), word, before, next, "next", label);
    lane = ptx__jit_first_bit(text, lanes);
    old = write_lane(access, lane, label);
    if (wanted)
        ptx__jit_store(text, "", ptx__jit_list_at(access, RESULTS, lane, access->bytes), old,
                       access->bytes);
    ptx__jit_goto(emit, "next", label);
    ptx__jit_label(emit, "next", label);
    ptx__jit_drop_bit(text, lanes, next);
    ptx__jit_branch(emit, ptx__jit_compare(text, "icmp ne", next, ptx__jit_number(PTX__JIT_I32, 0)),
                    "each", label, "all", label);
    ptx__jit_label(emit, "all", label);
    return wanted ? ptx__jit_load(text, "", ptx__jit_list_at(access, RESULTS, ptx__jit_i64(0), 0),
                                  ptx__jit_memory_type(access), PTX__LANES, 64)
                  : next;
}

/* The same of 32 lanes, in one piece of code. */
static struct ptx__jit_value all_in_order(const struct ptx__jit_access *access)
{
    struct ptx__jit_value old[PTX__LANES];

    for (unsigned l = 0; l < PTX__LANES; l++)
        old[l] = write_lane(access, ptx__jit_number(PTX__JIT_I32, l), 0);
    return ptx__jit_joined(access->text, PTX__LANES, old);
}

struct ptx__jit_value ptx__jit_write_atoms(const struct ptx__jit_access *access, bool wanted)
{
    const struct ptx__jit_emit *emit = access->emit;

    if (emit->gathers && access->op->space != 's') {
        gather(access);
        return (struct ptx__jit_value){.type = PTX__JIT_I32};
    }
    ptx__jit_put_list(access, ADDRESSES, access->address);
    list_operands(access);
    return access->op->space == 's' && emit->full && !emit->guarded ? all_in_order(access)
                                                                    : in_order(access, wanted);
}

/* --- what is gathered --- */

uint16_t ptx__jit_result_slot(const struct ptx__jit_flow *flow, size_t number, uint32_t offset)
{
    const uint16_t slot = ptx__jit_written_at(flow, number, offset);

    return slot != PTX__JIT_NONE && ptx__jit_is_live(flow, number + 1, slot) ? slot : PTX__JIT_NONE;
}

static bool is_addition(const struct ptx__jit_flow *flow, size_t number)
{
    const struct ptx__jit_op *op = &flow->ops[number];

    return op->kind == PTX__JIT_ATOMIC && op->space != 's' && flow->code->ops[number].relaxed &&
           strstr(op->keyed->key, ".add.u") &&
           ptx__jit_result_slot(flow, number, flow->code->ops[number].d) == PTX__JIT_NONE;
}

/*
 * Whether others may learn something of the order in which an operation and others are done. What
 * a function does that is called comes behind all additions.
 */
static bool has_order(const struct ptx__jit_flow *flow, size_t number)
{
    const struct ptx__jit_op *op = &flow->ops[number];

    if (flow->runs[number] == ptx__do_call)
        return false;
    if (op->keyed && !strncmp(op->keyed->key, "sts.", 4))
        return true;
    return flow->code->ops[number].waits && !is_addition(flow, number) &&
           !(op->kind == PTX__JIT_ATOMIC && op->space == 's' && flow->code->ops[number].relaxed);
}

bool ptx__jit_gathers(const struct ptx__jit_flow *flow)
{
    bool any = false;

    for (size_t i = 0; i < flow->code->n_ops; i++) {
        if (has_order(flow, i))
            return false;
        any |= is_addition(flow, i);
    }
    return any && flow->code->is_kernel;
}

void ptx__jit_add_gathered(struct ptx__jit_emit *emit)
{
    const struct ptx__jit_value gathered =
        ptx__jit_at(emit, emit->worker, offsetof(struct ptx__worker, gathered));

    if (emit->gathers)
        ptx__jit_call_engine(emit, (uintptr_t) ptx__gathered_add, "void", 1, &gathered);
}
