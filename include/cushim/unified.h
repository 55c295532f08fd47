/* SPDX-License-Identifier: MIT */
/*
 * Unified memory: memory with one address for the host and all devices. The driver moves its pages
 * to the processor that uses them.
 *
 * Work on it is ordered by single bytes, as work on slices is. Before the host reads or writes the
 * memory, it must call cushim_unified_read() or cushim_unified_write(), which wait for work of the
 * devices on the memory. The pointer that they return may be used until the program submits work
 * with the memory again.
 *
 * Unified memory is attached to all streams, to the host, or to one stream. If it is attached to
 * one stream, work in another stream is rejected with CUSHIM_ERROR_NOT_ATTACHED, before the driver
 * is called. Some devices do not let the host and kernels use such memory at the same time
 * (attribute 89, CONCURRENT_MANAGED_ACCESS, is 0). There the host may use memory that is attached
 * to all streams only while the device is idle; the two functions above wait for that. If the
 * memory is attached to one stream, only that stream must be idle; if it is attached to the host,
 * nothing must be, and work in any stream is rejected with CUSHIM_ERROR_NOT_ATTACHED. On other
 * devices, attaching memory to the host changes nothing: streams may use it.
 *
 * All functions are thread-safe; see object.h, and view.h for parts of the memory. The result is
 * 801 CUDA_ERROR_NOT_SUPPORTED if the device has no unified memory.
 */
#ifndef CUSHIM_UNIFIED_H
#define CUSHIM_UNIFIED_H

#include <cushim/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where unified memory is attached, with the driver's values. */
enum cushim_attach {
    CUSHIM_ATTACH_GLOBAL = 1, /* all streams */
    CUSHIM_ATTACH_HOST = 2,   /* the host: streams may use it only on some devices, see above */
    CUSHIM_ATTACH_SINGLE = 4, /* one stream */
};

/**
 * Allocates unified memory for length elements with element_bytes bytes each. attach is
 * CUSHIM_ATTACH_GLOBAL or CUSHIM_ATTACH_HOST. The caller frees it with cushim_unified_free().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_unified_alloc(cushim_context context,
                                                             size_t element_bytes, size_t length,
                                                             enum cushim_attach attach,
                                                             cushim_unified *ret_unified);

/**
 * Attaches all of the memory, in the order of the stream and after all work that uses the memory.
 * CUSHIM_ATTACH_SINGLE attaches it to the given stream. The result is CUSHIM_ERROR_INVALID_ARGUMENT
 * if that is the default stream, which stands for all streams. When the stream is freed, the
 * attachment returns to the one with which the memory was allocated.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_unified_attach(cushim_stream stream,
                                                              cushim_unified unified,
                                                              enum cushim_attach attach);

/**
 * Waits until all submitted work that writes the memory is done, and returns a pointer to it. The
 * host may read through the pointer until work with the memory is submitted again. The memory
 * belongs to the handle.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_unified_read(cushim_unified unified,
                                                            const void **ret_pointer);

/**
 * Waits until all submitted work that uses the memory is done, and returns a pointer to it. The
 * host may read and write through the pointer until work with the memory is submitted again. The
 * memory belongs to the handle.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_unified_write(cushim_unified unified,
                                                             void **ret_pointer);

/** Names the host in the functions below, which otherwise take the ordinal of a device. */
#define CUSHIM_DEVICE_HOST (-1)

/**
 * Moves the pages of a view of unified memory to a device (its ordinal) or to the host
 * (CUSHIM_DEVICE_HOST), in the order of the stream, before work needs them there. Use
 * cushim_view_part() for a part of the memory.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_view_prefetch(cushim_stream stream, cushim_view view,
                                                             int device);

/**
 * Calls cushim_view_prefetch() for unified memory or a view: cushim_unified_prefetch(stream, x,
 * device).
 */
#define cushim_unified_prefetch(stream, x, device)                                                 \
    cushim_view_prefetch(stream, CUSHIM_VIEW(x), device)

/** Advice to the driver about the use of unified memory, with the driver's values. */
enum cushim_advice {
    CUSHIM_ADVICE_READ_MOSTLY = 1, /* the two READ_MOSTLY ones ignore device */
    CUSHIM_ADVICE_UNSET_READ_MOSTLY = 2,
    CUSHIM_ADVICE_PREFERRED_LOCATION = 3,
    CUSHIM_ADVICE_UNSET_PREFERRED_LOCATION = 4,
    CUSHIM_ADVICE_ACCESSED_BY = 5,
    CUSHIM_ADVICE_UNSET_ACCESSED_BY = 6,
};

/**
 * Advises the driver about the use of a view's pages. device is an ordinal or CUSHIM_DEVICE_HOST.
 * The advice applies when the call returns. It does not change any data. The result is
 * CUSHIM_ERROR_INVALID_ARGUMENT for a number that is not of enum cushim_advice.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_view_advise(cushim_view view,
                                                           enum cushim_advice advice, int device);

/**
 * Calls cushim_view_advise() for unified memory or a view: cushim_unified_advise(x, advice,
 * device).
 */
#define cushim_unified_advise(x, advice, device) cushim_view_advise(CUSHIM_VIEW(x), advice, device)

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_unified_alloc(...)                                                                  \
    (cushim_source_location(CUSHIM_HERE), cushim_unified_alloc(__VA_ARGS__))
#define cushim_unified_free(...)                                                                   \
    (cushim_source_location(CUSHIM_HERE), cushim_unified_free(__VA_ARGS__))
#define cushim_unified_retain(...)                                                                 \
    (cushim_source_location(CUSHIM_HERE), cushim_unified_retain(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
