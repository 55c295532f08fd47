/* SPDX-License-Identifier: MIT */
/*
 * Modules: kernels and variables of the device, loaded into a context.
 *
 *     cushim_module module;
 *     cushim_function saxpy;
 *
 *     cushim_module_compile(context, source, NULL, &module);
 *     cushim_module_function(module, "saxpy", &saxpy);
 *
 * A module comes from CUDA C++, which NVRTC compiles; from PTX text, which the driver compiles;
 * or from machine code (a cubin, or a fat binary with several images of which the driver
 * takes one). What the driver's compiler says about it is kept: when it refuses, the error text
 * has its first error and cushim_error_log() all of it; when it does not, cushim_module_log().
 *
 * Functions belong to their module. They are not freed, and their handles are stale once the last
 * handle of the module is. A module keeps its context. It is unloaded after the last of its
 * kernels: freeing it waits for them, if any are under way.
 *
 * All functions are thread-safe, and need no context to be current.
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

/** A kernel of a module, in the module's context. It belongs to the module. See function.h. */
typedef struct cushim_function {
    uint64_t id;
} cushim_function;

/** How the driver's compiler caches what kernels load from global memory. */
enum cushim_jit_cache {
    CUSHIM_JIT_CACHE_DEFAULT = 0,
    CUSHIM_JIT_CACHE_L2 = 1,  /* -dlcm=cg: not in the first level */
    CUSHIM_JIT_CACHE_ALL = 2, /* -dlcm=ca */
};

/** An option of the driver's compiler that has no field here: a CUjit_option, and its value. */
struct cushim_jit_option {
    int option;
    uintptr_t value;
};

/**
 * How a module is loaded. Zero means the default everywhere. But for name, label, and functions,
 * the fields are options of the driver's compiler, and so of no effect on machine code.
 */
struct cushim_module_params {
    /**
     * Registers the module in its context under this name, for cushim_module_find() and
     * cushim_function_find(). The context then keeps the module, even when the handle is freed,
     * until cushim_module_unregister() or until the context itself is destroyed. Copied.
     */
    const char *name;

    /** A name for the module in messages; without one, its name or its file's. Copied. */
    const char *label;

    /** Functions that have to be in it, NULL-ended: loading fails, naming the one that is missing.
     */
    const char *const *functions;

    int max_registers;             /* the most registers that a thread may use */
    int threads_per_block;         /* at least so many threads should fit into a block */
    const int *optimization_level; /* 0 to 4; NULL is 4 */
    int target;         /* compute capability times ten to compile for; 0: the device's */
    bool prefer_binary; /* fall back to machine code, not PTX, where none fits exactly */
    bool debug_info;    /* for debuggers */
    bool line_info;     /* source lines for profilers */
    bool verbose;       /* say more in the log, such as registers used by each kernel */
    enum cushim_jit_cache cache;
    bool position_independent; /* CUDA 12.0 */
    int min_blocks;            /* blocks that are to fit into a multiprocessor. CUDA 12.3 */
    int max_threads_per_block; /* CUDA 12.3 */
    bool override_directives;  /* the three limits above win over the PTX's own. CUDA 12.3 */
    const struct cushim_jit_option *options; /* any others, after these */
    size_t n_options;
};

/** Parameters in place: cushim_module_load_text(context, ptx, cushim_module_params(.line_info =
 * true), &m). */
#define cushim_module_params(...) (&(const struct cushim_module_params){__VA_ARGS__})

/**
 * Loads PTX, a cubin or a fat binary from memory. What it is, is seen from its first bytes. It
 * is copied: data may go after the call. PTX need not end with a NUL. Nothing beyond
 * data[bytes - 1] is read, so an image that was cut off is told and not suffered.
 *
 * 218 CUDA_ERROR_INVALID_PTX with the compiler's log; 209 CUDA_ERROR_NO_BINARY_FOR_GPU if there
 * is no image for this device in it; 222 CUDA_ERROR_UNSUPPORTED_PTX_VERSION if the PTX is newer
 * than the driver; 200 CUDA_ERROR_INVALID_IMAGE for what is none of the three. params may be
 * NULL, here and below.
 */
CUSHIM_API cushim_status cushim_module_load(cushim_context context, const void *data, size_t bytes,
                                            const struct cushim_module_params *params,
                                            cushim_module *ret_module);

/** The same for PTX in a string. */
CUSHIM_API cushim_status cushim_module_load_text(cushim_context context, const char *ptx,
                                                 const struct cushim_module_params *params,
                                                 cushim_module *ret_module);

/** The same from a file. 301 CUDA_ERROR_FILE_NOT_FOUND if there is none; CUSHIM_ERROR_SYSTEM if
 * it cannot be read, has more than 1 GiB, or is no regular file: nothing waits for a pipe. */
CUSHIM_API cushim_status cushim_module_load_file(cushim_context context, const char *path,
                                                 const struct cushim_module_params *params,
                                                 cushim_module *ret_module);

/** The same from what a compiler made. Functions are then also found by their name expressions. */
CUSHIM_API cushim_status cushim_module_load_image(cushim_context context, cushim_image image,
                                                  const struct cushim_module_params *params,
                                                  cushim_module *ret_module);

/**
 * Compiles CUDA C++ and loads it. What params does not say suits the context: the architecture
 * is its device's, or the newest that this NVRTC knows below it; and PTX is made, but machine code
 * where NVRTC is newer than the driver, which would refuse its PTX. The module's label is the
 * program's name.
 */
CUSHIM_API cushim_status cushim_module_compile(cushim_context context, const char *source,
                                               const struct cushim_compile_params *params,
                                               cushim_module *ret_module);

/** The CUmodule, for calls through the table. It is unloaded when the module is freed. */
CUSHIM_API cushim_status cushim_module_raw(cushim_module module, void **ret_cu_module);

/**
 * What the driver's compiler said while it succeeded, "" if nothing. It belongs to the module.
 * NULL for a handle that is not valid.
 */
CUSHIM_API const char *cushim_module_log(cushim_module module);

/**
 * Finds a kernel by name: as the PTX has it, which is mangled unless the kernel is extern
 * "C", or by a name expression. The same name gives the same handle. 500
 * CUDA_ERROR_NOT_FOUND otherwise; the error text then names what is most like it.
 */
CUSHIM_API cushim_status cushim_module_function(cushim_module module, const char *name,
                                                cushim_function *ret_function);

/**
 * A variable of the module, __device__, __constant__ or __managed__, as a slice of bytes:
 * copies and kernels that are told about it are ordered like those of any other slice.
 * It belongs to the module: the same name gives the same handle, which is stale once the module is
 * freed. It need not be freed; freeing it leaves the variable where it is. Kernels that use the
 * variable without getting it as an argument are not seen: tell cushim_slice_used() of them.
 */
CUSHIM_API cushim_status cushim_module_global(cushim_module module, const char *name,
                                              cushim_slice *ret_slice);

/**
 * The module that is registered under this name, by whichever thread. The result is another
 * handle of it, which the caller frees. 500 CUDA_ERROR_NOT_FOUND if there is none.
 */
CUSHIM_API cushim_status cushim_module_find(cushim_context context, const char *name,
                                            cushim_module *ret_module);

/** A function of a registered module. */
CUSHIM_API cushim_status cushim_function_find(cushim_context context, const char *module,
                                              const char *function, cushim_function *ret_function);

/** Takes a name out of the register. The module goes if all its handles were freed. */
CUSHIM_API cushim_status cushim_module_unregister(cushim_context context, const char *name);

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
#endif

#ifdef __cplusplus
}
#endif

#endif
