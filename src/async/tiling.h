/* SPDX-License-Identifier: MIT */
/* Tilings, and the grids that launches on tiles have: op_partition.c has the functions. */
#ifndef CUSHIM_ASYNC_TILING_H
#define CUSHIM_ASYNC_TILING_H

#include "async/output.h"

/*
 * Sets the grid of a launch from the tilings of its n memories, each of which may be NULL, unless
 * it has one; then checks it against all of them.
 */
cushim_status cushim__tiling_grid(struct cushim_launch_config *config,
                                  struct cushim_output *const *memories, size_t n);

#endif
