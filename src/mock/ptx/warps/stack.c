/* SPDX-License-Identifier: MIT */
/*
 * alloca: memory behind the frame of a function. Each lane may ask for another size, which a slot
 * of the frame holds. A called function begins behind the largest of them.
 */
#include "mock/ptx/machine/exec.h"
#include "mock/ptx/machine/grid.h"
#include "mock/ptx/racecheck/racecheck.h"
#include "mock/ptx/warps/grid.h"
#include "mock/ptx/warps/warp.h"

static uint32_t begin_of(const struct ptx__warp *w)
{
    return w->frame->local + w->frame->code->frame_bytes;
}

static uint64_t get(const struct ptx__warp *w, uint32_t slot, bool wide, unsigned lane)
{
    return wide ? REG(uint64_t, slot)[lane] : REG(uint32_t, slot)[lane];
}

static void set(struct ptx__warp *w, uint32_t slot, bool wide, unsigned lane, uint32_t value)
{
    if (wide)
        REG(uint64_t, slot)[lane] = value;
    else
        REG(uint32_t, slot)[lane] = value;
}

uint32_t ptx__stack_bytes(const struct ptx__warp *w)
{
    const uint32_t slot = w->frame->code->stack_slot;
    uint32_t most = 0;

    for (uint32_t m = slot ? w->mask : 0; m; m &= m - 1) {
        const uint32_t bytes = REG(uint32_t, slot)[__builtin_ctz(m)];

        most = bytes > most ? bytes : most;
    }
    return (most + 15) / 16 * 16;
}

static const struct ptx__op *overflow(struct ptx__warp *w, const struct ptx__op *op, unsigned lane)
{
    return ptx__fault(ptx__lane_op(w, op, lane), PTX__ERROR_ILLEGAL_ADDRESS, PTX__OTHER,
                      "there is no local memory left for what it allocates on the stack");
}

/* d: the address; a: the number of bytes; c: both are 64 bits wide; imm: the alignment. */
const struct ptx__op *ptx__do_alloca(struct ptx__warp *w, const struct ptx__op *op)
{
    const uint64_t begin = begin_of(w), alignment = op->imm;
    uint32_t *stack = REG(uint32_t, w->frame->code->stack_slot);

    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned l = (unsigned) __builtin_ctz(m);
        const uint64_t at = (begin + stack[l] + alignment - 1) / alignment * alignment;
        const uint64_t size = get(w, op->a, op->c, l);

        if (size > UINT32_MAX || at > UINT32_MAX || !ptx__local_reserve(w, at + size))
            return overflow(w, op, l);
        ptx__local_racecheck_clear(w, l, at, size);
        stack[l] = (uint32_t) (at + size - begin);
        set(w, op->d, op->c, l, (uint32_t) at);
    }
    return op + 1;
}

const struct ptx__op *ptx__do_stack_save(struct ptx__warp *w, const struct ptx__op *op)
{
    const uint32_t *stack = REG(uint32_t, w->frame->code->stack_slot);

    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned l = (unsigned) __builtin_ctz(m);

        set(w, op->d, op->c, l, begin_of(w) + stack[l]);
    }
    return op + 1;
}

/* Restores a saved position. Any other value is a fault. */
const struct ptx__op *ptx__do_stack_restore(struct ptx__warp *w, const struct ptx__op *op)
{
    uint32_t *stack = REG(uint32_t, w->frame->code->stack_slot);

    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned l = (unsigned) __builtin_ctz(m);
        const uint64_t saved = get(w, op->a, op->c, l);

        if (saved < begin_of(w) || !ptx__local_reserve(w, saved))
            return ptx__fault(ptx__lane_op(w, op, l), PTX__ERROR_ILLEGAL_ADDRESS, PTX__OTHER,
                              "the stack is put back to 0x%llx, where it never was",
                              (unsigned long long) saved);
        stack[l] = (uint32_t) (saved - begin_of(w));
    }
    return op + 1;
}
