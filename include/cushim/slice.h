/* SPDX-License-Identifier: MIT */
/*
 * Slices: memory of a device, as a number of elements of one size.
 *
 *     cushim_slice x = CUSHIM_NONE;
 *
 *     CUSHIM_TRY(cushim_slice_from(stream, host, n, &x));
 *     CUSHIM_TRY(cushim_slice_fill(stream, x, 1.5f));
 *     CUSHIM_TRY(cushim_slice_read(stream, x, host, n));
 *     cushim_slice_free(&x);
 *
 * A slice owns its memory. It is allocated in the order of a stream where the device has memory
 * pools, which is what makes it fast, and works the same where it has none. What is done to it in
 * any stream, by the functions here, by launches, and by its free, comes after what was done to
 * the same bytes before; nothing has to be said for that.
 *
 * Elements can be of any type: sizes count, and the macros take them from pointers. Lengths are
 * in elements. A length that does not match is CUSHIM_ERROR_INVALID_ARGUMENT, and nothing is
 * done. A slice of length 0 is fine, and every function does nothing with it.
 *
 * Where a function takes a cushim_view, the macro of the shorter name takes a slice, or
 * page-locked or unified memory, too; see view.h. The stream must be of the memory's
 * context, else CUSHIM_ERROR_FOREIGN_CONTEXT. Thread-safe; see object.h.
 */
#ifndef CUSHIM_SLICE_H
#define CUSHIM_SLICE_H

#include <cushim/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Memory for length elements of element bytes. What is in it is not said. 2
 * CUDA_ERROR_OUT_OF_MEMORY if there is no such memory; CUSHIM_ERROR_INVALID_ARGUMENT if
 * the bytes are more than a size can say.
 */
CUSHIM_API cushim_status cushim_slice_alloc(cushim_stream stream, size_t element, size_t length,
                                            cushim_slice *ret_slice);

/** The same, with all bytes 0. */
CUSHIM_API cushim_status cushim_slice_zeros(cushim_stream stream, size_t element, size_t length,
                                            cushim_slice *ret_slice);

/** The same, with a copy of length elements of the host, which may be used again at once. */
CUSHIM_API cushim_status cushim_slice_from_host(cushim_stream stream, const void *host,
                                                size_t element, size_t length,
                                                cushim_slice *ret_slice);

/** cushim_slice_from(stream, pointer, length, &slice): the element is what pointer points to. */
#define cushim_slice_from(stream, pointer, length, ret_slice)                                      \
    cushim_slice_from_host(stream, pointer, sizeof(*(pointer)), length, ret_slice)

/** The same, with a copy of a view: of a slice, or pinned or unified memory. */
CUSHIM_API cushim_status cushim_slice_from_view(cushim_stream stream, cushim_view view,
                                                cushim_slice *ret_slice);

/** cushim_slice_clone(stream, slice or view, &slice). */
#define cushim_slice_clone(stream, x, ret_slice)                                                   \
    cushim_slice_from_view(stream, CUSHIM_VIEW(x), ret_slice)

/** How a slice that was adopted is freed. */
enum cushim_adopted {
    CUSHIM_ADOPTED_BORROWED = 0, /* not at all: the owner keeps it until the slice is freed, and */
                                 /* its work is done */
    CUSHIM_ADOPTED_ASYNC = 1,    /* by cuMemFreeAsync(): it came from cuMemAllocAsync() */
    CUSHIM_ADOPTED_PLAIN = 2,    /* by cuMemFree() */
};

/**
 * A slice of memory that is there already, at a device address. What was done to it before is
 * taken to be work of the stream: other streams come after that.
 */
CUSHIM_API cushim_status cushim_slice_adopt(cushim_stream stream, uint64_t address, size_t element,
                                            size_t length, enum cushim_adopted how,
                                            cushim_slice *ret_slice);

/**
 * Gives a slice's memory away: the handle is freed, and the memory is the caller's, who frees it
 * with cuMemFreeAsync() or cuMemFree(). Later work of the stream may use it, and a free in
 * the stream comes after all that was done to it. CUSHIM_ERROR_BUSY if it is not all of
 * an allocation (because of cushim_slice_split()), or not ours to give (borrowed, a global): then
 * the slice is as before.
 */
CUSHIM_API cushim_status cushim_slice_leak(cushim_stream stream, cushim_slice *slice,
                                           uint64_t *ret_address);

/**
 * Makes two slices of one: what lies before the at-th element, and the rest. The old handle is
 * freed. The memory is given back when both are freed.
 */
CUSHIM_API cushim_status cushim_slice_split(cushim_slice *slice, size_t at, cushim_slice *ret_left,
                                            cushim_slice *ret_right);

/**
 * Copies the view's elements to the host, and returns when they are there. length must be the
 * view's. Memory that another thread has work written to meanwhile may be seen
 * half written.
 */
CUSHIM_API cushim_status cushim_view_read(cushim_stream stream, cushim_view view, void *host,
                                          size_t element, size_t length);

