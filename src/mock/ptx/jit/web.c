/* SPDX-License-Identifier: MIT */
/*
 * A register may be used for several things, one after the other. Its slot becomes several numbers
 * here, each with a form of its own: those writes have the same number that some operation reads as
 * one. Where a value is needed, all writes that come there have one number, so there is never more
 * than one number of a slot in use.
 *
 * Beside the writes that are known, two more come from outside: what a slot has when the function
 * begins, which is needed by nobody, and what the interpreter may have written there since.
 */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/jit/flow.h"

/* Writes have numbers; first come two for each slot: its begin, and the interpreter's. */
struct webs {
    struct ptx__jit_flow *flow;
    uint32_t n, words;
    uint32_t n_of_slots; /* the first ones */
    uint32_t *firsts;    /* of each operation: the number of its first write */
    uint32_t *parents;   /* writes that have the same number: a tree, whose root stands for all */
    uint64_t *others;    /* of each slot, the writes to it */
    uint64_t *come;      /* for each operation, the writes that come to it */
    uint64_t *bits;
};

static uint32_t begin_of(uint16_t slot)
{
    return 2u * slot;
}

static uint32_t interpreters(uint16_t slot)
{
    return 2u * slot + 1;
}

static bool has(const uint64_t *bits, uint32_t number)
{
    return bits[number / 64] >> number % 64 & 1;
}

static void add(uint64_t *bits, uint32_t number)
{
    bits[number / 64] |= UINT64_C(1) << number % 64;
}

/* --- which writes come where --- */

static void write_over(const struct webs *webs, uint64_t *bits, uint16_t slot)
{
    const uint64_t *others = &webs->others[(size_t) slot * webs->words];

    for (uint32_t i = 0; i < webs->words; i++)
        bits[i] &= ~others[i];
}

/* The writes that come to what is behind an operation. */
static void leave(const struct webs *webs, size_t number)
{
    const struct ptx__jit_op *op = &webs->flow->ops[number];
    uint64_t *bits = webs->bits;

    memcpy(bits, &webs->come[number * webs->words], webs->words * sizeof(*bits));
    for (uint16_t i = 0; op->any && i < webs->flow->n_slots; i++) {
        if (has(bits, begin_of(i)))
            add(bits, interpreters(i));
    }
    for (unsigned i = 0; i < op->n_writes && !op->inside; i++) {
        if (op->writes[i] != PTX__JIT_NONE)
            write_over(webs, bits, op->writes[i]);
    }
    for (unsigned i = 0; i < op->n_writes; i++) {
        if (op->writes[i] != PTX__JIT_NONE)
            add(bits, webs->firsts[number] + i);
    }
}

static bool pass_on(const struct webs *webs, size_t number)
{
    bool changed = false;
    size_t to;

    leave(webs, number);
    for (size_t i = 0; ptx__jit_successor(webs->flow, number, i, &to); i++) {
        for (uint32_t j = 0; to < webs->flow->code->n_ops && j < webs->words; j++) {
            uint64_t *come = &webs->come[to * webs->words + j];

            changed |= webs->bits[j] & ~*come;
            *come |= webs->bits[j];
        }
    }
    return changed;
}

static void find_come(const struct webs *webs)
{
    bool changed = true;

    for (uint16_t i = 0; i < webs->flow->n_slots; i++)
        add(webs->come, begin_of(i));
    while (changed) {
        changed = false;
        for (size_t i = 0; i < webs->flow->code->n_ops; i++)
            changed |= pass_on(webs, i);
    }
}

/* --- which are one --- */

static uint32_t root_of(const struct webs *webs, uint32_t number)
{
    while (webs->parents[number] != number)
        number = webs->parents[number] = webs->parents[webs->parents[number]];
    return number;
}

/* The least number of all becomes the root. */
static void unite(const struct webs *webs, uint32_t a, uint32_t b)
{
    a = root_of(webs, a);
    b = root_of(webs, b);
    if (a < b)
        webs->parents[b] = a;
    else
        webs->parents[a] = b;
}

/* Makes one of the writes to a slot that come to an operation. Returns one of them, or UINT32_MAX.
 */
static uint32_t unite_slot(const struct webs *webs, size_t number, uint16_t slot)
{
    const uint64_t *others = &webs->others[(size_t) slot * webs->words];
    uint32_t first = UINT32_MAX;

    for (uint32_t i = 0; i < webs->words; i++) {
        uint64_t bits = others[i] & webs->come[number * webs->words + i];

        for (; bits; bits &= bits - 1) {
            const uint32_t write = i * 64 + (uint32_t) __builtin_ctzll(bits);

            if (first == UINT32_MAX)
                first = write;
            unite(webs, first, write);
        }
    }
    return first;
}

static void unite_reads(const struct webs *webs, size_t number)
{
    const struct ptx__jit_op *op = &webs->flow->ops[number];

    for (uint16_t i = 0; op->any && i < webs->flow->n_slots; i++)
        unite_slot(webs, number, i);
    for (unsigned i = 0; i < op->n_reads; i++) {
        if (op->reads[i] != PTX__JIT_NONE)
            unite_slot(webs, number, op->reads[i]);
    }
    /* Lanes that a guard leaves out keep what they have. */
    for (unsigned i = 0; i < op->n_writes && op->inside; i++) {
        const uint32_t first =
            op->writes[i] == PTX__JIT_NONE ? UINT32_MAX : unite_slot(webs, number, op->writes[i]);

        if (first != UINT32_MAX)
            unite(webs, first, webs->firsts[number] + i);
    }
}

