/* SPDX-License-Identifier: MIT */
/*
 * Modules. A module is device code that is loaded into a context: kernels and variables.
 *
 *     cushim_module module;
 *     cushim_function saxpy;
 *
 *     CUSHIM_TRY(cushim_module_compile(context, source, NULL, &module));
 *     CUSHIM_TRY(cushim_module_function(module, "saxpy", &saxpy));
 *
 * A module is loaded from CUDA C++, which NVRTC compiles; from PTX text, which the driver compiles;
 * or from machine code (a cubin, or a fat binary with several images, from which the driver chooses
 * one). cushim keeps the log of the driver's compiler. If the compiler fails, the error text
 * contains its first error, and cushim_error_log() returns the complete log. If it succeeds,
 * cushim_module_log() returns the log.
 *
 * Functions belong to their module. A program does not free them, and their handles become stale
 * when the last handle of the module is freed. A module keeps its context alive. It is unloaded
 * after its last kernel has ended: freeing it waits for kernels that still run.
 *
 * All functions are thread-safe, and need no current context.
 */
#ifndef CUSHIM_MODULE_H
#define CUSHIM_MODULE_H

#include <cushim/compile.h>
#include <cushim/context.h>
#include <cushim/slice.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A loaded module. Freed by cushim_module_free(). */
CUSHIM__HANDLE(cushim_module, cushim_module_free)

/**
 * A kernel of a module, in the module's context. It belongs to the module and is not freed. See
 * function.h.
 */
typedef struct cushim_function {
    uint64_t id;
    CUSHIM__HANDLE_MARK
} cushim_function;

/** Tells the driver's compiler which caches hold what kernels load from global memory. */
enum cushim_jit_cache {
    CUSHIM_JIT_CACHE_DEFAULT = 0,
    CUSHIM_JIT_CACHE_L2 = 1,  /* -dlcm=cg: only the L2 cache */
    CUSHIM_JIT_CACHE_ALL = 2, /* -dlcm=ca: all levels */
};

/**
 * An option of the driver's compiler without a field in struct cushim_module_params: a CUjit_option
 * and its value.
 */
struct cushim_jit_option {
    int option;
    uintptr_t value;
};

/**
 * Parameters of the functions that load a module. A field that is zero selects its default. All
 * fields except name, label and functions are options of the driver's compiler, and have no effect
 * on machine code. Pointers need to be valid only during the call.
 */
struct cushim_module_params {
    size_t size; /* sizeof the structure; the macro cushim_module_params() sets it */

    /**
     * If it is not NULL, the module is registered in its context under this name, for
     * cushim_module_find() and cushim_function_find(). The context then keeps the module, even if
     * the handle is freed, until cushim_module_unregister() is called or the context is destroyed.
     * The text is copied.
     */
    const char *name;

    /**
     * The module's label in messages. If it is NULL, the label is name or the name of the file. The
     * text is copied.
     */
    const char *label;

    /**
     * The functions that the module must have, ended by NULL. If one is missing, loading fails, and
     * the error text names it.
     */
    const char *const *functions;

    int max_registers;             /* the most registers that a thread may use */
    int threads_per_block;         /* the number of threads that a block must be able to have */
    const int *optimization_level; /* 0 to 4; NULL is 4 */
    int target;         /* compute capability times ten to compile for; 0 is the device's */
    bool prefer_binary; /* if no image fits exactly, use machine code and not PTX */
    bool debug_info;    /* for debuggers */
    bool line_info;     /* source lines for profilers */
    bool verbose;       /* write more to the log, such as the registers of each kernel */
    enum cushim_jit_cache cache;
    bool position_independent; /* CUDA 12.0 */
    int min_blocks;            /* blocks that must fit into a multiprocessor. CUDA 12.3 */
    int max_threads_per_block; /* CUDA 12.3 */
    bool override_directives;  /* the limits above replace those of the PTX. CUDA 12.3 */
    const struct cushim_jit_option *options; /* other options, passed after these */
    size_t n_options;
};

/**
 * Writes parameters in place: cushim_module_load_text(context, ptx, cushim_module_params(.line_info
 * = true), &m).
 */
#define cushim_module_params(...) CUSHIM__IN_PLACE(cushim_module_params, __VA_ARGS__)

/**
 * Loads PTX, a cubin or a fat binary from memory. cushim recognises the format from the first
 * bytes, and copies the data: it may be freed after the call. PTX need not end with a NUL. cushim
 * reads only the given bytes, so an image that was cut off results in an error. params may be NULL.
 * The caller frees the module with cushim_module_free().
 *
 * The result is 218 CUDA_ERROR_INVALID_PTX if the compiler rejects the PTX, and cushim_error_log()
 * then returns its log; 209 CUDA_ERROR_NO_BINARY_FOR_GPU if the data has no image for this device;
 * 222 CUDA_ERROR_UNSUPPORTED_PTX_VERSION if the PTX is newer than the driver; and 200
 * CUDA_ERROR_INVALID_IMAGE if the data is none of the three formats.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_module_load(cushim_context context, const void *data, size_t bytes,
                   const struct cushim_module_params *params, cushim_module *ret_module);

/** Loads PTX from a string that ends with a NUL. Otherwise like cushim_module_load(). */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_module_load_text(cushim_context context, const char *ptx,
                        const struct cushim_module_params *params, cushim_module *ret_module);

