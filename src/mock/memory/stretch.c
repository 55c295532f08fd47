/* SPDX-License-Identifier: MIT */
#include "mock/memory/stretch.h"

/* Adds n - 1 steps of one direction to the stretch. */
static bool add(struct mock__stretch *stretch, size_t n, size_t step)
{
    const bool backwards = step > SIZE_MAX / 2;
    size_t distance;

    if (__builtin_mul_overflow(n - 1, backwards ? 0 - step : step, &distance) ||
        __builtin_add_overflow(stretch->bytes, distance, &stretch->bytes))
        return false;
    if (backwards)
        stretch->before += distance;
    return true;
}

bool mock__stretch_of(const struct mock__rows *rows, struct mock__stretch *ret_stretch)
{
    struct mock__stretch stretch = {0, rows->width};

    if (!add(&stretch, rows->height, rows->row_step) ||
        !add(&stretch, rows->depth, rows->layer_step))
        return false;
    *ret_stretch = stretch;
    return true;
}
