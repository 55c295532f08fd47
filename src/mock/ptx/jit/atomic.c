/* SPDX-License-Identifier: MIT */
/*
 * Atomic operations on memory that has been checked. The lanes do them one after another, in their
 * order. In global memory they use the host's, as the handlers do. What the host does not have is
 * repeated until nobody has changed the value in between. The shared memory of a block belongs to
 * one worker, so nobody does.
 */
#include <string.h>

#include "mock/ptx/jit/access.h"

/* What lanes use lies in the room, one list behind the other. */
enum { ADDRESSES, OPERANDS, OTHERS, RESULTS, LIST = PTX__LANES * 8 };

struct lane {
    const struct ptx__jit_access *access;
    struct ptx__jit_emit *emit;
    struct ptx__jit_text *text;
    unsigned type;
    struct ptx__jit_value number; /* of the lane, as 64 bits */
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

static struct ptx__jit_value list_at(const struct lane *lane, unsigned list, unsigned bytes)
{
    return ptx__jit_binary(lane->text, "add",
                           ptx__jit_at(lane->emit, lane->emit->room, list * LIST),
                           ptx__jit_binary(lane->text, "mul", lane->number, ptx__jit_i64(bytes)));
}

static struct ptx__jit_value of_lane(const struct lane *lane, unsigned list, unsigned type)
{
    const unsigned bytes = ptx__jit_bits(type) / 8;

    return ptx__jit_load(lane->text, "", list_at(lane, list, bytes), type, 0, bytes);
}

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

static void write_lane(const struct ptx__jit_access *access, struct ptx__jit_value number,
                       bool wanted, size_t label)
{
    struct lane lane = {.access = access, .emit = access->emit, .text = access->text};
    struct ptx__jit_value old;

    lane.type = ptx__jit_memory_type(access);
    lane.number = ptx__jit_cast(lane.text, "zext", number, PTX__JIT_I64);
    lane.at = of_lane(&lane, ADDRESSES, PTX__JIT_I64);
    for (unsigned i = 0; i < 1u + is_exchange(access); i++)
        lane.operands[i] = of_lane(&lane, OPERANDS + i, lane.type);
    old = access->op->space == 's' ? alone(&lane) : with_others(&lane, label);
    if (wanted)
        ptx__jit_store(lane.text, "", list_at(&lane, RESULTS, access->bytes), old, access->bytes);
}

/* --- all lanes --- */

static void fill_list(const struct ptx__jit_access *access, unsigned list,
                      struct ptx__jit_value value)
{
    ptx__jit_store(access->text, "", ptx__jit_at(access->emit, access->emit->room, list * LIST),
                   ptx__jit_splat(access->text, value, PTX__LANES), 64);
}

struct ptx__jit_value ptx__jit_operand_of_atom(const struct ptx__jit_access *access,
                                               unsigned number)
{
    const struct ptx__jit_operand operand =
        ptx__jit_read(access->emit, access->code->list[number], access->op->memory_bits);

    return ptx__jit_vector(access->emit, &operand);
}

static struct ptx__jit_value mask_of(const struct ptx__jit_emit *emit)
{
    return emit->guarded ? emit->guard_word : emit->mask_word;
}

struct ptx__jit_value ptx__jit_write_atoms(const struct ptx__jit_access *access, bool wanted)
{
    struct ptx__jit_emit *emit = access->emit;
    struct ptx__jit_text *text = access->text;
    const size_t label = emit->n_labels++, before = emit->label_number;
    const char *word = emit->label;
    struct ptx__jit_value lanes, next = {.type = PTX__JIT_I32};

    fill_list(access, ADDRESSES, access->address);
    for (unsigned i = 0; i < 1u + is_exchange(access); i++)
        fill_list(access, OPERANDS + i, ptx__jit_operand_of_atom(access, i));
    ptx__jit_goto(emit, "each", label);
    ptx__jit_label(emit, "each", label);
    next.number = text->next++;
    lanes = ptx__jit_phi(emit, mask_of(emit), word, before, next, "next", label);
    write_lane(access, ptx__jit_first_bit(text, lanes), wanted, label);
    ptx__jit_goto(emit, "next", label);
    ptx__jit_label(emit, "next", label);
    ptx__jit_drop_bit(text, lanes, next);
    ptx__jit_branch(emit, ptx__jit_compare(text, "icmp ne", next, ptx__jit_number(PTX__JIT_I32, 0)),
                    "each", label, "all", label);
    ptx__jit_label(emit, "all", label);
    return wanted ? ptx__jit_load(text, "", ptx__jit_at(emit, emit->room, RESULTS * LIST),
                                  ptx__jit_memory_type(access), PTX__LANES, 64)
                  : next;
}
