/* SPDX-License-Identifier: MIT */
#include <cushim/context.h>

#include "core/memory/pool.h"
#include "core/object/pushed.h"
#include "core/order/timeline.h"

/* Makes one driver call inside of a context. */
#define CALL_IN(context, name, args)                                                               \
    CU_CALL_IN(cushim__context_enter((context).id, __func__, &scope), name, args)

/* Drops the handle of a context that cannot be the new one, although it has the same address. */
static cushim_status fail_address(const struct cushim__scope *scope, cushim_context *context)
{
    cushim_context_free(context);
    return cushim__fail_at(CUSHIM_ERROR_BUSY, scope->call, NULL,
                           "%s: other code has destroyed a context which has handles or objects, "
                           "and the driver has made the new one at its address: free them first",
                           scope->call);
}

cushim_status cushim_context_create(cushim_driver driver, int device, unsigned flags,
                                    cushim_context *ret_context)
{
    struct cushim__known_context known = {.kind = CUSHIM__CONTEXT_OWNED};
    cushim_context made = CUSHIM_NONE;
    CUcontext popped = NULL;
    struct cushim__scope scope;
    cushim_status status;
    bool is_taken = false;

    CHECK_OUTPUT(ret_context);
    CUSHIM_TRY(cushim__driver_enter(driver.id, __func__, &scope));
    status = CU_CALL(&scope, cuDeviceGet, (&known.device, device));
    if (!status)
        status = CU_CALL(&scope, cuCtxCreate_v2, (&known.cu, flags, known.device));
    if (!status) {
        /* The driver has made the new context current; the caller's stack must not change. */
        status = CU_CALL(&scope, cuCtxPopCurrent_v2, (&popped));
        if (!status)
            status = cushim__context_handle(&scope, &known, &is_taken, &made.id);
        if (!status && !is_taken)
            status = fail_address(&scope, &made);
        if (!status)
            *ret_context = made;
        else if (!is_taken)
            CU_FREE(&scope, cuCtxDestroy_v2, (known.cu));
    }
    return cushim__scope_leave(&scope, status);
}

/* Returns the device of a context that need not be current. */
static cushim_status device_of(const struct cushim__scope *scope, CUcontext cu,
                               CUdevice *ret_device)
{
    CUcontext before = NULL;
    cushim_status status;
    int result;

    CUSHIM_TRY(CU_CALL(scope, cuCtxGetCurrent, (&before)));
    CUSHIM_TRY(CU_CALL(scope, cuCtxSetCurrent, (cu)));
    status = CU_CALL(scope, cuCtxGetDevice, (ret_device));
    result = cushim__set_current(scope->table, before);
    return status ? status : cushim__check_result(scope, result, "cuCtxSetCurrent");
}

/*
 * Asks the driver whether a CUcontext is the primary context of its device. The question needs a
 * retain, which would start a primary context that nothing uses.
 */
static cushim_status ask_primary(const struct cushim__scope *scope,
                                 struct cushim__known_context *known)
{
    CUcontext primary = NULL;
    unsigned flags = 0;
    int is_active = 0;

    CUSHIM_TRY(CU_CALL(scope, cuDevicePrimaryCtxGetState, (known->device, &flags, &is_active)));
    if (!is_active)
        return CUSHIM_OK;
    CUSHIM_TRY(CU_CALL(scope, cuDevicePrimaryCtxRetain, (&primary, known->device)));
    CU_FREE(scope, cuDevicePrimaryCtxRelease_v2, (known->device));
    known->is_primary = primary == known->cu;
    return CUSHIM_OK;
}

/* Makes a handle for a CUcontext that other code has made. */
static cushim_status adopt(const struct cushim__scope *scope, CUcontext cu,
                           enum cushim__context_kind kind, bool *ret_taken, uint64_t *ret_id)
{
    struct cushim__known_context known = {.cu = cu, .kind = kind};
    struct cushim__context_step step;
    struct cushim__context *context;
    cushim_status status;

    CUSHIM_TRY(device_of(scope, cu, &known.device));
    cushim__context_make_begin(scope, known.device, &step);
    /* Of a context that cushim has, it knows the answer. The reference keeps it until the end. */
    context = cushim__context_find(scope->table, cu);
    /* Another one may have been destroyed meanwhile. */
    status = context ? CUSHIM_OK : device_of(scope, cu, &known.device);
    if (!status && !context)
        status = ask_primary(scope, &known);
    if (!status)
        status = cushim__context_handle(scope, &known, ret_taken, ret_id);
    cushim__context_step_end(&step);
    if (context)
        cushim__context_unref(context);
    return status;
}

