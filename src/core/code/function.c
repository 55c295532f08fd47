/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "core/code/module.h"

static void destroy(void *object)
{
    struct cushim__function *function = object;

    cushim__object_unref(&function->module->object);
    free(function->params);
    cushim__object_finish(&function->object);
    free(function);
}

/*
 * Makes room for one more parameter. The array grows in steps, because no driver function returns
 * the number of parameters.
 */
static bool grow(struct cushim__function *function, int n)
{
    struct cushim__param *params;

    if (n & (n - 1))
        return true; /* room is a power of two */
    params = realloc(function->params, 2 * (size_t) (n ? n : 2) * sizeof(*params));
    if (params)
        function->params = params;
    return params;
}

/*
 * Asks the driver for one parameter after another. The first one that does not exist ends the list.
 */
static cushim_status ask_params(const struct cushim__scope *scope,
                                struct cushim__function *function)
{
    size_t offset, size;
    int n = 0, result;

    for (;; n++) {
        result = CU_FN(scope->table, cuFuncGetParamInfo)(function->cu, (size_t) n, &offset, &size);
        if (result)
            break;
        if (!grow(function, n))
            return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, function->name,
                                   "no memory for the parameters of '%s'", function->name);
        function->params[n] = (struct cushim__param){(uint32_t) offset, (uint32_t) size};
    }
    if (result != CUDA_ERROR_INVALID_VALUE)
        return cushim__check_result(scope, result, "cuFuncGetParamInfo");
    function->n_params = n;
    return CUSHIM_OK;
}

static cushim_status read_params(const struct cushim__scope *scope,
                                 struct cushim__function *function)
{
    const char *ptx = function->module->ptx;
    const int n = ptx ? cushim__ptx_params(ptx, function->name, NULL, 0) : -1;

    function->n_params = n;
    if (n <= 0)
        return CUSHIM_OK;
    function->params = calloc((size_t) n, sizeof(*function->params));
    if (!function->params)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, function->name,
                               "no memory for the parameters of '%s'", function->name);
    cushim__ptx_params(ptx, function->name, function->params, (size_t) n);
    return CUSHIM_OK;
}

static cushim_status find_params(const struct cushim__scope *scope,
                                 struct cushim__function *function)
{
    if (scope->context->driver->library->has[CUSHIM_ROW_cuFuncGetParamInfo])
        return ask_params(scope, function);
    return read_params(scope, function);
}

/* Devices without clusters have drivers that do not know of them. */
static cushim_status find_cluster(const struct cushim__scope *scope,
                                  struct cushim__function *function)
{
    int width = 0;

    if (scope->context->limits.cluster)
        CUSHIM_TRY(CU_CALL(scope, cuFuncGetAttribute,
                           (&width, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, function->cu)));
    function->cluster = width > 0 ? (unsigned) width : 1;
    function->max_blocks =
        function->cluster == 1 ? (unsigned) scope->context->limits.max_grid[0] : 0;
    return CUSHIM_OK;
}

/* Reads the limits that launches are checked against. */
static cushim_status find_limits(const struct cushim__scope *scope,
                                 struct cushim__function *function)
{
    int threads = 0, shared = 0, dynamic = 0;
    const CUfunction cu = function->cu;

    CUSHIM_TRY(CU_CALL(scope, cuFuncGetAttribute,
                       (&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, cu)));
    CUSHIM_TRY(
        CU_CALL(scope, cuFuncGetAttribute, (&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, cu)));
    CUSHIM_TRY(CU_CALL(scope, cuFuncGetAttribute,
                       (&dynamic, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, cu)));
    function->max_threads = (unsigned) threads;
    function->shared_bytes = (unsigned) shared;
    atomic_init(&function->max_dynamic, dynamic);
    return find_cluster(scope, function);
}

cushim_status cushim__function_new(const struct cushim__scope *scope, struct cushim__module *module,
                                   CUfunction cu, const char *name,
                                   struct cushim__function **ret_function)
{
    struct cushim__function *function = cushim__zalloc_lines(sizeof(*function));
    cushim_status status;

    if (!function)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, name, "no memory for '%s'",
                               name);
    cushim__object_init(&function->object, CUSHIM__HANDLE_FUNCTION, module->object.context,
                        destroy);
    cushim__object_ref(&module->object);
    function->object.kept_by_parent = true;
    function->module = module;
    function->code = module->code;
    function->cu = cu;
    function->name = name;
    status = cushim__object_set_label(&function->object, name, scope->call);
    if (!status)
        status = find_limits(scope, function);
    if (!status)
        status = find_params(scope, function);
    if (status) {
        cushim__object_unref(&function->object);
        return status;
    }
    *ret_function = function;
    return CUSHIM_OK;
}
