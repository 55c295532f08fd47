/* SPDX-License-Identifier: MIT */
/* How many blocks of a function a multiprocessor holds. Callers hold the lock. */
#ifndef CUSHIM_MOCK_MODULE_OCCUPANCY_H
#define CUSHIM_MOCK_MODULE_OCCUPANCY_H

#include <stddef.h>

struct mock__function;

/* 0 if not even one block fits. */
int mock__occupancy(const struct mock__function *function, size_t threads, size_t dynamic_shared);

#endif
