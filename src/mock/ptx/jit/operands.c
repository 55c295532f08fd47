/* SPDX-License-Identifier: MIT */
/* What operations read and write, and whether compiled code does them, calls them or leaves them.
 */
#include <stdio.h>
#include <string.h>

#include "mock/ptx/exec/control.h"
#include "mock/ptx/exec/handlers.h"
#include "mock/ptx/exec/matrix.h"
#include "mock/ptx/jit/emit.h"

static const struct ptx__expression *row(const char *key)
{
    return ptx__plain_row(key, strlen(key));
}

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

    if (!ptx__jit_add_write(flow, to, op->d, keyed->d))
        return false;
    for (unsigned i = 0; i < used; i++) {
        const bool again =
            (i > 0 && offsets[i] == offsets[0]) || (i > 1 && offsets[2] == offsets[1]);

        if (!again && !ptx__jit_add_read(flow, to, offsets[i], bits[i]))
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
    fits = ptx__jit_add_read(flow, to, op->a, op->c ? 64 : 32);
    for (unsigned i = 0; fits && i < op->n_list; i++)
        fits = (loads ? ptx__jit_add_write : ptx__jit_add_read)(flow, to, op->list[i],
                                                                place.slot_bits == 64 ? 64 : 32);
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
    return to->keyed->key[0] == 's' ? ptx__jit_add_read(flow, to, op->a, bits)
                                    : ptx__jit_add_write(flow, to, op->d, bits);
}

/*
 * Finds what is computed by an atomic operation of 32 or 64 bits: a is what was there. Numbers are
 * added in global memory in another way than in shared memory.
 */
static const struct ptx__expression *expression_of_atom(const char *key, bool shared)
{
    const char *what = strchr(key + strlen("atom."), '.') + 1;
    char own[32];

    if (!strcmp(what, "add.f32") && !shared)
        return row("add.ftz.f32");
    if (!strcmp(what, "add.noftz.f32"))
        return row("add.f32");
    if (!strcmp(what, "add.f64") && !shared)
        return row("atom.kept.f64");
    snprintf(own, sizeof(own), "atom.%.16s", what);
    return row(own) ? row(own) : row(what);
}

/* atom.SPACE.OPERATION.TYPE */
static bool atomic(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    const char *type = strrchr(to->keyed->key, '.');
    const unsigned bits = strstr(type, "64") ? 64 : 32;
    const char space = to->keyed->key[strlen("atom.")];

    to->plain = expression_of_atom(to->keyed->key, space == 's');
    to->kind = to->plain ? PTX__JIT_ATOMIC : PTX__JIT_CALLED;
    to->space = space;
    to->memory_bits = to->slot_bits = (uint8_t) bits;
    return !strstr(type, "128") && ptx__jit_add_read(flow, to, op->a, op->c ? 64 : 32) &&
           ptx__jit_add_read(flow, to, op->list[0], bits) &&
           ptx__jit_add_read(flow, to, op->list[1], bits) &&
           ptx__jit_add_write(flow, to, op->d, bits);
}

static void writes(struct ptx__jit_op *to, void (*write)(struct ptx__jit_emit *, size_t), bool pure)
{
    to->kind = PTX__JIT_WRITTEN;
    to->write = write;
    to->pure = pure;
}

static bool packs(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    bool fits = op->n_list <= 16 &&
                ptx__jit_add_write(flow, to, op->d, strcmp(to->keyed->key, "pack.64") ? 32 : 64);

    for (unsigned i = 0; fits && i < op->n_list; i++)
        fits = ptx__jit_add_read(flow, to, op->list[i], 32);
    writes(to, ptx__jit_pack, true);
    return fits;
}

static bool unpacks(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    writes(to, ptx__jit_unpack, true);
    return ptx__jit_add_read(flow, to, op->a, strcmp(to->keyed->key, "unpack.64") ? 32 : 64) &&
           ptx__jit_add_write(flow, to, op->d, (op->imm & 0xff) == 64 ? 64 : 32);
}

static bool adds_address(struct ptx__jit_flow *flow, struct ptx__jit_op *to,
                         const struct ptx__op *op)
{
    to->kind = PTX__JIT_PLAIN;
    return ptx__jit_add_read(flow, to, op->a, 64) && ptx__jit_add_write(flow, to, op->d, 64);
}

static bool lop3(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    uint64_t table;

    to->kind = PTX__JIT_CALLED;
    if (ptx__jit_literal(flow, op->list[0], &table))
        writes(to, ptx__jit_lop3, true);
    return ptx__jit_add_read(flow, to, op->a, 32) && ptx__jit_add_read(flow, to, op->b, 32) &&
           ptx__jit_add_read(flow, to, op->c, 32) && ptx__jit_add_read(flow, to, op->list[0], 32) &&
           ptx__jit_add_write(flow, to, op->d, 32);
}

