/* SPDX-License-Identifier: MIT */
/*
 * Contexts. A context holds everything that a process has on a device: memory, code and streams.
 *
 * Most programs use the primary context, which all libraries of the process share:
 *
 *     CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
 *
 * Several handles may name one context, because a program may ask for it several times. They share
 * everything. Handles that separate calls returned are freed each; of the copies of one handle, one
 * is freed. cushim does not depend on which context is current in a thread (object.h). The
 * functions for the stack of current contexts are for programs that also call the driver directly
 * or through libraries.
 *
 * All functions are thread-safe. They return CUSHIM_ERROR_STALE_HANDLE or CUSHIM_ERROR_WRONG_HANDLE
 * for a handle that is not valid, CUSHIM_ERROR_INVALID_ARGUMENT for an output that is NULL, and
 * otherwise the result of the driver. Positive results are CUresults.
 */
#ifndef CUSHIM_CONTEXT_H
#define CUSHIM_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/driver.h>
#include <cushim/object.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A context. The handle is freed by cushim_context_free(). The context is given back to the driver
 * when its streams, slices and other objects are freed as well.
 */
CUSHIM__HANDLE(cushim_context, cushim_context_free)

/** Flags of a context, with the driver's values: how threads wait for the device, and more. */
enum cushim_context_flag {
    CUSHIM_CONTEXT_AUTO = 0x00,               /* the driver chooses among the next three */
    CUSHIM_CONTEXT_SPIN = 0x01,               /* polls: fastest, but occupies a core */
    CUSHIM_CONTEXT_YIELD = 0x02,              /* polls, and yields to other threads in between */
    CUSHIM_CONTEXT_BLOCKING_SYNC = 0x04,      /* sleeps until the device is done */
    CUSHIM_CONTEXT_MAP_HOST = 0x08,           /* implied since CUDA 3.2 */
    CUSHIM_CONTEXT_LMEM_RESIZE_TO_MAX = 0x10, /* keeps local memory that a kernel needed */
};

/**
 * Returns a handle of the primary context of a device. The context is started if the process does
 * not use it yet. cushim retains it once, for all handles together, and releases it when the last
 * handle and the last object of it are freed. The result is 101 CUDA_ERROR_INVALID_DEVICE if there
 * is no such device.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_primary(cushim_driver driver, int device,
                                                               cushim_context *ret_context);

/**
 * Returns the flags of a device's primary context (enum cushim_context_flag), and whether the
 * context is active, which means that something in the process uses it.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_primary_state(cushim_driver driver,
                                                                     int device,
                                                                     unsigned *ret_flags,
                                                                     bool *ret_active);

/**
 * Sets the flags of a device's primary context (enum cushim_context_flag) for all its users in the
 * process. Drivers before CUDA 11 allow this only before the first use of the context.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_primary_set_flags(cushim_driver driver,
                                                                         int device,
                                                                         unsigned flags);

/**
 * Destroys everything in a device's primary context, also what other libraries in the process have
 * made there. Their handles become invalid, and nothing informs them. While a cushim handle or
 * object of the context exists, or another thread is making one, the call fails with
 * CUSHIM_ERROR_BUSY and changes nothing. This also counts handles that were made by adopting the
 * context, and those of drivers that cushim_interpose() has made from the same library. Calls of
 * other threads that take the context during a reset wait for its end.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_primary_reset(cushim_driver driver,
                                                                     int device);

/**
 * Creates a context that belongs to the program. flags are of enum cushim_context_flag. The context
 * is not made current. A second context on a device costs memory, and kernels of two contexts do
 * not run at the same time: prefer the primary context. The result is CUSHIM_ERROR_BUSY, and
 * nothing is made, if the driver gives the context the address of one that cushim still has.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_create(cushim_driver driver, int device,
                                                              unsigned flags,
                                                              cushim_context *ret_context);

/**
 * Returns a handle for a CUcontext that other code has made. If owned is true, cushim destroys the
 * CUcontext when its last handle and object are freed. If owned is false, the CUcontext must live
 * until then. A pointer that is not a CUcontext is undefined behaviour, because the driver cannot
 * detect it.
 *
 * The result is CUSHIM_ERROR_BUSY if owned is true and cushim knows the context already.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_adopt(cushim_driver driver, void *cu_context,
                                                             bool owned,
                                                             cushim_context *ret_context);

/**
 * Returns the CUcontext, for calls through the table (table.h). It is valid until the last handle
 * and the last object of the context are freed.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_raw(cushim_context context,
                                                           void **ret_cu_context);

/** Returns the ordinal of the context's device, as the functions of device.h take it. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_device(cushim_context context,
                                                              int *ret_device);

/** Tells whether the context is the primary context of its device, however the handle was made. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_is_primary(cushim_context context,
                                                                  bool *ret_primary);

/*
 * The functions below use the calling thread's stack of contexts. The top of the stack is the
 * current context, which direct calls of the driver use. The stack belongs to the driver, and other
 * code in the process may use it as well.
 */

