/* SPDX-License-Identifier: MIT */
/*
 * tcgen05.ld and .st: a warp moves cells of its own 32 lanes. They are asynchronous on a device,
 * and done at once here.
 */
#include "mock/ptx/machine/softfloat.h"
#include "mock/ptx/syntax/types.h"
#include "mock/ptx/tensor/access.h"
#include "mock/ptx/warps/warp.h"

static const struct ptx__tensor_move *move_of(const struct ptx__op *op)
{
    return (const struct ptx__tensor_move *) (uintptr_t) op->imm;
}

/* --- where a register's cell is, from the begin of the operation --- */

static struct ptx__tensor_place cell_of(const struct ptx__tensor_move *move, unsigned thread,
                                        unsigned number)
{
    switch ((enum ptx__tensor_shape) move->shape) {
    case PTX__TENSOR_16X64B:
        return (struct ptx__tensor_place){thread / 4 + thread % 2 * 8, number * 2 + thread / 2 % 2};
    case PTX__TENSOR_16X128B:
        return (struct ptx__tensor_place){thread / 4 + number % 2 * 8, number / 2 * 4 + thread % 4};
    case PTX__TENSOR_16X256B:
        return (struct ptx__tensor_place){thread / 4 + number / 2 % 2 * 8,
                                          number / 4 * 8 + thread % 4 * 2 + number % 2};
    case PTX__TENSOR_16X32BX2:
        return (struct ptx__tensor_place){thread % 16, number};
    default:
        return (struct ptx__tensor_place){thread, number};
    }
}

/* With two 16-bit columns to a register, a column stands for two. */
static struct ptx__tensor_place place_of(const struct ptx__op *op, struct ptx__tensor_place begin,
                                         unsigned thread, unsigned number)
{
    const struct ptx__tensor_move *move = move_of(op);
    const struct ptx__tensor_place cell = cell_of(move, thread, number);
    const unsigned split = move->shape == PTX__TENSOR_16X32BX2 && thread >= 16 ? move->split : 0;

    return (struct ptx__tensor_place){begin.lane + cell.lane,
                                      begin.column + split + cell.column * (move->packed ? 2 : 1)};
}

static unsigned columns_of(const struct ptx__op *op)
{
    static const unsigned each[] = {
        [PTX__TENSOR_32X32B] = 1,  [PTX__TENSOR_16X64B] = 2,   [PTX__TENSOR_16X128B] = 2,
        [PTX__TENSOR_16X256B] = 2, [PTX__TENSOR_16X32BX2] = 1,
    };

    return op->n_list * each[move_of(op)->shape] * (move_of(op)->packed ? 2 : 1);
}

/* --- what a warp may use --- */

/* A device adds the lanes of the warp to an address among the first 32, which PTX does not allow.
 */
static bool settle_lane(struct ptx__lane_op at, struct ptx__tensor_place *begin)
{
    const unsigned part = at.warp->number % PTX__TENSOR_PARTS, first = part * PTX__LANES;
    const unsigned step = move_of(at.op)->shape == PTX__TENSOR_32X32B ? PTX__LANES : 16;

    if (begin->lane % step)
        return ptx__fault(at, PTX__ERROR_MISALIGNED_ADDRESS, PTX__MISALIGNED,
                          "it begins at lane %u of tensor memory; the shape needs a multiple of %u",
                          begin->lane, step);
    if (begin->lane / PTX__LANES == part)
        return true;
    if (begin->lane >= PTX__LANES)
        return ptx__fault(at, PTX__ERROR_ILLEGAL_ADDRESS, PTX__OUT_OF_BOUNDS,
                          "it begins at lane %u of tensor memory; warp %u may use lanes %u to %u",
                          begin->lane, at.warp->number, first, first + PTX__LANES - 1);
    ptx__note(at, PTX__OTHER,
              "it begins at lane %u of tensor memory; warp %u may use lanes %u to %u, and gets "
              "these",
              begin->lane, at.warp->number, first, first + PTX__LANES - 1);
    begin->lane += first;
    return true;
}

/* Checks the columns from one on; the halves of .16x32bx2 have some each. */
static struct ptx__tensor *settle_columns(struct ptx__lane_op at, struct ptx__tensor_place begin,
                                          bool stores)
{
    const struct ptx__tensor_area area = {begin.column, columns_of(at.op),
                                          1u << begin.lane / PTX__LANES};
    struct ptx__tensor *tensor =
        ptx__tensor_reach(at, at.warp->block, area, stores ? "writes" : "reads");

    if (!tensor)
        return NULL;
    ptx__tensor_check(at, tensor, area, stores ? PTX__TENSOR_HARM_STORE : PTX__TENSOR_HARM_LOAD);
    if (stores)
        ptx__tensor_set(tensor, area, PTX__TENSOR_STORED, ptx__tensor_thread(at));
    return tensor;
}

static struct ptx__tensor *begin(struct ptx__warp *w, const struct ptx__op *op, bool stores,
                                 struct ptx__tensor_place *ret_begin)
{
    const struct ptx__tensor_move *move = move_of(op);
    const struct ptx__lane_op at = ptx__first_lane_op(w, op);
    struct ptx__tensor *tensor;

