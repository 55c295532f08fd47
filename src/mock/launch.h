/* SPDX-License-Identifier: MIT */
/* A launch, from its request to the end of its kernel. Callers hold the lock. */
#ifndef CUSHIM_MOCK_LAUNCH_H
#define CUSHIM_MOCK_LAUNCH_H

#include <stdbool.h>

#include "mock/functions.h"

#define MOCK__MAX_LAUNCH_EVENTS 2

struct mock__event;
struct mock__function;

/* What a caller asked for. */
struct mock__request {
    CUfunction function;
    CUstream stream;
    unsigned grid[3], block[3], shared_bytes;
    void **params; /* one pointer a parameter, */
    void **extra;  /* or all of them in one buffer */
    bool cooperative;
    struct mock__event *events[MOCK__MAX_LAUNCH_EVENTS]; /* recorded by the launch */
    unsigned n_events;
};

/* Checks a request as the driver does, and runs it. */
CUresult mock__launch(const struct mock__request *request);

/*
 * A copy of the arguments, in the layout that the function declares.
 * values[i] points to the i-th; one call of free() on values frees all.
 */
CUresult mock__arguments_read(const struct mock__function *function, void **params, void **extra,
                              void ***ret_values);

#endif
