/* SPDX-License-Identifier: MIT */
/* The first values of registers: constants, parameters and special registers. */
#include <string.h>

#include "mock/ptx/warps/grid.h"

static uint64_t thread_index(const struct ptx__grid *grid, unsigned thread, unsigned axis)
{
    const unsigned *block = grid->launch->block;

    if (axis == 0)
        return thread % block[0];
    return axis == 1 ? thread / block[0] % block[1] : thread / block[0] / block[1];
}

static uint64_t lanemask(unsigned fill, unsigned lane)
{
    const uint32_t bit = 1u << lane, less = bit - 1;

    switch (fill) {
    case PTX__FILL_LANEMASK_EQ:
        return bit;
    case PTX__FILL_LANEMASK_LE:
        return less | bit;
    case PTX__FILL_LANEMASK_LT:
        return less;
    case PTX__FILL_LANEMASK_GE:
        return ~less;
    default:
        return ~(less | bit);
    }
}

static uint64_t param(const struct ptx__launch *launch, const struct ptx__constant *constant)
{
    uint64_t value = 0;

    if (constant->value <= launch->param_bytes &&
        constant->of_param <= launch->param_bytes - constant->value)
        memcpy(&value, launch->params + constant->value, constant->of_param);
    return value;
}

static uint64_t of_cluster(const struct ptx__block *block, unsigned fill)
{
    const struct ptx__launch *launch = block->grid->launch;
    const unsigned *size = launch->cluster, *index = block->index;

    switch (fill) {
    case PTX__FILL_CLUSTERID_X:
    case PTX__FILL_CLUSTERID_Y:
    case PTX__FILL_CLUSTERID_Z:
        return index[fill - PTX__FILL_CLUSTERID_X] / size[fill - PTX__FILL_CLUSTERID_X];
    case PTX__FILL_CLUSTER_CTAID_X:
    case PTX__FILL_CLUSTER_CTAID_Y:
    case PTX__FILL_CLUSTER_CTAID_Z:
        return index[fill - PTX__FILL_CLUSTER_CTAID_X] % size[fill - PTX__FILL_CLUSTER_CTAID_X];
    case PTX__FILL_NCLUSTERID_X:
    case PTX__FILL_NCLUSTERID_Y:
    case PTX__FILL_NCLUSTERID_Z:
        return launch->grid[fill - PTX__FILL_NCLUSTERID_X] / size[fill - PTX__FILL_NCLUSTERID_X];
    case PTX__FILL_CLUSTER_NCTAID_X:
    case PTX__FILL_CLUSTER_NCTAID_Y:
    case PTX__FILL_CLUSTER_NCTAID_Z:
        return size[fill - PTX__FILL_CLUSTER_NCTAID_X];
    case PTX__FILL_CLUSTER_NCTARANK:
        return size[0] * size[1] * size[2];
    default:
        return index[0] % size[0] + size[0] * (index[1] % size[1] + size[1] * (index[2] % size[2]));
    }
}

/*
 * Values that do not depend on the thread: of the launch, of the cluster, or of the block's place
 * in its cluster.
 */
static uint64_t of_launch(const struct ptx__block *block, const struct ptx__constant *constant)
{
    const struct ptx__grid *grid = block->grid;
    const struct ptx__launch *launch = grid->launch;

    switch (constant->fill) {
    case PTX__FILL_GRID_ID:
        return launch->grid_id;
    case PTX__FILL_DYNAMIC_SHARED:
        return launch->shared_bytes;
    case PTX__FILL_TOTAL_SHARED:
        return grid->reserved_base;
    case PTX__FILL_DYNAMIC_BASE:
        return grid->dynamic_base + constant->value;
    case PTX__FILL_ENVREG1:
        return launch->cooperative ? launch->workspace >> 32 : 0;
    case PTX__FILL_ENVREG2:
        return launch->cooperative ? launch->workspace & 0xffffffff : 0;
    case PTX__FILL_N_SM:
        return launch->n_multiprocessors;
    case PTX__FILL_CLUSTERED:
        return launch->clustered;
    case PTX__FILL_RESERVED_BASE:
        return grid->reserved_base + constant->value;
    default:
        return of_cluster(block, constant->fill);
    }
}

