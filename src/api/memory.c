/* SPDX-License-Identifier: MIT */
#include <cushim/memory.h>

#include "core/object/scope.h"
#include "core/order/reuse.h"

cushim_status cushim_memory_set_limit(cushim_context context, size_t max_bytes)
{
    struct cushim__scope scope;

    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    cushim__mutex_lock(&scope.context->pool_lock);
    scope.context->reuse.max_bytes = max_bytes;
    cushim__mutex_unlock(&scope.context->pool_lock);
    cushim__reuse_trim(scope.context, max_bytes);
    return cushim__scope_leave(&scope, CUSHIM_OK);
}

cushim_status cushim_memory_trim(cushim_context context, size_t max_bytes)
{
    struct cushim__scope scope;

    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    cushim__reuse_trim(scope.context, max_bytes);
    return cushim__scope_leave(&scope, CUSHIM_OK);
}

cushim_status cushim_memory_stats(cushim_context context, size_t *ret_bytes,
                                  uint64_t *ret_allocated, uint64_t *ret_reused)
{
    struct cushim__context *object;

    object = cushim__handle_pin(context.id, CUSHIM__HANDLE_CONTEXT, __func__);
    if (!object)
        return cushim__error()->status;
    cushim__mutex_lock(&object->pool_lock);
    if (ret_bytes)
        *ret_bytes = object->reuse.bytes;
    if (ret_allocated)
        *ret_allocated = object->reuse.allocated;
    if (ret_reused)
        *ret_reused = object->reuse.reused;
    cushim__mutex_unlock(&object->pool_lock);
    cushim__handle_unpin(context.id);
    return CUSHIM_OK;
}
