/* SPDX-License-Identifier: MIT */
/* Entering and leaving a context, and reporting the errors of driver calls in between. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "core/object/scope.h"
#include "loader/missing.h"

static _Thread_local bool in_host_function;
atomic_uint cushim__attention;

void cushim__host_function_begin(void)
{
    in_host_function = true;
    atomic_fetch_add_explicit(&cushim__attention, 1, memory_order_relaxed);
}

void cushim__host_function_end(void)
{
    atomic_fetch_sub_explicit(&cushim__attention, 1, memory_order_relaxed);
    in_host_function = false;
}

bool cushim__in_callback(void)
{
    return __builtin_expect(cushim__attention_needed(), 0) &&
           (in_host_function || cushim__in_hook());
}

cushim_status cushim__check_no_callback(const char *call)
{
    /*
     * Relaxed order suffices: a thread always sees the host function that it runs itself. The
     * counter only avoids the slower thread-local variable in most calls.
     */
    if (__builtin_expect(!cushim__attention_needed(), 1))
        return CUSHIM_OK;
    if (in_host_function)
        return cushim__fail_at(CUDA_ERROR_NOT_PERMITTED, call, NULL,
                               "%s: called from a host function, where the driver must not be used",
                               call);
    if (cushim__in_hook())
        return cushim__fail_at(
            CUDA_ERROR_NOT_PERMITTED, call, NULL,
            "%s: called from a hook, which runs inside of a driver call: use the "
            "functions of the table there",
            call);
    return CUSHIM_OK;
}

cushim_status cushim__fail_driver(const struct cushim__scope *scope, int result, const char *name)
{
    const struct cushim__error *last = cushim__error();
    const char *label = scope->label ? scope->label : "";

    /* The replacement for a missing function has already set a better sentence. */
    if ((result == CUSHIM__SYMBOL_NOT_FOUND || result == CUSHIM__INIT_FAILED) &&
        last->status == result && !strcmp(last->call, name))
        return cushim__fail_at(result, name, label, "%s: %s", scope->call, last->text);
    return cushim__fail_at(result, name, label, "%s%s%s%s: %s answered %d %s, %s", scope->call,
                           *label ? " ('" : "", label, *label ? "')" : "", name, result,
                           cushim__status_name(result), cushim__status_text(result));
}

/*
 * Keeps an error of work that no caller waits for. The first one is kept, because later ones are
 * often only its consequence.
 */
void cushim__defer_error(struct cushim__context *context)
{
    cushim__log(CUSHIM_LOG_ERROR, "%s", cushim__error()->text);
    if (!context)
        return;
    pthread_mutex_lock(&context->pool_lock);
    if (!context->deferred.status)
        context->deferred = *cushim__error();
    pthread_mutex_unlock(&context->pool_lock);
}

void cushim__check_free(const struct cushim__scope *scope, int result, const char *name)
{
    struct cushim__error before;

    /* When the process ends, the driver may be shut down before its objects are freed. */
    if (!result || result == CUDA_ERROR_DEINITIALIZED)
        return;
    cushim__error_keep(&before);
    cushim__fail_driver(scope, result, name);
    cushim__defer_error(scope->context);
    cushim__error_restore(&before);
}

/*
 * Makes the context of the scope current. The driver is asked first, because most callers use one
 * context only, and asking costs less than setting.
 */
static int bind(struct cushim__scope *scope, const char **ret_name)
{
    int result = CU_FN(scope->table, cuCtxGetCurrent)(&scope->before);

    *ret_name = "cuCtxGetCurrent";
    if (result || __builtin_expect(scope->before == scope->context->cu, 1))
        return result;
    *ret_name = "cuCtxSetCurrent";
    result = CU_FN(scope->table, cuCtxSetCurrent)(scope->context->cu);
    scope->switched = !result;
    return result;
}

cushim_status cushim__scope_enter(struct cushim__context *context, const char *call,
                                  const char *label, struct cushim__scope *ret_scope)
{
    const char *name;
    cushim_status status = cushim__check_no_callback(call);

    if (status)
        return status;
    cushim__close_deferred();
    *ret_scope = (struct cushim__scope){
        .table = context->table, .context = context, .call = call, .label = label};
    status = bind(ret_scope, &name);
    return cushim__check_result(ret_scope, status, name);
}

/*
 * This is for destructors, which have no caller that could receive an error. So it does not fail;
 * an error is reported like that of any other driver call that frees.
 */
void cushim__scope_to_free(struct cushim__context *context, const char *call, const char *label,
                           struct cushim__scope *ret_scope)
{
    const char *name;
    int result;

    *ret_scope = (struct cushim__scope){
        .table = context->table, .context = context, .call = call, .label = label};
    result = bind(ret_scope, &name);
    cushim__check_free(ret_scope, result, name);
}

cushim_status cushim__scope_leave(struct cushim__scope *scope, cushim_status status)
{
    /*
     * This fails if the caller's context was destroyed meanwhile; then there is nothing to restore.
     */
    if (__builtin_expect(scope->switched, 0))
        CU_FN(scope->table, cuCtxSetCurrent)(scope->before);
    if (scope->pinned)
        cushim__handle_unpin(scope->pinned);
    return status;
}

cushim_status cushim__object_enter(uint64_t id, enum cushim__handle_kind kind, const char *call,
                                   struct cushim__scope *ret_scope, void *ret_object)
{
    struct cushim__object *object = cushim__handle_pin(id, kind, call);
    cushim_status status;

    if (!object)
        return cushim__error()->status;
    status = cushim__scope_enter(object->context, call, cushim__object_label(object), ret_scope);
    if (status) {
        cushim__handle_unpin(id);
        return status;
    }
    ret_scope->pinned = id;
    *(struct cushim__object **) ret_object = object;
    return CUSHIM_OK;
}

cushim_status cushim__context_enter(uint64_t id, const char *call, struct cushim__scope *ret_scope)
{
    struct cushim__context *context;

    return cushim__object_enter(id, CUSHIM__HANDLE_CONTEXT, call, ret_scope, &context);
}

cushim_status cushim__driver_enter(uint64_t driver, const char *call,
                                   struct cushim__scope *ret_scope)
{
    const struct cushim__driver *object;
    const cushim_status status = cushim__check_no_callback(call);

    if (status)
        return status;
    object = cushim__handle_pin(driver, CUSHIM__HANDLE_DRIVER, call);
    if (!object)
        return cushim__error()->status;
    /* A child may look at the library, but the driver in it was its parent's. */
    if (cushim__library_is_parents(object->library)) {
        cushim__handle_unpin(driver);
        return cushim__fail_forked(call);
    }
    *ret_scope = (struct cushim__scope){.table = object->table,
                                        .driver = object,
                                        .call = call,
                                        .label = object->label,
                                        .pinned = driver};
    return CUSHIM_OK;
}
