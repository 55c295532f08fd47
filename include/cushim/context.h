/* SPDX-License-Identifier: MIT */
/*
 * Contexts: what a process has on a device.
 *
 * Most programs use the primary context, which all libraries of the process share:
 *
 *     CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
 *
 * Several handles may lead to one context, because it was asked for twice: they share
 * everything, and each is freed. Which context is current in a thread does not matter to
 * cushim: see object.h. The functions for the stack of current contexts are there for programs
 * that also call the driver, or libraries that do.
 *
 * All functions are thread-safe. With a handle that is not valid they return
 * CUSHIM_ERROR_STALE_HANDLE or CUSHIM_ERROR_WRONG_HANDLE; with an output that is NULL,
 * CUSHIM_ERROR_INVALID_ARGUMENT; otherwise, what the driver answered. Positive results are
 * CUresults.
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
 * A context. Freed by cushim_context_free(); it is given back to the driver once its
 * streams, slices and other children are freed, too.
 */
CUSHIM__HANDLE(cushim_context, cushim_context_free)

/** How threads wait for the device, and more, with the driver's values. */
enum cushim_context_flag {
    CUSHIM_CONTEXT_AUTO = 0x00,               /* the driver chooses among the next three */
    CUSHIM_CONTEXT_SPIN = 0x01,               /* waits by polling: fastest, uses a core */
    CUSHIM_CONTEXT_YIELD = 0x02,              /* polls, and lets other threads run between */
    CUSHIM_CONTEXT_BLOCKING_SYNC = 0x04,      /* waits asleep */
    CUSHIM_CONTEXT_MAP_HOST = 0x08,           /* implied since CUDA 3.2 */
    CUSHIM_CONTEXT_LMEM_RESIZE_TO_MAX = 0x10, /* keeps local memory that a large kernel needed */
};

/**
 * The primary context of a device, which is started if nobody uses it yet. The context is
 * retained once, however many handles there are, and released with the last use.
 * 101 CUDA_ERROR_INVALID_DEVICE if there is no such device.
 */
CUSHIM_API cushim_status cushim_context_primary(cushim_driver driver, int device,
                                                cushim_context *ret_context);

/** The flags of a device's primary context, and whether it is active: whether anybody uses it. */
CUSHIM_API cushim_status cushim_context_primary_state(cushim_driver driver, int device,
                                                      unsigned *ret_flags, bool *ret_active);

/**
 * Sets the flags of a device's primary context, for everybody in the process who uses it.
 * Before CUDA 11 that had to be done before its first use.
 */
CUSHIM_API cushim_status cushim_context_primary_set_flags(cushim_driver driver, int device,
                                                          unsigned flags);

/**
 * Destroys all that anybody in the process has in a device's primary context. What
 * other libraries hold is invalid afterwards, without their knowing. CUSHIM_ERROR_BUSY, and
 * nothing happens, while a cushim handle or object of the context exists.
 */
CUSHIM_API cushim_status cushim_context_primary_reset(cushim_driver driver, int device);

/**
 * A context of the program's own, with enum cushim_context_flag. It is not made current.
 * A second context on a device costs memory and never runs at the same time as another: when
 * in doubt, use the primary one.
 */
CUSHIM_API cushim_status cushim_context_create(cushim_driver driver, int device, unsigned flags,
                                               cushim_context *ret_context);

/**
 * A handle for a CUcontext that somebody else made. owned says whether cushim destroys it in the
 * end; if not, it must live until all handles and objects of it are freed. The driver cannot
 * tell a pointer that is no CUcontext from one that is: that is undefined behaviour.
 *
 * CUSHIM_ERROR_BUSY if owned, and cushim knows the context already.
 */
CUSHIM_API cushim_status cushim_context_adopt(cushim_driver driver, void *cu_context, bool owned,
                                              cushim_context *ret_context);

/** The CUcontext, for calls through the table. It lives as long as the handle, or an object. */
CUSHIM_API cushim_status cushim_context_raw(cushim_context context, void **ret_cu_context);

/** The device's ordinal, as the functions of device.h take it. */
CUSHIM_API cushim_status cushim_context_device(cushim_context context, int *ret_device);

CUSHIM_API cushim_status cushim_context_is_primary(cushim_context context, bool *ret_primary);

/*
 * The calling thread's stack of contexts. Its top is the current context, which direct calls of
 * the driver use. It belongs to the driver, and other code of the process may use it, too.
 */

/**
 * Pushes the context, which then lives until cushim_context_pop() takes it off again, even
 * if its handle is freed.
 */
CUSHIM_API cushim_status cushim_context_push(cushim_context context);

/**
 * Pops the current context. ret_context may be NULL; else it gets a new handle, to be freed,
 * whoever made the context. 201 CUDA_ERROR_INVALID_CONTEXT if the stack is empty.
 */
CUSHIM_API cushim_status cushim_context_pop(cushim_driver driver, cushim_context *ret_context);

/**
 * The current context, as a new handle that is to be freed; CUSHIM_NONE if there is none, which is
 * no error.
 */
CUSHIM_API cushim_status cushim_context_current(cushim_driver driver, cushim_context *ret_context);

