/* SPDX-License-Identifier: MIT */
/*
 * Runs kernels from their PTX. It connects the engine in mock/ptx with launches, memory and
 * findings. Callers hold the lock. The engine's workers call its callbacks without it.
 */
#ifndef CUSHIM_MOCK_LAUNCH_PROGRAM_RUN_H
#define CUSHIM_MOCK_LAUNCH_PROGRAM_RUN_H

#include <cushim/mock.h>

/* Runs a kernel from its PTX. All kernels without a replacement kernel have this function. */
void mock__program_run(const struct cushim_mock_launch *launch, void *const *args);

#endif
