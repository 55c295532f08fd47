/* SPDX-License-Identifier: MIT */
#include "mock/ptx/exec/async.h"

#include <string.h>

#include "mock/ptx/machine/tensor.h"
#include "mock/ptx/memory/memory.h"
#include "mock/ptx/warps/cluster.h"
#include "mock/ptx/warps/grid.h"
#include "mock/ptx/warps/warp.h"

static const void *data_of(const struct ptx__op *op)
{
    return (const void *) (uintptr_t) op->imm;
}

uint64_t ptx__place_address(const struct ptx__warp *w, const struct ptx__place_in *place,
                            unsigned lane)
{
    if (place->wide)
        return REG(uint64_t, place->slot)[lane] + (uint64_t) place->offset;
    return (uint32_t) (REG(uint32_t, place->slot)[lane] + (uint32_t) place->offset);
}

uint64_t ptx__in_block(uint64_t address, unsigned rank)
{
    return (address & ~(UINT64_C(0xff) << PTX__RANK_SHIFT)) | (uint64_t) (rank + 1)
                                                                  << PTX__RANK_SHIFT;
}

static unsigned char *reach(struct ptx__warp *w, const struct ptx__op *op,
                            const struct ptx__place_in *place, unsigned lane, unsigned bytes,
                            enum ptx__use use)
{
    return ptx__reach_in(ptx__lane_op(w, op, lane), place->space,
                         ptx__place_address(w, place, lane), bytes, use);
}

/* --- copies: the mock makes them at once, which is one of the moments that PTX allows --- */

static bool copy_lane(struct ptx__warp *w, const struct ptx__op *op, const struct ptx__copy *copy,
                      unsigned lane)
{
    unsigned n = copy->size ? REG(uint32_t, copy->size)[lane] : copy->bytes;
    unsigned char *to = reach(w, op, &copy->to, lane, copy->bytes, PTX__STORES);

    if (copy->ignore && PRED(copy->ignore) >> lane & 1)
        n = 0;
    n = n < copy->bytes ? n : copy->bytes;
    if (!to)
        return false;
    for (unsigned i = 0; i < n; i++) {
        const unsigned char *from =
            ptx__reach_in(ptx__lane_op(w, op, lane), copy->from.space,
                          ptx__place_address(w, &copy->from, lane) + i, 1, PTX__LOADS);

        if (!from)
            return false;
        to[i] = *from;
    }
    memset(to + n, 0, copy->bytes - n);
    return true;
}

const struct ptx__op *ptx__do_copy(struct ptx__warp *w, const struct ptx__op *op)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        if (!copy_lane(w, op, data_of(op), (unsigned) __builtin_ctz(m)))
            return NULL;
    }
    return op + 1;
}

/*
 * --- barriers in memory ---
 * From the lowest bit: arrivals that are still to come in this phase, arrivals of a phase, bytes
 * that are still to come, with a bias, and the phase.
 */

#define COUNT_BITS 20
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)
#define BYTES_BITS 23
#define BYTES_MASK ((UINT64_C(1) << BYTES_BITS) - 1)
#define BYTES_BIAS (UINT64_C(1) << (BYTES_BITS - 1))
#define PHASE_BIT  63

struct state {
    uint64_t pending, count, bytes, phase;
};

static struct state unpack(uint64_t bits)
{
    return (struct state){bits & COUNT_MASK, bits >> COUNT_BITS & COUNT_MASK,
                          bits >> 2 * COUNT_BITS & BYTES_MASK, bits >> PHASE_BIT};
}

static uint64_t pack(struct state state)
{
    if (!state.pending && state.bytes == BYTES_BIAS) {
        state.phase ^= 1;
        state.pending = state.count;
    }
    return state.pending | state.count << COUNT_BITS |
           (state.bytes & BYTES_MASK) << 2 * COUNT_BITS | state.phase << PHASE_BIT;
}

