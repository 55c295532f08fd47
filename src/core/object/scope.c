/* SPDX-License-Identifier: MIT */
/* Entering and leaving a context, and reporting the errors of driver calls in between. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "core/object/scope.h"
#include "loader/missing.h"

static _Thread_local bool in_host_function TLS_OF_WORDS;

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
    return cushim__attention_needed() && (in_host_function || cushim__in_hook());
}

bool cushim__attend(void)
{
    if (atomic_load_explicit(&cushim__forked, memory_order_relaxed) || cushim__in_callback())
        return false;
    cushim__close_deferred();
    return true;
}

cushim_status cushim__check_no_callback(const char *call)
{
    /* This only avoids the slower thread-local variables in most calls. */
    if (!cushim__attention_needed())
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

/* What a program can do about a result whose text does not say it. */
static const char *advice_on(int result)
{
    switch (result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
        return "; work that was submitted before has failed, and the context is lost: all calls "
               "for it fail from now on, and a new process can use the device again";
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
        return "; other code of this process has destroyed or reset the context";
    case CUSHIM__CU_INVALID_CLUSTER_SIZE:
        return "; a grid is made of whole clusters, and clusters of more than 8 blocks need "
               "CUSHIM_FUNCTION_NON_PORTABLE_CLUSTER_ALLOWED";
    default:
        return "";
    }
}

/* Says how many devices there are, to a program that has asked for one that is not there. */
static void explain_device(const struct cushim__scope *scope)
{
    int n = 0;

    if (CU_FN(scope->table, cuDeviceGetCount)(&n))
        return;
    if (n < 2)
        cushim__error_append(n ? "; there is one device, number 0" : "; there is no device");
    else
        cushim__error_append("; there are %d devices, 0 to %d", n, n - 1);
}

cushim_status cushim__fail_driver(const struct cushim__scope *scope, int result, const char *name)
{
    const struct cushim__error *last = cushim__error();
    const char *label = scope->label ? scope->label : "";

    /* The replacement for a missing function has already set a better sentence. */
    if ((result == CUSHIM__SYMBOL_NOT_FOUND || result == CUSHIM__INIT_FAILED) &&
        last->status == result && !strcmp(last->call, name))
        return cushim__fail_at(result, name, label, "%s: %s", scope->call, last->text);
    cushim__fail_at(result, name, label, "%s%s%s%s: %s answered %d %s, %s%s", scope->call,
                    *label ? " ('" : "", label, *label ? "')" : "", name, result,
                    cushim__status_name(result), cushim__status_text(result), advice_on(result));
    if (result == CUDA_ERROR_INVALID_DEVICE)
        explain_device(scope);
    return result;
}

void cushim__explain_since(const struct cushim__context *context, int since, const char *what)
{
    const int version = context->driver->library->version;

    if (version < since)
        cushim__error_append("; %s needs CUDA %d.%d, this CUDA driver is %d.%d", what, since / 1000,
                             since % 1000 / 10, version / 1000, version % 1000 / 10);
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
    cushim__mutex_lock(&context->pool_lock);
    if (!context->deferred.status)
        context->deferred = *cushim__error();
    cushim__mutex_unlock(&context->pool_lock);
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
    cushim_status status;

    if (cushim__attention_needed()) {
        CUSHIM_TRY(cushim__check_no_callback(call));
        cushim__close_deferred();
    }
    *ret_scope = (struct cushim__scope){
        .table = context->table, .context = context, .call = call, .label = label};
    status = bind(ret_scope, &name);
    return cushim__check_result(ret_scope, status, name);
}

static int refuse(void)
{
    return CUDA_ERROR_INVALID_CONTEXT;
}

/* The table of a scope whose context is not current and cannot be made so. */
__extension__ static cushim__entry *const refused[] = {[0 ... CUSHIM_CUDA_ROWS - 1] =
                                                           (cushim__entry *) refuse};

/*
 * This is for destructors, which have no caller that could receive an error. So an error is
 * reported like that of any other driver call that frees. What is not freed now is lost, so there
 * is a second way to bind, which needs no answer of the driver about the current context.
 */
bool cushim__scope_to_free(struct cushim__context *context, const char *call, const char *label,
                           struct cushim__scope *ret_scope)
{
    const char *name;
    int result;

    *ret_scope = (struct cushim__scope){
        .table = context->table, .context = context, .call = call, .label = label};
    result = bind(ret_scope, &name);
    if (__builtin_expect(!result, 1))
        return true;
    cushim__check_free(ret_scope, result, name);
    ret_scope->pushed = !CU_FN(context->table, cuCtxPushCurrent_v2)(context->cu);
    if (!ret_scope->pushed)
        ret_scope->table = refused;
    return ret_scope->pushed;
}

int cushim__set_current(cushim__entry *const *table, CUcontext cu)
{
    return CU_FN(table, cuCtxSetCurrent)(cu) ? CU_FN(table, cuCtxSetCurrent)(cu) : 0;
}

cushim_status cushim__scope_come_back(const struct cushim__scope *scope, cushim_status status)
{
    /* Functions that only make calls get the scope as one that they do not change. */
    struct cushim__scope *lost = (struct cushim__scope *) (uintptr_t) scope;
    const int result = cushim__set_current(scope->table, scope->context->cu);

    if (__builtin_expect(!result, 1))
        return status;
    status = cushim__fail_driver(scope, result, "cuCtxSetCurrent");
    lost->table = refused;
    lost->switched = !lost->pushed;
    return status;
}

/* The caller's context may be destroyed meanwhile: then there is nothing to restore. */
static void restore(const struct cushim__scope *scope)
{
    cushim__entry *const *table = scope->context ? scope->context->table : scope->table;
    CUcontext popped = NULL;
    int result;

    if (scope->pushed) {
        cushim__check_free(scope, CU_FN(table, cuCtxPopCurrent_v2)(&popped), "cuCtxPopCurrent_v2");
        return;
    }
    result = cushim__set_current(table, scope->before);
    if (result != CUDA_ERROR_INVALID_CONTEXT && result != CUDA_ERROR_CONTEXT_IS_DESTROYED)
        cushim__check_free(scope, result, "cuCtxSetCurrent");
}

cushim_status cushim__scope_leave(struct cushim__scope *scope, cushim_status status)
{
    if (__builtin_expect(scope->switched || scope->pushed, 0))
        restore(scope);
    if (scope->pinned)
        cushim__handle_unpin(scope->pinned);
    /* What was not made has no location, nor what another call makes later. */
    if (__builtin_expect(status, 0))
        cushim__handle_source_location(NULL);
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

cushim_status cushim__check_driver(const struct cushim__scope *scope,
                                   const struct cushim__context *of, const char *what)
{
    if (of->driver->library == scope->context->driver->library)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_FOREIGN_CONTEXT, scope->call, scope->label,
                           "%s: the %s is of another driver", scope->call, what);
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
