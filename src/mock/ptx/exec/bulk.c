/* SPDX-License-Identifier: MIT */
#include "mock/ptx/exec/bulk.h"

#include <string.h>

#include "mock/ptx/exec/reduce.h"
#include "mock/ptx/machine/grid.h"
#include "mock/ptx/memory/memory.h"
#include "mock/ptx/syntax/types.h"

enum { UNIT = 16 }; /* sizes and addresses of copies are multiples of this many bytes */

static const struct ptx__bulk *bulk_of(const struct ptx__op *op)
{
    return (const struct ptx__bulk *) (uintptr_t) op->imm;
}

static bool tell_barrier(struct ptx__warp *w, const struct ptx__op *op, unsigned lane,
                         uint64_t address, uint64_t bytes)
{
    const struct ptx__bulk *bulk = bulk_of(op);

    return !bulk->has_barrier ||
           ptx__tell_barrier(ptx__lane_op(w, op, lane), &bulk->barrier, address, bytes);
}

/* --- copies --- */

struct copy {
    struct ptx__warp *w;
    const struct ptx__op *op;
    const struct ptx__bulk *bulk;
    unsigned lane;
    uint64_t to, from, size;
    uint32_t mask; /* of bytes */
};

static bool copy_unit(const struct copy *copy, uint64_t offset)
{
    const struct ptx__bulk *bulk = copy->bulk;
    const unsigned char *from =
        ptx__reach_in(ptx__lane_op(copy->w, copy->op, copy->lane), bulk->from.space,
                      copy->from + offset, UNIT, PTX__LOADS);
    unsigned char *to;

    if (!from)
        return false;
    to = ptx__reach_in(ptx__lane_op(copy->w, copy->op, copy->lane), bulk->to.space,
                       copy->to + offset, UNIT, bulk->reduction.kind ? PTX__UPDATES : PTX__STORES);
    if (!to)
        return false;
    for (unsigned i = 0; bulk->reduction.kind && i < UNIT; i += bulk->reduction.bytes)
        ptx__reduce(&bulk->reduction, to + i, from + i);
    for (unsigned i = 0; !bulk->reduction.kind && i < UNIT; i++)
        to[i] = copy->mask >> i & 1 ? from[i] : to[i];
    return true;
}

static bool copy_to(const struct copy *copy, uint64_t barrier)
{
    for (uint64_t offset = 0; offset < copy->size; offset += UNIT) {
        if (!copy_unit(copy, offset))
            return false;
    }
    return tell_barrier(copy->w, copy->op, copy->lane, barrier, copy->size);
}

static bool copy_lane(struct ptx__warp *w, const struct ptx__op *op, unsigned lane)
{
    const struct ptx__bulk *bulk = bulk_of(op);
    struct copy copy = {w,
                        op,
                        bulk,
                        lane,
                        ptx__place_address(w, &bulk->to, lane),
                        ptx__place_address(w, &bulk->from, lane),
                        REG(uint32_t, bulk->size)[lane],
                        0xffff};
    const uint64_t to = copy.to;
    const uint64_t barrier = bulk->has_barrier ? ptx__place_address(w, &bulk->barrier, lane) : 0;
    const uint32_t blocks = bulk->blocks ? REG(uint32_t, bulk->blocks)[lane] & 0xffff : 0;

    if (copy.size % UNIT)
        return ptx__fault(ptx__lane_op(w, op, lane), PTX__ERROR_MISALIGNED_ADDRESS, PTX__MISALIGNED,
                          "a bulk copy of %llu bytes, which is no multiple of 16",
                          (unsigned long long) copy.size);
    if (bulk->bytes_of)
        copy.mask = REG(uint32_t, bulk->bytes_of)[lane];
    if (!bulk->blocks)
        return copy_to(&copy, barrier);
    for (uint32_t m = blocks; m; m &= m - 1) {
        copy.to = ptx__in_block(to, (unsigned) __builtin_ctz(m));
        if (!copy_to(&copy, ptx__in_block(barrier, (unsigned) __builtin_ctz(m))))
            return false;
    }
    return true;
}

const struct ptx__op *ptx__do_bulk_copy(struct ptx__warp *w, const struct ptx__op *op)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        if (!copy_lane(w, op, (unsigned) __builtin_ctz(m)))
            return NULL;
    }
    return op + 1;
}

const struct ptx__op *ptx__do_bulk_fill(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__bulk *bulk = bulk_of(op);

    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned) __builtin_ctz(m);
        const uint64_t size =
            bulk->wide_size ? REG(uint64_t, bulk->size)[lane] : REG(uint32_t, bulk->size)[lane];
        const uint64_t to = ptx__place_address(w, &bulk->to, lane);

        for (uint64_t offset = 0; offset < size; offset += 8) {
            unsigned char *at = ptx__reach_in(ptx__lane_op(w, op, lane), bulk->to.space,
                                              to + offset, 8, PTX__STORES);

            if (!at)
                return NULL;
            memset(at, 0, 8);
        }
    }
    return op + 1;
}

/* --- single values --- */

static bool store_lane(struct ptx__warp *w, const struct ptx__op *op, unsigned lane)
{
    const struct ptx__bulk *bulk = bulk_of(op);
    const unsigned bytes = bulk->n_values * bulk->reduction.bytes;
    unsigned char *at = ptx__reach_in(ptx__lane_op(w, op, lane), bulk->to.space,
                                      ptx__place_address(w, &bulk->to, lane), bytes,
                                      bulk->reduction.kind ? PTX__UPDATES : PTX__STORES);

    if (!at)
        return false;
    for (unsigned i = 0; i < bulk->n_values; i++) {
        const uint64_t value =
            bulk->wide_values ? REG(uint64_t, op->list[i])[lane] : REG(uint32_t, op->list[i])[lane];

        if (bulk->reduction.kind)
            ptx__reduce(&bulk->reduction, at, &value);
        else
            memcpy(at + i * bulk->reduction.bytes, &value, bulk->reduction.bytes);
    }
    return tell_barrier(w, op, lane, ptx__place_address(w, &bulk->barrier, lane), bytes);
}

const struct ptx__op *ptx__do_async_store(struct ptx__warp *w, const struct ptx__op *op)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        if (!store_lane(w, op, (unsigned) __builtin_ctz(m)))
            return NULL;
    }
    return op + 1;
}

/* Cancels nothing: all blocks count as begun. The answer consists of zeros. */
static bool cancel_in(struct ptx__warp *w, const struct ptx__op *op, unsigned lane, uint64_t to,
                      uint64_t barrier)
{
    unsigned char *at =
        ptx__reach_in(ptx__lane_op(w, op, lane), bulk_of(op)->to.space, to, UNIT, PTX__STORES);

    if (!at)
        return false;
    memset(at, 0, UNIT);
    return tell_barrier(w, op, lane, barrier, UNIT);
}

const struct ptx__op *ptx__do_cancel(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__bulk *bulk = bulk_of(op);
    const unsigned n = bulk->every_block ? w->block->cluster->n_blocks : 1;

    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned) __builtin_ctz(m);
        const uint64_t to = ptx__place_address(w, &bulk->to, lane);
        const uint64_t barrier = ptx__place_address(w, &bulk->barrier, lane);

        for (unsigned i = 0; i < n; i++) {
            if (!cancel_in(w, op, lane, bulk->every_block ? ptx__in_block(to, i) : to,
                           bulk->every_block ? ptx__in_block(barrier, i) : barrier))
                return NULL;
        }
    }
    return op + 1;
}
