/* SPDX-License-Identifier: MIT */
#include "mock/ptx/machine/tensor.h"

#include <stdlib.h>
#include <string.h>

struct ptx__tensor *ptx__tensor_of(struct ptx__block *block)
{
    if (!block->tensor && !(block->tensor = calloc(1, sizeof(*block->tensor))))
        ptx__grid_stop(block->grid, PTX__ERROR_OUT_OF_MEMORY);
    return block->tensor;
}

void ptx__tensor_start(struct ptx__tensor *tensor)
{
    memset(tensor->written, 0, sizeof(tensor->written));
    memset(tensor->parts, 0, sizeof(tensor->parts));
    memset(tensor->owners, 0, sizeof(tensor->owners));
    tensor->group = 0;
    tensor->relinquished = tensor->committed = false;
}

/* --- allocations --- */

static bool is_free(const struct ptx__tensor *tensor, unsigned unit, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (tensor->owners[unit + i])
            return false;
    }
    return true;
}

int ptx__tensor_allocate(struct ptx__tensor *tensor, unsigned columns)
{
    const unsigned n = columns / PTX__TENSOR_UNIT;

    for (unsigned unit = 0; unit + n <= PTX__TENSOR_UNITS; unit++) {
        if (!is_free(tensor, unit, n))
            continue;
        memset(tensor->owners + unit, (int) unit + 1, n);
        memset(tensor->written[unit * PTX__TENSOR_UNIT], 0, columns * sizeof(*tensor->written));
        memset(tensor->parts[unit * PTX__TENSOR_UNIT], 0, columns * sizeof(*tensor->parts));
        return (int) (unit * PTX__TENSOR_UNIT);
    }
    return -1;
}

static unsigned units_of(const struct ptx__tensor *tensor, unsigned owner)
{
    unsigned n = 0;

    for (unsigned i = 0; i < PTX__TENSOR_UNITS; i++)
        n += tensor->owners[i] == owner;
    return n;
}

bool ptx__tensor_release(struct ptx__tensor *tensor, unsigned column, unsigned columns)
{
    const unsigned unit = column / PTX__TENSOR_UNIT;

    if (column % PTX__TENSOR_UNIT || unit >= PTX__TENSOR_UNITS ||
        units_of(tensor, unit + 1) * PTX__TENSOR_UNIT != columns || !columns)
        return false;
    memset(tensor->owners + unit, 0, columns / PTX__TENSOR_UNIT);
    return true;
}

unsigned ptx__tensor_in_use(const struct ptx__tensor *tensor)
{
    return (PTX__TENSOR_UNITS - units_of(tensor, 0)) * PTX__TENSOR_UNIT;
}

bool ptx__tensor_has(const struct ptx__tensor *tensor, unsigned column, unsigned columns)
{
    if (column >= PTX__TENSOR_COLUMNS || columns > PTX__TENSOR_COLUMNS - column)
        return false;
    for (unsigned i = column; i < column + columns; i++) {
        if (!tensor->owners[i / PTX__TENSOR_UNIT])
            return false;
    }
    return true;
}

void ptx__tensor_end(struct ptx__lane_op at)
{
    const struct ptx__tensor *tensor = at.warp->block->tensor;
    const unsigned columns = tensor ? ptx__tensor_in_use(tensor) : 0;

    if (columns)
        ptx__note(at, PTX__OTHER,
                  "the block ends with %u columns of tensor memory that tcgen05.dealloc has not "
                  "freed; later blocks of the multiprocessor would wait for them",
                  columns);
}

/* --- what is not complete --- */

void ptx__tensor_set(struct ptx__tensor *tensor, struct ptx__tensor_area area,
                     enum ptx__tensor_state state, unsigned thread)
{
    for (unsigned i = area.column; i < area.column + area.columns; i++) {
        for (unsigned m = area.parts; m; m &= m - 1)
            tensor->parts[i][__builtin_ctz(m)] =
                (struct ptx__tensor_part){.state = (uint8_t) state, .thread = (uint16_t) thread};
    }
}

static void tell(struct ptx__lane_op at, const struct ptx__tensor_part *part, unsigned column)
{
    switch ((enum ptx__tensor_state) part->state) {
    case PTX__TENSOR_STORED:
        ptx__note(at, PTX__RACE,
                  "it uses column %u of tensor memory, which warp %u stores with no "
                  "tcgen05.wait::st since",
                  column, part->thread / PTX__LANES);
        break;
    case PTX__TENSOR_ISSUED:
        ptx__note(at, PTX__RACE,
                  "it uses column %u of tensor memory, which an asynchronous operation of thread "
                  "%u writes, with no tcgen05.commit of that thread since",
                  column, part->thread);
        break;
    case PTX__TENSOR_COMMITTED:
        ptx__note(at, PTX__RACE,
                  "it uses column %u of tensor memory, which an asynchronous operation of thread "
                  "%u writes; nothing has waited at the barrier at offset %u of shared memory, to "
                  "which tcgen05.commit passed it",
                  column, part->thread, part->barrier);
        break;
    default:
        break;
    }
}

void ptx__tensor_check(struct ptx__lane_op at, const struct ptx__tensor *tensor,
                       struct ptx__tensor_area area, unsigned states)
{
    for (unsigned i = area.column; i < area.column + area.columns; i++) {
        for (unsigned m = area.parts; m; m &= m - 1) {
            const struct ptx__tensor_part *part = &tensor->parts[i][__builtin_ctz(m)];

            if (states >> part->state & 1)
                tell(at, part, i);
        }
    }
}

#define EACH_PART(tensor, part)                                                                    \
    for (struct ptx__tensor_part *part = &(tensor)->parts[0][0];                                   \
         part < &(tensor)->parts[0][0] + PTX__TENSOR_COLUMNS * PTX__TENSOR_PARTS; part++)

void ptx__tensor_stored(struct ptx__tensor *tensor, unsigned warp)
{
    EACH_PART(tensor, part)
    {
        if (part->state == PTX__TENSOR_STORED && part->thread / PTX__LANES == warp)
            part->state = PTX__TENSOR_SETTLED;
    }
}

void ptx__tensor_commit(struct ptx__tensor *tensor, unsigned thread, uint32_t barrier)
{
    EACH_PART(tensor, part)
    {
        if (part->state != PTX__TENSOR_ISSUED || part->thread != thread)
            continue;
        part->state = PTX__TENSOR_COMMITTED;
        part->barrier = barrier;
        tensor->committed = true;
    }
}

static void waited(struct ptx__tensor *tensor, uint32_t barrier)
{
    tensor->committed = false;
    EACH_PART(tensor, part)
    {
        if (part->state != PTX__TENSOR_COMMITTED)
            continue;
        if (part->barrier == barrier)
            part->state = PTX__TENSOR_SETTLED;
        else
            tensor->committed = true;
    }
}

void ptx__tensor_waited(struct ptx__cluster *cluster, uint32_t barrier)
{
    for (unsigned i = 0; i < cluster->n_blocks; i++) {
        struct ptx__tensor *tensor = cluster->blocks[i]->tensor;

        if (tensor && tensor->committed)
            waited(tensor, barrier);
    }
}