/**
 * Pushes a context onto the calling thread's stack of contexts. The context then lives until
 * cushim_context_pop() in this thread removes it, or the thread ends, even if its handle is freed
 * before.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_push(cushim_context context);

/**
 * Removes the current context from the calling thread's stack of contexts. If ret_context is not
 * NULL, it gets a new handle of that context, which the caller frees; this also holds for a context
 * that other code has made. The result is 201 CUDA_ERROR_INVALID_CONTEXT if the stack is empty.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_pop(cushim_driver driver,
                                                           cushim_context *ret_context);

/**
 * Returns the calling thread's current context as a new handle, which the caller frees. If there is
 * no current context, the handle is zero, and the result is CUSHIM_OK.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_current(cushim_driver driver,
                                                               cushim_context *ret_context);

/**
 * Replaces the top of the calling thread's stack of contexts, or pushes the context if the stack is
 * empty. The replaced context counts as popped. Unlike cushim_context_push(), this does not keep
 * the new context alive: the caller keeps a handle as long as the context is current.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_set_current(cushim_context context);

/* Settings. */

/**
 * Returns the flags of a context (enum cushim_context_flag). Flags that cushim does not know are
 * included.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_flags(cushim_context context,
                                                             unsigned *ret_flags);

/**
 * Sets the flags of a context (enum cushim_context_flag). This needs CUDA 12.1. With older drivers,
 * pass the flags when the context is created.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_set_flags(cushim_context context,
                                                                 unsigned flags);

/**
 * Limits of a context, with the driver's values. Each is a size in bytes unless the comment names
 * another unit.
 */
enum cushim_limit {
    CUSHIM_LIMIT_STACK_SIZE = 0,               /* of each thread of the device */
    CUSHIM_LIMIT_PRINTF_FIFO_SIZE = 1,         /* buffer of printf() on the device */
    CUSHIM_LIMIT_MALLOC_HEAP_SIZE = 2,         /* heap of malloc() on the device */
    CUSHIM_LIMIT_SYNC_DEPTH = 3,               /* levels of kernels that wait for kernels */
    CUSHIM_LIMIT_PENDING_LAUNCHES = 4,         /* launches from the device, a count */
    CUSHIM_LIMIT_MAX_L2_FETCH_GRANULARITY = 5, /* a hint */
    CUSHIM_LIMIT_PERSISTING_L2_CACHE_SIZE = 6,
};

/**
 * Returns a limit of a context, in the unit that enum cushim_limit names. The result is 215
 * CUDA_ERROR_UNSUPPORTED_LIMIT if the device has no such limit.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_limit(cushim_context context,
                                                             enum cushim_limit limit,
                                                             size_t *ret_value);

/**
 * Sets a limit of a context. The driver may round the value: cushim_context_limit() returns the
 * value in use. The sizes for printf() and malloc() can be changed only before the first kernel
 * that uses them. The result is 215 CUDA_ERROR_UNSUPPORTED_LIMIT if the device has no such limit.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_set_limit(cushim_context context,
                                                                 enum cushim_limit limit,
                                                                 size_t value);

/**
 * A preference between L1 cache and shared memory on devices where both use the same hardware. It
 * is a hint, which the driver may ignore.
 */
enum cushim_cache_config {
    CUSHIM_CACHE_PREFER_NONE = 0,
    CUSHIM_CACHE_PREFER_SHARED = 1,
    CUSHIM_CACHE_PREFER_L1 = 2,
    CUSHIM_CACHE_PREFER_EQUAL = 3,
};

