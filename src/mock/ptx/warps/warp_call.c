/* SPDX-License-Identifier: MIT */
/* Calls: a new frame for the active lanes, and their arguments and results. */
#include <string.h>

#include "mock/ptx/racecheck/racecheck.h"
#include "mock/ptx/warps/grid.h"
#include "mock/ptx/warps/warp.h"

/*
 * The stack that each call uses at least: an H200 keeps this much for every function that calls
 * another.
 */
enum { STACK_OF_CALL = 16 };

/*
 * A function that is called by a pointer may take more arguments than it is given. The missing ones
 * are zeros, which is a finding.
 */
static void check_arguments(struct ptx__warp *warp, const struct ptx__op *op,
                            const struct ptx__code *code)
{
    const unsigned lane = (unsigned) __builtin_ctz(warp->mask);

    for (size_t i = 0; i < code->n_parameters; i++) {
        const uint32_t given = ptx__given(op, i).bytes, wanted = code->parameters[i].bytes;

        if (given < wanted)
            ptx__note(ptx__lane_op(warp, op, lane), PTX__UNINITIALISED,
                      "it calls '%.100s', whose parameter %zu has %u bytes, with %u bytes",
                      code->name, i + 1, wanted, given);
    }
    if (op->imm > code->result.bytes)
        ptx__note(ptx__lane_op(warp, op, lane), PTX__UNINITIALISED,
                  "it calls '%.100s', whose result has %u bytes, for %u bytes", code->name,
                  code->result.bytes, (unsigned) op->imm);
}

static void copy_arguments(struct ptx__warp *warp, const struct ptx__op *op,
                           const struct ptx__frame *callee)
{
    const struct ptx__code *code = callee->code;

    for (size_t i = 0; i < code->n_parameters; i++) {
        const struct ptx__argument to = code->parameters[i], from = ptx__given(op, i);
        const uint32_t bytes = from.bytes < to.bytes ? from.bytes : to.bytes;

        for (uint32_t m = warp->mask; m; m &= m - 1) {
            unsigned char *local = ptx__warp_local(warp, (unsigned) __builtin_ctz(m));
            unsigned char *parameter = local + callee->local + to.offset;

            memcpy(parameter, local + warp->frame->local + from.offset, bytes);
            memset(parameter + bytes, 0, to.bytes - bytes);
        }
    }
}

static const struct ptx__op *too_deep(struct ptx__warp *warp, const struct ptx__op *op)
{
    const struct ptx__launch *launch = warp->block->grid->launch;

    return ptx__fault(ptx__first_lane_op(warp, op), PTX__ERROR_ILLEGAL_ADDRESS, PTX__OTHER,
                      "calls too deep: %u calls of each other, and a stack limit of %zu bytes "
                      "(CU_LIMIT_STACK_SIZE)",
                      warp->frame->depth, launch->stack_limit);
}

/*
 * The stack of a kernel without recursion is known before it runs, so it always has enough. The
 * limit matters for recursion only.
 */
static bool stack_is_full(const struct ptx__warp *warp, uint32_t stack)
{
    const struct ptx__launch *launch = warp->block->grid->launch;

    return warp->base->code->recursive && stack > launch->stack_limit;
}

static struct ptx__frame *enter(struct ptx__warp *warp, const struct ptx__op *op,
                                const struct ptx__code *code, uint32_t local, uint32_t stack)
{
    struct ptx__frame *frame = ptx__frame_new(warp->block, warp, code);

    if (!frame)
        return NULL;
    frame->parent = warp->frame;
    frame->back = op + 1;
    frame->lanes = warp->mask;
    frame->kept = 0;
    frame->local = local;
    frame->stack = stack;
    frame->depth = warp->frame->depth + 1;
    ptx__local_racecheck_frame(warp, frame, warp->mask);
    check_arguments(warp, op, code);
    copy_arguments(warp, op, frame);
    return frame;
}

const struct ptx__op *ptx__warp_call(struct ptx__warp *warp, const struct ptx__op *op,
                                     const struct ptx__code *code)
{
    const uint64_t local =
        (uint64_t) warp->frame->local + warp->frame->code->frame_bytes + ptx__stack_bytes(warp);
    const uint32_t stack = warp->frame->stack + STACK_OF_CALL + code->variable_bytes;
    struct ptx__frame *frame;

    warp->jumps += PTX__STEPS_OF_CALL;
    if (ptx__warp_spend(warp, PTX__STEPS_OF_CALL))
        return ptx__warp_let_pass(warp, op, op);
    if (code->builtin) {
        check_arguments(warp, op, code);
        return code->builtin(warp, op);
    }
    if (stack_is_full(warp, stack))
        return too_deep(warp, op);
    if (!ptx__local_reserve(warp, local + code->frame_bytes))
        return ptx__fault(ptx__first_lane_op(warp, op), PTX__ERROR_ILLEGAL_ADDRESS, PTX__OTHER,
                          "calls too deep: there is no local memory left for the stack");
    frame = enter(warp, op, code, (uint32_t) local, stack);
    if (!frame)
        return ptx__fault(ptx__first_lane_op(warp, op), PTX__ERROR_OUT_OF_MEMORY, PTX__OTHER,
                          "calls too deep: the host is out of memory");
    ptx__warp_enter(warp, frame);
    return code->ops;
}
