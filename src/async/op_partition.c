/* SPDX-License-Identifier: MIT */
/* Memory that is divided into tiles. */
#include <stdlib.h>

#include "async/operand.h"
#include "async/tiling.h"
#include "base/params.h"

#define CALL "cushim_op_partition"

static size_t or_one(size_t n)
{
    return n ? n : 1;
}

/* Returns the number of tiles along an axis. */
static size_t tiles(const struct cushim_tiling *tiling, int axis)
{
    const size_t shape = or_one(tiling->shape[axis]), tile = or_one(tiling->tile[axis]);

    return shape / tile + (shape % tile != 0);
}

/* --- grids --- */

static bool is_unset(const struct cushim_launch_config *config)
{
    return !config->grid[0] && !config->grid[1] && !config->grid[2];
}

static cushim_status check_grid(const struct cushim_launch_config *config,
                                const struct cushim_tiling *tiling)
{
    /* As for any launch, a zero means 1, but in x it means no blocks. */
    const size_t grid[] = {config->grid[0], or_one(config->grid[1]), or_one(config->grid[2])};
    bool fits = true;

    for (int i = 0; i < 3; i++) {
        const size_t n = tiles(tiling, i);

        fits &= tiling->at_most ? grid[i] <= n : grid[i] == n;
    }
    if (fits)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, CALL, NULL,
                           "the grid is %zu x %zu x %zu, the memory has %zu x %zu x %zu tiles%s",
                           grid[0], grid[1], grid[2], tiles(tiling, 0), tiles(tiling, 1),
                           tiles(tiling, 2),
                           tiling->at_most ? ", and there may be fewer blocks" : "");
}

static cushim_status set_grid(struct cushim_launch_config *config,
                              const struct cushim_tiling *tiling)
{
    for (int i = 0; i < 3; i++) {
        const size_t n = tiles(tiling, i);

        if (n > 0x7fffffff)
            return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, CALL, NULL,
                                   "%zu tiles are more than a grid can have blocks", n);
        config->grid[i] = (unsigned) n;
    }
    return CUSHIM_OK;
}

cushim_status cushim__tiling_grid(struct cushim_launch_config *config,
                                  struct cushim_output *const *memories, size_t n)
{
    const struct cushim_tiling *exact = NULL;
    size_t n_tilings = 0;

    for (size_t i = 0; i < n; i++)
        if (memories[i] && memories[i]->tiling) {
            n_tilings++;
            if (!exact && !memories[i]->tiling->at_most)
                exact = memories[i]->tiling;
        }
    if (!n_tilings)
        return CUSHIM_OK;
    if (config->elements)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, CALL, NULL,
                               "memory is divided into tiles, so the launch has one block for each "
                               "tile: give .block, and no number of elements");
    if (is_unset(config) && !exact)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, CALL, NULL,
                               "the launch has no grid, and its tilings are all .at_most");
    if (is_unset(config))
        CUSHIM_TRY(set_grid(config, exact));
    for (size_t i = 0; i < n; i++)
        if (memories[i] && memories[i]->tiling)
            CUSHIM_TRY(check_grid(config, memories[i]->tiling));
    return CUSHIM_OK;
}

/* --- partitions --- */

struct partition {
    struct cushim__node node;
    struct cushim_tiling tiling;
};

/* Compares the shape with the elements of the memory. */
static cushim_status check_shape(const struct cushim_tiling *tiling, cushim_view view)
{
    size_t element, length, n = 1;
    bool overflow = false;

    CUSHIM_TRY(cushim_view_size(view, &length, &element));
    for (int i = 0; i < 3; i++)
        overflow |= __builtin_mul_overflow(n, or_one(tiling->shape[i]), &n);
    if (!overflow && n == length)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, CALL, NULL,
                           CALL ": the shape is %zu x %zu x %zu, the memory has %zu elements",
                           or_one(tiling->shape[0]), or_one(tiling->shape[1]),
                           or_one(tiling->shape[2]), length);
}

static cushim_status run_partition(struct cushim__run *run, struct cushim__node *node,
                                   struct cushim_output **inputs, struct cushim__outcome *ret)
{
    const struct partition *partition = (const struct partition *) node;
    struct cushim_output *memory = cushim__output_take_memory(&inputs[0], CALL);
    cushim_status status;

    (void) run;
    if (!memory)
        return cushim__error()->status;
    if (cushim__output_is_shared(memory))
        status = cushim__fail_at(CUSHIM_ERROR_BUSY, CALL, NULL,
                                 CALL ": the memory is that of a shared operation, and tiles are "
                                      "written; see cushim_op_unshare()");
    else
        status = check_shape(&partition->tiling, memory->u.view);
    if (!status && !memory->tiling) {
        memory->tiling = malloc(sizeof(*memory->tiling));
        if (!memory->tiling)
            status = cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, CALL, NULL, "no memory for a tiling");
    }
    if (status) {
        cushim__output_unref(&memory);
        return status;
    }
    *memory->tiling = partition->tiling;
    ret->output = memory;
    return CUSHIM_OK;
}

static const struct cushim__node_type partition_type = {
    .noun = "partition", .call = CALL, .run = run_partition};

cushim_op cushim_op_partition(cushim_op op, const struct cushim_tiling *tiling)
{
    struct partition *partition = NULL;
    struct cushim_tiling given;
    cushim_status status;

    if (!tiling)
        status = cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: tiling is NULL", __func__);
    else
        status = PARAMS_READ(cushim_tiling, tile, tiling, &given);
    if (!status && !given.shape[0])
        status =
            cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: .shape has no elements", __func__);
    if (!status && !given.tile[0])
        status = cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: .tile has no elements", __func__);
    if (status)
        cushim__ops_drop(&op, 1);
    else
        partition = (struct partition *) cushim__node_over(&partition_type, sizeof(*partition), op,
                                                           __func__);
    if (partition)
        partition->tiling = given;
    return cushim__node_give(partition ? &partition->node : NULL, __func__);
}

static cushim_status run_unpartition(struct cushim__run *run, struct cushim__node *node,
                                     struct cushim_output **inputs, struct cushim__outcome *ret)
{
    (void) run, (void) node;
    ret->output = cushim__output_take_memory(&inputs[0], "cushim_op_unpartition");
    if (!ret->output)
        return cushim__error()->status;
    /* Shared memory has no tiling: it was refused, or shared afterwards, and is only read then. */
    if (!cushim__output_is_shared(ret->output))
        free(TAKE_PTR(ret->output->tiling));
    return CUSHIM_OK;
}

static const struct cushim__node_type unpartition_type = {.run = run_unpartition};

cushim_op cushim_op_unpartition(cushim_op op)
{
    return cushim__node_give(
        cushim__node_over(&unpartition_type, sizeof(struct cushim__node), op, __func__), __func__);
}
