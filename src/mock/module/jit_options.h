/* SPDX-License-Identifier: MIT */
/* Which options a compilation or a link takes. Nothing here is shared between threads. */
#ifndef CUSHIM_MOCK_MODULE_JIT_OPTIONS_H
#define CUSHIM_MOCK_MODULE_JIT_OPTIONS_H

#include "mock/functions.h"

enum mock__jit_use {
    MOCK__JIT_LOAD,     /* of a module, or a library */
    MOCK__JIT_LINK,     /* cuLinkCreate_v2() */
    MOCK__JIT_OLD_LINK, /* the first version */
    MOCK__JIT_INPUT,    /* cuLinkAdd*() */
};

/*
 * CUDA_ERROR_INVALID_VALUE if an option is not known, cannot be used here, has a bad value, or
 * lacks another one that it needs; or if there are options but no arrays of them.
 */
CUresult mock__jit_options_check(enum mock__jit_use use, unsigned n, const CUjit_option *options,
                                 void *const *values);

#endif