cushim_status cushim_context_adopt(cushim_driver driver, void *cu_context, bool owned,
                                   cushim_context *ret_context)
{
    cushim_context made = CUSHIM_NONE;
    struct cushim__scope scope;
    bool is_taken = false;
    cushim_status status;

    CHECK_OUTPUT(ret_context);
    if (!cu_context)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: cu_context is NULL", __func__);
    CUSHIM_TRY(cushim__driver_enter(driver.id, __func__, &scope));
    status = adopt(&scope, cu_context, owned ? CUSHIM__CONTEXT_OWNED : CUSHIM__CONTEXT_BORROWED,
                   &is_taken, &made.id);
    if (!status && owned && !is_taken) {
        cushim_context_free(&made);
        status = cushim__fail(CUSHIM_ERROR_BUSY, "%s: cushim knows this context already", __func__);
    }
    if (!status)
        *ret_context = made;
    return cushim__scope_leave(&scope, status);
}

void cushim_context_free(cushim_context *context)
{
    cushim__object_close(context ? &context->id : NULL, CUSHIM__HANDLE_CONTEXT, __func__);
}

/*
 * The properties of a context that never change, or are atomic. They can be read without entering
 * the context.
 */
struct facts {
    CUcontext cu;
    CUdevice device;
    bool is_primary;
};

static cushim_status find_facts(cushim_context context, const char *call, struct facts *ret_facts)
{
    struct cushim__context *object = cushim__handle_pin(context.id, CUSHIM__HANDLE_CONTEXT, call);

    if (!object)
        return cushim__error()->status;
    *ret_facts = (struct facts){object->cu, object->device, object->is_primary};
    cushim__handle_unpin(context.id);
    return CUSHIM_OK;
}

cushim_status cushim_context_raw(cushim_context context, void **ret_cu_context)
{
    struct facts facts;

    CHECK_OUTPUT(ret_cu_context);
    CUSHIM_TRY(find_facts(context, __func__, &facts));
    *ret_cu_context = facts.cu;
    return CUSHIM_OK;
}

cushim_status cushim_context_device(cushim_context context, int *ret_device)
{
    struct facts facts;

    CHECK_OUTPUT(ret_device);
    CUSHIM_TRY(find_facts(context, __func__, &facts));
    *ret_device = facts.device;
    return CUSHIM_OK;
}

cushim_status cushim_context_is_primary(cushim_context context, bool *ret_primary)
{
    struct facts facts;

    CHECK_OUTPUT(ret_primary);
    CUSHIM_TRY(find_facts(context, __func__, &facts));
    *ret_primary = facts.is_primary;
    return CUSHIM_OK;
}

/*
 * Functions for the context stack of the calling thread. They only pin the context: entering it
 * would push and pop it, and so change the stack.
 */

static cushim_status pin(cushim_context context, const char *call, struct cushim__scope *scope)
{
    struct cushim__context *object;

    CUSHIM_TRY(cushim__check_no_callback(call));
    object = cushim__handle_pin(context.id, CUSHIM__HANDLE_CONTEXT, call);
    if (!object)
        return cushim__error()->status;
    *scope = (struct cushim__scope){.table = object->table,
                                    .context = object,
                                    .call = call,
                                    .label = cushim__object_label(&object->object),
                                    .pinned = context.id};
    return CUSHIM_OK;
}

