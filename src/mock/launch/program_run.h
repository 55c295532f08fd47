/* SPDX-License-Identifier: MIT */
/*
 * Runs kernels from their PTX: what connects the engine of mock/ptx with launches, memory and
 * findings. Callers hold the lock; the callbacks of the engine come from its workers, which do not.
 */
#ifndef CUSHIM_MOCK_LAUNCH_PROGRAM_RUN_H
#define CUSHIM_MOCK_LAUNCH_PROGRAM_RUN_H

#include <cushim/mock.h>

/* Stands for all kernels that run from their PTX. */
void mock__program_run(const struct cushim_mock_launch *launch, void *const *args);

#endif
