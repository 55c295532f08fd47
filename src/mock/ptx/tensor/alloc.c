/* SPDX-License-Identifier: MIT */
/*
 * Allocating tensor memory, and telling barriers what is complete. With .cta_group::2 a warp of
 * each block of the pair allocates; each gets columns of its own block, and as both do the same,
 * these are the same ones.
 */
#include <string.h>

#include "mock/ptx/memory/memory.h"
#include "mock/ptx/tensor/access.h"
#include "mock/ptx/warps/warp.h"

static const struct ptx__tensor_call *call_of(const struct ptx__op *op)
{
    return (const struct ptx__tensor_call *) (uintptr_t) op->imm;
}

static uint64_t address_of(const struct ptx__warp *w, const struct ptx__place_in *place,
                           unsigned lane)
{
    if (place->wide)
        return REG(uint64_t, place->slot)[lane] + (uint64_t) place->offset;
    return (uint32_t) (REG(uint32_t, place->slot)[lane] + (uint32_t) place->offset);
}

static bool is_number_of_columns(uint32_t n)
{
    return n >= PTX__TENSOR_UNIT && n <= PTX__TENSOR_COLUMNS && !(n & (n - 1));
}

/* Checks what is common to all instructions of this file that a whole warp executes. */
static bool begin(struct ptx__warp *w, const struct ptx__op *op, const struct ptx__op **ret_next)
{
    if (!ptx__tensor_together(w, op, ret_next))
        return false;
    *ret_next = NULL;
    return ptx__tensor_group(ptx__first_lane_op(w, op), call_of(op)->group);
}

static bool right_columns(struct ptx__warp *w, const struct ptx__op *op)
{
    const uint32_t slot = call_of(op)->columns, columns = REG(uint32_t, slot)[0];

    if (!ptx__tensor_uniform(w, op, slot, "the number of columns"))
        return false;
    if (!is_number_of_columns(columns))
        return ptx__tensor_wrong(ptx__first_lane_op(w, op),
                                 "%u columns of tensor memory; their number is a power of 2 from "
                                 "32 to 512",
                                 columns);
    return true;
}

const struct ptx__op *ptx__do_tensor_alloc(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__tensor_call *call = call_of(op);
    const struct ptx__lane_op at = ptx__first_lane_op(w, op);
    const struct ptx__op *next = NULL;
    struct ptx__tensor *tensor;
    unsigned char *to;
    int column;

    if (!begin(w, op, &next) || !right_columns(w, op))
        return next;
    tensor = w->block->tensor;
    if (tensor->relinquished)
        return ptx__tensor_wrong(at, "the block allocates tensor memory after "
                                     "tcgen05.relinquish_alloc_permit");
    column = ptx__tensor_allocate(tensor, REG(uint32_t, call->columns)[0]);
    if (column < 0)
        return ptx__warp_park(w, op, PTX__AT_ALLOCATION);
    to = ptx__reach_in(at, call->to.space, address_of(w, &call->to, 0), 4, PTX__STORES);
    if (!to)
        return NULL;
    memcpy(to, &(uint32_t){(uint32_t) column}, 4);
    return ptx__warp_after(w, op);
}

/* Warps of the block that wait for free columns try again. */
static void wake(struct ptx__block *block)
{
    for (unsigned i = 0; i < block->n_warps; i++) {
        struct ptx__warp *warp = &block->warps[i];

        for (unsigned j = 0; j < warp->n_groups; j++) {
            if (warp->groups[j].state == PTX__AT_ALLOCATION)
                warp->groups[j].state = PTX__RUNNABLE;
        }
    }
}

const struct ptx__op *ptx__do_tensor_dealloc(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__tensor_call *call = call_of(op);
    const struct ptx__lane_op at = ptx__first_lane_op(w, op);
    const struct ptx__op *next = NULL;
    struct ptx__tensor_place place;
    unsigned columns;

    if (!begin(w, op, &next) || !right_columns(w, op) ||
        !ptx__tensor_uniform(w, op, call->address, "the address in tensor memory"))
        return next;
    place = ptx__tensor_place(REG(uint32_t, call->address)[0]);
    columns = REG(uint32_t, call->columns)[0];
    if (place.lane || !ptx__tensor_release(w->block->tensor, place.column, columns))
        return ptx__tensor_wrong(at,
                                 "it frees %u columns of tensor memory from lane %u, column %u, "
                                 "which no tcgen05.alloc has given",
                                 columns, place.lane, place.column);
    ptx__tensor_check(at, w->block->tensor, (struct ptx__tensor_area){place.column, columns, 15},
                      PTX__TENSOR_HARM_STORE);
    wake(w->block);
    return ptx__warp_after(w, op);
}

const struct ptx__op *ptx__do_tensor_relinquish(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__op *next = NULL;

    if (!begin(w, op, &next))
        return next;
    w->block->tensor->relinquished = true;
    return ptx__warp_after(w, op);
}

/* --- tcgen05.commit --- */

/* Tells the barrier at the address in a block of the cluster. The block's own has no rank in it. */
static bool tell(struct ptx__lane_op at, uint64_t address)
{
    const struct ptx__tensor_call *call = call_of(at.op);
    unsigned char *barrier = ptx__reach_in(at, call->to.space, address, 8, PTX__UPDATES);

    if (!barrier)
        return false;
    for (unsigned i = 0; i < call->group; i++) {
        struct ptx__tensor *tensor = ptx__tensor_of(ptx__tensor_block(at, call->group, i));

        if (!tensor)
            return false;
        ptx__tensor_commit(tensor, ptx__tensor_thread(at), (uint32_t) address & PTX__RANK_MASK);
    }
    ptx__mbarrier_arrive(barrier);
    return true;
}

static bool commit(struct ptx__lane_op at)
{
    const struct ptx__warp *w = at.warp;
    const struct ptx__tensor_call *call = call_of(at.op);
    const uint64_t address = address_of(w, &call->to, at.lane);
    const uint64_t offset = address & ~(UINT64_C(0xff) << PTX__RANK_SHIFT);

    if (!ptx__tensor_group(at, call->group))
        return false;
    if (!call->blocks)
        return tell(at, address);
    for (uint32_t m = REG(uint32_t, call->blocks)[at.lane] & 0xffff; m; m &= m - 1) {
        const uint64_t rank = (unsigned) __builtin_ctz(m);

        if (!tell(at, offset | (rank + 1) << PTX__RANK_SHIFT))
            return false;
    }
    return true;
}

const struct ptx__op *ptx__do_tensor_commit(struct ptx__warp *w, const struct ptx__op *op)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        if (!commit(ptx__lane_op(w, op, (unsigned) __builtin_ctz(m))))
            return NULL;
    }
    return op + 1;
}
