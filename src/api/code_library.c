/* SPDX-License-Identifier: MIT */
#include <cushim/code_library.h>

#include "base/params.h"
#include "core/code/code_library.h"
#include "loader/missing.h"

cushim_status cushim_code_library_load(cushim_context context, const void *data, size_t bytes,
                                       const struct cushim_module_params *params,
                                       cushim_code_library *ret_library)
{
    struct cushim_module_params given;
    struct cushim__scope scope;
    struct cushim__code code;
    cushim_status status;

    CHECK_OUTPUT(data);
    CHECK_OUTPUT(ret_library);
    CUSHIM_TRY(PARAMS_READ(cushim_module_params, n_options, params, &given));
    if (given.name || given.functions)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, __func__, given.label,
                               "%s: name and functions are for modules", __func__);
    CUSHIM_TRY(cushim__code_copy(data, bytes, given.label, __func__, &code));
    status = cushim__context_enter(context.id, __func__, &scope);
    if (!status) {
        scope.label = given.label;
        status = cushim__scope_leave(
            &scope, cushim__code_library_load(&scope, &code, &given, &ret_library->id));
    }
    cushim__code_finish(&code);
    return status;
}

void cushim_code_library_free(cushim_code_library *library)
{
    cushim__object_close(library ? &library->id : NULL, CUSHIM__HANDLE_CODE_LIBRARY, __func__);
}

/* Makes the module of a library. The scope is of the context that the module will belong to. */
static cushim_status make_module(struct cushim__scope *scope, struct cushim__code_library *library,
                                 uint64_t *ret_id)
{
    if (library->object.context->table != scope->table)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                               "%s: the library is another driver's than the context", scope->call);
    return cushim__code_library_module(scope, library, ret_id);
}

cushim_status cushim_code_library_module(cushim_code_library handle, cushim_context context,
                                         cushim_module *ret_module)
{
    struct cushim__code_library *library;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_module);
    library = cushim__handle_pin(handle.id, CUSHIM__HANDLE_CODE_LIBRARY, __func__);
    if (!library)
        return cushim__error()->status;
    status = cushim__context_enter(context.id, __func__, &scope);
    if (!status) {
        scope.label = cushim__object_label(&library->object);
        status = cushim__scope_leave(&scope, make_module(&scope, library, &ret_module->id));
    }
    cushim__handle_unpin(handle.id);
    return status;
}

cushim_status cushim_code_library_count(cushim_code_library handle, size_t *ret_count)
{
    struct cushim__code_library *library;
    struct cushim__scope scope;
    cushim_status status;
    unsigned count = 0;

    CHECK_OUTPUT(ret_count);
    CUSHIM_TRY(
        cushim__object_enter(handle.id, CUSHIM__HANDLE_CODE_LIBRARY, __func__, &scope, &library));
    if (!scope.context->driver->library->has[CUSHIM_ROW_cuLibraryGetKernelCount])
        status = cushim__fail_missing(scope.context->driver->library,
                                      CUSHIM_ROW_cuLibraryGetKernelCount, __func__);
    else
        status = CU_CALL(&scope, cuLibraryGetKernelCount, (&count, library->cu));
    if (!status)
        *ret_count = count;
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_code_library_kernel(cushim_code_library handle, const char *name,
                                         cushim_kernel *ret_kernel)
{
    struct cushim__code_library *library;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_kernel);
    if (!name)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: name is NULL", __func__);
    CUSHIM_TRY(
        cushim__object_enter(handle.id, CUSHIM__HANDLE_CODE_LIBRARY, __func__, &scope, &library));
    status = cushim__code_library_kernel(&scope, library, name, &ret_kernel->id);
    return cushim__scope_leave(&scope, status);
}

/*
 * Pins the kernel and enters the context. The caller leaves the scope first, and then unpins the
 * handle.
 */
static cushim_status enter(cushim_kernel handle, cushim_context context, const char *call,
                           struct cushim__scope *ret_scope, struct cushim__kernel **ret_kernel)
{
    struct cushim__kernel *kernel = cushim__handle_pin(handle.id, CUSHIM__HANDLE_KERNEL, call);
    cushim_status status;

    if (!kernel)
        return cushim__error()->status;
    status = cushim__context_enter(context.id, call, ret_scope);
    if (!status && ret_scope->table != kernel->object.context->table)
        status = cushim__scope_leave(
            ret_scope,
            cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, kernel->name,
                            "%s: '%s' is another driver's than the context", call, kernel->name));
    if (status) {
        cushim__handle_unpin(handle.id);
        return status;
    }
    ret_scope->label = kernel->name;
    *ret_kernel = kernel;
    return CUSHIM_OK;
}

static cushim_status leave(cushim_kernel handle, struct cushim__scope *scope, cushim_status status)
{
    cushim__scope_leave(scope, status);
    cushim__handle_unpin(handle.id);
    return status;
}

cushim_status cushim_kernel_attribute(cushim_kernel handle, cushim_context context, int attribute,
                                      int *ret_value)
{
    struct cushim__kernel *kernel;
    struct cushim__scope scope;
    cushim_status status;
    int value = 0;

    CHECK_OUTPUT(ret_value);
    CUSHIM_TRY(enter(handle, context, __func__, &scope, &kernel));
    status = CU_CALL(&scope, cuKernelGetAttribute,
                     (&value, attribute, kernel->cu, scope.context->device));
    if (!status)
        *ret_value = value;
    return leave(handle, &scope, status);
}

cushim_status cushim_kernel_set_attribute(cushim_kernel handle, cushim_context context,
                                          int attribute, int value)
{
    struct cushim__kernel *kernel;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(enter(handle, context, __func__, &scope, &kernel));
    status = CU_CALL(&scope, cuKernelSetAttribute,
                     (attribute, value, kernel->cu, scope.context->device));
    return leave(handle, &scope, status);
}

cushim_status cushim_kernel_set_cache_config(cushim_kernel handle, cushim_context context,
                                             enum cushim_cache_config config)
{
    struct cushim__kernel *kernel;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(enter(handle, context, __func__, &scope, &kernel));
    status =
        CU_CALL(&scope, cuKernelSetCacheConfig, (kernel->cu, (int) config, scope.context->device));
    return leave(handle, &scope, status);
}
