/* SPDX-License-Identifier: MIT */
/* Libraries of the driver, and their kernels. */
#ifndef CUSHIM_CORE_CODE_CODE_LIBRARY_H
#define CUSHIM_CORE_CODE_CODE_LIBRARY_H

#include "core/code/module.h"

/* A kernel's handle is closed with the library's. */
struct cushim__kernel {
    struct cushim__object object;
    struct cushim__code_library *library; /* with a reference */
    struct cushim__kernel *next;
    CUkernel cu;
    uint64_t id;
    char name[];
};

struct cushim__code_library {
    struct cushim__object object;
    CUlibrary cu;
    pthread_mutex_t lock;
    struct cushim__kernel *kernels; /* under it */
};

/* CUSHIM_ERROR_MISSING_SYMBOL before CUDA 12.0. */
cushim_status cushim__code_library_load(const struct cushim__scope *scope,
                                        const struct cushim__code *code,
                                        const struct cushim_module_params *params,
                                        uint64_t *ret_id);

/* The same name gives the same handle. In a scope of the library's context. */
cushim_status cushim__code_library_kernel(const struct cushim__scope *scope,
                                          struct cushim__code_library *library, const char *name,
                                          uint64_t *ret_id);

#endif
