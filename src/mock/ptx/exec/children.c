/* SPDX-License-Identifier: MIT */
#include "mock/ptx/exec/children.h"

#include <stdlib.h>

#include "mock/ptx/exec/given.h"
#include "mock/ptx/machine/grid.h"
#include "mock/ptx/syntax/ast.h"

enum { NOT_SUPPORTED = 801, PEEK = 0, GET = 1, SET = 2 };

static const struct ptx__children *children_of(const struct ptx__warp *warp)
{
    return warp->block->grid->launch->children;
}

/* --- the last error of each thread --- */

/* NULL: there is no memory, and no error is kept. */
static unsigned *last_error(const struct ptx__warp *warp, unsigned lane)
{
    struct ptx__block *block = warp->block;

    if (!block->last_errors)
        block->last_errors = calloc(block->n_warps * PTX__LANES, sizeof(*block->last_errors));
    return block->last_errors ? &block->last_errors[warp->number * PTX__LANES + lane] : NULL;
}

static void note_error(const struct ptx__warp *warp, unsigned lane, unsigned error)
{
    unsigned *last = error ? last_error(warp, lane) : NULL;

    if (last)
        *last = error;
}

const struct ptx__op *ptx__do_last_error(struct ptx__warp *warp, const struct ptx__op *op)
{
    for (uint32_t m = warp->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned) __builtin_ctz(m);
        const uint64_t what = ptx__argument(warp, op, lane, 0, 4);
        unsigned *last = last_error(warp, lane);

        if (last && what == SET)
            note_error(warp, lane, (unsigned) ptx__argument(warp, op, lane, 1, 4));
        ptx__give_result(warp, op, lane, last ? *last : 0, 4);
        if (last && what == GET)
            *last = 0;
    }
    return op + 1;
}

/* --- launches --- */

/* The kernel at an address, or NULL. */
static const struct ptx__code *kernel_at(const struct ptx__warp *warp, uint64_t address)
{
    const struct ptx__program *program = warp->block->grid->launch->program;
    const uint64_t number = (address - PTX_CODE) / PTX_CODE_STEP;
    const struct ptx__code *code = number < program->n_codes ? &program->codes[number] : NULL;

    return code && code->address == address && code->is_kernel && code->ops ? code : NULL;
}

static struct ptx__child child_of(const struct ptx__warp *warp, const struct ptx__op *op,
                                  unsigned lane)
{
    struct ptx__child child = {.code = kernel_at(warp, ptx__argument(warp, op, lane, 0, 8))};

    for (unsigned i = 0; i < 3; i++) {
        child.grid[i] = (unsigned) ptx__argument(warp, op, lane, 1 + i, 4);
        child.block[i] = (unsigned) ptx__argument(warp, op, lane, 4 + i, 4);
    }
    child.shared_bytes = (uint32_t) ptx__argument(warp, op, lane, 7, 4);
    return child;
}

const struct ptx__op *ptx__do_child_room(struct ptx__warp *warp, const struct ptx__op *op)
{
    const struct ptx__children *children = children_of(warp);
    struct ptx__grid *grid = warp->block->grid;

    for (uint32_t m = warp->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned) __builtin_ctz(m);
        const struct ptx__child child = child_of(warp, op, lane);
        unsigned error = NOT_SUPPORTED;
        uint64_t room = 0;

        if (!child.code)
            return ptx__fault(ptx__lane_op(warp, op, lane), PTX__ERROR_ILLEGAL_ADDRESS, PTX__OTHER,
                              "launch of 0x%llx, which is no kernel",
                              (unsigned long long) ptx__argument(warp, op, lane, 0, 8));
        pthread_mutex_lock(&grid->lock);
        if (children)
            room = children->room(grid->launch->user, &child, &error);
        pthread_mutex_unlock(&grid->lock);
        note_error(warp, lane, room ? 0 : error);
        ptx__give_result(warp, op, lane, room, 8);
    }
    return op + 1;
}

const struct ptx__op *ptx__do_child_launch(struct ptx__warp *warp, const struct ptx__op *op)
{
    const struct ptx__children *children = children_of(warp);
    struct ptx__grid *grid = warp->block->grid;

    for (uint32_t m = warp->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned) __builtin_ctz(m);
        const uint64_t room = ptx__argument(warp, op, lane, 0, 8);
        const uint64_t stream = ptx__argument(warp, op, lane, 1, 8);
        unsigned error = NOT_SUPPORTED;

        if (!room)
            return ptx__fault(ptx__lane_op(warp, op, lane), PTX__ERROR_ILLEGAL_ADDRESS, PTX__OTHER,
                              "launch of a kernel without room for its parameters");
        pthread_mutex_lock(&grid->lock);
        if (children)
            error = children->launch(grid->launch->user, warp->block->number, room, stream);
        pthread_mutex_unlock(&grid->lock);
        note_error(warp, lane, error);
        ptx__give_result(warp, op, lane, error, 4);
    }
    return op + 1;
}

const struct ptx__op *ptx__do_child_handle(struct ptx__warp *warp, const struct ptx__op *op)
{
    const struct ptx__children *children = children_of(warp);
    struct ptx__grid *grid = warp->block->grid;

    for (uint32_t m = warp->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned) __builtin_ctz(m);
        const unsigned what = (unsigned) ptx__argument(warp, op, lane, 0, 4);
        const uint64_t handle = ptx__argument(warp, op, lane, 1, 8);
        uint64_t answer = 0;

        pthread_mutex_lock(&grid->lock);
        if (children)
            answer = children->handle(grid->launch->user, what, handle);
        pthread_mutex_unlock(&grid->lock);
        ptx__give_result(warp, op, lane, answer, 8);
    }
    return op + 1;
}

const struct ptx__op *ptx__do_child_ask(struct ptx__warp *warp, const struct ptx__op *op)
{
    const struct ptx__children *children = children_of(warp);
    struct ptx__grid *grid = warp->block->grid;

    for (uint32_t m = warp->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned) __builtin_ctz(m);
        const unsigned what = (unsigned) ptx__argument(warp, op, lane, 0, 4);
        const uint64_t number = ptx__argument(warp, op, lane, 1, 8);
        const uint64_t more = ptx__argument(warp, op, lane, 2, 8);
        uint64_t answer = 0;

        pthread_mutex_lock(&grid->lock);
        if (children)
            answer = children->ask(grid->launch->user, what, number, more);
        pthread_mutex_unlock(&grid->lock);
        ptx__give_result(warp, op, lane, answer, 8);
    }
    return op + 1;
}
