/* SPDX-License-Identifier: MIT */
/*
 * Pinned memory: page-locked memory of the host, which devices can read and write directly.
 *
 * With pinned memory copies are asynchronous: cushim_slice_copy() between a slice and pinned memory
 * returns when the copy is queued. Before the host reads or writes the memory, it must call
 * cushim_pinned_read() or cushim_pinned_write(), which wait for work of the devices on the memory.
 * The pointer that they return may be used until the program submits work with the memory again.
 * cushim cannot check this rule.
 *
 * Pinned memory is a limited resource and slow to allocate, so programs should keep it and use it
 * again. All contexts of its driver may use it. All functions are thread-safe; see object.h, and
 * view.h for parts of the memory.
 */
#ifndef CUSHIM_PINNED_H
#define CUSHIM_PINNED_H

#include <cushim/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Flags of pinned memory, with the driver's values. */
enum cushim_pinned_flag {
    CUSHIM_PINNED_DEFAULT = 0,
    CUSHIM_PINNED_PORTABLE = 1, /* for all contexts, also without unified addresses */
    CUSHIM_PINNED_MAPPED = 2,   /* kernels may use it, also without unified addresses */
    /**
     * Copies from it are faster, but the host reads it very slowly. Use it only for memory that the
     * host just writes.
     */
    CUSHIM_PINNED_WRITE_COMBINED = 4,
};

/**
 * Allocates pinned memory for length elements with element_bytes bytes each. flags are of enum
 * cushim_pinned_flag; other bits are CUSHIM_ERROR_INVALID_ARGUMENT. The caller frees it with
 * cushim_pinned_free().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_pinned_alloc(cushim_context context,
                                                            size_t element_bytes, size_t length,
                                                            unsigned flags,
                                                            cushim_pinned *ret_pinned);

/**
 * Waits until all submitted work that writes the memory is done, and returns a pointer to it. The
 * host may read through the pointer until work that writes the memory is submitted again. The
 * memory belongs to the handle.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_pinned_read(cushim_pinned pinned,
                                                           const void **ret_pointer);

/**
 * Waits until all submitted work that uses the memory is done, and returns a pointer to it. The
 * host may read and write through the pointer until work with the memory is submitted again. The
 * memory belongs to the handle.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_pinned_write(cushim_pinned pinned,
                                                            void **ret_pointer);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_pinned_alloc(...)                                                                   \
    (cushim_source_location(CUSHIM_HERE), cushim_pinned_alloc(__VA_ARGS__))
#define cushim_pinned_free(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_pinned_free(__VA_ARGS__))
#define cushim_pinned_retain(...)                                                                  \
    (cushim_source_location(CUSHIM_HERE), cushim_pinned_retain(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
