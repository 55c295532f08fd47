/* SPDX-License-Identifier: MIT */
/*
 * Unified memory: memory that host and devices use at the same address, and that the driver moves
 * to where it is used.
 *
 * Work on it is ordered as that on slices is, by the byte. The host asks before it touches it, with
 * cushim_unified_read() or cushim_unified_write(), which wait for what the devices still do with
 * it; a pointer from an earlier call may be used until work with the memory is submitted again.
 *
 * Memory is attached: to all streams, to the host, or to one stream. On a device that cannot
 * let the host and kernels use such memory at the same time (attribute 89,
 * CONCURRENT_MANAGED_ACCESS, is 0), the host may touch memory that is attached to all streams
 * only while the device is idle, which the two functions see to; attaching to a stream or to the
 * host narrows what has to be idle. Using memory on a stream that it is not attached to is
 * CUSHIM_ERROR_NOT_ATTACHED, before the driver is asked.
 *
 * Thread-safe; see object.h, and view.h for parts. 801 CUDA_ERROR_NOT_SUPPORTED where
 * the device has no such memory.
 */
#ifndef CUSHIM_UNIFIED_H
#define CUSHIM_UNIFIED_H

#include <cushim/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Whom unified memory is attached to, with the driver's values. */
enum cushim_attach {
    CUSHIM_ATTACH_GLOBAL = 1, /* all streams */
    CUSHIM_ATTACH_HOST = 2,   /* none */
    CUSHIM_ATTACH_SINGLE = 4, /* one stream */
};

/** Memory for length elements of element bytes, attached to all streams or to the host. */
CUSHIM_API cushim_status cushim_unified_alloc(cushim_context context, size_t element, size_t length,
                                              enum cushim_attach attach,
                                              cushim_unified *ret_unified);

/**
 * Attaches all of it, in the order of the stream, which comes after all work that uses it. With
 * CUSHIM_ATTACH_SINGLE to this stream, which may not be the default one. The hold ends with the
 * stream: from when it is freed on, the memory is attached as it was when it was allocated.
 */
CUSHIM_API cushim_status cushim_unified_attach(cushim_stream stream, cushim_unified unified,
                                               enum cushim_attach attach);

/** Where it is, after all work that writes it. The host may read it. */
CUSHIM_API cushim_status cushim_unified_read(cushim_unified unified, const void **ret_pointer);

/** Where it is, after all work that uses it. The host may write it. */
CUSHIM_API cushim_status cushim_unified_write(cushim_unified unified, void **ret_pointer);

/** The host, where a function takes a device's ordinal. */
#define CUSHIM_DEVICE_HOST (-1)

/**
 * Moves a view to a device, or to CUSHIM_DEVICE_HOST, in the order of the stream: so that it
 * need not be moved when it is used. For a part, use cushim_view_part().
 */
CUSHIM_API cushim_status cushim_view_prefetch(cushim_stream stream, cushim_view view, int device);

/** cushim_unified_prefetch(stream, unified memory or view, device). */
#define cushim_unified_prefetch(stream, x, device)                                                 \
    cushim_view_prefetch(stream, CUSHIM_VIEW(x), device)

/** What is said about the use of unified memory, with the driver's values. */
enum cushim_advice {
    CUSHIM_ADVICE_READ_MOSTLY = 1,       /* device is not looked at for these two */
    CUSHIM_ADVICE_UNSET_READ_MOSTLY = 2, /* */
    CUSHIM_ADVICE_PREFERRED_LOCATION = 3,
    CUSHIM_ADVICE_UNSET_PREFERRED_LOCATION = 4,
    CUSHIM_ADVICE_ACCESSED_BY = 5,
    CUSHIM_ADVICE_UNSET_ACCESSED_BY = 6,
};

/** Advises the driver about a view's pages. At once, and changes no data. */
CUSHIM_API cushim_status cushim_view_advise(cushim_view view, enum cushim_advice advice,
                                            int device);

/** cushim_unified_advise(unified memory or view, advice, device). */
#define cushim_unified_advise(x, advice, device) cushim_view_advise(CUSHIM_VIEW(x), advice, device)

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_unified_alloc(...)                                                                  \
    (cushim_source_location(CUSHIM_HERE), cushim_unified_alloc(__VA_ARGS__))
#define cushim_unified_free(...)                                                                   \
    (cushim_source_location(CUSHIM_HERE), cushim_unified_free(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