    if (!ptx__tensor_uniform(w, op, move->at.slot, "the address in tensor memory"))
        return NULL;
    *ret_begin = ptx__tensor_place(ptx__tensor_address(at, &move->at));
    if (!settle_lane(at, ret_begin))
        return NULL;
    tensor = settle_columns(at, *ret_begin, stores);
    if (tensor && move->shape == PTX__TENSOR_16X32BX2)
        tensor = settle_columns(
            at, (struct ptx__tensor_place){ret_begin->lane, ret_begin->column + move->split},
            stores);
    return tensor;
}

/* --- loads --- */

static uint32_t read(struct ptx__lane_op at, const struct ptx__tensor *tensor,
                     struct ptx__tensor_place place)
{
    ptx__tensor_need(at, tensor, place.column, place.lane / PTX__LANES,
                     1u << place.lane % PTX__LANES);
    return tensor->cells[place.column][place.lane];
}

static void load(struct ptx__warp *w, const struct ptx__op *op, const struct ptx__tensor *tensor,
                 struct ptx__tensor_place from)
{
    for (unsigned i = 0; i < op->n_list; i++) {
        for (unsigned l = 0; l < PTX__LANES; l++) {
            const struct ptx__lane_op at = ptx__lane_op(w, op, l);
            struct ptx__tensor_place place = place_of(op, from, l, i);
            uint32_t value = read(at, tensor, place);

            place.column++;
            if (move_of(op)->packed)
                value = (value & 0xffff) | read(at, tensor, place) << 16;
            REG(uint32_t, op->list[i])[l] = value;
        }
    }
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

/* -0 is less than 0. */
static uint32_t limit_of_floats(const struct ptx__tensor_move *move, uint32_t a, uint32_t b)
{
    const float x = ptx__f32(a), y = ptx__f32(b);
    const bool less = x == y ? a >> 31 > b >> 31 : x < y;

    if (is_nan(a) || is_nan(b))
        return move->passes_nan || (is_nan(a) && is_nan(b)) ? 0x7fffffff : is_nan(a) ? b : a;
    return less != move->most ? a : b;
}

static uint32_t limit_of(const struct ptx__tensor_move *move, uint32_t a, uint32_t b)
{
    if (move->type == PTX_F32)
        return limit_of_floats(move, a, b);
    if (move->type == PTX_S32)
        return ((int32_t) a < (int32_t) b) != move->most ? a : b;
    return (a < b) != move->most ? a : b;
}

static void reduce(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__tensor_move *move = move_of(op);
    const uint32_t used = move->magnitudes ? 0x7fffffff : UINT32_MAX;

    for (unsigned l = 0; l < PTX__LANES; l++) {
        uint32_t result = REG(uint32_t, op->list[0])[l] & used;

        for (unsigned i = 1; i < op->n_list; i++)
            result = limit_of(move, result, REG(uint32_t, op->list[i])[l] & used);
        REG(uint32_t, op->d)[l] = result;
    }
}

const struct ptx__op *ptx__do_tensor_load(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__op *next = NULL;
    const struct ptx__tensor *tensor;
    struct ptx__tensor_place from;

    if (!ptx__tensor_together(w, op, &next))
        return next;
    tensor = begin(w, op, false, &from);
    if (!tensor)
        return NULL;
    load(w, op, tensor, from);
    if (move_of(op)->reduces)
        reduce(w, op);
    return ptx__warp_after(w, op);
}

/* --- stores --- */

static void store(struct ptx__warp *w, const struct ptx__op *op, struct ptx__tensor *tensor,
                  struct ptx__tensor_place to)
{
    for (unsigned i = 0; i < op->n_list; i++) {
        for (unsigned l = 0; l < PTX__LANES; l++) {
            const struct ptx__tensor_place place = place_of(op, to, l, i);
            const uint32_t value = REG(uint32_t, op->list[i])[l];

            ptx__tensor_write(tensor, place.column, place.lane, value,
                              move_of(op)->packed ? 0xffff : UINT32_MAX);
            if (move_of(op)->packed)
                ptx__tensor_write(tensor, place.column + 1, place.lane, value >> 16, 0xffff);
        }
    }
}

const struct ptx__op *ptx__do_tensor_store(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__op *next = NULL;
    struct ptx__tensor *tensor;
    struct ptx__tensor_place to;

    if (!ptx__tensor_together(w, op, &next))
        return next;
    tensor = begin(w, op, true, &to);
    if (!tensor)
        return NULL;
    store(w, op, tensor, to);
    return ptx__warp_after(w, op);
}

const struct ptx__op *ptx__do_tensor_loaded(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__op *next = NULL;

    return ptx__tensor_together(w, op, &next) ? ptx__warp_after(w, op) : next;
}

const struct ptx__op *ptx__do_tensor_stored(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__op *next = NULL;

    if (!ptx__tensor_together(w, op, &next))
        return next;
    if (w->block->tensor)
        ptx__tensor_stored(w->block->tensor, w->number);
    return ptx__warp_after(w, op);
}

/* Registers have their values at once, but on a device they may not have them yet. */
const struct ptx__op *ptx__do_tensor_early_use(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__tensor_use *use = (const struct ptx__tensor_use *) (uintptr_t) op->imm;

    ptx__note(ptx__first_lane_op(w, op), PTX__RACE,
              "it uses %s, which tcgen05.ld of line %u loads, with no tcgen05.wait::ld since",
              use->name, use->line);
    return op + 1;
}
