/* SPDX-License-Identifier: MIT */
/*
 * Modules, and the functions they have. module_load.c loads and destroys, module_find.c finds
 * names, func.c has the functions, and link.c ends what cuLink* began. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_MODULE_MODULE_H
#define CUSHIM_MOCK_MODULE_MODULE_H

#include <stdbool.h>

#include "mock/base/objects.h"
#include "mock/functions.h"
#include "mock/module/module_image.h"

#define MOCK__N_FUNCTION_ATTRIBUTES 16

/* Some of them, by number, as the toolkit of the build may not know them. */
enum {
    MOCK__CLUSTER_MUST_BE_SET = 10,
    MOCK__CLUSTER_WIDTH = 11, /* height and depth follow */
    MOCK__NON_PORTABLE_CLUSTER = 14,
};

struct mock__context;
struct mock__device;
struct mock__library;
struct mock__memory;
struct mock__program;

struct mock__function {
    struct mock__object object;
    struct mock__module *module;
    const struct mock__entry *entry;
    int attributes[MOCK__N_FUNCTION_ATTRIBUTES]; /* by CUfunction_attribute */
    unsigned set;                                /* those that cuFuncSetAttribute() set, as bits */
    int cache_config;                            /* CUfunc_cache */
    unsigned char *params; /* cuParamSet*(): as many bytes as the kernel takes, or NULL */
    unsigned params_bytes, block[3], shared_bytes;
};

/*
 * The managed variables of a library: all its modules share them, and they are there before the
 * first module. One entry for each variable of the text; NULL for those that are not managed.
 */
struct mock__managed {
    struct mock__memory **variables;
    bool addressed; /* a module has written into them where its other variables are */
};

struct mock__module {
    struct mock__object object;
    struct mock__context *context;
    struct mock__library *library;                           /* that it was loaded for, or NULL */
    struct mock__module *next_of_library, **link_of_library; /* list of the library's */
    struct mock__managed *managed;                           /* of that library, or NULL */
    struct mock__ptx ptx;
    struct mock__function **functions; /* one an entry */
    struct mock__memory **variables;   /* one a variable; NULL for one without bytes */
    struct mock__program *program;     /* program.c's: its kernels as the engine runs them */
};

/*
 * Loads a module. size is SIZE_MAX if only the image tells its size. managed is NULL for a module
 * that does not share its managed variables with a library.
 */
CUresult mock__module_load(struct mock__context *context, const void *image, size_t size,
                           struct mock__managed *managed, struct ptx__log *log,
                           struct mock__module **ret_module);

/* Gives the text of a library its managed variables. Both are to be finished in any case. */
CUresult mock__managed_make(const struct mock__ptx *ptx, struct mock__managed *managed);
void mock__managed_finish(const struct mock__ptx *ptx, struct mock__managed *managed);

/* The capability of a device as PTX has it: 90 for 9.0. */
int mock__capability(const struct mock__device *device);

/*
 * The module or function of a handle, in a usable context. Where a function is launched or
 * measured, the handle of a kernel stands for its function in the current context; elsewhere
 * (`_plain`), it does not. The first launch functions (`_here`) know the functions of the current
 * context alone.
 */
CUresult mock__module_find(CUmodule handle, struct mock__module **ret_module);
CUresult mock__function_find(CUfunction handle, struct mock__function **ret_function);
CUresult mock__function_find_plain(CUfunction handle, struct mock__function **ret_function);
CUresult mock__function_find_here(CUfunction handle, struct mock__function **ret_function);

/* The number of a kernel or variable of an image; their count if there is none of this name. */
size_t mock__find_entry(const struct mock__ptx *ptx, const char *name);
size_t mock__find_variable(const struct mock__ptx *ptx, const char *name);

/* The attributes that a kernel begins with on a device. */
void mock__function_attributes(const struct mock__device *device, const struct mock__ptx *ptx,
                               const struct mock__entry *entry, int *attributes);

/* Tells whether the attribute can be set to this. Static shared memory leaves less to be set. */
bool mock__function_settable(const struct mock__device *device, int static_shared,
                             unsigned attribute, int value);

/* Where a parameter is; CUDA_ERROR_INVALID_VALUE if there are not that many. */
CUresult mock__entry_parameter(const struct mock__entry *entry, size_t number, size_t *ret_offset,
                               size_t *ret_size);

/* The address and size of a module's variable; either may be NULL. */
CUresult mock__module_variable(const struct mock__module *module, const char *name,
                               CUdeviceptr *ret_address, size_t *ret_bytes);

/* A function of a module, made usable by handle. NULL if there is no memory. */
struct mock__function *mock__function_new(struct mock__module *module,
                                          const struct mock__entry *entry);

void mock__function_free(struct mock__function *function);

/* Frees a module that may be half built. */
void mock__module_destroy(struct mock__module *module);

/* Destroys the modules of a context, and the links that were to become modules. */
void mock__modules_destroy(const struct mock__context *context);
void mock__links_destroy(const struct mock__context *context);

#endif
