/* SPDX-License-Identifier: MIT */
/*
 * Libraries: code that is loaded once, for every context that asks. They are the driver's own
 * (cuLibraryLoadData and its like), of CUDA 12.0; before that, CUSHIM_ERROR_MISSING_SYMBOL.
 *
 * A library becomes a module in a context with cushim_code_library_module(), and is used like
 * any other from then on. A kernel is the same function seen from no context in particular:
 * its attributes are asked and set by device, before any context has loaded it.
 *
 * Use a module where there is one context: it is the same code, in fewer steps, on every driver.
 * A library is for programs with several devices that would otherwise load, and compile, the
 * same code for each; and for those that set a kernel's attributes for all of them beforehand.
 *
 * Freeing a library closes the handles of its kernels. It is unloaded when its last module is
 * freed, too, and so after everything that was launched from it. All functions are thread-safe and
 * need no context to be current.
 */
#ifndef CUSHIM_CODE_LIBRARY_H
#define CUSHIM_CODE_LIBRARY_H

#include <cushim/module.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Freed by cushim_code_library_free(). Its modules keep it. */
CUSHIM__HANDLE(cushim_code_library, cushim_code_library_free)

/** A kernel of a library. It belongs to the library, and is stale when that is freed. */
typedef struct cushim_kernel {
    uint64_t id;
} cushim_kernel;

/**
 * Loads PTX, a cubin or a fat binary. The context says which driver it is for, and the device
 * that errors are found with: the PTX is compiled for others when they ask. Everything else is as
 * cushim_module_load() has it; name and functions of the parameters are not for libraries.
 */
CUSHIM_API cushim_status cushim_code_library_load(cushim_context context, const void *data,
                                                  size_t bytes,
                                                  const struct cushim_module_params *params,
                                                  cushim_code_library *ret_library);

/** The library in a context. The module is freed as others are; it keeps the library. */
CUSHIM_API cushim_status cushim_code_library_module(cushim_code_library library,
                                                    cushim_context context,
                                                    cushim_module *ret_module);

/** How many kernels it has. CUDA 12.4. */
CUSHIM_API cushim_status cushim_code_library_count(cushim_code_library library, size_t *ret_count);

/** A kernel by name; the same name gives the same handle. 500 CUDA_ERROR_NOT_FOUND if there is
 * none. */
CUSHIM_API cushim_status cushim_code_library_kernel(cushim_code_library library, const char *name,
                                                    cushim_kernel *ret_kernel);

/**
 * Attributes of function.h, for the context's device. They are asked and set without the
 * library being loaded into the context.
 */
CUSHIM_API cushim_status cushim_kernel_attribute(cushim_kernel kernel, cushim_context context,
                                                 int attribute, int *ret_value);
CUSHIM_API cushim_status cushim_kernel_set_attribute(cushim_kernel kernel, cushim_context context,
                                                     int attribute, int value);

/**
 * As cushim_function_set_cache_config(), for the context's device. A hint, which a driver is
 * free to ignore.
 */
CUSHIM_API cushim_status cushim_kernel_set_cache_config(cushim_kernel kernel,
                                                        cushim_context context,
                                                        enum cushim_cache_config config);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_code_library_load(...)                                                              \
    (cushim_source_location(CUSHIM_HERE), cushim_code_library_load(__VA_ARGS__))
#define cushim_code_library_module(...)                                                            \
    (cushim_source_location(CUSHIM_HERE), cushim_code_library_module(__VA_ARGS__))
#define cushim_code_library_free(...)                                                              \
    (cushim_source_location(CUSHIM_HERE), cushim_code_library_free(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
