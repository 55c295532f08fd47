/* SPDX-License-Identifier: MIT */
/* The host functions of kernels, and the one that runs. */
#ifndef CUSHIM_MOCK_KERNELS_H
#define CUSHIM_MOCK_KERNELS_H

#include <stdbool.h>

#include <cushim/mock.h>

struct mock__context;
struct mock__memory;
struct mock__work;

/* Loads plug-ins, given as paths with colons between them. NULL loads none. */
void mock__kernels_load(const char *paths);

/* The host function registered under a name. Has a lock of its own. */
bool mock__kernel_find(const char *name, struct cushim_mock_kernel *ret_kernel);

/* Is the calling thread the one that runs a kernel? Then it has the lock. */
bool mock__in_kernel(void);

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
