/* SPDX-License-Identifier: MIT */
/*
 * What is known about a kernel, and how many of its blocks fit.
 *
 * A cushim_function is found by cushim_module_function() and belongs to its module. All
 * functions are thread-safe and need no context to be current; settings are for all launches
 * of the kernel, by whichever thread.
 */
#ifndef CUSHIM_FUNCTION_H
#define CUSHIM_FUNCTION_H

#include <cushim/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Attributes, with the driver's numbers: X(name, value). Sizes are in bytes. Versions are ten times
 * the major plus the minor one. Those that begin with MAX_DYNAMIC, PREFERRED, REQUIRED,
 * NON_PORTABLE and CLUSTER_SCHEDULING can be set; those of clusters came with CUDA 11.8.
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

/** Any number that this driver knows is an attribute, whether or not it has a name above. */
CUSHIM_API cushim_status cushim_function_attribute(cushim_function function, int attribute,
                                                   int *ret_value);

/**
 * Sets an attribute. Most often CUSHIM_FUNCTION_MAX_DYNAMIC_SHARED_BYTES: a kernel that is to get
 * more dynamic shared memory than the usual 48 KiB has to be allowed to. 1 CUDA_ERROR_INVALID_VALUE
 * for more than the device has, and for what cannot be set.
 */
CUSHIM_API cushim_status cushim_function_set_attribute(cushim_function function, int attribute,
                                                       int value);

/** Prefers shared memory or first-level cache where the device has one memory for both; a hint. */
CUSHIM_API cushim_status cushim_function_set_cache_config(cushim_function function,
                                                          enum cushim_cache_config config);

/** The width of the banks of shared memory, on devices that have a choice. */
CUSHIM_API cushim_status cushim_function_set_shared_config(cushim_function function,
                                                           enum cushim_shared_config config);

/** The CUfunction, for calls through the table. It is the module's. */
CUSHIM_API cushim_status cushim_function_raw(cushim_function function, void **ret_cu_function);

/** The name that the function was found by, or NULL. It belongs to the module. */
CUSHIM_API const char *cushim_function_name(cushim_function function);

/** One parameter of a kernel, in bytes. */
struct cushim_parameter {
    size_t offset, size;
};

/**
 * How the kernel's parameters are laid out, which every launch is checked against. Writes up to
 * capacity of them and their number. CUSHIM_ERROR_MISSING_SYMBOL where nobody knows: a
 * driver before CUDA 12.4 does not tell, and then it is known for PTX only.
 */
CUSHIM_API cushim_status cushim_function_parameters(cushim_function function,
                                                    struct cushim_parameter *parameters,
                                                    size_t capacity, size_t *ret_count);

/*
 * Occupancy: how much of the device a launch can keep busy. The answers are about this kernel,
 * compiled as it is, on this device, alone on it; they are no measurement, and a launch of fewer
 * threads is often faster. Use them for the size of a grid whose blocks each do many elements in
 * turn, and for cooperative launches, whose blocks all have to fit at once.
 */

/**
 * How many blocks of so many threads, with so much dynamic shared memory each, a multiprocessor
 * runs at a time. 0 is an answer: the block does not fit.
 */
CUSHIM_API cushim_status cushim_function_max_active_blocks(cushim_function function,
                                                           unsigned block_threads,
                                                           size_t shared_bytes,
                                                           unsigned *ret_blocks);

/** How the size of a block that fills the device best is looked for. Zero is no limit. */
struct cushim_block_size_params {
    size_t shared_bytes; /* dynamic shared memory of a block */
    /** Or a function of the block's size, where it depends on that. It must not call CUDA. */
    size_t (*shared_of_block)(int block_threads);
    unsigned max_block_threads;
};

/**
 * The size of a block, in threads, that keeps the most threads running at a time, and the
 * number of such blocks that fill the device. params may be NULL.
 */
CUSHIM_API cushim_status cushim_function_block_size(cushim_function function,
                                                    const struct cushim_block_size_params *params,
                                                    unsigned *ret_block_threads,
                                                    unsigned *ret_grid_blocks);

/** How much dynamic shared memory a block may use while so many of them run on a multiprocessor. */
CUSHIM_API cushim_status cushim_function_available_shared(cushim_function function, unsigned blocks,
                                                          unsigned block_threads,
                                                          size_t *ret_bytes);

/**
 * How many clusters of this launch run on the device at a time, and how many blocks a cluster
 * may have at most. The configuration's options count: a cluster's size, for one. CUDA 11.8.
 */
CUSHIM_API cushim_status cushim_function_max_active_clusters(cushim_function function,
                                                             cushim_stream stream,
                                                             struct cushim_launch_config config,
                                                             unsigned *ret_clusters);
CUSHIM_API cushim_status cushim_function_max_cluster_blocks(cushim_function function,
                                                            cushim_stream stream,
                                                            struct cushim_launch_config config,
                                                            unsigned *ret_blocks);

#ifdef __cplusplus
}
#endif

#endif
