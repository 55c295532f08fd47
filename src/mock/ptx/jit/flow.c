/* SPDX-License-Identifier: MIT */
#include "mock/ptx/jit/flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "mock/ptx/exec/control.h"
#include "mock/ptx/exec/handlers.h"
#include "mock/ptx/jit/plain.h"

/*
 * Larger functions are left to the interpreter: compiling them would take long, and a process that
 * ends waits for that. A unit of work for LLVM is some two milliseconds, as most operations are.
 */
enum { MOST_OPS = 1500, MOST_WORK = 5000, MOST_SLOTS = PTX__JIT_MOST_SLOTS };

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

bool ptx__jit_add_read(struct ptx__jit_flow *flow, struct ptx__jit_op *op, uint32_t offset,
                       unsigned bits)
{
    return !bits || find_slot(flow, offset, bits, &op->reads[op->n_reads++]);
}

bool ptx__jit_add_write(struct ptx__jit_flow *flow, struct ptx__jit_op *op, uint32_t offset,
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

/* --- guards, labels and entries --- */

static void enter_at(struct ptx__jit_flow *flow, size_t number)
{
    if (number < flow->code->n_ops)
        flow->ops[number].label = flow->ops[number].entry = true;
}

static void jump_to(struct ptx__jit_flow *flow, size_t number)
{
    enter_at(flow, number);
    if (number < flow->code->n_ops)
        flow->ops[number].target = true;
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
                                            .any = true,
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
            jump_to(flow, ptx__jit_target(flow, i));
        if (op->kind == PTX__JIT_BRANCH || op->together ||
            (op->kind == PTX__JIT_OUTSIDE && !op->ends))
            enter_at(flow, i + 1);
        for (uint64_t j = 0; flow->runs[i] == ptx__do_branch_index && j < flow->code->ops[i].imm;
             j++)
            jump_to(flow, flow->code->ops[i].list[j]);
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

bool ptx__jit_successor(const struct ptx__jit_flow *flow, size_t number, size_t i, size_t *ret_to)
{
    const struct ptx__jit_op *op = &flow->ops[number];
    const struct ptx__op *code = &flow->code->ops[number];
    const bool listed = flow->runs[number] == ptx__do_branch_index;
    const bool passes = op->kind != PTX__JIT_JUMP && !op->ends && (!listed || op->inside);
    const bool jumps =
        op->kind == PTX__JIT_JUMP || op->kind == PTX__JIT_BRANCH || op->kind == PTX__JIT_GUARD;

    if (passes && i-- == 0)
        *ret_to = number + 1;
    else if (jumps && i-- == 0)
        *ret_to = op->kind == PTX__JIT_GUARD ? number + code->skip : ptx__jit_target(flow, number);
    else if (listed && i < code->imm)
        *ret_to = code->list[i];
    else if (op->copy && i < 2)
        *ret_to = i ? ptx__jit_in_copy(flow, number) : op->copy;
    else
        return false;
    return true;
}

/* Adds what is in one set to another one. True: there is something new. */
static bool join(const struct ptx__jit_flow *flow, uint64_t *bits, const uint64_t *others)
{
    bool changed = false;

    for (unsigned i = 0; i < flow->words; i++) {
        changed |= others[i] & ~bits[i];
        bits[i] |= others[i];
    }
    return changed;
}

/*
 * Under a guard, the lanes that it leaves out keep their values, so a write is no end of them. What
 * the interpreter does may read any slot, but none that nothing has written: that need not be what
 * compiled code expects of it.
 */
static bool update(struct ptx__jit_flow *flow, size_t number, uint64_t *bits)
{
    const struct ptx__jit_op *op = &flow->ops[number];
    const uint64_t *written = &flow->written[number * flow->words];
    size_t to;

    memset(bits, op->any ? 0xff : 0, flow->words * sizeof(*bits));
    for (size_t i = 0; ptx__jit_successor(flow, number, i, &to); i++) {
        if (to < flow->code->n_ops)
            join(flow, bits, &flow->live[to * flow->words]);
    }
    for (unsigned i = 0; i < op->n_writes; i++)
        (op->inside ? set : clear)(bits, op->writes[i]);
    for (unsigned i = 0; i < op->n_reads; i++)
        set(bits, op->reads[i]);
    for (unsigned i = 0; i < flow->words; i++)
        bits[i] &= written[i];
    return join(flow, &flow->live[number * flow->words], bits);
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

/* Accesses are checked first and may be noted; LLVM divides integers lane by lane. */
unsigned ptx__jit_work_of(const struct ptx__jit_op *op)
{
    enum { OF_ACCESS = 10, OF_DIVISION = 24 };
    static const char *const divisions[] = {"div.u", "div.s", "rem."};

    if (op->kind == PTX__JIT_LOAD || op->kind == PTX__JIT_STORE || op->kind == PTX__JIT_ATOMIC)
        return OF_ACCESS;
    for (size_t i = 0; op->kind == PTX__JIT_PLAIN && i < ARRAY_SIZE(divisions); i++) {
        if (!strncmp(op->keyed->key, divisions[i], strlen(divisions[i])))
            return OF_DIVISION;
    }
    return 1;
}

static unsigned work_of_all(const struct ptx__jit_flow *flow)
{
    unsigned work = 0;

    for (size_t i = 0; i < flow->n_ops; i++)
        work += ptx__jit_work_of(&flow->ops[i]);
    return work;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/*
 * Finds where compiled code may begin, what is copied, and which slots there are. With copies there
 * is at most three times as much to compile.
 */
static bool lay_out(struct ptx__jit_flow *flow)
{
    const unsigned n = (unsigned) flow->n_ops, work = work_of_all(flow);

    if (work > MOST_WORK)
        return false;
    find_entries(flow);
    return (!flow->full || ptx__jit_add_copies(flow, least(2 * n, MOST_OPS - n),
                                               least(2 * work, MOST_WORK - work))) &&
           ptx__jit_webs(flow);
}

bool ptx__jit_flow_make(struct ptx__jit_flow *flow, const struct ptx__code *code,
                        const ptx__handler *runs, unsigned row, bool full)
{
    const size_t words = code->register_bytes / 4 + 1;

    *flow = (struct ptx__jit_flow){
        .code = code, .runs = runs, .n_ops = code->n_ops, .row = row, .full = full};
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
        ptx__jit_describe(flow, i);
    if (!lay_out(flow))
        return false;
    find_written(flow);
    flow->live = calloc(flow->code->n_ops * flow->words, sizeof(*flow->live));
    if (!flow->live || !find_live(flow))
        return false;
    ptx__jit_settle_copies(flow);
    ptx__jit_forms(flow);
    return true;
}

void ptx__jit_flow_free(struct ptx__jit_flow *flow)
{
    free(flow->ops);
    free(flow->slots);
    free(flow->numbers);
    free(flow->live);
    free(flow->written);
    ptx__jit_free_copies(flow);
}
