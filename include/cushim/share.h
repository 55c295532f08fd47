/* SPDX-License-Identifier: MIT */
/*
 * Memory and events that several processes use. One process shares an object, which gives it a
 * name of plain bytes. It sends the bytes to another process in any way. That process opens the
 * name, and then has an object of its own for the same memory:
 *
 * In one process:
 *
 *     CUSHIM_TRY(cushim_slice_alloc_shared(stream, CUSHIM_ELEMENT(float), n, &x));
 *     CUSHIM_TRY(cushim_slice_share(x, &name));
 *     ... send name, whose size is sizeof(name) ...
 *
 * In the other one:
 *
 *     CUSHIM_TRY(cushim_slice_open(stream, (cushim_pool) CUSHIM_NONE, &name, &y));
 *
 * cushim orders the work of a process on its own slices. It knows nothing of the work of other
 * processes, which the programs must order themselves: by waiting on the host before they tell each
 * other, or with events of CUSHIM_EVENT_INTERPROCESS (event.h), which the mock does not have. After
 * waiting for such an event in a stream, cushim_slice_used() (slice.h) declares that later work on
 * the memory comes after that stream.
 *
 * The process that made the memory must not free it before the others have freed theirs. A process
 * cannot open what it has shared itself: the result is then 201 CUDA_ERROR_INVALID_CONTEXT, or
 * another error of the driver. Each name should be opened once in a context, because two slices of
 * the same memory are not ordered with each other. A name is trusted: open only names that come
 * from a process of the same program. Not all systems allow sharing; the result is then an error of
 * the driver, such as 801 CUDA_ERROR_NOT_SUPPORTED.
 *
 * All functions are thread-safe.
 */
#ifndef CUSHIM_SHARE_H
#define CUSHIM_SHARE_H

#include <cushim/event.h>
#include <cushim/pool.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The name of a slice for other processes of the same system. cushim_slice_share() fills it in, and
 * a program must not change it. Both processes must use versions of cushim that make the same kind
 * of names; cushim_slice_open() refuses other ones, and bytes that are no name, such as zeros, with
 * CUSHIM_ERROR_INVALID_ARGUMENT.
 */
struct cushim_shared_slice {
    unsigned char handle[64]; /* the driver's */
    uint64_t offset;          /* bytes of the allocation before the slice */
    uint64_t element, length; /* of CUSHIM_ELEMENT(), and how many */
    uint64_t of_pool;         /* a mark of the kind of names, plus 1 if the memory is of a pool */
};

/** The name of an event for other processes of the same system. */
struct cushim_shared_event {
    unsigned char handle[64]; /* the driver's */
};

/**
 * Allocates a slice that can be shared, as cushim_slice_alloc() does otherwise. The memory comes
 * from cuMemAlloc(), which is slower than a pool; it is never kept by the context (memory.h).
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_slice_alloc_shared(cushim_stream stream,
                                                                  size_t element_bytes,
                                                                  size_t length,
                                                                  cushim_slice *ret_slice);

/**
 * Names the memory of a slice for other processes. The slice was made by
 * cushim_slice_alloc_shared(), by cushim_slice_alloc_from() with a pool for which
 * cushim_pool_share() was called before this, by cushim_slice_adopt() with memory of cuMemAlloc(),
 * or it is a part of such a slice. Other memory has no name: the result is
 * CUSHIM_ERROR_INVALID_ARGUMENT, and the error text says why. The other process gets access to the
 * whole allocation, of which the slice may be a part.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_slice_share(cushim_slice slice,
                                                           struct cushim_shared_slice *ret_name);

/**
 * Makes a slice of the memory that another process has shared. pool is the pool that was opened
 * with cushim_pool_open() if the memory is of a pool, and otherwise (cushim_pool) CUSHIM_NONE;
 * another pool than the right one is undefined behaviour. The caller frees the slice with
 * cushim_slice_free(), which closes the memory after all work on it that this process has
 * submitted. Closing memory that is not of a pool waits for that work.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_slice_open(cushim_stream stream, cushim_pool pool,
                                                          const struct cushim_shared_slice *name,
                                                          cushim_slice *ret_slice);

/**
 * Returns a file descriptor that stands for a pool, to be sent to another process. The pool was
 * made with .shared; otherwise the result is CUSHIM_ERROR_INVALID_ARGUMENT. The caller closes the
 * descriptor.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_pool_share(cushim_pool pool, int *ret_fd);

/**
 * Makes a pool object for a pool of another process, from the descriptor that this process has
 * received. The descriptor stays the caller's, who may close it after the call. Nothing can be
 * allocated from the pool; cushim_slice_open() opens its memory. The caller frees the pool with
 * cushim_pool_free(). The result is CUSHIM_ERROR_INVALID_ARGUMENT for a negative descriptor.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_pool_open(cushim_context context, int fd,
                                                         cushim_pool *ret_pool);

/**
 * Names an event for other processes. It was made with CUSHIM_EVENT_INTERPROCESS; otherwise the
 * result is CUSHIM_ERROR_INVALID_ARGUMENT.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_event_share(cushim_event event,
                                                           struct cushim_shared_event *ret_name);

/**
 * Makes an event object for an event of another process. Each process may record it and wait for
 * it. The caller frees it with cushim_event_free().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_event_open(cushim_context context,
                                                          const struct cushim_shared_event *name,
                                                          cushim_event *ret_event);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_slice_alloc_shared(...)                                                             \
    (cushim_source_location(CUSHIM_HERE), cushim_slice_alloc_shared(__VA_ARGS__))
#define cushim_slice_open(...) (cushim_source_location(CUSHIM_HERE), cushim_slice_open(__VA_ARGS__))
#define cushim_pool_open(...)  (cushim_source_location(CUSHIM_HERE), cushim_pool_open(__VA_ARGS__))
#define cushim_event_open(...) (cushim_source_location(CUSHIM_HERE), cushim_event_open(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