/* Operations with four sources, which have expressions. */
static bool four(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    const unsigned bits = strcmp(strrchr(to->keyed->key, '.'), ".u64") ? 32 : 64;

    to->kind = PTX__JIT_PLAIN;
    return ptx__jit_add_read(flow, to, op->a, bits) && ptx__jit_add_read(flow, to, op->b, bits) &&
           ptx__jit_add_read(flow, to, op->c, 32) && ptx__jit_add_read(flow, to, op->list[0], 32) &&
           ptx__jit_add_write(flow, to, op->d, bits);
}

/* Sums and differences with carries, which are a predicate of their own. */
static bool chained(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    const char *key = to->keyed->key;
    const unsigned bits =
        strcmp(strrchr(key, '.'), ".u32") && strcmp(strrchr(key, '.'), ".s32") ? 64 : 32;

    to->kind = PTX__JIT_CALLED;
    return ptx__jit_add_read(flow, to, op->a, bits) && ptx__jit_add_read(flow, to, op->b, bits) &&
           (*key != 'm' || ptx__jit_add_read(flow, to, op->c, bits)) &&
           (strchr(key, 'c') != key + strcspn(key, ".") - 1 ||
            ptx__jit_add_read(flow, to, PTX__CARRY_SLOT, 1)) &&
           ptx__jit_add_write(flow, to, op->d, bits) &&
           (!strstr(key, ".cc.") || ptx__jit_add_write(flow, to, PTX__CARRY_SLOT, 1));
}

/* Operations of members of a warp, for warps of 32 lanes: see ptx__jit_called(). */
static bool add_members(struct ptx__jit_flow *flow, struct ptx__jit_op *to,
                        const struct ptx__op *op, uint32_t slot)
{
    return op->imm || slot == PTX__ALL_SLOT || ptx__jit_add_read(flow, to, slot, 32);
}

static bool shuffle(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    writes(to, ptx__jit_shuffle, false);
    to->together = true;
    return add_members(flow, to, op, op->list[0]) && ptx__jit_add_read(flow, to, op->a, 32) &&
           ptx__jit_add_read(flow, to, op->b, 32) && ptx__jit_add_read(flow, to, op->c, 32) &&
           ptx__jit_add_write(flow, to, op->d, 32) && ptx__jit_add_write(flow, to, op->list[1], 1);
}

static bool vote(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    writes(to, ptx__jit_vote, false);
    to->together = true;
    return add_members(flow, to, op, op->b) && ptx__jit_add_read(flow, to, op->a, 1) &&
           ptx__jit_add_write(flow, to, op->d, strcmp(to->keyed->key, "vote.ballot") ? 1 : 32);
}

/* redux, and match.any.BITS */
static bool reduce(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    writes(to, ptx__jit_reduce, false);
    to->together = true;
    return add_members(flow, to, op, op->b) &&
           ptx__jit_add_read(flow, to, op->a, strcmp(to->keyed->key, "match.any.64") ? 32 : 64) &&
           ptx__jit_add_write(flow, to, op->d, 32);
}

static bool active(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    to->kind = PTX__JIT_CALLED;
    return ptx__jit_add_write(flow, to, op->d, 32);
}

static bool no_operands(struct ptx__jit_flow *flow, struct ptx__jit_op *to,
                        const struct ptx__op *op)
{
    (void) flow;
    (void) op;
    to->kind = PTX__JIT_CALLED;
    return true;
}

static bool starts(const char *key, const char *with)
{
    return !strncmp(key, with, strlen(with));
}

/* A product of matrices: registers of A, B and C become those of D. */
static bool multiplies(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    const struct ptx__matrix *matrix = (const struct ptx__matrix *) (uintptr_t) op->imm;
    const unsigned n_d = matrix->registers[PTX__PART_D];
    bool fits = op->n_list <= PTX__JIT_OPERANDS && !matrix->sparse && !matrix->n_scales;

    for (unsigned i = 0; fits && i < op->n_list; i++)
        fits = (i < n_d ? ptx__jit_add_write : ptx__jit_add_read)(flow, to, op->list[i], 32);
    to->kind = PTX__JIT_CALLED;
    to->together = true;
    return fits;
}

/* Matrices between memory and the registers of a warp, each of which has an address. */
static bool moves_matrices(struct ptx__jit_flow *flow, struct ptx__jit_op *to,
                           const struct ptx__op *op, bool loads)
{
    const struct ptx__matrix *matrix = (const struct ptx__matrix *) (uintptr_t) op->imm;
    const unsigned bits = ptx__element_bits(matrix->types[matrix->part]) == 64 ? 64 : 32;
    bool fits = op->n_list <= PTX__JIT_OPERANDS - 2 &&
                ptx__jit_add_read(flow, to, op->a, op->c ? 64 : 32) &&
                (!matrix->stride || ptx__jit_add_read(flow, to, matrix->stride, 32));

    for (unsigned i = 0; fits && i < op->n_list; i++)
        fits = (loads ? ptx__jit_add_write : ptx__jit_add_read)(flow, to, op->list[i], bits);
    return fits;
}

