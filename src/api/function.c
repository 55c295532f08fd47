/* SPDX-License-Identifier: MIT */
#include <cushim/function.h>

#include "core/module.h"
#include "loader/missing.h"

static cushim_status enter(cushim_function handle, const char *call,
                           struct cushim__scope *ret_scope, struct cushim__function **ret_function)
{
    return cushim__object_enter(handle.id, CUSHIM__HANDLE_FUNCTION, call, ret_scope, ret_function);
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
    return cushim__scope_leave(&scope, status);
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
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_function_set_cache_config(cushim_function handle,
                                               enum cushim_cache_config config)
{
    struct cushim__function *function;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(enter(handle, __func__, &scope, &function));
    status = CU_CALL(&scope, cuFuncSetCacheConfig, (function->cu, (int) config));
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_function_set_shared_config(cushim_function handle,
                                                enum cushim_shared_config config)
{
    struct cushim__function *function;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(enter(handle, __func__, &scope, &function));
    status = CU_CALL(&scope, cuFuncSetSharedMemConfig, (function->cu, (int) config));
    return cushim__scope_leave(&scope, status);
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

/* Of a pinned function. */
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

/* The driver takes blocks as int, and would see a large number as a negative one. */
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

/* What a program gives is a function with the C calling convention, which is the driver's here. */
cushim_status cushim_function_block_size(cushim_function handle,
                                         const struct cushim_block_size_params *params,
                                         unsigned *ret_block_threads, unsigned *ret_grid_blocks)
{
    static const struct cushim_block_size_params none;
    struct cushim__function *function;
    struct cushim__scope scope;
    int grid = 0, block = 0;
    cushim_status status;

    CHECK_OUTPUT(ret_block_threads);
    CHECK_OUTPUT(ret_grid_blocks);
    if (!params)
        params = &none;
    CUSHIM_TRY(enter(handle, __func__, &scope, &function));
    status = CU_CALL(&scope, cuOccupancyMaxPotentialBlockSizeWithFlags,
                     (&grid, &block, function->cu, params->shared_of_block, params->shared_bytes,
                      (int) params->max_block_threads, 0));
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
