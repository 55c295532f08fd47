/* SPDX-License-Identifier: MIT */
/* Handlers that change which lanes run which operation: jumps, calls, exits, barriers. */
#include <string.h>

#include "mock/ptx/exec/control.h"
#include "mock/ptx/machine/exec.h"
#include "mock/ptx/machine/grid.h"
#include "mock/ptx/machine/tensor.h"
#include "mock/ptx/racecheck/racecheck.h"
#include "mock/ptx/syntax/ast.h"
#include "mock/ptx/warps/cluster.h"
#include "mock/ptx/warps/grid.h"
#include "mock/ptx/warps/warp.h"

const struct ptx__op *ptx__do_jump(struct ptx__warp *w, const struct ptx__op *op)
{
    return ptx__warp_jump(w, op, op->target);
}

/* imm: the predicate is negated. */
const struct ptx__op *ptx__do_branch(struct ptx__warp *w, const struct ptx__op *op)
{
    const uint32_t taken = (PRED(op->a) ^ (uint32_t) op->imm) & w->mask;

    if (taken == w->mask)
        return ptx__warp_jump(w, op, op->target);
    if (!taken)
        return op + 1 < w->limit ? op + 1 : ptx__warp_jump(w, op, op + 1);
    return ptx__warp_split(w, op, taken, op->target, op + 1);
}

/*
 * The lanes with the same index as the first lane jump together; the others repeat this operation.
 */
const struct ptx__op *ptx__do_branch_index(struct ptx__warp *w, const struct ptx__op *op)
{
    const uint32_t *index = REG(uint32_t, op->a);
    const uint32_t first = index[__builtin_ctz(w->mask)];
    const struct ptx__op *target = w->frame->code->ops;
    uint32_t same = 0;

    for (unsigned l = 0; l < PTX__LANES; l++)
        same |= (uint32_t) (index[l] == first) << l;
    if (first >= op->imm)
        return ptx__fault(ptx__first_lane_op(w, op), PTX__ERROR_LAUNCH_FAILED, PTX__OTHER,
                          "branch number %u of a list of %u", first, (unsigned) op->imm);
    target += op->list[first];
    same &= w->mask;
    if (same == w->mask)
        return ptx__warp_jump(w, op, target);
    return ptx__warp_split(w, op, same, target, op);
}

/* Begins guarded operations: only the lanes whose guard is true are active in them. */
const struct ptx__op *ptx__do_guard(struct ptx__warp *w, const struct ptx__op *op)
{
    const uint32_t through = (PRED(op->a) ^ (uint32_t) op->imm) & w->mask;

    if (!through)
        return op + op->skip;
    /* Guarded operations cannot jump, so the active lanes are saved in a slot until their end. */
    PRED(op->d) = w->mask;
    w->converged = w->converged && through == w->mask;
    w->mask = through;
    return op + 1;
}

const struct ptx__op *ptx__do_unguard(struct ptx__warp *w, const struct ptx__op *op)
{
    w->mask = PRED(op->d);
    w->converged = !(w->frame->lanes & ~w->mask);
    return op + 1;
}

static void leave(struct ptx__warp *w, struct ptx__frame *frame)
{
    while (frame) {
        struct ptx__frame *parent = frame->parent;

        frame->lanes &= ~w->mask;
        if (!frame->lanes && parent)
            ptx__frame_free(w->block, frame);
        frame = parent;
    }
}

const struct ptx__op *ptx__do_exit(struct ptx__warp *w, const struct ptx__op *op)
{
    leave(w, w->frame);
    w->alive &= ~w->mask;
    w->block->alive -= ptx__count_lanes(w->mask);
    if (!w->block->alive)
        ptx__tensor_end(ptx__first_lane_op(w, op));
    ptx__cluster_leave(w);
    for (uint32_t open = w->block->open; open; open &= open - 1)
        ptx__barrier_check(w->block, (unsigned) __builtin_ctz(open));
    return ptx__warp_next(w);
}

static void copy_result(struct ptx__warp *w, const struct ptx__frame *frame)
{
    const struct ptx__op *call = frame->back - 1;
    const uint32_t bytes = frame->code->result.bytes;
    const size_t wanted = bytes < call->imm ? bytes : call->imm;

    for (unsigned l = 0; wanted && l < PTX__LANES; l++) {
        unsigned char *local = ptx__warp_local(w, l);

        if (ACTIVE(l))
            memcpy(local + frame->parent->local + call->d,
                   local + frame->local + frame->code->result.offset, wanted);
    }
}

const struct ptx__op *ptx__do_return(struct ptx__warp *w, const struct ptx__op *op)
{
    struct ptx__frame *frame = w->frame;
    const struct ptx__op *back = frame->back;

    if (!frame->parent)
        return ptx__do_exit(w, op);
    copy_result(w, frame);
    w->frame = frame->parent;
    w->regs = w->frame->registers;
    frame->lanes &= ~w->mask;
    if (!frame->lanes)
        ptx__frame_free(w->block, frame);
    return ptx__warp_park(w, back, PTX__RUNNABLE);
}

const struct ptx__op *ptx__do_call(struct ptx__warp *w, const struct ptx__op *op)
{
    return ptx__warp_call(w, op, op->call);
}

/*
 * Returns the code at an address of a function, which is its number times a step. A kernel cannot
 * be called.
 */
