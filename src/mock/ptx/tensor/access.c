/* SPDX-License-Identifier: MIT */
#include "mock/ptx/tensor/access.h"

#include "mock/ptx/memory/memory.h"
#include "mock/ptx/warps/warp.h"

uint32_t ptx__tensor_address(struct ptx__lane_op at, const struct ptx__place_in *place)
{
    const struct ptx__warp *w = at.warp;

    return REG(uint32_t, place->slot)[at.lane] + (uint32_t) place->offset;
}

bool ptx__tensor_together(struct ptx__warp *warp, const struct ptx__op *op,
                          const struct ptx__op **ret_next)
{
    if (!ptx__warp_together(warp, op, PTX__ALL_SLOT, ret_next))
        return false;
    if (warp->mask == PTX__ALL)
        return true;
    *ret_next = ptx__tensor_wrong(ptx__first_lane_op(warp, op),
                                  "%d of the warp's 32 threads are here; the instruction needs all",
                                  __builtin_popcount(warp->mask));
    return false;
}

bool ptx__tensor_uniform(struct ptx__warp *w, const struct ptx__op *op, uint32_t slot,
                         const char *what)
{
    const uint32_t *values = REG(uint32_t, slot);

    for (unsigned l = 1; l < PTX__LANES; l++) {
        if (values[l] != values[0])
            return ptx__tensor_wrong(ptx__lane_op(w, op, l),
                                     "%s is 0x%x in this thread, and 0x%x in the warp's first one",
                                     what, values[l], values[0]);
    }
    return true;
}

struct ptx__block *ptx__tensor_block(struct ptx__lane_op at, unsigned group, unsigned number)
{
    struct ptx__block *own = at.warp->block;

    return group == 1 ? own : own->cluster->blocks[(own->rank & ~1u) | number];
}

bool ptx__tensor_group(struct ptx__lane_op at, unsigned group)
{
    struct ptx__block *block = at.warp->block;
    struct ptx__tensor *tensor = ptx__tensor_of(block);

    if (!tensor)
        return false;
    if (group == 2 && (block->rank | 1) >= block->cluster->n_blocks)
        return ptx__tensor_wrong(at,
                                 ".cta_group::2 needs a pair of blocks; the cluster has %u, and "
                                 "this one is number %u",
                                 block->cluster->n_blocks, block->rank);
    if (tensor->group && tensor->group != group)
        return ptx__tensor_wrong(at,
                                 "it uses .cta_group::%u, and the block has used .cta_group::%u; "
                                 "a kernel uses one of the two",
                                 group, tensor->group);
    tensor->group = (uint8_t) group;
    return true;
}

struct ptx__tensor *ptx__tensor_reach(struct ptx__lane_op at, struct ptx__block *block,
                                      struct ptx__tensor_area area, const char *verb)
{
    struct ptx__tensor *tensor = ptx__tensor_of(block);
    const char *whose = block == at.warp->block ? "" : " of the peer block";

    if (!tensor || ptx__tensor_has(tensor, area.column, area.columns))
        return tensor;
    if (area.column + area.columns > PTX__TENSOR_COLUMNS)
        ptx__fault(at, PTX__ERROR_ILLEGAL_ADDRESS, PTX__OUT_OF_BOUNDS,
                   "it %s columns %u to %u of tensor memory%s, which has 512", verb, area.column,
                   area.column + area.columns - 1, whose);
    else
        ptx__fault(at, PTX__ERROR_ILLEGAL_ADDRESS, PTX__OUT_OF_BOUNDS,
                   "it %s columns %u to %u of tensor memory%s, which are not all allocated", verb,
                   area.column, area.column + area.columns - 1, whose);
    return NULL;
}

void ptx__tensor_need(struct ptx__lane_op at, const struct ptx__tensor *tensor, unsigned column,
                      unsigned part, uint32_t lanes)
{
    const uint32_t missing = lanes & ~tensor->written[column][part];

    if (missing)
        ptx__note(at, PTX__UNINITIALISED,
                  "it reads lane %u, column %u of tensor memory, which nothing has written",
                  part * PTX__LANES + (unsigned) __builtin_ctz(missing), column);
}

/* --- shared memory --- */

/* Says what is wrong with a descriptor, or NULL. */
static const char *mistake_in(uint64_t descriptor, bool mn_major)
{
    const unsigned swizzle = (unsigned) (descriptor >> 61);

    if ((descriptor >> 46 & 7) != 1)
        return "bits 46 to 48 are to be 0b001";
    if (descriptor >> 53 & 0xff)
        return "bits 53 to 60 are to be 0";
    if (swizzle == 3 || swizzle == 5 || swizzle == 7)
        return "there is no swizzle mode 3, 5 or 7";
    if (swizzle == PTX__SWIZZLE_128_BY_32 && !mn_major)
        return "swizzle mode 1 is for matrices with M or N as the leading dimension";
    if (descriptor >> 52 & 1)
        return "absolute strides, which only K = 96 uses, are not executed by this device";
    return NULL;
}

bool ptx__tensor_descriptor(struct ptx__lane_op at, uint64_t descriptor, bool mn_major,
                            struct ptx__smem_matrix *ret_matrix)
{
    const char *mistake = mistake_in(descriptor, mn_major);

    if (mistake)
        return ptx__tensor_wrong(at, "the descriptor of shared memory is 0x%016llx: %s",
                                 (unsigned long long) descriptor, mistake);
    *ret_matrix = ptx__smem_matrix_of(descriptor, mn_major);
    return true;
}

const unsigned char *ptx__tensor_shared(struct ptx__lane_op at, const struct ptx__block *block,
                                        const struct ptx__smem_matrix *matrix, unsigned line,
                                        unsigned chunk)
{
    const uint64_t rank = block == at.warp->block ? 0 : (uint64_t) block->rank + 1;

    return ptx__reach_in(at, PTX__IN_SHARED,
                         ptx__smem_chunk(matrix, line, chunk) | rank << PTX__RANK_SHIFT,
                         PTX__CHUNK_BYTES, PTX__LOADS);
}
