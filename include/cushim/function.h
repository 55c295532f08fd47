/* SPDX-License-Identifier: MIT */
/*
 * Attributes and parameters of a kernel, and its occupancy: how many of its blocks run at a time.
 *
 * cushim_module_function() returns a cushim_function, which belongs to its module. All functions
 * are thread-safe, and need no current context. Settings apply to later launches of the kernel in
 * all threads.
 */
#ifndef CUSHIM_FUNCTION_H
#define CUSHIM_FUNCTION_H

#include <cushim/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Attributes of a kernel, with the driver's numbers: X(name, value). Sizes are in bytes. A version
 * is ten times the major version plus the minor version. The attributes whose names go on with
 * MAX_DYNAMIC, PREFERRED, REQUIRED, NON_PORTABLE and CLUSTER_SCHEDULING can be set. The attributes
 * of clusters came with CUDA 11.8.
 */
#define CUSHIM_FUNCTION_ATTRIBUTE_MAP(X)                                                           \
    X(CUSHIM_FUNCTION_MAX_THREADS_PER_BLOCK, 0)     /* beyond which a launch fails */              \
    X(CUSHIM_FUNCTION_SHARED_BYTES, 1)              /* static shared memory of a block */          \
    X(CUSHIM_FUNCTION_CONST_BYTES, 2)               /* constants that the module defines */        \
    X(CUSHIM_FUNCTION_LOCAL_BYTES, 3)               /* local memory of a thread */                 \
    X(CUSHIM_FUNCTION_REGISTERS, 4)                 /* registers of a thread */                    \
    X(CUSHIM_FUNCTION_PTX_VERSION, 5)               /* architecture that it was compiled for */    \
    X(CUSHIM_FUNCTION_BINARY_VERSION, 6)            /* architecture of the machine code */         \
    X(CUSHIM_FUNCTION_CACHE_MODE_CA, 7)             /* was it compiled with -dlcm=ca */            \
    X(CUSHIM_FUNCTION_MAX_DYNAMIC_SHARED_BYTES, 8)  /* dynamic shared memory that is allowed */    \
    X(CUSHIM_FUNCTION_PREFERRED_SHARED_CARVEOUT, 9) /* percent, -1 the driver's choice */          \
    X(CUSHIM_FUNCTION_CLUSTER_SIZE_MUST_BE_SET, 10) /* does a launch have to give one */           \
    X(CUSHIM_FUNCTION_REQUIRED_CLUSTER_WIDTH, 11)   /* blocks of a cluster, 0 if any will do */    \
    X(CUSHIM_FUNCTION_REQUIRED_CLUSTER_HEIGHT, 12)                                                 \
    X(CUSHIM_FUNCTION_REQUIRED_CLUSTER_DEPTH, 13)                                                  \
    X(CUSHIM_FUNCTION_NON_PORTABLE_CLUSTER_ALLOWED, 14) /* clusters that not all devices have */   \
    X(CUSHIM_FUNCTION_CLUSTER_SCHEDULING, 15)           /* enum cushim_cluster_scheduling */

enum cushim_function_attribute {
#define CUSHIM__FUNCTION_ENUM(name, value) name = (value),
    CUSHIM_FUNCTION_ATTRIBUTE_MAP(CUSHIM__FUNCTION_ENUM)
#undef CUSHIM__FUNCTION_ENUM
};

/**
 * Returns an attribute of a kernel. attribute is of enum cushim_function_attribute, or any other
 * number that the driver knows. The result is 1 CUDA_ERROR_INVALID_VALUE for a number that it does
 * not know.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_function_attribute(cushim_function function,
                                                                  int attribute, int *ret_value);

/**
 * Sets an attribute of a kernel. A kernel that needs more than 48 KiB of dynamic shared memory
 * needs CUSHIM_FUNCTION_MAX_DYNAMIC_SHARED_BYTES. The result is 1 CUDA_ERROR_INVALID_VALUE if the
 * value is more than the device has, or if the attribute cannot be set.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_function_set_attribute(cushim_function function,
                                                                      int attribute, int value);

/**
 * Sets the kernel's preference between L1 cache and shared memory, for devices where both use the
 * same hardware. It is a hint, which the driver may ignore.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_function_set_cache_config(cushim_function function, enum cushim_cache_config config);

/**
 * Sets the width of the banks of shared memory for a kernel, on devices that support more than one
 * width.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_function_set_shared_config(cushim_function function, enum cushim_shared_config config);

/** Returns the CUfunction, for calls through the table (table.h). It belongs to the module. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_function_raw(cushim_function function,
                                                            void **ret_cu_function);

/**
 * Returns the name by which the function was found, or NULL if the handle is not valid. The string
 * belongs to the module.
 */