static uint64_t changed(const struct ptx__mbarrier *what, uint64_t bits, uint64_t operand)
{
    const uint64_t arrivals = what->expects ? 1 : operand;
    struct state state = unpack(bits);

    switch (what->kind) {
    case PTX__MBARRIER_INIT:
        /*
         * pack() cannot be used: a barrier that expects no arrivals would begin in its next phase.
         */
        return (operand & COUNT_MASK) | (operand & COUNT_MASK) << COUNT_BITS |
               BYTES_BIAS << 2 * COUNT_BITS;
    case PTX__MBARRIER_INVAL:
        return 0;
    case PTX__MBARRIER_EXPECT:
        state.bytes += operand;
        return pack(state);
    case PTX__MBARRIER_COMPLETE:
        state.bytes -= operand;
        return pack(state);
    default:
        state.bytes += what->expects ? operand : 0;
        state.pending -= arrivals < state.pending ? arrivals : state.pending;
        if (what->drops)
            state.count -= arrivals < state.count ? arrivals : state.count;
        return pack(state);
    }
}

bool ptx__tell_barrier(struct ptx__lane_op at, const struct ptx__place_in *barrier,
                       uint64_t address, uint64_t bytes)
{
    const struct ptx__mbarrier what = {.kind = PTX__MBARRIER_COMPLETE};
    unsigned char *place = ptx__reach_in(at, barrier->space, address, 8, PTX__UPDATES);
    uint64_t bits;

    if (!place)
        return false;
    memcpy(&bits, place, sizeof(bits));
    bits = changed(&what, bits, bytes);
    memcpy(place, &bits, sizeof(bits));
    return true;
}

void ptx__mbarrier_arrive(unsigned char *barrier)
{
    const struct ptx__mbarrier what = {.kind = PTX__MBARRIER_ARRIVE};
    uint64_t bits;

    memcpy(&bits, barrier, sizeof(bits));
    bits = changed(&what, bits, 1);
    memcpy(barrier, &bits, sizeof(bits));
}

static uint64_t operand_of(const struct ptx__warp *w, const struct ptx__mbarrier *what,
                           unsigned lane)
{
    if (!what->operand)
        return 1;
    if (what->kind == PTX__MBARRIER_TEST || what->kind == PTX__MBARRIER_PENDING)
        return REG(uint64_t, what->operand)[lane];
    return REG(uint32_t, what->operand)[lane];
}

static bool passed(const struct ptx__mbarrier *what, uint64_t bits, uint64_t operand)
{
    if (what->kind == PTX__MBARRIER_TEST)
        return bits >> PHASE_BIT != operand >> PHASE_BIT;
    return bits >> PHASE_BIT != (operand & 1);
}

/* Of a test of a barrier: sets its result. */
static void test(struct ptx__warp *w, const struct ptx__op *op, unsigned lane, uint64_t bits)
{
    const struct ptx__mbarrier *what = data_of(op);
    const bool through = passed(what, bits, operand_of(w, what, lane));

    PRED(op->d) = (PRED(op->d) & ~(1u << lane)) | (uint32_t) through << lane;
    if (through)
        ptx__tensor_waited(w->block->cluster,
                           (uint32_t) ptx__place_address(w, &what->at, lane) & PTX__RANK_MASK);
}

static bool do_lane(struct ptx__warp *w, const struct ptx__op *op, unsigned lane)
{
    const struct ptx__mbarrier *what = data_of(op);
    const uint64_t operand = operand_of(w, what, lane);
    unsigned char *at;
    uint64_t bits;

    if (what->kind == PTX__MBARRIER_PENDING) {
        REG(uint32_t, op->d)[lane] = (uint32_t) (operand & COUNT_MASK);
        return true;
    }
    at = reach(w, op, &what->at, lane, 8,
               what->kind == PTX__MBARRIER_INIT ? PTX__STORES | PTX__STRONG : PTX__UPDATES);
    if (!at)
        return false;
    memcpy(&bits, at, sizeof(bits));
    if (what->kind == PTX__MBARRIER_TEST || what->kind == PTX__MBARRIER_TEST_PARITY) {
        test(w, op, lane, bits);
        return true;
    }
    if (what->has_result)
        REG(uint64_t, op->d)[lane] = bits;
    bits = changed(what, bits, operand);
    memcpy(at, &bits, sizeof(bits));
    return true;
}

