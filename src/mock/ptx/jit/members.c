/* SPDX-License-Identifier: MIT */
/*
 * Operations of members of a warp, where all 32 lanes are here. If they name the same members by a
 * number, nobody waits for anybody, and the results follow from the operands. Else the handler is
 * called. Operations of the old kind name none.
 */
#include <string.h>

#include "mock/ptx/jit/emit.h"

static bool find_members(const struct ptx__jit_emit *emit, size_t number, uint32_t slot,
                         uint32_t *ret_members)
{
    uint64_t named = PTX__ALL;

    if (!emit->flow->code->ops[number].imm && slot != PTX__ALL_SLOT &&
        !ptx__jit_literal_at(emit->flow, number, slot, &named))
        return false;
    *ret_members = (uint32_t) named;
    return true;
}

static struct ptx__jit_value word(uint32_t number)
{
    return ptx__jit_number(PTX__JIT_I32, number);
}

static void write_result(struct ptx__jit_emit *emit, uint32_t slot, struct ptx__jit_value value)
{
    const struct ptx__jit_operand result = {.form = {.known = true, .vector = value.lanes},
                                            .base = value};

    ptx__jit_write(emit, slot, &result);
}

static struct ptx__jit_value lanes_of(struct ptx__jit_emit *emit, uint32_t slot, unsigned bits)
{
    const struct ptx__jit_operand operand = ptx__jit_read(emit, slot, bits);

    return ptx__jit_vector(emit, &operand);
}

/* --- shuffles --- */

/* See exec_warp.c. Returns where a lane's value comes from, and whether that is in its segment. */
static unsigned source_of(const char *mode, unsigned lane, unsigned b, unsigned c, bool *ret_valid)
{
    const unsigned segment = c >> 8 & 31, clamp = c & 31;
    const int first = (int) (lane & segment), last = first | (int) (clamp & ~segment);
    int from;

    b &= 31;
    if (!strcmp(mode, "up"))
        from = (int) lane - (int) b;
    else if (!strcmp(mode, "down"))
        from = (int) (lane + b);
    else
        from = (int) (!strcmp(mode, "bfly") ? lane ^ b : (unsigned) first | (b & ~segment));
    *ret_valid = strcmp(mode, "up") ? from <= last : from >= last;
    return *ret_valid ? (unsigned) from & 31 : lane;
}

void ptx__jit_shuffle(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__op *op = &emit->flow->code->ops[number];
    const char *mode = emit->flow->ops[number].keyed->key + strlen("shfl.");
    struct ptx__jit_value values;
    unsigned from[PTX__LANES];
    uint32_t members, valid = 0;
    uint64_t b, c;

    if (!find_members(emit, number, op->list[0], &members) ||
        !ptx__jit_literal_at(emit->flow, number, op->b, &b) ||
        !ptx__jit_literal_at(emit->flow, number, op->c, &c)) {
        ptx__jit_called(emit, number);
        return;
    }
    values = lanes_of(emit, op->a, 32);
    for (unsigned l = 0; l < PTX__LANES; l++) {
        bool is_valid;

        from[l] = source_of(mode, l, (unsigned) b, (unsigned) c, &is_valid);
        valid |= (uint32_t) is_valid << l;
    }
    write_result(emit, op->d, ptx__jit_shuffled(&emit->text, values, values, PTX__LANES, from));
    write_result(emit, op->list[1], ptx__jit_lanes(&emit->text, word(valid)));
}

/* --- votes --- */

static struct ptx__jit_value is(struct ptx__jit_emit *emit, struct ptx__jit_value value,
                                uint32_t number)
{
    return ptx__jit_compare(&emit->text, "icmp eq", value, word(number));
}

void ptx__jit_vote(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__op *op = &emit->flow->code->ops[number];
    const char *mode = emit->flow->ops[number].keyed->key + strlen("vote.");
    struct ptx__jit_value yes;
    uint32_t members;

    if (!find_members(emit, number, op->b, &members)) {
        ptx__jit_called(emit, number);
        return;
    }
    yes = ptx__jit_word(&emit->text, lanes_of(emit, op->a, 1));
    yes = ptx__jit_binary(&emit->text, "and", yes, word(members));
    if (!strcmp(mode, "all"))
        yes = is(emit, yes, members);
    else if (!strcmp(mode, "any"))
        yes = ptx__jit_compare(&emit->text, "icmp ne", yes, word(0));
    else if (!strcmp(mode, "uni"))
        yes = ptx__jit_binary(&emit->text, "or", is(emit, yes, members), is(emit, yes, 0));
    write_result(emit, op->d, yes);
}

/* --- reductions --- */

static const struct reduction {
    const char *key, *name;
    uint32_t nothing; /* what changes no result */
} reductions[] = {
    {"redux.add.u32", "add", 0},          {"redux.add.s32", "add", 0},
    {"redux.min.u32", "umin", PTX__ALL},  {"redux.max.u32", "umax", 0},
    {"redux.min.s32", "smin", INT32_MAX}, {"redux.max.s32", "smax", 1u << 31},
    {"redux.and.u32", "and", PTX__ALL},   {"redux.or.u32", "or", 0},
    {"redux.xor.u32", "xor", 0},
};

static const struct reduction *reduction_of(const char *key)
{
    for (size_t i = 0; i < sizeof(reductions) / sizeof(reductions[0]); i++) {
        if (!strcmp(key, reductions[i].key))
            return &reductions[i];
    }
    return NULL;
}

void ptx__jit_reduce(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__op *op = &emit->flow->code->ops[number];
    const struct reduction *reduction = reduction_of(emit->flow->ops[number].keyed->key);
    struct ptx__jit_value values;
    uint32_t members;

    if (!reduction || !find_members(emit, number, op->b, &members)) {
        ptx__jit_called(emit, number);
        return;
    }
    values = lanes_of(emit, op->a, 32);
    if (members != PTX__ALL)
        values = ptx__jit_select(&emit->text, ptx__jit_lanes(&emit->text, word(members)), values,
                                 ptx__jit_number(PTX__JIT_I32, reduction->nothing));
    write_result(emit, op->d, ptx__jit_reduced(&emit->text, reduction->name, values));
}