/* --- their numbers --- */

/* The first of a slot keeps its number. False: there are too many. */
static bool number_write(const struct webs *webs, uint32_t write, uint16_t slot, uint16_t *numbers,
                         bool *taken)
{
    struct ptx__jit_flow *flow = webs->flow;
    uint16_t *number = &numbers[root_of(webs, write)];

    if (*number != PTX__JIT_NONE)
        return true;
    if (!taken[slot]) {
        taken[slot] = true;
        *number = slot;
        return true;
    }
    if (flow->n_slots == PTX__JIT_MOST_SLOTS)
        return false;
    *number = (uint16_t) flow->n_slots;
    flow->slots[flow->n_slots] = flow->slots[slot];
    flow->n_slots++;
    return true;
}

/* What a slot has that nothing known writes is numbered, too, if it is read. */
static bool number_op(const struct webs *webs, size_t number, uint16_t *numbers, bool *taken)
{
    struct ptx__jit_op *op = &webs->flow->ops[number];

    for (unsigned i = 0; i < op->n_writes; i++) {
        uint16_t *slot = &op->writes[i];

        if (*slot == PTX__JIT_NONE)
            continue;
        if (!number_write(webs, webs->firsts[number] + i, *slot, numbers, taken))
            return false;
        *slot = numbers[root_of(webs, webs->firsts[number] + i)];
    }
    for (unsigned i = 0; i < op->n_reads; i++) {
        uint16_t *slot = &op->reads[i];
        const uint32_t write =
            *slot == PTX__JIT_NONE ? UINT32_MAX : unite_slot(webs, number, *slot);

        if (write == UINT32_MAX)
            continue; /* nothing leads here */
        if (!number_write(webs, write, *slot, numbers, taken))
            return false;
        *slot = numbers[root_of(webs, write)];
    }
    return true;
}

/* Lists what has been written where, but for what a slot has at the begin. */
static void list_written(const struct webs *webs, const uint16_t *numbers)
{
    const struct ptx__jit_flow *flow = webs->flow;

    for (size_t i = 0; i < flow->code->n_ops; i++) {
        for (uint32_t j = 0; j < webs->n; j++) {
            const uint16_t number =
                has(&webs->come[i * webs->words], j) ? numbers[root_of(webs, j)] : PTX__JIT_NONE;

            if (number != PTX__JIT_NONE && (j >= webs->n_of_slots || j % 2))
                add(&flow->written[i * flow->words], number);
        }
    }
}

/* --- all of it --- */

static void list_writes(struct webs *webs)
{
    const struct ptx__jit_flow *flow = webs->flow;
    uint32_t n = webs->n_of_slots;

    for (uint32_t i = 0; i < webs->n; i++)
        webs->parents[i] = i;
    for (uint16_t i = 0; i < flow->n_slots; i++) {
        add(&webs->others[(size_t) i * webs->words], begin_of(i));
        add(&webs->others[(size_t) i * webs->words], interpreters(i));
        unite(webs, begin_of(i), interpreters(i));
    }
    for (size_t i = 0; i < flow->code->n_ops; i++) {
        webs->firsts[i] = n;
        for (unsigned j = 0; j < flow->ops[i].n_writes; j++, n++) {
            if (flow->ops[i].writes[j] != PTX__JIT_NONE)
                add(&webs->others[(size_t) flow->ops[i].writes[j] * webs->words], n);
        }
    }
}

static bool split(struct webs *webs, uint16_t *numbers, bool *taken)
{
    struct ptx__jit_flow *flow = webs->flow;
    const size_t n = flow->code->n_ops;

    list_writes(webs);
    find_come(webs);
    for (size_t i = 0; i < n; i++)
        unite_reads(webs, i);
    memset(numbers, 0xff, webs->n * sizeof(*numbers));
    for (size_t i = 0; i < n; i++) {
        if (!number_op(webs, i, numbers, taken))
            return false;
    }
    flow->words = flow->n_slots / 64 + 1;
    flow->written = calloc(n * flow->words, sizeof(*flow->written));
    if (!flow->written)
        return false;
    list_written(webs, numbers);
    return true;
}

bool ptx__jit_webs(struct ptx__jit_flow *flow)
{
    const size_t n_ops = flow->code->n_ops;
    struct webs webs = {.flow = flow, .n_of_slots = 2 * flow->n_slots};
    uint16_t *numbers;
    bool *taken = calloc(flow->n_slots + 1, sizeof(*taken)), done;

    webs.n = webs.n_of_slots;
    for (size_t i = 0; i < n_ops; i++)
        webs.n += flow->ops[i].n_writes;
    webs.words = webs.n / 64 + 1;
    webs.firsts = calloc(n_ops + 1, sizeof(*webs.firsts));
    webs.parents = calloc(webs.n + 1, sizeof(*webs.parents));
    webs.others = calloc((size_t) (flow->n_slots + 1) * webs.words, sizeof(*webs.others));
    webs.come = calloc((n_ops + 1) * webs.words, sizeof(*webs.come));
    webs.bits = calloc(webs.words, sizeof(*webs.bits));
    numbers = calloc(webs.n + 1, sizeof(*numbers));
    done = taken && webs.firsts && webs.parents && webs.others && webs.come && webs.bits &&
           numbers && split(&webs, numbers, taken);
    free(webs.firsts);
    free(webs.parents);
    free(webs.others);
    free(webs.come);
    free(webs.bits);
    free(numbers);
    free(taken);
    return done;
}
