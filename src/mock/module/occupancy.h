/* SPDX-License-Identifier: MIT */
/* Computes how many blocks of a function fit on a multiprocessor. Callers hold the lock. */
#ifndef CUSHIM_MOCK_MODULE_OCCUPANCY_H
#define CUSHIM_MOCK_MODULE_OCCUPANCY_H

#include <stddef.h>

struct mock__function;

/* Returns the number of blocks, 0 if none fits. */
int mock__occupancy(const struct mock__function *function, size_t threads, size_t dynamic_shared);

#endif
