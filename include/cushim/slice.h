/* SPDX-License-Identifier: MIT */
/*
 * Slices. A slice is memory of a device: a number of elements that all have the same size.
 *
 *     cushim_slice x = CUSHIM_NONE;
 *
 *     CUSHIM_TRY(cushim_slice_from(stream, host, n, &x));
 *     CUSHIM_TRY(cushim_slice_fill(stream, x, 1.5f));
 *     CUSHIM_TRY(cushim_slice_read(stream, x, host, n));
 *     cushim_slice_free(&x);
 *
 * A slice owns its memory. On a device with memory pools, cushim allocates and frees with
 * cuMemAllocAsync() and cuMemFreeAsync(), in the order of the stream. On other devices it uses
 * cuMemAlloc() and cuMemFree(), which are slower because they may wait for the device. So it does
 * with drivers older than CUDA 11.2, which have no memory pools.
 *
 * A slice that is allocated while its stream records for a graph is a part of an arena (arena.h).
 *
 * cushim keeps the order of work on memory. Each use of a slice waits for earlier uses of the same
 * bytes where that is necessary, in whichever streams they are. This holds for the functions of
 * this header, for launches (launch.h), and for cushim_slice_free(). The program need not make any
 * call for it.
 *
 * Elements can be of any type. cushim knows their size, and whether they are integers or
 * floating-point numbers, if it was told so: the macros take both from the type of a pointer, and
 * CUSHIM_ELEMENT(float) gives both where an argument is called element_bytes. With sizeof(float) it
 * knows the size alone. If both sides of a call have elements that are known, they must be of one
 * kind, whether it fills, reads, writes or copies. Lengths are in elements. If a length does not
 * match, the function changes nothing and returns CUSHIM_ERROR_INVALID_ARGUMENT. A slice of length
 * 0 is allowed, and every function does nothing with it.
 *
 * A function that takes a cushim_view has a macro cushim_slice_x(), which also takes a slice,
 * pinned memory or unified memory; see view.h. The stream must belong to the same context as the
 * memory; otherwise the result is CUSHIM_ERROR_FOREIGN_CONTEXT. All functions are thread-safe; see
 * object.h.
 */
#ifndef CUSHIM_SLICE_H
#define CUSHIM_SLICE_H

#include <cushim/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Allocates a slice of length elements with element_bytes bytes each. The contents are undefined.
 * The caller frees it with cushim_slice_free(). The result is 2 CUDA_ERROR_OUT_OF_MEMORY if the
 * device has not enough memory, and CUSHIM_ERROR_INVALID_ARGUMENT if the number of bytes does not
 * fit into a size_t.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_slice_alloc(cushim_stream stream,
                                                           size_t element_bytes, size_t length,
                                                           cushim_slice *ret_slice);

/**
 * Allocates a slice of length elements with element_bytes bytes each, and sets all bytes to 0 in
 * the order of the stream. Errors are those of cushim_slice_alloc().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_slice_zeros(cushim_stream stream,
                                                           size_t element_bytes, size_t length,
                                                           cushim_slice *ret_slice);

/**
 * Allocates a slice of length elements with element_bytes bytes each, and copies the elements from
 * host memory. The host memory may be used again when the call returns. Errors are those of
 * cushim_slice_alloc().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_slice_from_host(cushim_stream stream,
                                                               const void *host,
                                                               size_t element_bytes, size_t length,
                                                               cushim_slice *ret_slice);

/**
 * Calls cushim_slice_from_host() with the element size of a pointer: cushim_slice_from(stream,
 * pointer, length, &slice).
 */
#define cushim_slice_from(stream, pointer, length, ret_slice)                                      \
    cushim_slice_from_host(stream, pointer, CUSHIM__ELEMENT_OF(pointer), length, ret_slice)

