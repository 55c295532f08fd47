/* SPDX-License-Identifier: MIT */
#include "mock/ptx/jit/flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/exec/control.h"
#include "mock/ptx/exec/handlers.h"
#include "mock/ptx/jit/plain.h"

/* Larger functions are left to the interpreter: compiling them would take seconds. */
enum { MOST_OPS = 1500, MOST_SLOTS = PTX__JIT_MOST_SLOTS };

/* --- slots --- */

static bool overlaps(const struct ptx__jit_flow *flow, uint32_t offset, unsigned bits)
{
    const uint32_t end = bits == 1 ? offset + 4 : offset + bits * (PTX__LANES / 8);

    for (uint32_t at = offset / 4 + 1; at < end / 4; at++) {
        if (flow->numbers[at] != PTX__JIT_NONE)
            return true;
    }
    for (uint32_t back = 1; back < 2 * PTX__SLOT / 4 && back <= offset / 4; back++) {
        const uint16_t before = flow->numbers[offset / 4 - back];

        if (before != PTX__JIT_NONE)
            return flow->slots[before].bits / 32 * PTX__SLOT > back * 4;
    }
    return false;
}

/*
 * Returns the slot's number; a sink has none, which is no failure. False if another operation uses
 * these bytes in another way.
 */
static bool find_slot(struct ptx__jit_flow *flow, uint32_t offset, unsigned bits,
                      uint16_t *ret_number)
{
    *ret_number = PTX__JIT_NONE;
    if (offset < PTX__CARRY_SLOT)
        return true;
    *ret_number = flow->numbers[offset / 4];
    if (*ret_number != PTX__JIT_NONE)
        return flow->slots[*ret_number].bits == bits;
    if (flow->n_slots == MOST_SLOTS || overlaps(flow, offset, bits))
        return false;
    *ret_number = flow->numbers[offset / 4] = (uint16_t) flow->n_slots;
    flow->slots[flow->n_slots++] = (struct ptx__jit_slot){.offset = offset, .bits = (uint8_t) bits};
    return true;
}

static bool add_read(struct ptx__jit_flow *flow, struct ptx__jit_op *op, uint32_t offset,
                     unsigned bits)
{
    return !bits || find_slot(flow, offset, bits, &op->reads[op->n_reads++]);
}

static bool add_write(struct ptx__jit_flow *flow, struct ptx__jit_op *op, uint32_t offset,
                      unsigned bits)
{
    const bool fits = find_slot(flow, offset, bits, &op->writes[op->n_writes++]);
    const uint16_t number = op->writes[op->n_writes - 1];

    return fits && (number == PTX__JIT_NONE || !flow->slots[number].constant);
}

/* The slots of constants are known first, and nothing writes them. */
static bool add_constants(struct ptx__jit_flow *flow)
{
    const struct ptx__code *code = flow->code;
    uint16_t number;

    for (size_t i = 0; i < code->n_constants; i++) {
        const struct ptx__constant *constant = &code->constants[i];

        if (!find_slot(flow, constant->slot, constant->bytes ? constant->bytes * 8u : 1, &number))
            return false;
        flow->slots[number].constant = constant;
    }
    return true;
}

/* --- what operations do --- */

/*
 * An operand that the handler does not use may be any slot: it is given as one of another operand,
 * or as a sink.
 */
static bool computes(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    const struct ptx__keyed *keyed = to->keyed;
    const uint32_t offsets[3] = {op->a, op->b, op->c};
    const uint8_t bits[3] = {keyed->a, keyed->b, keyed->c};
    const unsigned used = to->plain ? ptx__plain_operands(to->plain) : 3;

    if (!add_write(flow, to, op->d, keyed->d))
        return false;
    for (unsigned i = 0; i < used; i++) {
        const bool again =
            (i > 0 && offsets[i] == offsets[0]) || (i > 1 && offsets[2] == offsets[1]);

        if (!again && !add_read(flow, to, offsets[i], bits[i]))
            return false;
    }
    to->kind = to->plain ? PTX__JIT_PLAIN : PTX__JIT_CALLED;
    return true;
}

/* The space and the type of a key such as "ld.global.s8.32" or "st.shared.16.32". */
struct place {
    char verb[4], space[8], type;
    unsigned bits, slot_bits;
};

static bool read_key(const char *key, struct place *ret_place)
{
    struct place place = {.type = 'u'};
    int n;

    if (key[0] == 'l')
        n = sscanf(key, "%3[a-z].%7[a-z].%1[us]%u.%u", place.verb, place.space, &place.type,
                   &place.bits, &place.slot_bits);
    else
        n = 1 + sscanf(key, "%3[a-z].%7[a-z].%u.%u", place.verb, place.space, &place.bits,
                       &place.slot_bits);
    *ret_place = place;
    return n == 5;
}