static const struct ptx__code *code_at(const struct ptx__warp *w, uint64_t address)
{
    const struct ptx__program *program = w->block->grid->launch->program;
    const uint64_t number = (address - PTX_CODE) / PTX_CODE_STEP;
    const struct ptx__code *code = number < program->n_codes ? &program->codes[number] : NULL;

    return code && code->address == address && !code->is_kernel && (code->ops || code->builtin)
               ? code
               : NULL;
}

/*
 * The lanes that call the same function as the first lane go together; the others repeat this
 * operation.
 */
const struct ptx__op *ptx__do_call_indirect(struct ptx__warp *w, const struct ptx__op *op)
{
    const uint64_t *address = REG(uint64_t, op->a);
    const unsigned first = (unsigned) __builtin_ctz(w->mask);
    const struct ptx__code *code = code_at(w, address[first]);
    uint32_t same = 0;

    if (!code)
        return ptx__fault(ptx__lane_op(w, op, first), PTX__ERROR_INVALID_PC, PTX__OTHER,
                          "call of 0x%llx, which is no function",
                          (unsigned long long) address[first]);
    for (unsigned l = 0; l < PTX__LANES; l++)
        same |= (uint32_t) (address[l] == address[first]) << l;
    same &= w->mask;
    if (same != w->mask) {
        const uint32_t others = w->mask & ~same;

        w->groups[w->n_groups++] = (struct ptx__divergence_group){
            .at = op, .frame = w->frame, .mask = others, .yield_round = w->yield_round};
        w->mask = same;
        w->converged = false;
    }
    return ptx__warp_call(w, op, code);
}

/* a: the barrier's number; b: the number of threads, or 0. imm: PTX__BARRIER_x. */
const struct ptx__op *ptx__do_barrier(struct ptx__warp *w, const struct ptx__op *op)
{
    const unsigned lane = (unsigned) __builtin_ctz(w->mask);
    const uint32_t number = REG(uint32_t, op->a)[lane];
    const unsigned n = ptx__count_lanes(w->mask);
    struct ptx__barrier *barrier;

    if (number >= PTX__BARRIERS)
        return ptx__fault(ptx__lane_op(w, op, lane), PTX__ERROR_LAUNCH_FAILED, PTX__BARRIER,
                          "barrier %u: there are 16", number);
    barrier = &w->block->barriers[number];
    barrier->expected = op->b ? REG(uint32_t, op->b)[lane] : 0;
    barrier->arrived += n;
    w->block->open |= 1u << number;
    ptx__shared_racecheck_arrive(w, barrier);
    if (op->imm & PTX__BARRIER_VOTES) {
        barrier->voters += n;
        barrier->count += (unsigned) __builtin_popcount(
            (PRED(op->c) ^ (op->imm & PTX__BARRIER_NEGATED ? PTX__ALL : 0)) & w->mask);
    }
    if (op->imm & PTX__BARRIER_ARRIVES) {
        ptx__barrier_check(w->block, number);
        return op + 1;
    }
    w->groups[w->n_groups++] = (struct ptx__divergence_group){.at = op + 1,
                                                              .frame = w->frame,
                                                              .mask = w->mask,
                                                              .state = PTX__AT_BARRIER,
                                                              .barrier = (uint8_t) number,
                                                              .yield_round = w->yield_round};
    ptx__barrier_check(w->block, number);
    return ptx__warp_next(w);
}

/* bar.warp.sync */
const struct ptx__op *ptx__do_warp_sync(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__op *next = NULL;

    return ptx__warp_together(w, op, op->a, &next) ? ptx__warp_after(w, op) : next;
}

const struct ptx__op *ptx__do_trap(struct ptx__warp *w, const struct ptx__op *op)
{
    return ptx__fault(ptx__first_lane_op(w, op), PTX__ERROR_LAUNCH_FAILED, PTX__OTHER, "trap");
}

const struct ptx__op *ptx__do_nothing(struct ptx__warp *w, const struct ptx__op *op)
{
    (void) w;
    return op + 1;
}

const struct ptx__op *ptx__do_wrong_access(struct ptx__warp *warp, const struct ptx__op *op)
{
    const struct ptx__wrong *wrong = (const struct ptx__wrong *) (uintptr_t) op->imm;
    const unsigned lane = (unsigned) __builtin_ctz(warp->mask);

    if (wrong->kind == PTX__WRONG_ALIGNMENT)
        return ptx__fault(ptx__lane_op(warp, op, lane), PTX__ERROR_MISALIGNED_ADDRESS,
                          PTX__MISALIGNED,
                          "it %s %u bytes at offset %lld of '%.100s', which is not aligned to them",
                          wrong->verb, wrong->bytes, (long long) wrong->offset, wrong->name);
    if (wrong->kind == PTX__WRONG_PLACE)
        return ptx__fault(
            ptx__lane_op(warp, op, lane), PTX__ERROR_ILLEGAL_ADDRESS, PTX__OUT_OF_BOUNDS,
            "it %s %u bytes at offset %lld of '%.100s', which has %llu bytes", wrong->verb,
            wrong->bytes, (long long) wrong->offset, wrong->name, (unsigned long long) wrong->all);
    ptx__note(ptx__lane_op(warp, op, lane), PTX__OUT_OF_BOUNDS,
              "it %s %u bytes at offset %lld of '%.100s', which is beyond the kernel's parameters",
              wrong->verb, wrong->bytes, (long long) wrong->offset, wrong->name);
    return op + 1;
}