/**
 * Allocates a slice with the length and the element size of a view, and copies the view into it in
 * the order of the stream. The view may be of a slice, of pinned memory or of unified memory.
 * Errors are those of cushim_slice_alloc().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_slice_from_view(cushim_stream stream,
                                                               cushim_view view,
                                                               cushim_slice *ret_slice);

/** Copies a slice or a view into a new slice: cushim_slice_clone(stream, slice or view, &slice). */
#define cushim_slice_clone(stream, x, ret_slice)                                                   \
    cushim_slice_from_view(stream, CUSHIM_VIEW(x), ret_slice)

/** How an adopted slice frees its memory. */
enum cushim_adopted {
    CUSHIM_ADOPTED_BORROWED = 0, /* not at all: the owner keeps it until the slice is freed and */
                                 /* its work is done */
    CUSHIM_ADOPTED_ASYNC = 1,    /* by cuMemFreeAsync(): it came from cuMemAllocAsync() */
    CUSHIM_ADOPTED_PLAIN = 2,    /* by cuMemFree() */
};

/**
 * Makes a slice of memory that exists already, at a device address. cushim assumes that all earlier
 * work on that memory is in the given stream: work of other streams will come after it. The result
 * is CUSHIM_ERROR_INVALID_ARGUMENT for a number that is not of enum cushim_adopted.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_slice_adopt(cushim_stream stream, uint64_t address,
                                                           size_t element_bytes, size_t length,
                                                           enum cushim_adopted how,
                                                           cushim_slice *ret_slice);

/**
 * Frees the handle of a slice, but keeps its memory and returns the device address. The caller then
 * owns the memory and frees it with cuMemFreeAsync() or cuMemFree(). Later work in the given stream
 * comes after all earlier work on the memory, so that stream may use and free it.
 *
 * The result is CUSHIM_ERROR_BUSY as long as other slices or graphs have parts of the same
 * allocation (after cushim_slice_split()), or the slice has other handles. If the slice is a part
 * whose other parts are freed, the address is that of the allocation, where the first part began.
 * The result is CUSHIM_ERROR_INVALID_ARGUMENT if the memory is never the program's to free this
 * way: borrowed memory, variables of modules, and memory of other processes and interfaces, except
 * that of another process's pool. The slice is unchanged by all of these errors.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_slice_leak(cushim_stream stream, cushim_slice *slice,
                                                          uint64_t *ret_address);

/**
 * Splits a slice into two: the elements before index at, and the others. The old handle is freed.
 * The memory is freed when both new slices are freed.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_slice_split(cushim_slice *slice, size_t at,
                                                           cushim_slice *ret_left,
                                                           cushim_slice *ret_right);

/**
 * Copies the elements of a view to host memory, and returns when the copy is complete.
 * element_bytes and length must be those of the view. If another thread submits work that writes
 * the same memory during the call, the host may get a mixture of old and new elements.
 *
 * The host memory may be pinned or unified memory itself. The result of this and of the other
 * copies between a view and host memory is CUSHIM_ERROR_OVERLAP if both have bytes in common.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_view_read(cushim_stream stream, cushim_view view,
                                                         void *host, size_t element_bytes,
                                                         size_t length);

/**
 * Calls cushim_view_read() with the element size of a pointer: cushim_slice_read(stream, slice or
 * view, pointer, length).
 */
#define cushim_slice_read(stream, x, pointer, length)                                              \
    cushim_view_read(stream, CUSHIM_VIEW(x), pointer, CUSHIM__ELEMENT_OF(pointer), length)

/**
 * Copies all elements of a slice to host memory, returns when the copy is complete, and frees the
 * slice. element_bytes and length must be those of the slice. If the copy fails, the slice is
 * unchanged.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_slice_reclaim_to_host(
    cushim_stream stream, cushim_slice *slice, void *host, size_t element_bytes, size_t length);

/**
 * Calls cushim_slice_reclaim_to_host() with the element size of a pointer:
 * cushim_slice_reclaim(stream, &slice, pointer, length).
 */