/**
 * Loads PTX, a cubin or a fat binary from a file. Otherwise like cushim_module_load(). The result
 * is 301 CUDA_ERROR_FILE_NOT_FOUND if there is no such file, and CUSHIM_ERROR_SYSTEM if the file
 * cannot be read, is larger than 1 GiB, or is not a regular file. So the call never waits for a
 * pipe.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_module_load_file(cushim_context context, const char *path,
                        const struct cushim_module_params *params, cushim_module *ret_module);

/**
 * Loads an image that cushim_compile() or cushim_link() made. Otherwise like cushim_module_load().
 * cushim_module_function() then also finds functions by their name expressions.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_module_load_image(cushim_context context, cushim_image image,
                         const struct cushim_module_params *params, cushim_module *ret_module);

/**
 * Compiles CUDA C++ with NVRTC and loads the result. Fields of params that are not set get values
 * for the context: the architecture is that of its device, or the newest below it that this NVRTC
 * supports. The image is PTX; if NVRTC is newer than the driver, which would reject its PTX, the
 * image is machine code. The label of the module is the name of the program. params may be NULL.
 * Errors are those of cushim_compile() and cushim_module_load(). If the driver does not run the
 * machine code, the error text also says up to which version NVRTC would make PTX for it.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_module_compile(cushim_context context, const char *source,
                      const struct cushim_compile_params *params, cushim_module *ret_module);

/**
 * Returns the CUmodule, for calls through the table (table.h). It is unloaded when the module is
 * freed.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_module_raw(cushim_module module,
                                                          void **ret_cu_module);

/**
 * Returns the log of the driver's compiler from loading this module, or "" if it wrote nothing. The
 * string belongs to the module. The result is NULL if the handle is not valid.
 */
CUSHIM_API const char *cushim_module_log(cushim_module module);

/**
 * Finds a kernel of a module by its name in the PTX, which is mangled unless the kernel is extern
 * "C", or by a name expression. The same name always gives the same handle. The function belongs to
 * the module. The result is 500 CUDA_ERROR_NOT_FOUND if there is no such kernel; the error text
 * then names the most similar ones, if there are any.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_module_function(cushim_module module,
                                                               const char *name,
                                                               cushim_function *ret_function);

/**
 * Returns a variable of a module (__device__, __constant__ or __managed__) as a slice of bytes.
 * Work that gets this slice is ordered like work on other slices, and also with all launches of the
 * module's kernels, because each of them may use the variable without an argument for it. The
 * launches wait for such work and such work waits for them, on whichever stream; they do not wait
 * for each other.
 *
 * The slice belongs to the module. The same name always gives the same handle, which becomes stale
 * when the module is freed. It need not be freed; freeing it does not remove the variable.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_module_global(cushim_module module, const char *name,
                                                             cushim_slice *ret_slice);

/**
 * Returns a new handle of the module that is registered under a name in the context, by whichever
 * thread. The caller frees the handle. The result is 500 CUDA_ERROR_NOT_FOUND if there is no such
 * module.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_module_find(cushim_context context, const char *name,
                                                           cushim_module *ret_module);

/**
 * Finds a kernel in a module that is registered under a name in the context. The function belongs
 * to the module. The result is 500 CUDA_ERROR_NOT_FOUND if there is no such module or kernel.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_function_find(cushim_context context,
                                                             const char *module,
                                                             const char *function,
                                                             cushim_function *ret_function);

/**
 * Removes a module's name from the context. The context then no longer keeps the module, which is
 * unloaded if all its handles are freed. The result is 500 CUDA_ERROR_NOT_FOUND if no module has
 * the name.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_module_unregister(cushim_context context,
                                                                 const char *name);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_module_load(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_module_load(__VA_ARGS__))
#define cushim_module_load_text(...)                                                               \
    (cushim_source_location(CUSHIM_HERE), cushim_module_load_text(__VA_ARGS__))
#define cushim_module_load_file(...)                                                               \
    (cushim_source_location(CUSHIM_HERE), cushim_module_load_file(__VA_ARGS__))
#define cushim_module_load_image(...)                                                              \
    (cushim_source_location(CUSHIM_HERE), cushim_module_load_image(__VA_ARGS__))
#define cushim_module_compile(...)                                                                 \
    (cushim_source_location(CUSHIM_HERE), cushim_module_compile(__VA_ARGS__))
#define cushim_module_find(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_module_find(__VA_ARGS__))
#define cushim_module_free(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_module_free(__VA_ARGS__))
#define cushim_module_retain(...)                                                                  \
    (cushim_source_location(CUSHIM_HERE), cushim_module_retain(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
