/* SPDX-License-Identifier: MIT */
/*
 * Attributes of streams. A stream keeps them, and they apply to all its later work: to kernels as
 * the launch options of the same name (struct cushim_launch_options), where a launch does not say
 * otherwise.
 *
 * They change how work runs and how threads wait, and never what work computes or what it comes
 * after. A stream that shares its CUstream with another handle shares its attributes as well. A
 * value that no driver accepts is CUSHIM_ERROR_INVALID_ARGUMENT, and the error text names it; the
 * driver is then not called. With a driver that does not know an attribute, the result is 1
 * CUDA_ERROR_INVALID_VALUE: synchronisation domains need CUDA 12.0, and setting the priority needs
 * CUDA 11.8.
 *
 * All functions are thread-safe. When several threads use a stream, the work that another thread
 * submits at the same time may have the old value or the new one.
 */
#ifndef CUSHIM_STREAM_ATTRIBUTES_H
#define CUSHIM_STREAM_ATTRIBUTES_H

#include <cushim/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Sets the window of memory that the L2 cache treats in a special way while kernels of the stream
 * run; see struct cushim_access_window. NULL or a view of no bytes: no window. The view must be of
 * memory of the stream's context; otherwise the result is CUSHIM_ERROR_FOREIGN_CONTEXT. The stream
 * keeps the addresses only, and not the memory: freeing the memory is allowed, and the window then
 * means whatever is allocated there later. The driver may make the window smaller.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_stream_set_access_window(cushim_stream stream, const struct cushim_access_window *window);

/**
 * Returns the window of a stream: the device address and the number of its bytes, which are 0 if
 * there is none, the share of accesses that are treated as hit, and how hits and misses are treated
 * (CUSHIM_ACCESS_NORMAL and so on). Each output may be NULL.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_access_window(cushim_stream stream,
                                                                    uint64_t *ret_address,
                                                                    size_t *ret_bytes,
                                                                    float *ret_hit_ratio,
                                                                    int *ret_hit, int *ret_miss);

/** Sets how threads wait for the stream. CUSHIM_WAIT_UNSET cannot be set again. */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_stream_set_wait_policy(cushim_stream stream, enum cushim_wait_policy policy);

/** Returns how threads wait for the stream; CUSHIM_WAIT_UNSET if that was never set. */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_stream_wait_policy(cushim_stream stream, enum cushim_wait_policy *ret_policy);

/**
 * Sets the priority of work that is submitted from now on. The value is clamped to
 * cushim_context_priority_range(); cushim_stream_priority() returns the value in use.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_set_priority(cushim_stream stream,
                                                                   int priority);

/**
 * Sets the synchronisation domain of the stream's kernels: CUSHIM_SYNC_DOMAIN_DEFAULT or
 * CUSHIM_SYNC_DOMAIN_REMOTE.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_stream_set_sync_domain(cushim_stream stream, enum cushim_sync_domain domain);

/** Returns the synchronisation domain of the stream's kernels. */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_stream_sync_domain(cushim_stream stream, enum cushim_sync_domain *ret_domain);

/**
 * Sets to which physical domains the two logical domains are mapped. A device has as many as its
 * attribute 126 (CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT) says, and they count from 0; otherwise
 * the result is 1 CUDA_ERROR_INVALID_VALUE.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_set_sync_domain_map(
    cushim_stream stream, unsigned char default_domain, unsigned char remote_domain);

/**
 * Returns to which physical domains the two logical domains are mapped. Each output may be NULL.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_sync_domain_map(cushim_stream stream,
                                                                      unsigned char *ret_default,
                                                                      unsigned char *ret_remote);

/**
 * Copies the attributes of one stream to another of the same context: the window, how threads wait,
 * and the synchronisation domains. Whether the driver copies the priority as well is up to it. The
 * result is CUSHIM_ERROR_FOREIGN_CONTEXT if the streams belong to different contexts.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_copy_attributes(cushim_stream to,
                                                                      cushim_stream from);

#ifdef __cplusplus
}
#endif

#endif