#define cushim_slice_reclaim(stream, slice, pointer, length)                                       \
    cushim_slice_reclaim_to_host(stream, slice, pointer, CUSHIM__ELEMENT_OF(pointer), length)

/**
 * Copies elements from host memory to a view. element_bytes and length must be those of the view.
 * The host memory may be used again when the call returns. A program that should not wait copies
 * from pinned memory with cushim_slice_copy().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_view_write(cushim_stream stream, cushim_view view,
                                                          const void *host, size_t element_bytes,
                                                          size_t length);

/**
 * Calls cushim_view_write() with the element size of a pointer: cushim_slice_write(stream, slice or
 * view, pointer, length).
 */
#define cushim_slice_write(stream, x, pointer, length)                                             \
    cushim_view_write(stream, CUSHIM_VIEW(x), pointer, CUSHIM__ELEMENT_OF(pointer), length)

/**
 * Copies the elements of a view to host memory, and returns when the copy is queued. The caller
 * must keep the host memory allocated, and must not touch it, until the stream has passed the copy.
 * The host memory should be page-locked by the driver. With other memory the call may wait for the
 * stream, and other threads may then wait for the call.
 *
 * If the host memory is pinned or unified memory of cushim, the copy is ordered with all other work
 * on it, as with cushim_slice_copy(): cushim_pinned_read() and cushim_unified_read() wait for it.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_view_read_async(cushim_stream stream,
                                                               cushim_view view, void *host,
                                                               size_t element_bytes, size_t length);

/**
 * Copies elements from host memory to a view, and returns when the copy is queued. The caller must
 * keep the host memory allocated and unchanged until the stream has passed the copy. The host
 * memory should be page-locked by the driver. With other memory the call may wait for the stream,
 * and other threads may then wait for the call.
 *
 * If the host memory is pinned or unified memory of cushim, the copy is ordered with all other work
 * on it, as with cushim_slice_copy(): cushim_pinned_write() and cushim_unified_write() wait for it.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_view_write_async(cushim_stream stream,
                                                                cushim_view view, const void *host,
                                                                size_t element_bytes,
                                                                size_t length);

/**
 * Calls cushim_view_read_async() with the element size of a pointer:
 * cushim_slice_read_async(stream, slice or view, pointer, length).
 */
#define cushim_slice_read_async(stream, x, pointer, length)                                        \
    cushim_view_read_async(stream, CUSHIM_VIEW(x), pointer, CUSHIM__ELEMENT_OF(pointer), length)

/**
 * Calls cushim_view_write_async() with the element size of a pointer:
 * cushim_slice_write_async(stream, slice or view, pointer, length).
 */
#define cushim_slice_write_async(stream, x, pointer, length)                                       \
    cushim_view_write_async(stream, CUSHIM_VIEW(x), pointer, CUSHIM__ELEMENT_OF(pointer), length)

/**
 * Copies one view to another in the order of the stream. Each view is of a slice, of pinned memory
 * or of unified memory. Both must have the same number of bytes, and not integers on one side and
 * floating-point numbers on the other; CUSHIM_VIEW_AS() views the bytes as another type. They may
 * belong to different contexts of a driver, one of which must be the context of the stream. The
 * result is CUSHIM_ERROR_OVERLAP if the views overlap.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_view_copy(cushim_stream stream, cushim_view to,
                                                         cushim_view from);

/** Copies between slices or views: cushim_slice_copy(stream, to, from). */
#define cushim_slice_copy(stream, to, from)                                                        \
    cushim_view_copy(stream, CUSHIM_VIEW(to), CUSHIM_VIEW(from))