/** cushim_slice_read(stream, slice or view, pointer, length). */
#define cushim_slice_read(stream, x, pointer, length)                                              \
    cushim_view_read(stream, CUSHIM_VIEW(x), pointer, sizeof(*(pointer)), length)

/**
 * Reads all of a slice, whose length must be this, and frees it. If the reading fails, the slice
 * is as before.
 */
CUSHIM_API cushim_status cushim_slice_reclaim_to_host(cushim_stream stream, cushim_slice *slice,
                                                      void *host, size_t element, size_t length);

/** cushim_slice_reclaim(stream, &slice, pointer, length). */
#define cushim_slice_reclaim(stream, slice, pointer, length)                                       \
    cushim_slice_reclaim_to_host(stream, slice, pointer, sizeof(*(pointer)), length)

/**
 * Copies elements of the host to the view, and returns when they are there: the host's may be
 * used again. To go on at once instead, copy from pinned memory with cushim_slice_copy().
 */
CUSHIM_API cushim_status cushim_view_write(cushim_stream stream, cushim_view view, const void *host,
                                           size_t element, size_t length);

/** cushim_slice_write(stream, slice or view, pointer, length). */
#define cushim_slice_write(stream, x, pointer, length)                                             \
    cushim_view_write(stream, CUSHIM_VIEW(x), pointer, sizeof(*(pointer)), length)

/**
 * The same two for who knows better: they return when the copy is queued, and the caller sees to
 * it that the host's memory is there, and is left alone, until the stream is past it. That memory
 * should be page-locked, by the driver directly; with other memory the call may wait for the
 * stream, and other threads for the call. Memory from pinned.h needs none of this.
 */
CUSHIM_API cushim_status cushim_view_read_async(cushim_stream stream, cushim_view view, void *host,
                                                size_t element, size_t length);
CUSHIM_API cushim_status cushim_view_write_async(cushim_stream stream, cushim_view view,
                                                 const void *host, size_t element, size_t length);

/** cushim_slice_read_async(stream, slice or view, pointer, length), and for writing. */
#define cushim_slice_read_async(stream, x, pointer, length)                                        \
    cushim_view_read_async(stream, CUSHIM_VIEW(x), pointer, sizeof(*(pointer)), length)
#define cushim_slice_write_async(stream, x, pointer, length)                                       \
    cushim_view_write_async(stream, CUSHIM_VIEW(x), pointer, sizeof(*(pointer)), length)

/**
 * Copies between memory of devices, and page-locked memory, in the order of the stream. Both
 * have the same number of bytes. They may be of different contexts, of which the stream's is
 * one. CUSHIM_ERROR_OVERLAP if they overlap.
 */
CUSHIM_API cushim_status cushim_view_copy(cushim_stream stream, cushim_view to, cushim_view from);

/** cushim_slice_copy(stream, slice or view, slice or view). */
#define cushim_slice_copy(stream, to, from)                                                        \
    cushim_view_copy(stream, CUSHIM_VIEW(to), CUSHIM_VIEW(from))

/**
 * Repeats one element over the view, in the order of the stream. bytes is the element's size,
 * which must be the view's. One driver call where all 4-byte (2-byte, 1-byte) parts of the element
 * are the same; else one for each part.
 */
CUSHIM_API cushim_status cushim_view_fill(cushim_stream stream, cushim_view view,
                                          const void *element, size_t bytes);

/**
 * cushim_slice_fill(stream, slice or view, 1.5f). The value has the type of an element: 0 fills
 * ints, 0.0 doubles; for a struct, give a variable of it.
 */
#define cushim_slice_fill(stream, x, value)                                                        \
    __extension__({                                                                                \
        const __typeof__(value) cushim__value = (value);                                           \
        cushim_view_fill(stream, CUSHIM_VIEW(x), &cushim__value, sizeof(cushim__value));           \
    })

/*
 * Work behind cushim's back, by the driver's functions or a library's, takes two calls:
 *
 *     CUSHIM_TRY(cushim_slice_use(stream, x, true, &address));
 *     cublas...(..., address, ...) on the stream
 *     CUSHIM_TRY(cushim_slice_used(stream, x, true));
 *
 * The first makes the stream wait for what it must. The second says that the work is submitted,
 * so that others come after it; without it, they may not. Between the two, no other thread may
 * use the same bytes.
 */

/** Makes the stream wait until it may read, or write, the view; and where that is. */
CUSHIM_API cushim_status cushim_view_use(cushim_stream stream, cushim_view view, bool write,
                                         uint64_t *ret_address);

/** What is in the stream now reads, or writes, the view. */
CUSHIM_API cushim_status cushim_view_used(cushim_stream stream, cushim_view view, bool write);

#define cushim_slice_use(stream, x, write, ret_address)                                            \
    cushim_view_use(stream, CUSHIM_VIEW(x), write, ret_address)
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
#endif

#ifdef __cplusplus
}
#endif

#endif