/**
 * Replaces the top of the stack, or pushes if the stack is empty. A context
 * that is replaced counts as popped. The new one does not live
 * longer for it: the caller keeps a handle while it is current.
 */
CUSHIM_API cushim_status cushim_context_set_current(cushim_context context);

/* Settings. */

/** The flags, unknown ones included. */
CUSHIM_API cushim_status cushim_context_flags(cushim_context context, unsigned *ret_flags);

/** Needs CUDA 12.1; for older drivers, say them when the context is made. */
CUSHIM_API cushim_status cushim_context_set_flags(cushim_context context, unsigned flags);

/** What a context limits. Sizes are bytes, unless said otherwise. */
enum cushim_limit {
    CUSHIM_LIMIT_STACK_SIZE = 0,               /* of each thread of the device */
    CUSHIM_LIMIT_PRINTF_FIFO_SIZE = 1,         /* buffer of printf() on the device */
    CUSHIM_LIMIT_MALLOC_HEAP_SIZE = 2,         /* heap of malloc() on the device */
    CUSHIM_LIMIT_SYNC_DEPTH = 3,               /* levels of kernels that wait for kernels */
    CUSHIM_LIMIT_PENDING_LAUNCHES = 4,         /* launches from the device, a count */
    CUSHIM_LIMIT_MAX_L2_FETCH_GRANULARITY = 5, /* a hint */
    CUSHIM_LIMIT_PERSISTING_L2_CACHE_SIZE = 6,
};

CUSHIM_API cushim_status cushim_context_limit(cushim_context context, enum cushim_limit limit,
                                              size_t *ret_value);

/**
 * Asks for a limit. The driver may round it: cushim_context_limit() tells what it became. The sizes
 * for printf() and malloc() cannot be changed after a kernel that uses them.
 * 215 CUDA_ERROR_UNSUPPORTED_LIMIT where the device has no such limit.
 */
CUSHIM_API cushim_status cushim_context_set_limit(cushim_context context, enum cushim_limit limit,
                                                  size_t value);

/** What to prefer where L1 cache and shared memory are the same hardware. A hint. */
enum cushim_cache_config {
    CUSHIM_CACHE_PREFER_NONE = 0,
    CUSHIM_CACHE_PREFER_SHARED = 1,
    CUSHIM_CACHE_PREFER_L1 = 2,
    CUSHIM_CACHE_PREFER_EQUAL = 3,
};

CUSHIM_API cushim_status cushim_context_cache_config(cushim_context context,
                                                     enum cushim_cache_config *ret_config);
CUSHIM_API cushim_status cushim_context_set_cache_config(cushim_context context,
                                                         enum cushim_cache_config config);

/** How wide the banks of shared memory are. Devices since Maxwell have one width. */
enum cushim_shared_config {
    CUSHIM_SHARED_DEFAULT = 0,
    CUSHIM_SHARED_FOUR_BYTES = 1,
    CUSHIM_SHARED_EIGHT_BYTES = 2,
};

CUSHIM_API cushim_status cushim_context_shared_config(cushim_context context,
                                                      enum cushim_shared_config *ret_config);
CUSHIM_API cushim_status cushim_context_set_shared_config(cushim_context context,
                                                          enum cushim_shared_config config);

/**
 * The priorities that streams can have: a smaller number is a greater priority, so greatest is
 * not above least. Both are 0 where the device has none.
 */
CUSHIM_API cushim_status cushim_context_priority_range(cushim_context context, int *ret_least,
                                                       int *ret_greatest);

/** The version of the driver's interface that the context was made with, such as 3020. */
CUSHIM_API cushim_status cushim_context_api_version(cushim_context context, unsigned *ret_version);

/** Gives persisting lines of the L2 cache back to normal use. */
CUSHIM_API cushim_status cushim_context_reset_persisting_l2(cushim_context context);

/** The device's memory in bytes: what is free now, and all. */
CUSHIM_API cushim_status cushim_context_memory(cushim_context context, size_t *ret_free,
                                               size_t *ret_total);

/**
 * Lets kernels of context use memory of peer, which is of another device. Copies between
 * contexts do not need it. 217 CUDA_ERROR_PEER_ACCESS_UNSUPPORTED where the devices cannot
 * (cushim_device_can_access_peer()), 704 CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED the second time.
 */
CUSHIM_API cushim_status cushim_context_enable_peer(cushim_context context, cushim_context peer);
CUSHIM_API cushim_status cushim_context_disable_peer(cushim_context context, cushim_context peer);

/**
 * Waits for all work of the context. Returns the error of the work, if any failed: such an
 * error stays, and every later call that uses the context returns it, too.
 */
CUSHIM_API cushim_status cushim_context_synchronize(cushim_context context);

/**
 * Asks for the error of a free that failed. Freeing cannot report one, and what fails then
 * must not fail another call; so the first such error waits here. Returns it, with the
 * thread's error text as if it had happened just now, and forgets it; CUSHIM_OK if there
 * was none.
 */
CUSHIM_API cushim_status cushim_context_check(cushim_context context);

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
#endif

#ifdef __cplusplus
}
#endif

#endif
