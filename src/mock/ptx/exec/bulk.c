/* SPDX-License-Identifier: MIT */
#include "mock/ptx/exec/bulk.h"

#include <string.h>

#include "mock/ptx/machine/grid.h"
#include "mock/ptx/machine/softfloat.h"
#include "mock/ptx/memory/memory.h"
#include "mock/ptx/syntax/types.h"

enum { UNIT = 16 }; /* sizes and addresses of copies are multiples of this many bytes */

static const struct ptx__bulk *bulk_of(const struct ptx__op *op)
{
    return (const struct ptx__bulk *) (uintptr_t) op->imm;
}

/* --- reductions --- */

static uint64_t sum_of(enum ptx__type type, uint64_t a, uint64_t b)
{
    switch (type) {
    case PTX_F16:
        return ptx__half_of_float(ptx__float_of_half((uint16_t) a) +
                                  ptx__float_of_half((uint16_t) b));
    case PTX_BF16:
        return ptx__bfloat_of_float(ptx__float_of_bfloat((uint16_t) a) +
                                    ptx__float_of_bfloat((uint16_t) b));
    case PTX_F32:
        return ptx__bits32(ptx__nan32(ptx__f32((uint32_t) a) + ptx__f32((uint32_t) b)));
    case PTX_F64:
        return ptx__bits64(ptx__f64(a) + ptx__f64(b));
    default:
        return a + b;
    }
}

static float float_of(enum ptx__type type, uint64_t bits)
{
    return type == PTX_F16 ? ptx__float_of_half((uint16_t) bits)
                           : ptx__float_of_bfloat((uint16_t) bits);
}

/* Tells whether a is less than b. -0 is less than +0, and a NaN is never the result. */
static bool is_less(enum ptx__type type, uint64_t a, uint64_t b)
{
    const unsigned shift = 64 - ptx__type_bits(type);

    if (type == PTX_F16 || type == PTX_BF16) {
        const float x = float_of(type, a), y = float_of(type, b);

        return x == y ? a >> 15 > b >> 15 : x < y;
    }
    if (ptx__is_signed(type))
        return (int64_t) (a << shift) < (int64_t) (b << shift);
    return a < b;
}

static bool is_nan(enum ptx__type type, uint64_t bits)
{
    return (type == PTX_F16 || type == PTX_BF16) && float_of(type, bits) != float_of(type, bits);
}

static uint64_t limit_of(enum ptx__type type, bool most, uint64_t a, uint64_t b)
{
    if (is_nan(type, a) && is_nan(type, b))
        return 0x7fff;
    if (is_nan(type, a) || is_nan(type, b))
        return is_nan(type, a) ? b : a;
    return is_less(type, a, b) != most ? a : b;
}

static uint64_t reduced(const struct ptx__bulk *bulk, uint64_t old, uint64_t value)
{
    const enum ptx__type type = (enum ptx__type) bulk->type;

    switch ((enum ptx__reduction) bulk->reduction) {
    case PTX__REDUCE_ADD:
        return sum_of(type, old, value);
    case PTX__REDUCE_MIN:
    case PTX__REDUCE_MAX:
        return limit_of(type, bulk->reduction == PTX__REDUCE_MAX, old, value);
    case PTX__REDUCE_INC:
        return old >= value ? 0 : old + 1;
    case PTX__REDUCE_DEC:
        return old == 0 || old > value ? value : old - 1;
    case PTX__REDUCE_AND:
        return old & value;
    case PTX__REDUCE_OR:
        return old | value;
    case PTX__REDUCE_XOR:
        return old ^ value;
    default:
        return value;
    }
}

/* Repeats until no other thread has changed the value in between. */
#define REDUCE(T)                                                                                  \
    do {                                                                                           \
        T *to = (T *) at, old = __atomic_load_n(to, __ATOMIC_RELAXED), given, new;                 \
                                                                                                   \
        memcpy(&given, value, sizeof(given));                                                      \
        do                                                                                         \
            new = (T) reduced(bulk, old, given);                                                   \
        while (!__atomic_compare_exchange_n(to, &old, new, false, __ATOMIC_SEQ_CST,                \
                                            __ATOMIC_RELAXED));                                    \
    } while (0)