static bool transposes(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    return ptx__jit_add_read(flow, to, op->a, 32) && ptx__jit_add_write(flow, to, op->d, 32);
}

/* Operations of a whole warp that have no keys. */
static bool of_warp(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op,
                    ptx__handler run)
{
    to->kind = PTX__JIT_CALLED;
    to->together = true;
    if (run == ptx__do_warp_sync)
        return ptx__jit_add_read(flow, to, op->a, 32);
    if (run == ptx__do_movmatrix)
        return transposes(flow, to, op);
    return moves_matrices(flow, to, op, run == ptx__do_ldmatrix || run == ptx__do_fragment_load);
}

static bool is_of_warp(ptx__handler run)
{
    return run == ptx__do_warp_sync || run == ptx__do_movmatrix || run == ptx__do_ldmatrix ||
           run == ptx__do_stmatrix || run == ptx__do_fragment_load || run == ptx__do_fragment_store;
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
        {"ld.", accesses},
        {"lds.", accesses},
        {"st.", accesses},
        {"sts.", accesses},
        {"ldf.", frame},
        {"stf.", frame},
        {"atom.", atomic},
        {"frame.address.", frame},
        {"shfl.", shuffle},
        {"vote.", vote},
        {"redux.", reduce},
        {"match.any.", reduce},
        {"activemask", active},
        {"fence", no_operands},
        {"nanosleep", no_operands},
        {"pack.", packs},
        {"unpack.", unpacks},
        {"lop3.u32", lop3},
        {"mma", multiplies},
        {"bfi.", four},
        {"add.cc.", chained},
        {"addc.", chained},
        {"sub.cc.", chained},
        {"subc.", chained},
        {"mad.lo.cc.", chained},
        {"mad.hi.cc.", chained},
        {"madc.", chained},
        {"address.add", adds_address},
    };

    to->plain = row(to->keyed->key);
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
           !flow->ops[number].apart && !flow->ops[number].any &&
           !(flow->code->ops[number].imm & (PTX__BARRIER_VOTES | PTX__BARRIER_ARRIVES));
}

bool ptx__jit_exits(const struct ptx__jit_flow *flow, size_t number)
{
    return flow->code->is_kernel && !flow->ops[number].inside &&
           (flow->runs[number] == ptx__do_exit || flow->runs[number] == ptx__do_return);
}

static bool barrier(struct ptx__jit_flow *flow, struct ptx__jit_op *to, const struct ptx__op *op)
{
    const bool votes = op->imm & PTX__BARRIER_VOTES;

    return ptx__jit_add_read(flow, to, op->a, 32) &&
           ptx__jit_add_read(flow, to, op->b, op->b ? 32 : 0) &&
           ptx__jit_add_read(flow, to, op->c, votes ? 1 : 0) &&
           (!votes || ptx__jit_add_write(flow, to, op->d, op->imm & PTX__BARRIER_COUNT ? 32 : 1));
}

/*
 * What the interpreter does reads and writes any slot, but for these. Calls have their arguments
 * and results in memory.
 */
static void describe_outside(struct ptx__jit_flow *flow, struct ptx__jit_op *to,
                             const struct ptx__op *op, ptx__handler run)
{
    const bool leaves = run == ptx__do_exit || run == ptx__do_return || run == ptx__do_trap;

    *to = (struct ptx__jit_op){.kind = PTX__JIT_OUTSIDE, .keyed = to->keyed, .ends = leaves};
    if (leaves || run == ptx__do_call)
        return;
    if (run == ptx__do_barrier)
        to->any = !barrier(flow, to, op);
    else if (run == ptx__do_branch_index || run == ptx__do_call_indirect)
        to->any = !ptx__jit_add_read(flow, to, op->a, run == ptx__do_branch_index ? 32 : 64);
    else
        to->any = true;
}

void ptx__jit_describe(struct ptx__jit_flow *flow, size_t number)
{
    const struct ptx__op *op = &flow->code->ops[number];
    struct ptx__jit_op *to = &flow->ops[number];
    const ptx__handler run = flow->runs[number];
    bool fits;

    to->keyed = ptx__handler_keyed(run);
    to->kind = (uint8_t) kind_of(run);
    if (is_of_warp(run))
        fits = of_warp(flow, to, op, run);
    else if (to->keyed)
        fits = describe_keyed(flow, to, op);
    else
        fits = to->kind == PTX__JIT_BRANCH || to->kind == PTX__JIT_GUARD
                   ? ptx__jit_add_read(flow, to, op->a, 1)
                   : to->kind != PTX__JIT_OUTSIDE;
    if (!fits) {
        describe_outside(flow, to, op, run);
    } else if (to->together && !flow->full) {
        to->kind = PTX__JIT_OUTSIDE; /* with what it reads and writes */
        to->together = to->pure = false;
    }
}
