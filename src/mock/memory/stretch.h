/* SPDX-License-Identifier: MIT */
/*
 * Where the rows of a box lie. A driver computes addresses modulo 2^64, so a pitch of -1 is a step
 * backwards, and a box may begin before the address that it is counted from.
 */
#ifndef CUSHIM_MOCK_MEMORY_STRETCH_H
#define CUSHIM_MOCK_MEMORY_STRETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row for each y and z, of width bytes, at y * row_step + z * layer_step. */
struct mock__rows {
    size_t width, height, depth;
    size_t row_step, layer_step;
};

/* All bytes from the lowest to the highest. */
struct mock__stretch {
    size_t before; /* how many of them lie before the first row */
    size_t bytes;
};

/* False if they do not fit into the address space. */
bool mock__stretch_of(const struct mock__rows *rows, struct mock__stretch *ret_stretch);

#endif
