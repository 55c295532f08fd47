/* SPDX-License-Identifier: MIT */
/*
 * tcgen05.cp and .shift: a thread has rows of shared memory copied into lanes, or lanes moved. They
 * are asynchronous on a device, and done at once here.
 */
#include <string.h>

#include "mock/ptx/tensor/access.h"

static const struct ptx__tensor_copy *copy_of(const struct ptx__op *op)
{
    return (const struct ptx__tensor_copy *) (uintptr_t) op->imm;
}

/* --- tcgen05.cp --- */

/* Returns the lane that gets a row as its copy of this number, or PTX__TENSOR_LANES: none. */
static unsigned lane_of(const struct ptx__tensor_copy *copy, unsigned row, unsigned number)
{
    unsigned lane = row + number * copy->rows;

    if (copy->rows == 4)
        return number ? PTX__TENSOR_LANES : row * PTX__LANES;
    if (copy->neighbours && number > 1)
        return PTX__TENSOR_LANES;
    if (copy->neighbours) /* warps 0 and 1 get the first half, and warps 2 and 3 the other */
        lane = row / PTX__LANES * 64 + number * PTX__LANES + row % PTX__LANES;
    return lane;
}

/* Sixteen elements of 4 or 6 bits, behind which there is nothing, become bytes. */
static void unpack(unsigned bits, const unsigned char *from, unsigned char *to)
{
    for (unsigned i = 0; i < PTX__CHUNK_BYTES; i++) {
        const unsigned bit = i * bits;
        const unsigned two = from[bit / 8] | (unsigned) from[bit / 8 + 1] << 8;
        const unsigned element = two >> bit % 8 & ((1u << bits) - 1);

        to[i] = (unsigned char) (bits == 4 ? element << 2 : element);
    }
}

struct target {
    struct ptx__lane_op at;
    struct ptx__block *block;
    struct ptx__tensor *tensor;
    struct ptx__smem_matrix matrix;
    struct ptx__tensor_place to;
};

static bool copy_chunk(const struct target *target, unsigned row, unsigned chunk)
{
    const struct ptx__tensor_copy *copy = copy_of(target->at.op);
    const unsigned char *from =
        ptx__tensor_shared(target->at, target->block, &target->matrix, row, chunk);
    unsigned char bytes[PTX__CHUNK_BYTES];
    unsigned lane;

    if (!from)
        return false;
    if (copy->bits)
        unpack(copy->bits, from, bytes);
    else
        memcpy(bytes, from, PTX__CHUNK_BYTES);
    for (unsigned i = 0; (lane = lane_of(copy, row, i)) < PTX__TENSOR_LANES; i++) {
        for (unsigned j = 0; j < PTX__CHUNK_BYTES / 4; j++) {
            uint32_t word;

            memcpy(&word, bytes + 4 * j, 4);
            ptx__tensor_write(target->tensor, target->to.column + chunk * 4 + j,
                              target->to.lane + lane, word, UINT32_MAX);
        }
    }
    return true;
}

static bool copy_to(const struct target *target)
{
    const struct ptx__tensor_copy *copy = copy_of(target->at.op);

    for (unsigned row = 0; row < copy->rows; row++) {
        for (unsigned chunk = 0; chunk < copy->chunks; chunk++) {
            if (!copy_chunk(target, row, chunk))
                return false;
        }
    }
    return true;
}

/* Makes the area ready to be written by the lane's operation. NULL: there was a fault. */
static struct ptx__tensor *begin(struct ptx__lane_op at, struct ptx__block *block,
                                 struct ptx__tensor_area area)
{
    struct ptx__tensor *tensor = ptx__tensor_reach(at, block, area, "writes");

    if (!tensor)
        return NULL;
    ptx__tensor_check(at, tensor, area, PTX__TENSOR_HARM_CORES);
    ptx__tensor_set(tensor, area, PTX__TENSOR_ISSUED, ptx__tensor_thread(at));
    return tensor;
}

static bool copy_lane(struct ptx__lane_op at)
{
    const struct ptx__warp *w = at.warp;
    const struct ptx__tensor_copy *copy = copy_of(at.op);
    const uint64_t descriptor = REG(uint64_t, copy->descriptor)[at.lane];
    const unsigned most = copy->rows == 4 ? PTX__LANES : 1;
    struct target target = {.at = at, .to = ptx__tensor_place(ptx__tensor_address(at, &copy->at))};

    if (!ptx__tensor_group(at, copy->group) ||
        !ptx__tensor_descriptor(at, descriptor, false, &target.matrix))
        return false;
    if (target.to.lane >= most)
        return ptx__fault(at, PTX__ERROR_MISALIGNED_ADDRESS, PTX__MISALIGNED,
                          "it copies to lane %u of tensor memory; the shape allows lanes below %u",
                          target.to.lane, most);
    for (unsigned i = 0; i < copy->group; i++) {
        target.block = ptx__tensor_block(at, copy->group, i);
        target.tensor = begin(at, target.block,
                              (struct ptx__tensor_area){target.to.column, copy->chunks * 4, 15});
        if (!target.tensor || !copy_to(&target))
            return false;
    }
    return true;
}

const struct ptx__op *ptx__do_tensor_copy(struct ptx__warp *w, const struct ptx__op *op)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        if (!copy_lane(ptx__lane_op(w, op, (unsigned) __builtin_ctz(m))))
            return NULL;
    }
    return op + 1;
}

/* --- tcgen05.shift --- */

enum { SHIFTED = 8 }; /* columns: 32 bytes */

/* Each lane of a part but the last gets what the next one has. */
static void shift(struct ptx__tensor *tensor, struct ptx__tensor_place place)
{
    for (unsigned i = place.column; i < place.column + SHIFTED; i++) {
        uint32_t *written = &tensor->written[i][place.lane / PTX__LANES];

        memmove(&tensor->cells[i][place.lane], &tensor->cells[i][place.lane + 1],
                (PTX__LANES - 1) * sizeof(uint32_t));
        *written = *written >> 1 | (*written & 1u << 31);
    }
}

static bool shift_lane(struct ptx__lane_op at)
{
    const struct ptx__tensor_copy *copy = copy_of(at.op);
    const struct ptx__tensor_place place = ptx__tensor_place(ptx__tensor_address(at, &copy->at));

    if (!ptx__tensor_group(at, copy->group))
        return false;
    if (place.lane % PTX__LANES || place.lane >= PTX__TENSOR_LANES)
        return ptx__fault(at, PTX__ERROR_MISALIGNED_ADDRESS, PTX__MISALIGNED,
                          "it shifts from lane %u of tensor memory; allowed are 0, 32, 64 and 96",
                          place.lane);
    for (unsigned i = 0; i < copy->group; i++) {
        const struct ptx__tensor_area area = {place.column, SHIFTED, 1u << place.lane / PTX__LANES};
        struct ptx__tensor *tensor = begin(at, ptx__tensor_block(at, copy->group, i), area);

        if (!tensor)
            return false;
        shift(tensor, place);
    }
    return true;
}

const struct ptx__op *ptx__do_tensor_shift(struct ptx__warp *w, const struct ptx__op *op)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        if (!shift_lane(ptx__lane_op(w, op, (unsigned) __builtin_ctz(m))))
            return NULL;
    }
    return op + 1;
}
