/* SPDX-License-Identifier: MIT */
/*
 * Memory pools. A pool is memory of a device that the driver keeps for stream-ordered allocations.
 * All slices of slice.h come from the device's pool. A program that wants other properties for some
 * of its memory makes a pool and allocates from it:
 *
 *     CUSHIM_TRY(cushim_pool_new(context, cushim_pool_params(.label = "images"), &pool));
 *     CUSHIM_TRY(cushim_slice_alloc_from(stream, pool, CUSHIM_ELEMENT(float), n, &x));
 *
 * A pool reserves memory of the device, and its allocations use some of that. When memory is freed
 * in the order of a stream, the pool may use it again as soon as the stream is there. When a thread
 * waits for a stream, an event or the context, the pool gives unused memory back to the device, as
 * far as it has reserved more than its release threshold.
 *
 * Two mechanisms keep freed memory. A slice that was made with slice.h is kept by its context first
 * (memory.h); for the driver's pool this memory is still in use. A slice that was made with
 * cushim_slice_alloc_from() always goes back to its pool.
 *
 * A pool lives until its handle and all slices of it are freed. All functions are thread-safe; see
 * object.h. They need CUDA 11.2; with an older driver the result is 302
 * CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND. On a device without memory pools, making one fails
 * with 801 CUDA_ERROR_NOT_SUPPORTED.
 */
#ifndef CUSHIM_POOL_H
#define CUSHIM_POOL_H

#include <cushim/slice.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A memory pool. Freed by cushim_pool_free(), which does not wait. */
CUSHIM__HANDLE(cushim_pool, cushim_pool_free)

/** Parameters of cushim_pool_new(). A field that is zero selects its default. */
struct cushim_pool_params {
    size_t size; /* sizeof the structure; the macro sets it */
    /** As cushim_pool_set_release_threshold() sets it. */
    uint64_t release_threshold;
    /**
     * How many bytes the pool reserves at most; 0: as many as there are. Needs CUDA 12.3. A driver
     * reserves in steps, which may be of 32 MiB: a pool with less may allocate nothing, and answers
     * 2 CUDA_ERROR_OUT_OF_MEMORY.
     */
    size_t max_bytes;
    /** If true, the pool can be used by other processes. */
    bool shared;
    /** The pool's label in messages, or NULL. The text is copied. */
    const char *label;
};

/**
 * Writes the parameters in place: cushim_pool_new(context, cushim_pool_params(.max_bytes = n),
 * &pool).
 */
#define cushim_pool_params(...) CUSHIM__IN_PLACE(cushim_pool_params, __VA_ARGS__)

/**
 * Creates a pool of memory of the context's device. params may be NULL. The caller frees the pool
 * with cushim_pool_free().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_pool_new(cushim_context context,
                                                        const struct cushim_pool_params *params,
                                                        cushim_pool *ret_pool);

/**
 * Returns a handle of the device's pool, from which slices are allocated. It is the driver's
 * default pool, unless the program has set another one with cuDeviceSetMemPool(), which must then
 * live as long as the handle. The caller frees the handle; the pool stays.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_pool_default(cushim_context context,
                                                            cushim_pool *ret_pool);

/** Returns the CUmemoryPool, for calls through the table (table.h). It belongs to the pool. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_pool_raw(cushim_pool pool, void **ret_cu_pool);

/**
 * Allocates a slice as cushim_slice_alloc() does, but from a pool. The pool must belong to the same
 * context as the stream; otherwise the result is CUSHIM_ERROR_FOREIGN_CONTEXT. The result is 2
 * CUDA_ERROR_OUT_OF_MEMORY if neither the pool nor the device has enough memory. The slice is freed
 * with cushim_slice_free(); its memory goes back to the pool, after all work on it.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_slice_alloc_from(cushim_stream stream,
                                                                cushim_pool pool,
                                                                size_t element_bytes, size_t length,
                                                                cushim_slice *ret_slice);

/** Returns how many bytes the pool keeps reserved when it gives unused memory back. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_pool_release_threshold(cushim_pool pool,
                                                                      uint64_t *ret_bytes);

/**
 * Sets how many bytes the pool keeps reserved when it gives unused memory back. It is 0 at first.
 * With UINT64_MAX, nothing is given back before cushim_pool_trim().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_pool_set_release_threshold(cushim_pool pool,
                                                                          uint64_t bytes);

/**
 * Gives unused memory back to the device, until at most keep_bytes are reserved. Memory whose free
 * the stream has not come to is still in use.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_pool_trim(cushim_pool pool, size_t keep_bytes);

/**
 * Returns how many bytes the pool has reserved now, and the most that it has had since
 * cushim_pool_reset_high(). Either output may be NULL.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_pool_reserved(cushim_pool pool, uint64_t *ret_bytes,
                                                             uint64_t *ret_high);

/**
 * Returns how many bytes of the pool are allocated now, and the most that were allocated since
 * cushim_pool_reset_high(). Either output may be NULL.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_pool_used(cushim_pool pool, uint64_t *ret_bytes,
                                                         uint64_t *ret_high);

/** Sets both high values, of reserved and of used bytes, to what there is now. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_pool_reset_high(cushim_pool pool);

/** What a device may do with the memory of a pool, with the driver's values. */
enum cushim_pool_access {
    CUSHIM_POOL_ACCESS_NONE = 0,
    CUSHIM_POOL_ACCESS_READ = 1,
    CUSHIM_POOL_ACCESS_READ_WRITE = 3,
};

/**
 * Sets what kernels of peer's device may do with the memory of the pool, also with slices that
 * exist already. cushim_context_enable_peer() does this for the device's own pool. Copies between
 * contexts work without this. A launch still refuses a slice of another context: adopt its address
 * there (cushim_slice_adopt()). The pool's own device always has full access; to take it away is
 * CUSHIM_ERROR_INVALID_ARGUMENT. The result is 101 CUDA_ERROR_INVALID_DEVICE if the devices cannot access each other, and 1 CUDA_ERROR_INVALID_VALUE
 * for an access that the driver does not support; drivers so far refuse
 * CUSHIM_POOL_ACCESS_READ. The caller makes sure that no kernel uses memory that is taken away.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_pool_allow(cushim_pool pool, cushim_context peer,
                                                          enum cushim_pool_access access);

/** Returns what kernels of peer's device may do with the memory of the pool. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_pool_access(cushim_pool pool, cushim_context peer,
                                                           enum cushim_pool_access *ret_access);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_pool_new(...) (cushim_source_location(CUSHIM_HERE), cushim_pool_new(__VA_ARGS__))
#define cushim_pool_default(...)                                                                   \
    (cushim_source_location(CUSHIM_HERE), cushim_pool_default(__VA_ARGS__))
#define cushim_pool_free(...) (cushim_source_location(CUSHIM_HERE), cushim_pool_free(__VA_ARGS__))
#define cushim_pool_retain(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_pool_retain(__VA_ARGS__))
#define cushim_slice_alloc_from(...)                                                               \
    (cushim_source_location(CUSHIM_HERE), cushim_slice_alloc_from(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
