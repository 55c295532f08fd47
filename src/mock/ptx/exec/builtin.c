/* SPDX-License-Identifier: MIT */
#include "mock/ptx/exec/builtin.h"

#include <stdio.h>
#include <string.h>

#include "mock/ptx/exec/children.h"
#include "mock/ptx/exec/given.h"
#include "mock/ptx/exec/printf.h"
#include "mock/ptx/machine/heap.h"
#include "mock/ptx/memory/memory.h"

static void print(const struct ptx__warp *warp, bool error, const char *text, size_t length)
{
    struct ptx__grid *grid = warp->block->grid;

    pthread_mutex_lock(&grid->lock);
    if (grid->launch->print)
        grid->launch->print(grid->launch->user, error, text, length);
    pthread_mutex_unlock(&grid->lock);
}

static const struct ptx__op *do_vprintf(struct ptx__warp *warp, const struct ptx__op *op)
{
    for (uint32_t m = warp->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned) __builtin_ctz(m);
        struct ptx__printing printing = {.warp = warp,
                                         .op = op,
                                         .lane = lane,
                                         .format = ptx__argument(warp, op, lane, 0, 8),
                                         .arguments = ptx__argument(warp, op, lane, 1, 8)};

        if (!ptx__print(&printing))
            return NULL;
        print(warp, false, printing.text, printing.length);
        ptx__give_result(warp, op, lane, printing.n_arguments, 4);
    }
    return op + 1;
}

/*
 * Prints a failed assertion. The arguments are message, file, line, function, and the size of a
 * character.
 */
static bool print_assertion(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane,
                            char message[256])
{
    const unsigned *block = warp->block->grid->launch->block;
    const unsigned thread = warp->number * PTX__LANES + lane;
    char file[256], function[256], text[1024];

    if (!ptx__text_at(warp, op, lane, ptx__argument(warp, op, lane, 0, 8), message, 256) ||
        !ptx__text_at(warp, op, lane, ptx__argument(warp, op, lane, 1, 8), file, sizeof(file)) ||
        !ptx__text_at(warp, op, lane, ptx__argument(warp, op, lane, 3, 8), function,
                      sizeof(function)))
        return false;
    snprintf(text, sizeof(text),
             "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
             (unsigned) ptx__argument(warp, op, lane, 2, 4), function, warp->block->index[0],
             warp->block->index[1], warp->block->index[2], thread % block[0],
             thread / block[0] % block[1], thread / block[0] / block[1], message);
    print(warp, true, text, strlen(text));
    return true;
}

/* Each lane prints its message. The first lane counts as the one that failed. */
static const struct ptx__op *do_assertfail(struct ptx__warp *warp, const struct ptx__op *op)
{
    char message[256] = "";

    for (uint32_t m = warp->mask; m; m &= m - 1)
        if (!print_assertion(warp, op, (unsigned) __builtin_ctz(m), message))
            return NULL;
    return ptx__fault(ptx__first_lane_op(warp, op), PTX__ERROR_ASSERT, PTX__OTHER,
                      "assertion '%s' failed", message);
}

static const struct ptx__op *do_malloc(struct ptx__warp *warp, const struct ptx__op *op)
{
    struct ptx__heap *heap = warp->block->grid->launch->heap;

    for (uint32_t m = warp->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned) __builtin_ctz(m);

        ptx__give_result(warp, op, lane, ptx__heap_take(heap, ptx__argument(warp, op, lane, 0, 8)),
                         8);
    }
    return op + 1;
}

static const struct ptx__op *do_free(struct ptx__warp *warp, const struct ptx__op *op)
{
    struct ptx__heap *heap = warp->block->grid->launch->heap;

    for (uint32_t m = warp->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned) __builtin_ctz(m);
        const uint64_t address = ptx__argument(warp, op, lane, 0, 8);

        if (address && !ptx__heap_give(heap, address))
            return ptx__fault(ptx__lane_op(warp, op, lane), PTX__ERROR_ILLEGAL_ADDRESS, PTX__OTHER,
                              "free() of 0x%llx, which malloc() did not give or free() has taken",
                              (unsigned long long) address);
    }
    return op + 1;
}

static uint64_t address_of_condition(const struct ptx__warp *warp, uint64_t handle)
{
    struct ptx__grid *grid = warp->block->grid;
    uint64_t address;

    pthread_mutex_lock(&grid->lock);
    address = grid->launch->condition ? grid->launch->condition(grid->launch->user, handle) : 0;
    pthread_mutex_unlock(&grid->lock);
    return address;
}

/* To a device the handle is where the value is: a wrong one is a wrong address. */
static const struct ptx__op *do_set_condition(struct ptx__warp *warp, const struct ptx__op *op)
{
    for (uint32_t m = warp->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned) __builtin_ctz(m);
        const uint64_t handle = ptx__argument(warp, op, lane, 0, 8);
        const uint32_t value = (uint32_t) ptx__argument(warp, op, lane, 1, 4);
        const uint64_t address = address_of_condition(warp, handle);
        unsigned char *word;

        if (!address)
            return ptx__fault(ptx__lane_op(warp, op, lane), PTX__ERROR_ILLEGAL_ADDRESS, PTX__OTHER,
                              "cudaGraphSetConditional() of 0x%llx, which is no handle of a "
                              "conditional node in the graph that the kernel runs in",
                              (unsigned long long) handle);
        word = ptx__reach(ptx__lane_op(warp, op, lane), address, sizeof(value), PTX__STORES);
        if (!word)
            return NULL;
        __atomic_store_n((uint32_t *) (void *) word, value, __ATOMIC_RELAXED);
    }
    return op + 1;
}

ptx__builtin ptx__builtin_find(const char *name)
{
    static const struct {
        const char *name;
        ptx__builtin run;
    } builtins[] = {{"vprintf", do_vprintf},
                    {"__assertfail", do_assertfail},
                    {"malloc", do_malloc},
                    {"free", do_free},
                    {"cudaGraphSetConditional", do_set_condition},
                    {"cushim_child_room", ptx__do_child_room},
                    {"cushim_child_launch", ptx__do_child_launch},
                    {"cushim_child_handle", ptx__do_child_handle},
                    {"cushim_child_ask", ptx__do_child_ask},
                    {"cushim_last_error", ptx__do_last_error}};

    for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
        if (!strcmp(builtins[i].name, name))
            return builtins[i].run;
    }
    return NULL;
}

static bool uses(const struct ptx__program *program, ptx__builtin builtin)
{
    for (size_t i = 0; i < program->n_codes; i++) {
        if (program->codes[i].builtin == builtin)
            return true;
    }
    return false;
}

bool ptx__uses_heap(const struct ptx__program *program)
{
    return uses(program, do_malloc);
}

bool ptx__uses_children(const struct ptx__program *program)
{
    return uses(program, ptx__do_child_room);
}
