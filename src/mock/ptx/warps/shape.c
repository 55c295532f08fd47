/* SPDX-License-Identifier: MIT */
/* The sizes of a grid. */
#include "mock/ptx/warps/grid.h"

static uint32_t rounded(uint32_t bytes, uint32_t to)
{
    return (bytes + to - 1) / to * to;
}

void ptx__grid_shape(struct ptx__grid *grid)
{
    const struct ptx__launch *launch = grid->launch;

    grid->n_blocks = (uint64_t) launch->grid[0] * launch->grid[1] * launch->grid[2];
    grid->cluster_blocks = launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
    for (unsigned i = 0; i < 3; i++) {
        if (launch->grid[i] % launch->cluster[i])
            grid->cluster_blocks = 1;
    }
    grid->n_clusters = grid->n_blocks / grid->cluster_blocks;
    grid->n_threads = launch->block[0] * launch->block[1] * launch->block[2];
    grid->n_warps = (grid->n_threads + PTX__LANES - 1) / PTX__LANES;
    grid->row = ptx__row_of_block(launch->block);
    grid->dynamic_base = rounded(grid->code->shared_bytes, launch->program->dynamic_alignment);
    grid->own_shared =
        launch->shared_bytes ? grid->dynamic_base + launch->shared_bytes : grid->code->shared_bytes;
    grid->reserved_base = rounded(grid->own_shared, 128);
    grid->shared_bytes = launch->program->uses_reserved ? grid->reserved_base + PTX__RESERVED_SHARED
                                                        : grid->own_shared;
    grid->shared_room = rounded(grid->shared_bytes, 128);
}