/* Accesses that others may make at the same time, and those of local memory, are not made here. */
static bool is_direct(const struct place *place)
{
    return !place->verb[2] && (!strcmp(place->space, "global") || !strcmp(place->space, "shared") ||
                               !strcmp(place->space, "generic"));
}

static bool accesses(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    struct place place;
    bool fits, loads;

    if (!read_key(to->keyed->key, &place) || op->n_list > 16)
        return false;
    loads = place.verb[0] == 'l';
    fits = add_read(flow, to, op->a, op->c ? 64 : 32);
    for (unsigned i = 0; fits && i < op->n_list; i++)
        fits =
            (loads ? add_write : add_read)(flow, to, op->list[i], place.slot_bits == 64 ? 64 : 32);
    to->kind = !is_direct(&place) ? PTX__JIT_CALLED : loads ? PTX__JIT_LOAD : PTX__JIT_STORE;
    to->space = place.space[0] == 'g' && place.space[1] == 'e' ? 'G' : place.space[0];
    to->type = place.type;
    to->memory_bits = (uint8_t) place.bits;
    to->slot_bits = (uint8_t) place.slot_bits;
    return fits;
}

/* ldf.TYPE.BITS and stf.WIDTH.BITS use the frame, and not an address. */
static bool frame(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    const unsigned bits = strcmp(strrchr(to->keyed->key, '.'), ".64") ? 32 : 64;

    to->kind = PTX__JIT_CALLED;
    return to->keyed->key[0] == 's' ? add_read(flow, to, op->a, bits)
                                    : add_write(flow, to, op->d, bits);
}

/* atom.SPACE.OPERATION.TYPE */
static bool atomic(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    const char *type = strrchr(to->keyed->key, '.');
    const unsigned bits = strstr(type, "64") ? 64 : 32;

    to->kind = PTX__JIT_CALLED;
    return !strstr(type, "128") && add_read(flow, to, op->a, op->c ? 64 : 32) &&
           add_read(flow, to, op->list[0], bits) && add_read(flow, to, op->list[1], bits) &&
           add_write(flow, to, op->d, bits);
}

static bool packs(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    bool fits =
        op->n_list <= 16 && add_write(flow, to, op->d, strcmp(to->keyed->key, "pack.64") ? 32 : 64);

    for (unsigned i = 0; fits && i < op->n_list; i++)
        fits = add_read(flow, to, op->list[i], 32);
    to->kind = to->plain ? PTX__JIT_PLAIN : PTX__JIT_CALLED;
    return fits;
}

static bool unpacks(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    to->kind = to->plain ? PTX__JIT_PLAIN : PTX__JIT_CALLED;
    return add_read(flow, to, op->a, strcmp(to->keyed->key, "unpack.64") ? 32 : 64) &&
           add_write(flow, to, op->d, (op->imm & 0xff) == 64 ? 64 : 32);
}

static bool adds_address(struct ptx__jit_flow *flow, struct ptx__jit_op *to,
                         const struct ptx__op *op)
{
    to->kind = PTX__JIT_PLAIN;
    return add_read(flow, to, op->a, 64) && add_write(flow, to, op->d, 64);
}

static bool lop3(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    to->kind = PTX__JIT_CALLED;
    return add_read(flow, to, op->a, 32) && add_read(flow, to, op->b, 32) &&
           add_read(flow, to, op->c, 32) && add_read(flow, to, op->list[0], 32) &&
           add_write(flow, to, op->d, 32);
}

static bool starts(const char *key, const char *with)
{
    return !strncmp(key, with, strlen(with));
}

/* Finds what an operation with a key does. False: it is left to the interpreter. */
static bool describe_keyed(struct ptx__jit_flow *flow, struct ptx__jit_op *to,
                           const struct ptx__op *op)
{
    static const struct {
        const char *key;
        bool (*describe)(struct ptx__jit_flow *flow, struct ptx__jit_op *to,
                         const struct ptx__op *op);
    } rows[] = {
        {"ld.", accesses}, {"lds.", accesses},   {"st.", accesses},  {"sts.", accesses},
        {"ldf.", frame},   {"stf.", frame},      {"atom.", atomic},  {"frame.address.", frame},
        {"pack.", packs},  {"unpack.", unpacks}, {"lop3.u32", lop3}, {"address.add", adds_address},
    };

    to->plain = ptx__plain_find(to->keyed->key);
    if (to->keyed->d)
        return computes(flow, to, op);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (starts(to->keyed->key, rows[i].key))
            return rows[i].describe(flow, to, op);
    }
    return false;
}