/** Returns the context's preference between L1 cache and shared memory. */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_context_cache_config(cushim_context context, enum cushim_cache_config *ret_config);

/**
 * Sets the context's preference between L1 cache and shared memory. It applies to kernels that have
 * no preference of their own (cushim_function_set_cache_config()).
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_context_set_cache_config(cushim_context context, enum cushim_cache_config config);

/** The width of the banks of shared memory. Devices since Maxwell support only one width. */
enum cushim_shared_config {
    CUSHIM_SHARED_DEFAULT = 0,
    CUSHIM_SHARED_FOUR_BYTES = 1,
    CUSHIM_SHARED_EIGHT_BYTES = 2,
};

/** Returns the width of the banks of shared memory in this context. */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_context_shared_config(cushim_context context, enum cushim_shared_config *ret_config);

/**
 * Sets the width of the banks of shared memory for the kernels of this context. It has no effect on
 * devices with only one width.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_context_set_shared_config(cushim_context context, enum cushim_shared_config config);

/**
 * Returns the range of stream priorities. A smaller number is a higher priority, so *ret_greatest
 * is less than or equal to *ret_least. Both are 0 if the device has no priorities.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_priority_range(cushim_context context,
                                                                      int *ret_least,
                                                                      int *ret_greatest);

/** Returns the version of the driver's interface that the context was made with, such as 3020. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_api_version(cushim_context context,
                                                                   unsigned *ret_version);

/** Returns all persisting lines of the L2 cache to normal use. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_reset_persisting_l2(cushim_context context);

/** Returns the free and the total memory of the context's device, in bytes. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_memory(cushim_context context,
                                                              size_t *ret_free, size_t *ret_total);

/**
 * Lets kernels of context use memory of peer, a context of another device: what slices of peer have
 * (the device's pool is opened for context's device), and what cuMemAlloc() made. Pools that the
 * program made are opened by cushim_pool_allow(). Copies between contexts work without this. A
 * launch still refuses a slice of another context: a kernel gets its address as a value, or the
 * address is adopted (cushim_slice_adopt()). The result is 217 CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
 * if the devices do not support it (cushim_device_can_access_peer()), and 704
 * CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED if it is enabled already.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_enable_peer(cushim_context context,
                                                                   cushim_context peer);

/**
 * Takes back what cushim_context_enable_peer() has allowed. The device's pool, which other contexts
 * may use, stays open until cushim_pool_allow() closes it.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_disable_peer(cushim_context context,
                                                                    cushim_context peer);

/**
 * Waits until all work of the context is done. If any of that work has failed, the result is its
 * error. Such an error is permanent: every later call that uses the context returns it as well.
 *
 * While a stream of the context records for a graph, this fails with CUSHIM_ERROR_CAPTURING, and
 * the recording goes on.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_synchronize(cushim_context context);

/**
 * Returns the first error of a function that freed an object of the context, and forgets it.
 * Functions that free cannot return an error themselves, so the context keeps the first one for
 * this call. The thread's last error is set as if the error had just happened. The result is
 * CUSHIM_OK if there was no such error.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_context_check(cushim_context context);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_context_primary(...)                                                                \
    (cushim_source_location(CUSHIM_HERE), cushim_context_primary(__VA_ARGS__))
#define cushim_context_create(...)                                                                 \
    (cushim_source_location(CUSHIM_HERE), cushim_context_create(__VA_ARGS__))
#define cushim_context_adopt(...)                                                                  \
    (cushim_source_location(CUSHIM_HERE), cushim_context_adopt(__VA_ARGS__))
#define cushim_context_pop(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_context_pop(__VA_ARGS__))
#define cushim_context_current(...)                                                                \
    (cushim_source_location(CUSHIM_HERE), cushim_context_current(__VA_ARGS__))
#define cushim_context_free(...)                                                                   \
    (cushim_source_location(CUSHIM_HERE), cushim_context_free(__VA_ARGS__))
#define cushim_context_retain(...)                                                                 \
    (cushim_source_location(CUSHIM_HERE), cushim_context_retain(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
