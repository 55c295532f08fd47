/* SPDX-License-Identifier: MIT */
/*
 * Addresses with a step, of accesses to global memory, in one comparison. What an operation
 * remembers of the memory that it used last says in how many places, one access apart, all lanes
 * may begin. So an offset is divided by the bytes of an access, with what is left over in the
 * highest bits: an address that is too low or too high, or not aligned, is no such place.
 */
#include "mock/ptx/jit/access.h"

/* From the first byte of all lanes to the last. */
static uint64_t length_of(const struct ptx__jit_access *access)
{
    return (uint64_t) access->device.form.step * (ptx__jit_row_lanes(access) - 1) + access->all;
}

bool ptx__jit_counts_starts(const struct ptx__jit_access *access)
{
    return access->emit->full && access->op->space != 's' && ptx__jit_in_one_piece(access) &&
           access->device.form.step >= 0 && !access->device.form.rows;
}

static void count_starts(struct ptx__range_cache *hit, uint64_t length, uint64_t bytes,
                         uint64_t stores)
{
    const bool usable =
        hit->size >= length && hit->begin % bytes == 0 && !(stores && hit->read_only);

    hit->starts = usable ? (hit->size - length) / bytes + 1 : 0;
}

void ptx__jit_count_starts(const struct ptx__jit_access *access)
{
    const struct ptx__jit_value operands[] = {ptx__jit_hit(access), ptx__jit_i64(length_of(access)),
                                              ptx__jit_i64(access->all),
                                              ptx__jit_i64(!access->load)};

    ptx__jit_call_engine(access->emit, (uintptr_t) count_starts, "void", 4, operands);
}

bool ptx__jit_has_ends(struct ptx__jit_emit *emit, size_t number)
{
    struct ptx__jit_access access = {.emit = emit, .op = &emit->flow->ops[number]};
    const struct ptx__op *code = &emit->flow->code->ops[number];

    access.all = code->n_list * access.op->memory_bits / 8;
    access.device.form = ptx__jit_form_at(emit->flow, number, code->a);
    return access.op->kind != PTX__JIT_ATOMIC && ptx__jit_counts_starts(&access);
}

struct ptx__jit_value ptx__jit_fit_ends(struct ptx__jit_access *access, struct ptx__jit_value last)
{
    struct ptx__jit_access of_last;

    access->begin = HIT_FIELD(access, I64, begin);
    access->host = HIT_FIELD(access, I64, host);
    access->shadow = HIT_FIELD(access, I64, lines);
    ptx__jit_place_access(access);
    of_last = *access;
    of_last.offset =
        ptx__jit_binary(access->text, "add", access->offset,
                        ptx__jit_with(access, "mul", last, (uint64_t) access->device.form.step));
    return ptx__jit_binary(access->text, "and", ptx__jit_is_start(access),
                           ptx__jit_is_start(&of_last));
}

struct ptx__jit_value ptx__jit_is_start(const struct ptx__jit_access *access)
{
    const unsigned shift = (unsigned) __builtin_ctz(access->all);
    struct ptx__jit_value place = access->offset;

    if (shift)
        place = ptx__jit_binary(access->text, "or", ptx__jit_with(access, "lshr", place, shift),
                                ptx__jit_with(access, "shl", place, 64 - shift));
    return ptx__jit_compare(access->text, "icmp ult", place, HIT_FIELD(access, I64, starts));
}
