/* SPDX-License-Identifier: MIT */
/*
 * Libraries, and their kernels. A library belongs to no context: it is loaded as a module into each
 * context that needs it, when it does. Kernels are in kernel.c. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_MODULE_LIBRARY_H
#define CUSHIM_MOCK_MODULE_LIBRARY_H

#include "mock/base/objects.h"
#include "mock/base/state.h"
#include "mock/functions.h"
#include "mock/module/module.h"

#if CUDA_VERSION >= 12000

struct mock__library {
    struct mock__object object;
    char *image;
    struct mock__ptx ptx;
    struct mock__kernel **kernels; /* one an entry */
    struct mock__managed managed;
    struct mock__module *modules; /* one for each context that has used it */
};

/* The attributes of a kernel that were set on a device. */
struct mock__kernel_settings {
    unsigned set;     /* a bit for each attribute that was set */
    int cache_config; /* CUfunc_cache */
    int values[MOCK__N_FUNCTION_ATTRIBUTES];
};

struct mock__kernel {
    struct mock__object object;
    struct mock__library *library;
    size_t number; /* of its entry */
    struct mock__kernel_settings settings[MOCK__MAX_DEVICES];
};

/* The library of a handle; CUDA_ERROR_INVALID_HANDLE if it is none. */
CUresult mock__library_find(CUlibrary handle, struct mock__library **ret_library);

/* The library's module in a context, loaded now if it was not yet. */
CUresult mock__library_module(struct mock__library *library, struct mock__context *context,
                              struct mock__module **ret_module);

/* A kernel of a library, made usable by handle. NULL if there is no memory. */
struct mock__kernel *mock__kernel_new(struct mock__library *library, size_t number);

/* The kernel's function in the current context, which has to be usable. */
CUresult mock__kernel_function(struct mock__kernel *kernel, struct mock__function **ret_function);

/*
 * Sets the attributes of a kernel of a library for a module's function, or for all functions of a
 * module.
 */
void mock__kernel_setting_apply(const struct mock__kernel *kernel, struct mock__module *module);
void mock__kernel_settings_apply(struct mock__module *module);

#endif

#endif
