/* SPDX-License-Identifier: MIT */
/* The register limits in the options of a compilation. Nothing here is shared between threads. */
#ifndef CUSHIM_MOCK_MODULE_JIT_LIMITS_H
#define CUSHIM_MOCK_MODULE_JIT_LIMITS_H

#include "mock/functions.h"
#include "mock/ptx/container/limits.h"

/* Reads the limits from the options. CUDA_ERROR_INVALID_VALUE if a limit of registers is 0. */
CUresult mock__jit_limits_find(unsigned n, const CUjit_option *options, void *const *values,
                               struct ptx__limits *ret_limits);

#endif
