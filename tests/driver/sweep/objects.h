/* SPDX-License-Identifier: MIT */
/*
 * What makes the objects that questions are about. Each is made anew for each question, in the
 * current context, and destroyed with it.
 */
#ifndef CUSHIM_TESTS_DRIVER_SWEEP_OBJECTS_H
#define CUSHIM_TESTS_DRIVER_SWEEP_OBJECTS_H

#include "sweep.h"

/* Bytes of what make_memory() and make_host() make. */
#define MEMORY_BYTES 4096

typedef uint64_t maker(const struct param *param);
typedef void destroyer(uint64_t handle);

maker make_null, make_zeros, make_minus_one, make_one, make_two;
maker make_context, make_fresh_context, make_attached_context;
maker make_stream, make_capturing_stream, make_event, make_untimed_event, make_recorded_event;
maker make_memory, make_odd_memory, make_near_memory_end, make_managed, make_pool_memory,
    make_reserved, make_mapped, make_memory_low, make_zeroed;
maker make_host, make_pinned, make_registered, make_nowhere, make_page, make_device_of_pinned;
maker make_array, make_mipmap, make_module, make_function, make_kernel, make_library, make_link,
    make_texref, make_module_texref, make_surfref, make_texture, make_surface, make_pool,
    make_memory_handle, make_user_object;
maker make_image, make_other_image, make_newer_image, make_garbage, make_empty_text, make_absent,
    make_text;
maker make_filled_link, make_pci_id, make_peer, make_shaped, make_image_bytes,
    make_half_image_bytes, make_shared_memory, make_texref_address, make_texref_array,
    make_texref_mipmap, make_surfref_array, make_viewed_texture, make_ipc_event;
maker make_green, make_sm_desc;
maker make_stream_callback, make_callback, make_block_callback;

CUfunction make_kernel_named(const char *name);

destroyer destroy_stream, destroy_event, destroy_memory, destroy_context, destroy_host,
    destroy_array, destroy_mipmap, destroy_module, destroy_library, destroy_link, destroy_graph,
    destroy_exec, destroy_texref, destroy_texture, destroy_surface, destroy_pool,
    destroy_memory_handle, destroy_user_object, destroy_range, destroy_capture, destroy_green;

#endif