static void reduce(const struct ptx__bulk *bulk, void *at, const void *value)
{
    switch (bulk->element) {
    case 2:
        REDUCE(uint16_t);
        break;
    case 4:
        REDUCE(uint32_t);
        break;
    default:
        REDUCE(uint64_t);
    }
}

/* --- places --- */

static uint64_t address_of(const struct ptx__warp *w, const struct ptx__place_in *place,
                           unsigned lane)
{
    if (place->wide)
        return REG(uint64_t, place->slot)[lane] + (uint64_t) place->offset;
    return (uint32_t) (REG(uint32_t, place->slot)[lane] + (uint32_t) place->offset);
}

/* Returns the same address in the shared memory of another block of the cluster. */
static uint64_t in_block(uint64_t address, unsigned rank)
{
    return (address & ~(UINT64_C(0xff) << PTX__RANK_SHIFT)) | (uint64_t) (rank + 1)
                                                                  << PTX__RANK_SHIFT;
}

static bool tell_barrier(struct ptx__warp *w, const struct ptx__op *op, unsigned lane,
                         uint64_t address, uint64_t bytes)
{
    const struct ptx__bulk *bulk = bulk_of(op);
    unsigned char *at;

    if (!bulk->has_barrier)
        return true;
    at = ptx__reach_in(ptx__lane_op(w, op, lane), bulk->barrier.space, address, 8, PTX__UPDATES);
    if (at)
        ptx__mbarrier_complete(at, bytes);
    return at;
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
                       copy->to + offset, UNIT, bulk->reduction ? PTX__UPDATES : PTX__STORES);
    if (!to)
        return false;
    for (unsigned i = 0; bulk->reduction && i < UNIT; i += bulk->element)
        reduce(bulk, to + i, from + i);
    for (unsigned i = 0; !bulk->reduction && i < UNIT; i++)
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
                        address_of(w, &bulk->to, lane),
                        address_of(w, &bulk->from, lane),
                        REG(uint32_t, bulk->size)[lane],
                        0xffff};
    const uint64_t to = copy.to;
    const uint64_t barrier = bulk->has_barrier ? address_of(w, &bulk->barrier, lane) : 0;
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
        copy.to = in_block(to, (unsigned) __builtin_ctz(m));
        if (!copy_to(&copy, in_block(barrier, (unsigned) __builtin_ctz(m))))
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
        const uint64_t to = address_of(w, &bulk->to, lane);

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
    const unsigned bytes = bulk->n_values * bulk->element;
    unsigned char *at =
        ptx__reach_in(ptx__lane_op(w, op, lane), bulk->to.space, address_of(w, &bulk->to, lane),
                      bytes, bulk->reduction ? PTX__UPDATES : PTX__STORES);

    if (!at)
        return false;
    for (unsigned i = 0; i < bulk->n_values; i++) {
        const uint64_t value =
            bulk->wide_values ? REG(uint64_t, op->list[i])[lane] : REG(uint32_t, op->list[i])[lane];

        if (bulk->reduction)
            reduce(bulk, at, &value);
        else
            memcpy(at + i * bulk->element, &value, bulk->element);
    }
    return tell_barrier(w, op, lane, address_of(w, &bulk->barrier, lane), bytes);
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
        const uint64_t to = address_of(w, &bulk->to, lane);
        const uint64_t barrier = address_of(w, &bulk->barrier, lane);

        for (unsigned i = 0; i < n; i++) {
            if (!cancel_in(w, op, lane, bulk->every_block ? in_block(to, i) : to,
                           bulk->every_block ? in_block(barrier, i) : barrier))
                return NULL;
        }
    }
    return op + 1;
}
