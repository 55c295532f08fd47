/* SPDX-License-Identifier: MIT */
/*
 * The kernel that runs, of which there is one at a time. Callers hold the lock; complaints may come
 * from any thread that works for the kernel, and take a lock of their own.
 */
#ifndef CUSHIM_MOCK_LAUNCH_CONTROL_H
#define CUSHIM_MOCK_LAUNCH_CONTROL_H

#include <cushim/mock.h>

struct mock__work;

/* A mistake of the kernel that runs, in how its threads go together: a finding, and its failure. */
void mock__kernel_complain(enum cushim_mock_finding_kind kind, int result, const char *format, ...)
    CUSHIM_PRINTF(3, 4);

/* How much shared memory a block of the kernel that runs can have at most. */
size_t mock__kernel_shared_room(void);

/* The work of the launch that runs; NULL if none does. */
const struct mock__work *mock__kernel_running(void);

/* Runs the kernel of a launch, and answers the CUresult that it ends with. */
int mock__kernel_run(const struct mock__work *work, cushim_mock_kernel_fn fn,
                     const struct cushim_mock_launch *launch, void *const *args);

#endif