/* Returns the kind of an operation without a key, by its handler. */
static enum ptx__jit_kind kind_of(ptx__handler run)
{
    return run == ptx__do_jump      ? PTX__JIT_JUMP
           : run == ptx__do_branch  ? PTX__JIT_BRANCH
           : run == ptx__do_guard   ? PTX__JIT_GUARD
           : run == ptx__do_unguard ? PTX__JIT_UNGUARD
           : run == ptx__do_nothing ? PTX__JIT_NOTHING
                                    : PTX__JIT_OUTSIDE;
}

bool ptx__jit_keeps(const struct ptx__jit_flow *flow, size_t number)
{
    return flow->runs[number] == ptx__do_barrier && !flow->ops[number].inside &&
           !flow->ops[number].apart && !flow->ops[number].reads_all &&
           !(flow->code->ops[number].imm & (PTX__BARRIER_VOTES | PTX__BARRIER_ARRIVES));
}

/* What the interpreter does reads any slot, but for these. */
static void describe_outside(struct ptx__jit_flow *flow, struct ptx__jit_op *to,
                             const struct ptx__op *op, ptx__handler run)
{
    const bool leaves = run == ptx__do_exit || run == ptx__do_return || run == ptx__do_trap;

    *to = (struct ptx__jit_op){.kind = PTX__JIT_OUTSIDE, .keyed = to->keyed, .ends = leaves};
    if (leaves || run == ptx__do_call)
        return;
    if (run == ptx__do_barrier)
        to->reads_all = !add_read(flow, to, op->a, 32) ||
                        !add_read(flow, to, op->b, op->b ? 32 : 0) ||
                        !add_read(flow, to, op->c, op->imm & PTX__BARRIER_VOTES ? 1 : 0);
    else
        to->reads_all = true;
}

static void describe(struct ptx__jit_flow *flow, size_t number)
{
    const struct ptx__op *op = &flow->code->ops[number];
    struct ptx__jit_op *to = &flow->ops[number];
    const ptx__handler run = flow->runs[number];
    bool fits;

    to->keyed = ptx__handler_keyed(run);
    to->kind = (uint8_t) kind_of(run);
    if (to->keyed)
        fits = describe_keyed(flow, to, op);
    else
        fits = to->kind == PTX__JIT_BRANCH || to->kind == PTX__JIT_GUARD
                   ? add_read(flow, to, op->a, 1)
                   : to->kind != PTX__JIT_OUTSIDE;
    if (!fits)
        describe_outside(flow, to, op, run);
}

/* --- guards, labels and entries --- */

static void enter_at(struct ptx__jit_flow *flow, size_t number)
{
    if (number < flow->code->n_ops)
        flow->ops[number].label = flow->ops[number].entry = true;
}

static bool may_be_guarded(const struct ptx__jit_op *op)
{
    return (op->kind >= PTX__JIT_CALLED && op->kind <= PTX__JIT_STORE) ||
           op->kind == PTX__JIT_NOTHING;
}

/* An instruction whose guarded operations are not all done here is left to the interpreter. */
static void settle_guard(struct ptx__jit_flow *flow, size_t guard)
{
    const size_t end = guard + flow->code->ops[guard].skip;
    bool all = true;

    for (size_t i = guard + 1; i + 1 < end; i++) {
        flow->ops[i].inside = true;
        all = all && may_be_guarded(&flow->ops[i]);
    }
    if (all)
        return;
    flow->ops[guard] = (struct ptx__jit_op){.kind = PTX__JIT_OUTSIDE,
                                            .reads_all = true,
                                            .label = flow->ops[guard].label,
                                            .entry = flow->ops[guard].entry};
    for (size_t i = guard + 1; i < end; i++)
        flow->ops[i] = (struct ptx__jit_op){.kind = PTX__JIT_OUTSIDE, .inside = true};
    enter_at(flow, end);
}

