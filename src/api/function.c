/* SPDX-License-Identifier: MIT */
#include <cushim/function.h>

#include "base/params.h"
#include "core/launch/launch.h"
#include "loader/missing.h"

static cushim_status enter(cushim_function handle, const char *call,
                           struct cushim__scope *ret_scope, struct cushim__function **ret_function)
{
    return cushim__object_enter(handle.id, CUSHIM__HANDLE_FUNCTION, call, ret_scope, ret_function);
}

/* Says of an attribute of clusters, which came later, that it needs a newer driver. */
static cushim_status explained(const struct cushim__function *function, int attribute,
                               cushim_status status)
{
    if (status == CUDA_ERROR_INVALID_VALUE &&
        attribute >= CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET &&
        attribute <= CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
        cushim__explain_since(function->object.context, 11080, "an attribute of clusters");
    return status;
}

cushim_status cushim_function_attribute(cushim_function handle, int attribute, int *ret_value)
{
    struct cushim__function *function;
    struct cushim__scope scope;
    cushim_status status;
    int value = 0;

    CHECK_OUTPUT(ret_value);
    CUSHIM_TRY(enter(handle, __func__, &scope, &function));
    status = CU_CALL(&scope, cuFuncGetAttribute, (&value, attribute, function->cu));
    if (!status)
        *ret_value = value;
    return cushim__scope_leave(&scope, explained(function, attribute, status));
}

cushim_status cushim_function_set_attribute(cushim_function handle, int attribute, int value)
{
    struct cushim__function *function;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(enter(handle, __func__, &scope, &function));
    status = CU_CALL(&scope, cuFuncSetAttribute, (function->cu, attribute, value));
    if (!status && attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        atomic_store_explicit(&function->max_dynamic, value, memory_order_relaxed);
    return cushim__scope_leave(&scope, explained(function, attribute, status));
}

cushim_status cushim_function_set_cache_config(cushim_function handle,
                                               enum cushim_cache_config config)
{
    struct cushim__function *function;

    return CU_CALL_IN(enter(handle, __func__, &scope, &function), cuFuncSetCacheConfig,
                      (function->cu, (int) config));
}

cushim_status cushim_function_set_shared_config(cushim_function handle,
                                                enum cushim_shared_config config)
{
    struct cushim__function *function;

    return CU_CALL_IN(enter(handle, __func__, &scope, &function), cuFuncSetSharedMemConfig,
                      (function->cu, (int) config));
}

cushim_status cushim_function_raw(cushim_function handle, void **ret_cu_function)
{
    const struct cushim__function *function;

    CHECK_OUTPUT(ret_cu_function);
    function = cushim__handle_pin(handle.id, CUSHIM__HANDLE_FUNCTION, __func__);
    if (!function)
        return cushim__error()->status;
    *ret_cu_function = function->cu;
    cushim__handle_unpin(handle.id);
    return CUSHIM_OK;
}

const char *cushim_function_name(cushim_function handle)
{
    const struct cushim__function *function =
        cushim__handle_pin(handle.id, CUSHIM__HANDLE_FUNCTION, __func__);
    const char *name = function ? function->name : NULL;

    if (function)
        cushim__handle_unpin(handle.id);
    return name;
}

/* Returns the parameters of a pinned function. */
static cushim_status parameters(const struct cushim__function *function, const char *call,
                                struct cushim_parameter *ret_parameters, size_t capacity,
                                size_t *ret_count)
{
    if (function->n_params < 0)
        return cushim__fail_missing(function->object.context->driver->library,
                                    CUSHIM_ROW_cuFuncGetParamInfo, call);
    for (size_t i = 0; i < (size_t) function->n_params && i < capacity; i++)
        ret_parameters[i] =
            (struct cushim_parameter){function->params[i].offset, function->params[i].size};
    *ret_count = (size_t) function->n_params;
    return CUSHIM_OK;
}

cushim_status cushim_function_parameters(cushim_function handle,
                                         struct cushim_parameter *ret_parameters, size_t capacity,
                                         size_t *ret_count)
{
    const struct cushim__function *function;
    cushim_status status;

    CHECK_OUTPUT(ret_count);
    if (capacity)
        CHECK_OUTPUT(ret_parameters);
    function = cushim__handle_pin(handle.id, CUSHIM__HANDLE_FUNCTION, __func__);
    if (!function)
        return cushim__error()->status;
    status = parameters(function, __func__, ret_parameters, capacity, ret_count);
    cushim__handle_unpin(handle.id);
    return status;
}

/* The driver takes the number of threads as an int, so a large number would become negative. */
static cushim_status check_threads(const struct cushim__function *function, unsigned threads,
                                   const char *call)
{
    if (threads && threads <= INT32_MAX)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, function->name,
                           "%s: %s: a block of %u threads", call, function->name, threads);
}

cushim_status cushim_function_max_active_blocks(cushim_function handle, unsigned block_threads,
                                                size_t shared_bytes, unsigned *ret_blocks)
{
    struct cushim__function *function;
    struct cushim__scope scope;
    cushim_status status;
    int blocks = 0;

    CHECK_OUTPUT(ret_blocks);
    CUSHIM_TRY(enter(handle, __func__, &scope, &function));
    status = check_threads(function, block_threads, __func__);
    if (!status)
        status = CU_CALL(&scope, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                         (&blocks, function->cu, (int) block_threads, shared_bytes, 0));
    if (!status)
        *ret_blocks = (unsigned) blocks;
    return cushim__scope_leave(&scope, status);
}

/*
 * The driver calls the program's function with the C calling convention. The two are the same on
 * all platforms that cushim supports.
 */
cushim_status cushim_function_block_size(cushim_function handle,
                                         const struct cushim_block_size_params *params,
                                         unsigned *ret_block_threads, unsigned *ret_grid_blocks)
{
    struct cushim_block_size_params given;
    struct cushim__function *function;
    struct cushim__scope scope;
    int grid = 0, block = 0;
    cushim_status status;

    CHECK_OUTPUT(ret_block_threads);
    CHECK_OUTPUT(ret_grid_blocks);
    CUSHIM_TRY(PARAMS_READ(cushim_block_size_params, shared_of_block, params, &given));
    CUSHIM_TRY(enter(handle, __func__, &scope, &function));
    status = CU_CALL(
        &scope, cuOccupancyMaxPotentialBlockSizeWithFlags,
        (&grid, &block, function->cu, given.shared_of_block, given.shared_bytes,
         given.max_block_threads < INT32_MAX ? (int) given.max_block_threads : INT32_MAX, 0));
    if (!status) {
        *ret_block_threads = (unsigned) block;
        *ret_grid_blocks = (unsigned) grid;
    }
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_function_available_shared(cushim_function handle, unsigned blocks,
                                               unsigned block_threads, size_t *ret_bytes)
{
    struct cushim__function *function;
    struct cushim__scope scope;
    cushim_status status;
    size_t bytes = 0;

    CHECK_OUTPUT(ret_bytes);
    CUSHIM_TRY(enter(handle, __func__, &scope, &function));
    status = check_threads(function, block_threads, __func__);
    if (!status)
        status = check_threads(function, blocks, __func__);
    if (!status)
        status = CU_CALL(&scope, cuOccupancyAvailableDynamicSMemPerBlock,
                         (&bytes, function->cu, (int) blocks, (int) block_threads));
    if (!status)
        *ret_bytes = bytes;
    return cushim__scope_leave(&scope, status);
}

/* A driver function that answers a question about a launch with this shape and these options. */
typedef cushim_status ask_fn(const struct cushim__scope *scope, CUfunction function,
                             const struct cushim__cu_launch *description, int *ret_number);

static cushim_status active_clusters(const struct cushim__scope *scope, CUfunction function,
                                     const struct cushim__cu_launch *description, int *ret_number)
{
    return CU_CALL(scope, cuOccupancyMaxActiveClusters, (ret_number, function, description));
}

static cushim_status cluster_blocks(const struct cushim__scope *scope, CUfunction function,
                                    const struct cushim__cu_launch *description, int *ret_number)
{
    return CU_CALL(scope, cuOccupancyMaxPotentialClusterSize, (ret_number, function, description));
}

/* Asks the driver about a launch. The caller has pinned function and stream. */
static cushim_status ask_about(struct cushim__launch *launch, ask_fn *ask, int *ret_number)
{
    static const struct cushim_launch_options none;
    const struct cushim_launch_options *options = launch->config->options;
    struct cushim__launch_attributes attributes;
    struct cushim__cu_launch description;
    cushim_status status;

    if (launch->stream->object.context != launch->scope->context)
        return cushim__fail_foreign(launch->scope, "stream");
    CUSHIM_TRY(cushim__launch_shape(launch));
    status = cushim__launch_attributes_make(launch, options ? options : &none, &attributes);
    if (!status) {
        description = cushim__launch_describe(launch, &attributes);
        status = ask(launch->scope, launch->function->cu, &description, ret_number);
        if (status == CUDA_ERROR_INVALID_VALUE)
            cushim__launch_attributes_explain(launch, &attributes);
    }
    cushim__launch_attributes_finish(&attributes);
    return status;
}

static cushim_status ask_clusters(cushim_function handle, cushim_stream stream,
                                  const struct cushim_launch_config *config, const char *call,
                                  ask_fn *ask, unsigned *ret_number)
{
    struct cushim__launch_config given;
    struct cushim__launch launch = {.config = &given.config};
    struct cushim__scope scope;
    cushim_status status;
    int number = 0;

    if (!config)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL, "%s: config is NULL",
                               call);
    CUSHIM_TRY(cushim__launch_config_read(config, call, &given));
    CUSHIM_TRY(enter(handle, call, &scope, &launch.function));
    launch.scope = &scope;
    launch.stream = cushim__handle_pin(stream.id, CUSHIM__HANDLE_STREAM, call);
    status = launch.stream ? ask_about(&launch, ask, &number) : cushim__error()->status;
    if (launch.stream)
        cushim__handle_unpin(stream.id);
    if (!status)
        *ret_number = (unsigned) number;
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_function_max_active_clusters(cushim_function function, cushim_stream stream,
                                                  const struct cushim_launch_config *config,
                                                  unsigned *ret_clusters)
{
    CHECK_OUTPUT(ret_clusters);
    return ask_clusters(function, stream, config, __func__, active_clusters, ret_clusters);
}

cushim_status cushim_function_max_cluster_blocks(cushim_function function, cushim_stream stream,
                                                 const struct cushim_launch_config *config,
                                                 unsigned *ret_blocks)
{
    CHECK_OUTPUT(ret_blocks);
    return ask_clusters(function, stream, config, __func__, cluster_blocks, ret_blocks);
}