const struct ptx__op *ptx__do_mbarrier(struct ptx__warp *w, const struct ptx__op *op)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        if (!do_lane(w, op, (unsigned) __builtin_ctz(m)))
            return NULL;
    }
    return op + 1;
}

/* Elects the first of the members. */
const struct ptx__op *ptx__do_elect(struct ptx__warp *w, const struct ptx__op *op)
{
    const uint32_t members = REG(uint32_t, op->a)[__builtin_ctz(w->mask)];
    const struct ptx__op *next = NULL;
    uint32_t here;

    if (!ptx__warp_together(w, op, op->a, &next))
        return next;
    here = w->mask & members;
    for (uint32_t m = w->mask; m; m &= m - 1)
        REG(uint32_t, op->d)[__builtin_ctz(m)] = here ? (uint32_t) __builtin_ctz(here) : 0;
    ptx__set_pred(w, op->b, here & -here);
    return ptx__warp_after(w, op);
}

/* --- clusters --- */

const struct ptx__op *ptx__do_cluster_arrive(struct ptx__warp *w, const struct ptx__op *op)
{
    ptx__cluster_arrive(w);
    /* Others of the warp that waited may be behind, and run first. */
    return w->n_groups ? ptx__warp_park(w, op + 1, PTX__RUNNABLE) : op + 1;
}

const struct ptx__op *ptx__do_cluster_wait(struct ptx__warp *w, const struct ptx__op *op)
{
    const uint32_t all = w->mask, passing = all & w->cluster_passed;

    w->cluster_passed &= ~passing;
    if (passing == all)
        return ptx__warp_after(w, op);
    if (passing)
        w->groups[w->n_groups++] = (struct ptx__divergence_group){
            .at = op + 1, .frame = w->frame, .mask = passing, .yield_round = w->yield_round};
    w->mask = all & ~passing;
    return ptx__warp_park(w, op + 1, PTX__AT_CLUSTER_BARRIER);
}

/*
 * Computes the address of shared memory of block `rank` of the cluster: the rank is stored above
 * the offset.
 */
const struct ptx__op *ptx__do_map_address(struct ptx__warp *w, const struct ptx__op *op)
{
    const uint32_t *rank = REG(uint32_t, op->b), *narrow = REG(uint32_t, op->a);
    const uint64_t *wide = REG(uint64_t, op->a);
    uint32_t *narrow_d = REG(uint32_t, op->d);
    uint64_t *wide_d = REG(uint64_t, op->d);

    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned l = (unsigned) __builtin_ctz(m);
        /*
         * The block's own memory has only one address, without a rank. A rank that no cluster has
         * leads to no memory.
         */
        const uint32_t named = rank[l] < PTX__NO_RANK ? rank[l] : PTX__NO_RANK;
        const uint64_t high =
            named == w->block->rank ? 0 : (uint64_t) (named + 1) << PTX__RANK_SHIFT;

        if (op->c)
            wide_d[l] = (wide[l] & ~(UINT64_C(0xff) << PTX__RANK_SHIFT)) | high;
        else
            narrow_d[l] = (narrow[l] & ((1u << PTX__RANK_SHIFT) - 1)) | (uint32_t) high;
    }
    return op + 1;
}

const struct ptx__op *ptx__do_rank_of(struct ptx__warp *w, const struct ptx__op *op)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned l = (unsigned) __builtin_ctz(m);
        const uint64_t address = op->c ? REG(uint64_t, op->a)[l] : REG(uint32_t, op->a)[l];
        const uint32_t rank = (uint32_t) (address >> PTX__RANK_SHIFT & 0xff);

        REG(uint32_t, op->d)[l] = rank ? rank - 1 : w->block->rank;
    }
    return op + 1;
}
