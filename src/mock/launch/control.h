/* SPDX-License-Identifier: MIT */
/*
 * The running kernel; only one runs at a time. Callers hold the lock. mock__kernel_complain() may
 * be called by any thread that works for the kernel, and takes its own lock.
 */
#ifndef CUSHIM_MOCK_LAUNCH_CONTROL_H
#define CUSHIM_MOCK_LAUNCH_CONTROL_H

#include <cushim/mock.h>

struct mock__work;

/*
 * Reports that the threads of the running kernel do not meet: adds a finding and makes the kernel
 * fail.
 */
void mock__kernel_complain(enum cushim_mock_finding_kind kind, int result, const char *format, ...)
    CUSHIM_PRINTF(3, 4);

/* Returns the maximum of shared memory for a block of the running kernel. */
size_t mock__kernel_shared_room(void);

/* Returns the work of the running kernel, or NULL. */
const struct mock__work *mock__kernel_running(void);

/* Runs the kernel of a launch, and returns its CUresult. */
int mock__kernel_run(const struct mock__work *work, cushim_mock_kernel_fn fn,
                     const struct cushim_mock_launch *launch, void *const *args);

#endif
