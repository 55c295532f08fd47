/* SPDX-License-Identifier: MIT */
/*
 * Kernels that run from their PTX: what connects the engine of mock/ptx with launches, memory and
 * findings. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_PROGRAM_H
#define CUSHIM_MOCK_PROGRAM_H

#include <stdbool.h>

#include <cushim/mock.h>

#include "mock/functions.h"
#include "mock/ptx/read.h"

struct mock__function;
struct mock__module;

/* A launch of a kernel without a host function: what the host function that stands for it needs. */
struct mock__program_launch {
    const struct mock__function *function;
    bool cooperative;
};

/* Lowers a module whose variables have their addresses. What is not executed is in the log. */
CUresult mock__program_make(struct mock__module *module, struct ptx__log *log);
void mock__program_free(struct mock__module *module);

/* Stands for all kernels that run from their PTX; user is a mock__program_launch. */
void mock__program_run(const struct cushim_mock_launch *launch, void *const *args);

#endif