/**
 * Fills a view with copies of one element, in the order of the stream. element_bytes
 * must be the element size of the view. If the element consists of equal parts of 4, 2
 * or 1 bytes, this takes one call of the driver; otherwise it takes one call for each part. A graph
 * cannot change a fill of several calls (node.h).
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_view_fill(cushim_stream stream, cushim_view view,
                                                         const void *element, size_t element_bytes);

/**
 * Fills a slice or a view with a value: cushim_slice_fill(stream, slice or view, 1.5f). The value
 * must have the type of the elements: 0 fills elements of type int, and 0.0 elements of type
 * double. For a structure, pass a variable.
 */
#ifdef __cplusplus
#define cushim_slice_fill(stream, x, ...) cushim__fill((stream), CUSHIM_VIEW(x), __VA_ARGS__)
#else
#define cushim_slice_fill(stream, x, ...)                                                          \
    cushim_view_fill((stream), CUSHIM_VIEW(x), (const __typeof__(__VA_ARGS__)[1]){__VA_ARGS__},    \
                     CUSHIM__ELEMENT_OF((__typeof__(__VA_ARGS__) *) 0))
#endif

/*
 * Work that cushim does not submit itself, through the driver or a library, takes two calls:
 *
 *     CUSHIM_TRY(cushim_slice_use(stream, x, true, &address));
 *     cublas...(..., address, ...) on the stream
 *     CUSHIM_TRY(cushim_slice_used(stream, x, true));
 *
 * The first call makes the stream wait for earlier work on the memory. The second call declares
 * that the work is submitted, so that later work on the memory comes after it; without this call,
 * nothing orders the two. Between the two calls, no other thread may use the same bytes.
 */

/**
 * Makes the stream wait until work in it may read the view, or write it if write is true. Returns
 * the device address of the view. cushim_view_used() must follow when the work is submitted.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_view_use(cushim_stream stream, cushim_view view,
                                                        bool write, uint64_t *ret_address);

/**
 * Declares that work which is in the stream now reads the view, or writes it if write is true.
 * Later work on the same memory then comes after it.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_view_used(cushim_stream stream, cushim_view view,
                                                         bool write);

/** Calls cushim_view_use() for a slice or a view. */
#define cushim_slice_use(stream, x, write, ret_address)                                            \
    cushim_view_use(stream, CUSHIM_VIEW(x), write, ret_address)

/** Calls cushim_view_used() for a slice or a view. */
#define cushim_slice_used(stream, x, write) cushim_view_used(stream, CUSHIM_VIEW(x), write)

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_slice_alloc(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_slice_alloc(__VA_ARGS__))
#define cushim_slice_zeros(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_slice_zeros(__VA_ARGS__))
#define cushim_slice_from_host(...)                                                                \
    (cushim_source_location(CUSHIM_HERE), cushim_slice_from_host(__VA_ARGS__))
#define cushim_slice_from_view(...)                                                                \
    (cushim_source_location(CUSHIM_HERE), cushim_slice_from_view(__VA_ARGS__))
#define cushim_slice_adopt(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_slice_adopt(__VA_ARGS__))
#define cushim_slice_leak(...) (cushim_source_location(CUSHIM_HERE), cushim_slice_leak(__VA_ARGS__))
#define cushim_slice_split(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_slice_split(__VA_ARGS__))
#define cushim_slice_reclaim_to_host(...)                                                          \
    (cushim_source_location(CUSHIM_HERE), cushim_slice_reclaim_to_host(__VA_ARGS__))
#define cushim_slice_free(...) (cushim_source_location(CUSHIM_HERE), cushim_slice_free(__VA_ARGS__))
#define cushim_slice_retain(...)                                                                   \
    (cushim_source_location(CUSHIM_HERE), cushim_slice_retain(__VA_ARGS__))
#endif

#ifdef __cplusplus
}

template <class T>
static inline CUSHIM_CHECKED cushim_status cushim__fill(cushim_stream stream, cushim_view view,
                                                        const T &value)
{
    return cushim_view_fill(stream, view, &value, CUSHIM__ELEMENT_OF(&value));
}
#endif

#endif
