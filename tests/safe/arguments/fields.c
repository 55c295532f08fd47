/* SPDX-License-Identifier: MIT */
/* The fields of structures that functions take by address. */
#include "bad.h"

#define FIELD(type, member, kind)                                                                  \
    {                                                                                              \
#member, offsetof(struct type, member), sizeof(((struct type *) 0)->member), KIND_##kind   \
    }

#define STRUCT(name, type, ...)                                                                    \
    static const struct field name##_list[] = {__VA_ARGS__};                                       \
    static const struct fields name = {sizeof(type), name##_list,                                  \
                                       sizeof(name##_list) / sizeof(struct field)};

#define OPEN(member, kind) FIELD(cushim_open_params, member, kind)
STRUCT(open_params, struct cushim_open_params, OPEN(library, TEXT_OR_NULL),
       OPEN(label, TEXT_OR_NULL))
STRUCT(nvjitlink_params, struct cushim_open_params, OPEN(label, TEXT_OR_NULL))
STRUCT(nvrtc_params, struct cushim_open_params, OPEN(label, TEXT_OR_NULL))

STRUCT(trace_params, struct cushim_trace_params, FIELD(cushim_trace_params, max_calls, SIZE))
STRUCT(faults_params, struct cushim_faults_params, FIELD(cushim_faults_params, seed, SEED))

#define FAULT(member, kind) FIELD(cushim_fault, member, kind)
STRUCT(fault, struct cushim_fault, FAULT(result, WRONG_RESULT), FAULT(nth, SEED),
       FAULT(every, SEED), FAULT(probability, PROBABILITY), FAULT(above_bytes, SEED),
       FAULT(after_launches, SEED), FAULT(delay_ns, SEED), FAULT(count, SEED))

#define STREAM(member, kind) FIELD(cushim_stream_params, member, kind)
STRUCT(stream_params, struct cushim_stream_params, STREAM(priority, INT),
       STREAM(wait_policy, WAIT_POLICY), STREAM(label, TEXT_OR_NULL))

#define CAPTURE(member, kind) FIELD(cushim_capture_params, member, kind)
STRUCT(capture_params, struct cushim_capture_params, CAPTURE(mode, CAPTURE_MODE),
       CAPTURE(order, CAPTURE_ORDER), CAPTURE(memory_nodes, INT), CAPTURE(arena, ARENA_OR_NONE))

#define NODE_FIELD(member, kind) FIELD(cushim_node, member, kind)
STRUCT(node, struct cushim_node, NODE_FIELD(recording, NODE_RECORDING),
       NODE_FIELD(number, NODE_NUMBER))

#define COMPILE(member, kind) FIELD(cushim_compile_params, member, kind)
STRUCT(compile_params, struct cushim_compile_params, COMPILE(nvrtc, NVRTC_OR_NONE),
       COMPILE(kind, IMAGE_KIND), COMPILE(name, TEXT_OR_NULL), COMPILE(arch, TEXT_OR_NULL),
       COMPILE(ftz, ON_OR_OFF), COMPILE(prec_sqrt, ON_OR_OFF), COMPILE(prec_div, ON_OR_OFF),
       COMPILE(fmad, ON_OR_OFF), COMPILE(max_registers, INT), COMPILE(std, TEXT_OR_NULL),
       COMPILE(include_paths, TEXTS), COMPILE(definitions, TEXTS), COMPILE(headers, HEADERS),
       COMPILE(name_expressions, TEXTS), COMPILE(options, TEXTS), COMPILE(cache, CACHE_FOLDER),
       COMPILE(cache_bytes, SEED))

#define MODULE(member, kind) FIELD(cushim_module_params, member, kind)
STRUCT(module_params, struct cushim_module_params, MODULE(name, TEXT_OR_NULL),
       MODULE(label, TEXT_OR_NULL), MODULE(functions, TEXTS), MODULE(max_registers, INT),
       MODULE(threads_per_block, INT), MODULE(optimization_level, INTS), MODULE(target, INT),
       MODULE(cache, JIT_CACHE), MODULE(min_blocks, INT), MODULE(max_threads_per_block, INT),
       MODULE(n_options, NONE_THERE))

#define EMBED(member, kind) FIELD(cushim_embedded, member, kind)
STRUCT(embedded, struct cushim_embedded, EMBED(name, TEXT), EMBED(data, PTX_BYTES),
       EMBED(bytes, PTX_LENGTH))
#define IN_CODE(member, kind) FIELD(cushim_embedded_kernel, member, kind)
STRUCT(embedded_kernel, struct cushim_embedded_kernel, IN_CODE(code, EMBEDDED),
       IN_CODE(name, KERNEL_NAME), IN_CODE(parameters, SEED))

#define BLOCK(member, kind) FIELD(cushim_block_size_params, member, kind)
STRUCT(block_size_params, struct cushim_block_size_params, BLOCK(max_block_threads, SIZE),
       BLOCK(shared_bytes, SIZE))

#define CONFIG(member, kind) FIELD(cushim_launch_config, member, kind)
STRUCT(launch_config, struct cushim_launch_config, CONFIG(grid[0], GRID_X),
       CONFIG(grid[1], GRID_YZ), CONFIG(grid[2], GRID_YZ), CONFIG(block[0], BLOCK),
       CONFIG(block[1], BLOCK), CONFIG(block[2], BLOCK), CONFIG(shared_bytes, SIZE),
       CONFIG(elements, SIZE), CONFIG(options, LAUNCH_OPTIONS))

STRUCT(cluster_config, struct cushim_launch_config, CONFIG(block[1], BLOCK),
       CONFIG(block[2], BLOCK), CONFIG(shared_bytes, SIZE), CONFIG(elements, SIZE))

#define OPTION(member, kind) FIELD(cushim_launch_options, member, kind)
STRUCT(launch_options, struct cushim_launch_options, OPTION(ret_start, TWO_EVENTS),
       OPTION(ret_end, TWO_EVENTS), OPTION(access_window, ACCESS_WINDOW),
       OPTION(cluster[0], CLUSTER), OPTION(cluster[1], CLUSTER), OPTION(cluster[2], CLUSTER),
       OPTION(cluster_scheduling, SCHEDULING), OPTION(preferred_cluster[0], PREFERRED_CLUSTER),
       OPTION(programmatic_event, LAUNCH_EVENT), OPTION(completion_event, LAUNCH_EVENT),
       OPTION(priority, INTS), OPTION(sync_domain, DOMAIN), OPTION(shared_carveout, INTS),
       OPTION(n_attributes, NONE_THERE))

STRUCT(access_window, struct cushim_access_window, FIELD(cushim_access_window, view, VIEW),
       FIELD(cushim_access_window, hit_ratio, RATIO), FIELD(cushim_access_window, hit, ACCESS),
       FIELD(cushim_access_window, miss, ACCESS))
STRUCT(launch_event, struct cushim_launch_event, FIELD(cushim_launch_event, event, PLAIN_EVENT),
       FIELD(cushim_launch_event, flags, ZERO))

/* Of all arguments of a launch: a value, memory that is read, memory that is written, a value. */
struct arguments {
    struct cushim_argument a[4];
};
#define IN_ALL(member, kind) FIELD(arguments, member, kind)
STRUCT(arguments, struct arguments, IN_ALL(a[0].name, TEXT_OR_NULL), IN_ALL(a[0].intent, INTENT),
       IN_ALL(a[0].bytes, VALUE_BYTES), IN_ALL(a[0].value, VALUE), IN_ALL(a[1].name, TEXT_OR_NULL),
       IN_ALL(a[1].intent, INTENT), IN_ALL(a[1].view, VIEW), IN_ALL(a[2].view, VIEW_TO_WRITE),
       IN_ALL(a[2].intent, INTENT))

/* The same for launches that are operations. */
STRUCT(op_arguments, struct arguments, IN_ALL(a[0].name, TEXT_OR_NULL), IN_ALL(a[0].intent, INTENT),
       IN_ALL(a[0].bytes, VALUE_BYTES), IN_ALL(a[0].value, VALUE), IN_ALL(a[1].name, TEXT_OR_NULL),
       IN_ALL(a[1].intent, INTENT), IN_ALL(a[1].view, OP_VIEW), IN_ALL(a[2].view, OP_VIEW_TO_WRITE),
       IN_ALL(a[2].intent, INTENT))

STRUCT(policy_params, struct cushim_policy_params, FIELD(cushim_policy_params, streams, SIZE),
       FIELD(cushim_policy_params, pool, POOL_OR_NONE),
       FIELD(cushim_policy_params, label, TEXT_OR_NULL))
STRUCT(tiling, struct cushim_tiling, FIELD(cushim_tiling, shape[0], SAME_COUNT),
       FIELD(cushim_tiling, shape[1], DEPTH), FIELD(cushim_tiling, tile[0], SIZE),
       FIELD(cushim_tiling, tile[2], SIZE))

#define INPUT(member, kind) FIELD(cushim_link_input, member, kind)
STRUCT(link_inputs, struct cushim_link_input, INPUT(image, IMAGE_OR_NONE), INPUT(kind, LINK_KIND),
       INPUT(data, PTX_BYTES), INPUT(bytes, PTX_LENGTH), INPUT(name, TEXT_OR_NULL))

STRUCT(lto_inputs, struct cushim_link_input, INPUT(image, IMAGE_OR_NONE), INPUT(kind, LINK_KIND),
       INPUT(data, PTX_BYTES), INPUT(bytes, PTX_LENGTH), INPUT(name, TEXT_OR_NULL))
#define LTO(member, kind) FIELD(cushim_lto_params, member, kind)
STRUCT(lto_params, struct cushim_lto_params, LTO(nvjitlink, NVJITLINK_OR_NONE), LTO(kind, LTO_KIND),
       LTO(arch, ARCH), LTO(name, TEXT_OR_NULL), LTO(options, TEXTS))

STRUCT(mock_config, struct cushim_mock_config, FIELD(cushim_mock_config, devices, TEXT_OR_NULL),
       FIELD(cushim_mock_config, driver_version, INT), FIELD(cushim_mock_config, seed, SEED),
       FIELD(cushim_mock_config, file, TEXT_OR_NULL),
       FIELD(cushim_mock_config, settings, TEXT_OR_NULL))

#define ARENA_FIELD(member, kind) FIELD(cushim_arena_params, member, kind)
STRUCT(arena_params, struct cushim_arena_params, ARENA_FIELD(bytes, SIZE), ARENA_FIELD(limit, SIZE),
       ARENA_FIELD(dry_run, INT), ARENA_FIELD(label, TEXT_OR_NULL))

#define POOL_FIELD(member, kind) FIELD(cushim_pool_params, member, kind)
STRUCT(pool_params, struct cushim_pool_params, POOL_FIELD(release_threshold, SEED),
       POOL_FIELD(max_bytes, INDEX), POOL_FIELD(label, TEXT_OR_NULL))

#define IMPORT(member, kind) FIELD(cushim_external_memory_params, member, kind)
STRUCT(memory_params, struct cushim_external_memory_params, IMPORT(type, INT), IMPORT(fd, INT),
       IMPORT(bytes, SEED), IMPORT(label, TEXT_OR_NULL))
STRUCT(semaphore_params, struct cushim_external_semaphore_params,
       FIELD(cushim_external_semaphore_params, type, INT),
       FIELD(cushim_external_semaphore_params, fd, INT),
       FIELD(cushim_external_semaphore_params, label, TEXT_OR_NULL))

#define NAMED(member, kind) FIELD(cushim_shared_slice, member, kind)
STRUCT(name_of_slice, struct cushim_shared_slice, NAMED(offset, SEED), NAMED(element, SEED),
       NAMED(length, SEED), NAMED(of_pool, OF_POOL))

/* Of 8 by 8 elements. */
#define IN_FIELD(member, kind) FIELD(cushim_field, member, kind)
#define SIZES_OF_FIELD                                                                             \
    IN_FIELD(offset, NO_GAP), IN_FIELD(pitch, NO_GAP), IN_FIELD(layer_rows, NO_GAP),               \
        IN_FIELD(width, EIGHTH), IN_FIELD(height, EIGHTH), IN_FIELD(depth, DEPTH)
STRUCT(field_to_read, cushim_field, IN_FIELD(view, VIEW), SIZES_OF_FIELD)
STRUCT(field_to_write, cushim_field, IN_FIELD(view, VIEW_TO_WRITE), SIZES_OF_FIELD)
STRUCT(other_field, cushim_field, IN_FIELD(view, OTHER_VIEW), SIZES_OF_FIELD)
STRUCT(argument, struct cushim_argument, FIELD(cushim_argument, name, TEXT_OR_NULL))

/* Without fields that can be wrong. */
static const struct fields name_of_event = {sizeof(struct cushim_shared_event), NULL, 0};
static const struct fields hooks = {sizeof(struct cushim_hooks), NULL, 0};

const struct fields *fields_of(enum kind kind)
{
    static const struct fields *const fields[KINDS] = {
        [KIND_OPEN_PARAMS] = &open_params,
        [KIND_NVRTC_PARAMS] = &nvrtc_params,
        [KIND_NVJITLINK_PARAMS] = &nvjitlink_params,
        [KIND_LTO_PARAMS] = &lto_params,
        [KIND_LTO_INPUTS] = &lto_inputs,
        [KIND_TRACE_PARAMS] = &trace_params,
        [KIND_FAULTS_PARAMS] = &faults_params,
        [KIND_FAULT] = &fault,
        [KIND_STREAM_PARAMS] = &stream_params,
        [KIND_CAPTURE_PARAMS] = &capture_params,
        [KIND_NODE] = &node,
        [KIND_COMPILE_PARAMS] = &compile_params,
        [KIND_MODULE_PARAMS] = &module_params,
        [KIND_EMBEDDED] = &embedded,
        [KIND_EMBEDDED_KERNEL] = &embedded_kernel,
        [KIND_BLOCK_SIZE_PARAMS] = &block_size_params,
        [KIND_LAUNCH_CONFIG] = &launch_config,
        [KIND_CLUSTER_CONFIG] = &cluster_config,
        [KIND_LAUNCH_OPTIONS] = &launch_options,
        [KIND_ACCESS_WINDOW] = &access_window,
        [KIND_LAUNCH_EVENT] = &launch_event,
        [KIND_ARGUMENTS] = &arguments,
        [KIND_LINK_INPUTS] = &link_inputs,
        [KIND_POOL_PARAMS] = &pool_params,
        [KIND_ARENA_PARAMS] = &arena_params,
        [KIND_MEMORY_PARAMS] = &memory_params,
        [KIND_SEMAPHORE_PARAMS] = &semaphore_params,
        [KIND_NAME_OF_SLICE] = &name_of_slice,
        [KIND_NAME_OF_EVENT] = &name_of_event,
        [KIND_FIELD_TO_READ] = &field_to_read,
        [KIND_FIELD_TO_WRITE] = &field_to_write,
        [KIND_OTHER_FIELD] = &other_field,
        [KIND_ARGUMENT] = &argument,
        [KIND_PUSHED] = &arguments,
        [KIND_HOOKS] = &hooks,
        [KIND_OP_ARGUMENTS] = &op_arguments,
        [KIND_POLICY_PARAMS] = &policy_params,
        [KIND_TILING] = &tiling,
        [KIND_MOCK_CONFIG] = &mock_config,
    };

    return fields[kind];
}