static void find_entries(struct ptx__jit_flow *flow)
{
    enter_at(flow, 0);
    for (size_t i = 0; i < flow->code->n_ops; i++) {
        struct ptx__jit_op *op = &flow->ops[i];

        if (op->inside)
            continue;
        if (op->kind == PTX__JIT_GUARD)
            settle_guard(flow, i);
        if (op->kind == PTX__JIT_JUMP || op->kind == PTX__JIT_BRANCH)
            enter_at(flow, ptx__jit_target(flow, i));
        if (op->kind == PTX__JIT_BRANCH || (op->kind == PTX__JIT_OUTSIDE && !op->ends))
            enter_at(flow, i + 1);
        for (uint64_t j = 0; flow->runs[i] == ptx__do_branch_index && j < flow->code->ops[i].imm;
             j++)
            enter_at(flow, flow->code->ops[i].list[j]);
    }
    for (size_t i = 0; i < flow->code->n_ops; i++)
        flow->ops[i].entry &= !flow->ops[i].inside;
}

/* --- which slots are needed --- */

static void set(uint64_t *bits, uint16_t slot)
{
    if (slot != PTX__JIT_NONE)
        bits[slot / 64] |= UINT64_C(1) << slot % 64;
}

static void clear(uint64_t *bits, uint16_t slot)
{
    if (slot != PTX__JIT_NONE)
        bits[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

static void join(const struct ptx__jit_flow *flow, uint64_t *bits, size_t successor)
{
    for (unsigned i = 0; successor < flow->code->n_ops && i < flow->words; i++)
        bits[i] |= flow->live[successor * flow->words + i];
}

/* Under a guard, the lanes that it leaves out keep their values, so a write is no end of them. */
static bool update(struct ptx__jit_flow *flow, size_t number, uint64_t *bits)
{
    const struct ptx__jit_op *op = &flow->ops[number];
    uint64_t *live = &flow->live[number * flow->words];
    bool changed = false;

    memset(bits, op->reads_all ? 0xff : 0, flow->words * sizeof(*bits));
    if (op->kind == PTX__JIT_JUMP || op->kind == PTX__JIT_BRANCH)
        join(flow, bits, ptx__jit_target(flow, number));
    if (op->kind == PTX__JIT_GUARD)
        join(flow, bits, number + flow->code->ops[number].skip);
    if (op->kind != PTX__JIT_JUMP && !op->ends)
        join(flow, bits, number + 1);
    for (unsigned i = 0; i < op->n_writes; i++)
        (op->inside ? set : clear)(bits, op->writes[i]);
    for (unsigned i = 0; i < op->n_reads; i++)
        set(bits, op->reads[i]);
    for (unsigned i = 0; i < flow->words; i++) {
        changed |= live[i] != bits[i];
        live[i] = bits[i];
    }
    return changed;
}

static bool find_live(struct ptx__jit_flow *flow)
{
    uint64_t *bits = malloc(flow->words * sizeof(*bits));
    bool changed = bits;

    while (changed) {
        changed = false;
        for (size_t i = flow->code->n_ops; i-- > 0;)
            changed |= update(flow, i, bits);
    }
    free(bits);
    return bits;
}

static void find_written(struct ptx__jit_flow *flow)
{
    for (size_t i = 0; i < flow->code->n_ops; i++) {
        const struct ptx__jit_op *op = &flow->ops[i];

        for (unsigned j = 0; j < op->n_writes; j++) {
            if (op->writes[j] != PTX__JIT_NONE)
                flow->slots[op->writes[j]].written = true;
        }
    }
}

bool ptx__jit_flow_make(struct ptx__jit_flow *flow, const struct ptx__code *code,
                        const ptx__handler *runs, unsigned row, bool full)
{
    const size_t words = code->register_bytes / 4 + 1;

    *flow = (struct ptx__jit_flow){.code = code, .runs = runs, .row = row, .full = full};
    if (code->n_ops > MOST_OPS)
        return false;
    flow->ops = calloc(code->n_ops + 1, sizeof(*flow->ops));
    flow->slots = calloc(MOST_SLOTS, sizeof(*flow->slots));
    flow->numbers = malloc(words * sizeof(*flow->numbers));
    if (!flow->ops || !flow->slots || !flow->numbers)
        return false;
    memset(flow->numbers, 0xff, words * sizeof(*flow->numbers));
    if (!add_constants(flow))
        return false;
    for (size_t i = 0; i < code->n_ops; i++)
        describe(flow, i);
    find_entries(flow);
    find_written(flow);
    flow->words = flow->n_slots / 64 + 1;
    flow->live = calloc(code->n_ops * flow->words, sizeof(*flow->live));
    if (!flow->live || !find_live(flow))
        return false;
    ptx__jit_forms(flow);
    return true;
}

void ptx__jit_flow_free(struct ptx__jit_flow *flow)
{
    free(flow->ops);
    free(flow->slots);
    free(flow->numbers);
    free(flow->live);
}
