/* SPDX-License-Identifier: MIT */
/*
 * Code libraries. A code library is device code that is loaded once and used in several contexts.
 * It needs cuLibraryLoadData() and the related functions of CUDA 12.0; with older drivers, the
 * functions here return CUSHIM_ERROR_MISSING_SYMBOL.
 *
 * cushim_code_library_module() makes a module of a library in a context, which is used like other
 * modules. A cushim_kernel is a kernel of a library, independent of contexts: a program can get and
 * set its attributes for a device before any context has loaded it.
 *
 * A program with one context should use a module: it takes fewer steps and works with every driver.
 * A library is for programs with several devices, which would otherwise load and compile the same
 * code for each device, or which set the attributes of a kernel for all devices in advance.
 *
 * Freeing a library closes the handles of its kernels. The library is unloaded when its last module
 * is freed as well, and so after all launches from it. All functions are thread-safe, and need no
 * current context.
 */
#ifndef CUSHIM_CODE_LIBRARY_H
#define CUSHIM_CODE_LIBRARY_H

#include <cushim/module.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A code library. Freed by cushim_code_library_free(). Modules that were made from it keep it
 * loaded.
 */
CUSHIM__HANDLE(cushim_code_library, cushim_code_library_free)

/**
 * A kernel of a library. It belongs to the library, and its handle becomes stale when the library
 * is freed.
 */
typedef struct cushim_kernel {
    uint64_t id;
    CUSHIM__HANDLE_MARK
} cushim_kernel;

/**
 * Loads PTX, a cubin or a fat binary from memory into a library. context selects the driver, and
 * the device for which the code is checked now; PTX is compiled for other devices when they first
 * use it. data, params and errors are as for cushim_module_load(), except that params->name and
 * params->functions are not allowed. The caller frees the library with cushim_code_library_free().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_code_library_load(
    cushim_context context, const void *data, size_t bytes,
    const struct cushim_module_params *params, cushim_code_library *ret_library);

/**
 * Returns a module of the library in a context. The caller frees it with cushim_module_free(). The
 * module keeps the library loaded. Handles of the same library and context are of the same module:
 * they give the same functions and variables, whose handles are closed with the last of them.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_code_library_module(cushim_code_library library,
                                                                   cushim_context context,
                                                                   cushim_module *ret_module);

/** Returns the number of kernels in a library. CUDA 12.4. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_code_library_count(cushim_code_library library,
                                                                  size_t *ret_count);

/**
 * Finds a kernel of a library by name. The same name always gives the same handle. The kernel
 * belongs to the library. The result is 500 CUDA_ERROR_NOT_FOUND if there is no such kernel.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_code_library_kernel(cushim_code_library library,
                                                                   const char *name,
                                                                   cushim_kernel *ret_kernel);

/**
 * Returns an attribute of a kernel (enum cushim_function_attribute) for the context's device. The
 * library need not be loaded into the context.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_kernel_attribute(cushim_kernel kernel,
                                                                cushim_context context,
                                                                int attribute, int *ret_value);

/**
 * Sets an attribute of a kernel (enum cushim_function_attribute) for the context's device. The
 * library need not be loaded into the context.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_kernel_set_attribute(cushim_kernel kernel,
                                                                    cushim_context context,
                                                                    int attribute, int value);

/**
 * Sets the kernel's preference between L1 cache and shared memory for the context's device. It is a
 * hint, which the driver may ignore.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_kernel_set_cache_config(
    cushim_kernel kernel, cushim_context context, enum cushim_cache_config config);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_code_library_load(...)                                                              \
    (cushim_source_location(CUSHIM_HERE), cushim_code_library_load(__VA_ARGS__))
#define cushim_code_library_module(...)                                                            \
    (cushim_source_location(CUSHIM_HERE), cushim_code_library_module(__VA_ARGS__))
#define cushim_code_library_free(...)                                                              \
    (cushim_source_location(CUSHIM_HERE), cushim_code_library_free(__VA_ARGS__))
#define cushim_code_library_retain(...)                                                            \
    (cushim_source_location(CUSHIM_HERE), cushim_code_library_retain(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
