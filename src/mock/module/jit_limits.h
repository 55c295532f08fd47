/* SPDX-License-Identifier: MIT */
/*
 * The register limits of a compilation's options. Programs may copy a linked image, which is a
 * text. So the limits are written into the text itself, as a comment at its end. Nothing here is
 * shared between threads.
 */
#ifndef CUSHIM_MOCK_MODULE_JIT_LIMITS_H
#define CUSHIM_MOCK_MODULE_JIT_LIMITS_H

#include "mock/functions.h"

struct mock__jit_limits {
    unsigned registers; /* of a thread; 0: no limit */
    unsigned threads;   /* of a block, for which the registers must suffice; 0: no limit */
};

/* Reads the limits from the options. CUDA_ERROR_INVALID_VALUE if a limit of registers is 0. */
CUresult mock__jit_limits_find(unsigned n, const CUjit_option *options, void *const *values,
                               struct mock__jit_limits *ret_limits);

/* Writes them to the end of a text, which may be reallocated. */
CUresult mock__jit_limits_write(const struct mock__jit_limits *limits, char **text);

/* Reads the limits that were written last. */
struct mock__jit_limits mock__jit_limits_read(const char *text);

#endif
