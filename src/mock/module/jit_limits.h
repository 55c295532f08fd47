/* SPDX-License-Identifier: MIT */
/*
 * What the options of a compilation say about registers. A linked image is a text that programs
 * copy as they like, so it is written down in the text itself, as a comment at its end. Nothing
 * here is shared between threads.
 */
#ifndef CUSHIM_MOCK_MODULE_JIT_LIMITS_H
#define CUSHIM_MOCK_MODULE_JIT_LIMITS_H

#include "mock/functions.h"

struct mock__jit_limits {
    unsigned registers; /* of a thread; 0: nothing was said */
    unsigned threads;   /* of a block, which its registers have to do for; 0 as well */
};

/* CUDA_ERROR_INVALID_VALUE if there are to be no registers at all. */
CUresult mock__jit_limits_find(unsigned n, const CUjit_option *options, void *const *values,
                               struct mock__jit_limits *ret_limits);

/* Writes them to the end of a text, which may become another one. */
CUresult mock__jit_limits_write(const struct mock__jit_limits *limits, char **text);

/* Those that were written last. */
struct mock__jit_limits mock__jit_limits_read(const char *text);

#endif