CUSHIM_API const char *cushim_function_name(cushim_function function);

/** The position of one parameter of a kernel, in bytes. */
struct cushim_parameter {
    size_t offset, size;
};

/**
 * Returns the layout of the kernel's parameters, against which cushim checks every launch. Writes
 * up to capacity entries to parameters, and the number of all parameters to *ret_count. The result
 * is CUSHIM_ERROR_MISSING_SYMBOL if the layout is not known: drivers before CUDA 12.4 do not tell
 * it, and cushim then knows it only for PTX.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_function_parameters(cushim_function function, struct cushim_parameter *parameters,
                           size_t capacity, size_t *ret_count);

/*
 * Occupancy: how much of the device a launch can keep busy. The results are for this compiled
 * kernel on this device, with no other kernel at the same time. They are not measurements, and a
 * launch with fewer threads is often faster. Use them for the size of a grid whose blocks each
 * process many elements in turn, and for cooperative launches, whose blocks must all run at the
 * same time.
 */

/**
 * Returns how many blocks of block_threads threads, with shared_bytes bytes of dynamic shared
 * memory each, run on one multiprocessor at a time. The number is 0 if not even one block fits;
 * that is not an error.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_function_max_active_blocks(cushim_function function,
                                                                          unsigned block_threads,
                                                                          size_t shared_bytes,
                                                                          unsigned *ret_blocks);

/** Parameters of cushim_function_block_size(). A field that is zero sets no limit. */
struct cushim_block_size_params {
    size_t size; /* sizeof the structure; the macro cushim_block_size_params() sets it */

    size_t max_block_threads;
    size_t shared_bytes; /* dynamic shared memory of a block */
    /**
     * Replaces shared_bytes if the size depends on the block: returns the bytes for a block of
     * block_threads threads. It must not call CUDA.
     */
    size_t (*shared_of_block)(int block_threads);
};

/**
 * Writes parameters in place: cushim_function_block_size(f, cushim_block_size_params(.shared_bytes
 * = 1024), &threads, &blocks).
 */
#define cushim_block_size_params(...) CUSHIM__IN_PLACE(cushim_block_size_params, __VA_ARGS__)

/**
 * Returns the size of a block, in threads, with which the most threads run at a time, and the
 * number of such blocks that fill the device. params may be NULL.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_function_block_size(cushim_function function, const struct cushim_block_size_params *params,
                           unsigned *ret_block_threads, unsigned *ret_grid_blocks);

/**
 * Returns how many bytes of dynamic shared memory a block may use if so many blocks, of
 * block_threads threads each, shall run on one multiprocessor at a time.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_function_available_shared(cushim_function function,
                                                                         unsigned blocks,
                                                                         unsigned block_threads,
                                                                         size_t *ret_bytes);

/**
 * Returns how many clusters of a launch run on the device at a time. config is the configuration of
 * the launch, the address of a variable, and its options count, such as the
 * size of a cluster. CUDA 11.8.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_function_max_active_clusters(
    cushim_function function, cushim_stream stream, const struct cushim_launch_config *config,
    unsigned *ret_clusters);

/**
 * Returns how many blocks a cluster of a launch may have at most. config is the configuration of
 * the launch, and its options count. CUDA 11.8.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_function_max_cluster_blocks(cushim_function function, cushim_stream stream,
                                   const struct cushim_launch_config *config, unsigned *ret_blocks);

#ifdef __cplusplus
}
#endif

#endif