static uint64_t value_of(const struct ptx__warp *warp, const struct ptx__constant *constant,
                         unsigned lane)
{
    const struct ptx__block *block = warp->block;
    const struct ptx__grid *grid = block->grid;
    const struct ptx__launch *launch = grid->launch;
    const unsigned thread = warp->number * PTX__LANES + lane;

    switch (constant->fill) {
    case PTX__FILL_VALUE:
    case PTX__FILL_ADDRESS:
        return constant->value;
    case PTX__FILL_PARAM:
        return param(launch, constant);
    case PTX__FILL_TID_X:
    case PTX__FILL_TID_Y:
    case PTX__FILL_TID_Z:
        return thread_index(grid, thread, constant->fill - PTX__FILL_TID_X);
    case PTX__FILL_LANE:
        return lane;
    case PTX__FILL_LANEMASK_EQ:
    case PTX__FILL_LANEMASK_LE:
    case PTX__FILL_LANEMASK_LT:
    case PTX__FILL_LANEMASK_GE:
    case PTX__FILL_LANEMASK_GT:
        return lanemask(constant->fill, lane);
    case PTX__FILL_WARP:
        return warp->number;
    case PTX__FILL_N_WARPS:
        return grid->n_warps;
    case PTX__FILL_NTID_X:
    case PTX__FILL_NTID_Y:
    case PTX__FILL_NTID_Z:
        return launch->block[constant->fill - PTX__FILL_NTID_X];
    case PTX__FILL_NCTAID_X:
    case PTX__FILL_NCTAID_Y:
    case PTX__FILL_NCTAID_Z:
        return launch->grid[constant->fill - PTX__FILL_NCTAID_X];
    case PTX__FILL_CTAID_X:
    case PTX__FILL_CTAID_Y:
    case PTX__FILL_CTAID_Z:
        return block->index[constant->fill - PTX__FILL_CTAID_X];
    case PTX__FILL_SM:
        return launch->multiprocessor ? launch->multiprocessor(launch->user, block->number)
                                      : block->number % launch->n_multiprocessors;
    default:
        return of_launch(block, constant);
    }
}

/* Tells whether the value differs between the lanes of a warp. */
static bool of_lane(const struct ptx__constant *constant)
{
    return constant->fill >= PTX__FILL_TID_X && constant->fill <= PTX__FILL_LANEMASK_GT;
}

/*
 * Fills a slot. The stores are as wide as the later loads, because the processor forwards a store
 * to a load only then.
 */
static inline void fill_with(unsigned char *registers, const struct ptx__constant *constant,
                             uint64_t value)
{
    unsigned char *slot = registers + constant->slot;
    const uint32_t word = constant->bytes ? (uint32_t) value : value ? PTX__ALL : 0;

    if (constant->bytes == 8) {
        for (unsigned l = 0; l < PTX__LANES; l++)
            memcpy(slot + l * sizeof(value), &value, sizeof(value));
        return;
    }
    if (!constant->bytes) {
        memcpy(slot, &word, sizeof(word));
        return;
    }
    for (unsigned l = 0; l < PTX__LANES; l++)
        memcpy(slot + l * sizeof(word), &word, sizeof(word));
}

static void fill(const struct ptx__warp *warp, unsigned char *registers,
                 const struct ptx__constant *constant)
{
    unsigned char *slot = registers + constant->slot;

    if (!of_lane(constant) || !constant->bytes) {
        fill_with(registers, constant, value_of(warp, constant, 0));
        return;
    }
    for (unsigned l = 0; l < PTX__LANES; l++) {
        const uint64_t value = value_of(warp, constant, l);

        memcpy(slot + (size_t) l * constant->bytes, &value, constant->bytes);
    }
}

void ptx__preload(const struct ptx__warp *warp, const struct ptx__frame *frame)
{
    for (size_t i = 0; i < frame->code->n_constants; i++)
        fill(warp, frame->registers, &frame->code->constants[i]);
}

/* Most kernels want nothing else. */
static bool is_index(const struct ptx__constant *constant)
{
    return constant->fill >= PTX__FILL_CTAID_X && constant->fill <= PTX__FILL_CTAID_Z;
}

/* Compiled code loads such values from the first lane. */
void ptx__preload_first_lane(const struct ptx__block *block)
{
    const struct ptx__code *code = block->grid->code;

    for (size_t i = code->of_block; i < code->n_constants; i++) {
        const struct ptx__constant *constant = &code->constants[i];
        uint64_t value = is_index(constant) ? block->index[constant->fill - PTX__FILL_CTAID_X]
                                            : value_of(block->warps, constant, 0);

        value = constant->bytes || !value ? value : PTX__ALL;
        memcpy(block->warps->base->registers + constant->slot, &value,
               constant->bytes ? constant->bytes : sizeof(uint32_t));
    }
}

void ptx__preload_of_block(const struct ptx__block *block, struct ptx__warp *first,
                           const struct ptx__warp *end)
{
    const struct ptx__code *code = block->grid->code;

    for (size_t i = code->of_block; i < code->n_constants; i++) {
        const struct ptx__constant *constant = &code->constants[i];
        const uint64_t value = value_of(block->warps, constant, 0);

        for (struct ptx__warp *warp = first; warp < end; warp++)
            fill_with(warp->base->registers, constant, value);
    }
}
