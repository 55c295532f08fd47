/* SPDX-License-Identifier: MIT */
/* Shared by the files of this folder: who may use which tensor memory (access.c). */
#ifndef CUSHIM_MOCK_PTX_TENSOR_ACCESS_H
#define CUSHIM_MOCK_PTX_TENSOR_ACCESS_H

#include "mock/ptx/exec/smem_matrix.h"
#include "mock/ptx/machine/exec.h"
#include "mock/ptx/machine/tensor.h"
#include "mock/ptx/tensor/tensor.h"

/* An address in tensor memory. */
struct ptx__tensor_place {
    unsigned lane, column;
};

static inline struct ptx__tensor_place ptx__tensor_place(uint32_t address)
{
    return (struct ptx__tensor_place){address >> 16, address & 0xffff};
}

/* Returns the number of a lane's thread in its block. */
static inline unsigned ptx__tensor_thread(struct ptx__lane_op at)
{
    return at.warp->number * PTX__LANES + at.lane;
}

/* Returns the value of an address operand in a lane. */
uint32_t ptx__tensor_address(struct ptx__lane_op at, const struct ptx__place_in *place);

/*
 * Waits until all lanes of the warp are here, of which all must be alive. False: *ret_next is what
 * the handler is to return.
 */
bool ptx__tensor_together(struct ptx__warp *warp, const struct ptx__op *op,
                          const struct ptx__op **ret_next);

/* Checks that the slot has one value in all lanes of the warp; a fault if it has not. */
bool ptx__tensor_uniform(struct ptx__warp *warp, const struct ptx__op *op, uint32_t slot,
                         const char *what);

/*
 * Checks that the block uses one .cta_group only, and for two that it has a peer. A fault if not.
 */
bool ptx__tensor_group(struct ptx__lane_op at, unsigned group);

/* Returns a block of the pair that an operation with .cta_group uses: 0, or also 1 with two. */
struct ptx__block *ptx__tensor_block(struct ptx__lane_op at, unsigned group, unsigned number);

/*
 * Returns the tensor memory of a block, all of whose columns of the area are allocated. Otherwise
 * there is a fault, and NULL is returned.
 */
struct ptx__tensor *ptx__tensor_reach(struct ptx__lane_op at, struct ptx__block *block,
                                      struct ptx__tensor_area area, const char *verb);

/* Returns NULL after a fault: the kernel uses an instruction in a wrong way. */
#define ptx__tensor_wrong(at, ...)                                                                 \
    ptx__fault(at, PTX__ERROR_ILLEGAL_INSTRUCTION, PTX__OTHER, __VA_ARGS__)

/* Reports that the lane reads cells of a column that nothing has written. lanes: a bit for each. */
void ptx__tensor_need(struct ptx__lane_op at, const struct ptx__tensor *tensor, unsigned column,
                      unsigned part, uint32_t lanes);

/* Writes some bits of a cell. */
static inline void ptx__tensor_write(struct ptx__tensor *tensor, unsigned column, unsigned lane,
                                     uint32_t value, uint32_t bits)
{
    uint32_t *cell = &tensor->cells[column][lane];

    *cell = (*cell & ~bits) | (value & bits);
    tensor->written[column][lane / PTX__LANES] |= 1u << lane % PTX__LANES;
}

/* Reads a descriptor of shared memory. False after a fault: it is wrong. */
bool ptx__tensor_descriptor(struct ptx__lane_op at, uint64_t descriptor, bool mn_major,
                            struct ptx__smem_matrix *ret_matrix);

/* Returns a chunk of a matrix in the shared memory of a block. NULL after a fault. */
const unsigned char *ptx__tensor_shared(struct ptx__lane_op at, const struct ptx__block *block,
                                        const struct ptx__smem_matrix *matrix, unsigned line,
                                        unsigned chunk);

#endif
