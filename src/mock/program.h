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

struct mock__module;

/*
 * Lowers a module whose variables have their addresses. What is not executed is in the log; it
 * does not matter where host functions stand for all kernels.
 */
CUresult mock__program_make(struct mock__module *module, struct ptx__log *log);
void mock__program_free(struct mock__module *module);

/* Stands for all kernels that run from their PTX. */
void mock__program_run(const struct cushim_mock_launch *launch, void *const *args);

/* May a kernel of the module exchange messages with the host while it runs? */
bool mock__program_messages(const struct mock__module *module);

#endif
