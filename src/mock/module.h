/* SPDX-License-Identifier: MIT */
/* Modules, and the functions they have. */
#ifndef CUSHIM_MOCK_MODULE_H
#define CUSHIM_MOCK_MODULE_H

#include <stdbool.h>

#include "mock/functions.h"
#include "mock/objects.h"
#include "mock/ptx_entries.h"

#define MOCK__N_FUNCTION_ATTRIBUTES 16

struct mock__context;
struct mock__memory;

struct mock__function {
    struct mock__object object;
    struct mock__module *module;
    const struct mock__entry *entry;
    int attributes[MOCK__N_FUNCTION_ATTRIBUTES]; /* by CUfunction_attribute */
    bool lacks_kernel;                           /* and the program was told so */
};

struct mock__module {
    struct mock__object object;
    struct mock__context *context;
    struct mock__ptx ptx;
    struct mock__function **functions; /* one an entry */
    struct mock__memory **variables;   /* one a variable; NULL for one without bytes */
};

CUresult mock__module_load(struct mock__context *context, const void *image,
                           struct mock__ptx_error *error, struct mock__module **ret_module);

/* The module or function of a handle, in a usable context. */
CUresult mock__module_find(CUmodule handle, struct mock__module **ret_module);
CUresult mock__function_find(CUfunction handle, struct mock__function **ret_function);

/* A function of a module, made usable by handle. NULL if there is no memory. */
struct mock__function *mock__function_new(struct mock__module *module,
                                          const struct mock__entry *entry);

/* Frees a module that may be half built. */
void mock__module_destroy(struct mock__module *module);

/* Destroys the modules of a context. */
void mock__modules_destroy(const struct mock__context *context);

#endif
