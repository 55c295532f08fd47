/* SPDX-License-Identifier: MIT */
/*
 * Pinned memory: memory of the host that devices copy to and from by themselves, because it is
 * locked into its pages.
 *
 * It makes copies asynchronous: cushim_slice_copy() between a slice and pinned memory returns when
 * the copy is queued. When the host wants to look at the memory, or to write to it, it asks with
 * cushim_pinned_read() or cushim_pinned_write(), which wait for what the devices still do with it.
 * That is the only rule, and cushim cannot check it: a pointer from an earlier call may be used
 * until work with the memory is submitted again.
 *
 * Pinned memory is a limited resource of the machine, and slow to allocate: keep it. All contexts
 * may use it. Thread-safe; see object.h, and view.h for parts.
 */
#ifndef CUSHIM_PINNED_H
#define CUSHIM_PINNED_H

#include <cushim/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What pinned memory is to be good for, with the driver's values. */
enum cushim_pinned_flag {
    CUSHIM_PINNED_DEFAULT = 0,
    CUSHIM_PINNED_PORTABLE = 1, /* for all contexts, also where addresses are not unified */
    CUSHIM_PINNED_MAPPED = 2,   /* for kernels to use directly, also there */
    /** Faster to copy from, and very slow for the host to read: only for what the host writes. */
    CUSHIM_PINNED_WRITE_COMBINED = 4,
};

/** Memory for length elements of element bytes, with enum cushim_pinned_flag. */
CUSHIM_API cushim_status cushim_pinned_alloc(cushim_context context, size_t element, size_t length,
                                             unsigned flags, cushim_pinned *ret_pinned);

/** Where it is, after all work that writes it. The host may read it. */
CUSHIM_API cushim_status cushim_pinned_read(cushim_pinned pinned, const void **ret_pointer);

/** Where it is, after all work that uses it. The host may write it. */
CUSHIM_API cushim_status cushim_pinned_write(cushim_pinned pinned, void **ret_pointer);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_pinned_alloc(...)                                                                   \
    (cushim_source_location(CUSHIM_HERE), cushim_pinned_alloc(__VA_ARGS__))
#define cushim_pinned_free(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_pinned_free(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
