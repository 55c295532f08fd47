/* SPDX-License-Identifier: MIT */
/* The structures that functions take, field by field. */
#ifndef CUSHIM_TESTS_DRIVER_SWEEP_SHAPES_H
#define CUSHIM_TESTS_DRIVER_SWEEP_SHAPES_H

#include "kinds.h"

/* FIELD(type, member, kind) of SHAPE(name, type, FIELD(...), ...) */
#define FIELD(type, member, ...)                                                                   \
    {                                                                                              \
#member, offsetof(type, member), sizeof(((type *) NULL)->member), __VA_ARGS__              \
    }
#define SHAPE(label, type, ...)                                                                    \
    const struct shape label = {.bytes = sizeof(type),                                             \
                                .fields = (const struct field[]){__VA_ARGS__, {0}}}

/* An array of one, and room for more that is zero. */
#define LIST(label, bytes_each, ...)                                                               \
    const struct shape label = {                                                                   \
        .bytes = bytes_each,                                                                       \
        .fields = (const struct field[]){{"0", 0, bytes_each, __VA_ARGS__}, {0}}}

extern const struct shape copy_2d, copy_2d_v1, copy_3d, copy_3d_v1, copy_3d_peer, copy_node,
    array_desc, array_desc_v1, array_3d_desc, array_3d_desc_v1, mipmap_desc, location,
    host_location, allocation_prop, access_desc, pool_props, resource_desc, linear_desc, pitch_desc,
    surface_desc, texture_desc, view_desc, kernel_params, kernel_params_v1, set_params, host_params,
    batch_params, batch_write, alloc_params, instantiate_params, any_params_kernel, any_params_copy,
    any_params_set, any_params_host, any_params_child, any_params_event, any_params_alloc,
    any_params_condition, edge_data, launch_config, launch_attribute, copy_attributes,
    copy_3d_batch, multi_launch, context_params, affinity_param, external_memory, external_buffer,
    external_mipmap, external_semaphore, external_signal, external_wait, multicast_prop, ipc_event,
    ipc_memory, stream_attribute, kernel_attribute, border_color;
extern const struct shape list_node, list_second_node, list_address, list_source, list_size,
    list_zero_size, list_managed, list_location, list_option, list_option_value, list_atomic,
    list_pointer_attribute, list_range_attribute, list_data, list_stranger, list_kernel_parameter,
    list_edge, list_graph_node, int_mode, u64_value, size_room, path_value, u32_four, no_value,
    list_size_4, store_parameters, list_unfreed_node, copy_2d_from_host, copy_3d_to_array,
    semaphores_node, tensor_map, groups_wanted, sm_resource, log_bytes, cluster_config, u64_dims,
    u64_strides, u32_box, u32_ones, i32_corner;

#endif