cushim_status cushim_context_push(cushim_context context)
{
    struct cushim__pushed *pushed;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(pin(context, __func__, &scope));
    pushed = cushim__pushed_new(scope.context);
    if (pushed)
        status = CU_CALL(&scope, cuCtxPushCurrent_v2, (scope.context->cu));
    else
        status = cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, __func__, scope.label,
                                 "%s: no memory to note what is pushed", __func__);
    if (!status)
        cushim__pushed_add(pushed);
    else if (pushed)
        cushim__pushed_drop(pushed);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_context_pop(cushim_driver driver, cushim_context *ret_context)
{
    struct cushim__scope scope;
    CUcontext cu = NULL;
    bool is_taken = false;
    cushim_status status;

    CUSHIM_TRY(cushim__driver_enter(driver.id, __func__, &scope));
    status = CU_CALL(&scope, cuCtxPopCurrent_v2, (&cu));
    if (!status && ret_context) {
        status = adopt(&scope, cu, CUSHIM__CONTEXT_BORROWED, &is_taken, &ret_context->id);
        if (status)
            CU_FREE(&scope, cuCtxPushCurrent_v2, (cu));
    }
    if (!status)
        cushim__pushed_remove(scope.driver->library, cu);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_context_current(cushim_driver driver, cushim_context *ret_context)
{
    struct cushim__scope scope;
    CUcontext cu = NULL;
    bool is_taken = false;
    cushim_status status;

    CHECK_OUTPUT(ret_context);
    CUSHIM_TRY(cushim__driver_enter(driver.id, __func__, &scope));
    status = CU_CALL(&scope, cuCtxGetCurrent, (&cu));
    if (!status && cu)
        status = adopt(&scope, cu, CUSHIM__CONTEXT_BORROWED, &is_taken, &ret_context->id);
    else if (!status)
        ret_context->id = 0;
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_context_set_current(cushim_context context)
{
    struct cushim__scope scope;
    CUcontext before = NULL;
    cushim_status status;

    CUSHIM_TRY(pin(context, __func__, &scope));
    status = CU_CALL(&scope, cuCtxGetCurrent, (&before));
    if (!status)
        status = CU_CALL(&scope, cuCtxSetCurrent, (scope.context->cu));
    if (!status && before)
        cushim__pushed_remove(scope.context->driver->library, before);
    return cushim__scope_leave(&scope, status);
}

/* --- settings --- */

cushim_status cushim_context_flags(cushim_context context, unsigned *ret_flags)
{
    CHECK_OUTPUT(ret_flags);
    return CALL_IN(context, cuCtxGetFlags, (ret_flags));
}

cushim_status cushim_context_set_flags(cushim_context context, unsigned flags)
{
    return CALL_IN(context, cuCtxSetFlags, (flags));
}

cushim_status cushim_context_limit(cushim_context context, enum cushim_limit limit,
                                   size_t *ret_value)
{
    CHECK_OUTPUT(ret_value);
    return CALL_IN(context, cuCtxGetLimit, (ret_value, (int) limit));
}

cushim_status cushim_context_set_limit(cushim_context context, enum cushim_limit limit,
                                       size_t value)
{
    return CALL_IN(context, cuCtxSetLimit, ((int) limit, value));
}

cushim_status cushim_context_cache_config(cushim_context context,
                                          enum cushim_cache_config *ret_config)
{
    cushim_status status;
    int config = 0;

    CHECK_OUTPUT(ret_config);
    status = CALL_IN(context, cuCtxGetCacheConfig, (&config));
    if (!status)
        *ret_config = (enum cushim_cache_config) config;
    return status;
}

cushim_status cushim_context_set_cache_config(cushim_context context,
                                              enum cushim_cache_config config)
{
    return CALL_IN(context, cuCtxSetCacheConfig, ((int) config));
}

cushim_status cushim_context_shared_config(cushim_context context,
                                           enum cushim_shared_config *ret_config)
{
    cushim_status status;
    int config = 0;

    CHECK_OUTPUT(ret_config);
    status = CALL_IN(context, cuCtxGetSharedMemConfig, (&config));
    if (!status)
        *ret_config = (enum cushim_shared_config) config;
    return status;
}

cushim_status cushim_context_set_shared_config(cushim_context context,
                                               enum cushim_shared_config config)
{
    return CALL_IN(context, cuCtxSetSharedMemConfig, ((int) config));
}

cushim_status cushim_context_priority_range(cushim_context context, int *ret_least,
                                            int *ret_greatest)
{
    CHECK_OUTPUT(ret_least);
    CHECK_OUTPUT(ret_greatest);
    return CALL_IN(context, cuCtxGetStreamPriorityRange, (ret_least, ret_greatest));
}

cushim_status cushim_context_api_version(cushim_context context, unsigned *ret_version)
{
    CHECK_OUTPUT(ret_version);
    return CALL_IN(context, cuCtxGetApiVersion, (scope.context->cu, ret_version));
}

cushim_status cushim_context_reset_persisting_l2(cushim_context context)
{
    return CALL_IN(context, cuCtxResetPersistingL2Cache, ());
}

cushim_status cushim_context_memory(cushim_context context, size_t *ret_free, size_t *ret_total)
{
    CHECK_OUTPUT(ret_free);
    CHECK_OUTPUT(ret_total);
    return CALL_IN(context, cuMemGetInfo_v2, (ret_free, ret_total));
}

/* Enables peer access if enable is true, and disables it otherwise. */
static cushim_status peer(cushim_context context, cushim_context other, bool enable,
                          const char *call)
{
    const struct cushim__context *to;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(cushim__context_enter(context.id, call, &scope));
    to = cushim__handle_pin(other.id, CUSHIM__HANDLE_CONTEXT, call);
    if (!to)
        return cushim__scope_leave(&scope, cushim__error()->status);
    status = cushim__peer_set(&scope, to, enable);
    cushim__handle_unpin(other.id);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_context_enable_peer(cushim_context context, cushim_context other)
{
    return peer(context, other, true, __func__);
}

cushim_status cushim_context_disable_peer(cushim_context context, cushim_context other)
{
    return peer(context, other, false, __func__);
}

cushim_status cushim_context_synchronize(cushim_context context)
{
    struct cushim__scope scope;
    const cushim_status status = cushim__context_enter(context.id, __func__, &scope);

    return status ? status : cushim__scope_leave(&scope, cushim__synchronize_context(&scope));
}

cushim_status cushim_context_check(cushim_context context)
{
    struct cushim__context *object =
        cushim__handle_pin(context.id, CUSHIM__HANDLE_CONTEXT, __func__);
    struct cushim__error deferred;

    if (!object)
        return cushim__error()->status;
    cushim__mutex_lock(&object->pool_lock);
    deferred = object->deferred;
    object->deferred = (struct cushim__error){0};
    cushim__mutex_unlock(&object->pool_lock);
    cushim__handle_unpin(context.id);
    if (deferred.status)
        *cushim__error() = deferred;
    return deferred.status;
}
