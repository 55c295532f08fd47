/* SPDX-License-Identifier: MIT */
/* Computes how many blocks of a function fit on a multiprocessor. Callers hold the lock. */
#ifndef CUSHIM_MOCK_MODULE_OCCUPANCY_H
#define CUSHIM_MOCK_MODULE_OCCUPANCY_H

#include <stddef.h>

struct mock__function;

/*
 * Returns the number of blocks, 0 if none fits. The registers of a kernel are an estimate, so
 * blocks for which there would be too few of them count as one.
 */
int mock__occupancy(const struct mock__function *function, size_t threads, size_t dynamic_shared);

/* The same without what is an estimate, or only preferred: what a launch is held to. */
int mock__occupancy_at_most(const struct mock__function *function, size_t threads,
                            size_t dynamic_shared);

/* That, whatever the kernel says of the size of its blocks, as for clusters. */
int mock__occupancy_of_device(const struct mock__function *function, size_t threads,
                              size_t dynamic_shared);

#endif
