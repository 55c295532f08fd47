/* SPDX-License-Identifier: MIT */
/* Libraries of the driver (CUlibrary), and their kernels. */
#ifndef CUSHIM_CORE_CODE_CODE_LIBRARY_H
#define CUSHIM_CORE_CODE_CODE_LIBRARY_H

#include "core/code/module.h"

/* A kernel of a library. Its handle is closed when the library's handle is freed. */
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
    pthread_cond_t module_gone;
    /* Under the lock. */
    struct cushim__kernel *kernels;
    struct cushim__module *modules; /* at most one of each context */
};

/* Loads a library. CUSHIM_ERROR_MISSING_SYMBOL if the driver is older than CUDA 12.0. */
cushim_status cushim__code_library_load(const struct cushim__scope *scope,
                                        const struct cushim__code *code,
                                        const struct cushim_module_params *params,
                                        uint64_t *ret_id);

/*
 * Returns the handle of a kernel: one handle for each name. The scope is in the library's context.
 */
cushim_status cushim__code_library_kernel(const struct cushim__scope *scope,
                                          struct cushim__code_library *library, const char *name,
                                          uint64_t *ret_id);

/*
 * Makes a handle of the library's module in the scope's context. All handles of one context are of
 * one module, because the driver has only one: its variables and its code have one order.
 */
cushim_status cushim__code_library_module(const struct cushim__scope *scope,
                                          struct cushim__code_library *library, uint64_t *ret_id);

/* Takes a module that is destroyed out of its library's list, after its last kernel has ended. */
void cushim__code_library_forget(struct cushim__module *module);

#endif
