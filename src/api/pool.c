/* SPDX-License-Identifier: MIT */
#include <cushim/pool.h>

#include "base/params.h"
#include "core/memory/slice.h"

/* An older driver may ignore the limit, whose bytes it does not know. */
static cushim_status check_limit(const struct cushim__scope *scope,
                                 const struct cushim_pool_params *params)
{
    const int since = 12030;
    cushim_status status;

    if (!params->max_bytes || scope->context->driver->library->version >= since ||
        !scope->context->driver->library->has[CUSHIM_ROW_cuMemPoolCreate])
        return CUSHIM_OK;
    status = cushim__fail_at(CUDA_ERROR_NOT_SUPPORTED, scope->call, params->label,
                             "%s: the driver knows no limit of a pool", scope->call);
    cushim__explain_since(scope->context, since, ".max_bytes");
    return status;
}

static cushim_status create(const struct cushim__scope *scope,
                            const struct cushim_pool_params *params, uint64_t *ret_id)
{
    struct cushim__cu_pool properties = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {CU_MEM_LOCATION_TYPE_DEVICE, scope->context->device}};
    CUmemoryPool pool = NULL;
    uint64_t threshold;
    cushim_status status;

    properties.max_bytes = params->max_bytes;
    properties.handles = params->shared ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : 0;
    threshold = params->release_threshold;
    CUSHIM_TRY(cushim__pool_check_device(scope));
    CUSHIM_TRY(check_limit(scope, params));
    CUSHIM_TRY(CU_CALL(scope, cuMemPoolCreate, (&pool, &properties)));
    status = threshold ? CU_CALL(scope, cuMemPoolSetAttribute,
                                 (pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold))
                       : CUSHIM_OK;
    if (!status)
        return cushim__pool_give(scope, pool,
                                 params->shared ? CUSHIM__POOL_SHARED : CUSHIM__POOL_OWN,
                                 params->max_bytes, params->label, ret_id);
    CU_FREE(scope, cuMemPoolDestroy, (pool));
    return status;
}

cushim_status cushim_pool_new(cushim_context context, const struct cushim_pool_params *params,
                              cushim_pool *ret_pool)
{
    struct cushim_pool_params given;
    struct cushim__scope scope;

    CHECK_OUTPUT(ret_pool);
    CUSHIM_TRY(PARAMS_READ(cushim_pool_params, label, params, &given));
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    return cushim__scope_leave(&scope, create(&scope, &given, &ret_pool->id));
}

cushim_status cushim_pool_default(cushim_context context, cushim_pool *ret_pool)
{
    struct cushim__scope scope;
    CUmemoryPool pool = NULL;
    cushim_status status;

    CHECK_OUTPUT(ret_pool);
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    status = cushim__pool_check_device(&scope);
    if (!status)
        status = CU_CALL(&scope, cuDeviceGetMemPool, (&pool, scope.context->device));
    if (!status)
        status = cushim__pool_give(&scope, pool, CUSHIM__POOL_BORROWED, 0, NULL, &ret_pool->id);
    return cushim__scope_leave(&scope, status);
}

void cushim_pool_free(cushim_pool *pool)
{
    cushim__object_close(pool ? &pool->id : NULL, CUSHIM__HANDLE_POOL, __func__);
}

cushim_status cushim_pool_raw(cushim_pool pool, void **ret_cu_pool)
{
    const struct cushim__pool *object;

    CHECK_OUTPUT(ret_cu_pool);
    object = cushim__handle_pin(pool.id, CUSHIM__HANDLE_POOL, __func__);
    if (!object)
        return cushim__error()->status;
    *ret_cu_pool = object->cu;
    cushim__handle_unpin(pool.id);
    return CUSHIM_OK;
}

static cushim_status alloc(struct cushim__scope *scope, struct cushim__stream *stream,
                           struct cushim__pool *pool, const struct cushim__part *wanted,
                           uint64_t *ret_id)
{
    struct cushim__part part = *wanted;
    size_t bytes = 0;

    part.type = cushim__take_type(&part.element);
    if (pool->object.context != scope->context)
        return cushim__fail_foreign(scope, "memory pool");
    CUSHIM_TRY(cushim__checked_size(scope->call, part.element, part.length, &bytes));
    CUSHIM_TRY(cushim__memory_alloc(scope, stream, pool, bytes, &part));
    return cushim__slice_give(scope, CUSHIM__HANDLE_SLICE, part, ret_id);
}

cushim_status cushim_slice_alloc_from(cushim_stream stream, cushim_pool pool, size_t element,
                                      size_t length, cushim_slice *ret_slice)
{
    const struct cushim__part wanted = {.element = element, .length = length};
    struct cushim__stream *object;
    struct cushim__pool *source;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_slice);
    CUSHIM_TRY(cushim__stream_enter(stream.id, __func__, &scope, &object));
    source = cushim__handle_pin(pool.id, CUSHIM__HANDLE_POOL, __func__);
    if (!source)
        return cushim__scope_leave(&scope, cushim__error()->status);
    status = source->kind == CUSHIM__POOL_OPENED
                 ? cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                                "%s: the pool is another process's, which alone allocates from it",
                                __func__)
                 : alloc(&scope, object, source, &wanted, &ret_slice->id);
    cushim__handle_unpin(pool.id);
    return cushim__scope_leave(&scope, status);
}

/* --- numbers --- */

static cushim_status enter(cushim_pool pool, const char *call, struct cushim__scope *scope,
                           struct cushim__pool **ret_pool)
{
    return cushim__object_enter(pool.id, CUSHIM__HANDLE_POOL, call, scope, ret_pool);
}

cushim_status cushim_pool_release_threshold(cushim_pool pool, uint64_t *ret_bytes)
{
    struct cushim__pool *object;

    CHECK_OUTPUT(ret_bytes);
    return CU_CALL_IN(enter(pool, __func__, &scope, &object), cuMemPoolGetAttribute,
                      (object->cu, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, ret_bytes));
}

cushim_status cushim_pool_set_release_threshold(cushim_pool pool, uint64_t bytes)
{
    struct cushim__pool *object;

    return CU_CALL_IN(enter(pool, __func__, &scope, &object), cuMemPoolSetAttribute,
                      (object->cu, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes));
}

cushim_status cushim_pool_trim(cushim_pool pool, size_t keep_bytes)
{
    struct cushim__pool *object;

    return CU_CALL_IN(enter(pool, __func__, &scope, &object), cuMemPoolTrimTo,
                      (object->cu, keep_bytes));
}

/* Returns two attributes of a pool. Nothing is written unless both are there. */
static cushim_status get_two(cushim_pool pool, int now, int high, const char *call,
                             uint64_t *ret_bytes, uint64_t *ret_high)
{
    struct cushim__pool *object;
    struct cushim__scope scope;
    uint64_t bytes = 0, most = 0;
    cushim_status status;

    CUSHIM_TRY(enter(pool, call, &scope, &object));
    status = CU_CALL(&scope, cuMemPoolGetAttribute, (object->cu, now, &bytes));
    if (!status)
        status = CU_CALL(&scope, cuMemPoolGetAttribute, (object->cu, high, &most));
    if (!status && ret_bytes)
        *ret_bytes = bytes;
    if (!status && ret_high)
        *ret_high = most;
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_pool_reserved(cushim_pool pool, uint64_t *ret_bytes, uint64_t *ret_high)
{
    return get_two(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
                   __func__, ret_bytes, ret_high);
}

cushim_status cushim_pool_used(cushim_pool pool, uint64_t *ret_bytes, uint64_t *ret_high)
{
    return get_two(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, CU_MEMPOOL_ATTR_USED_MEM_HIGH, __func__,
                   ret_bytes, ret_high);
}

cushim_status cushim_pool_reset_high(cushim_pool pool)
{
    struct cushim__pool *object;
    struct cushim__scope scope;
    uint64_t zero = 0;
    cushim_status status;

    CUSHIM_TRY(enter(pool, __func__, &scope, &object));
    status = CU_CALL(&scope, cuMemPoolSetAttribute,
                     (object->cu, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &zero));
    if (!status)
        status = CU_CALL(&scope, cuMemPoolSetAttribute,
                         (object->cu, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero));
    return cushim__scope_leave(&scope, status);
}

/* --- peers --- */

/* Returns where the device of a context is. */
static cushim_status locate(cushim_context peer, const struct cushim__scope *scope,
                            struct cushim__cu_location *ret_location)
{
    const struct cushim__context *context =
        cushim__handle_pin(peer.id, CUSHIM__HANDLE_CONTEXT, scope->call);
    cushim_status status;

    if (!context)
        return cushim__error()->status;
    *ret_location = (struct cushim__cu_location){CU_MEM_LOCATION_TYPE_DEVICE, context->device};
    status = cushim__check_driver(scope, context, "peer");
    cushim__handle_unpin(peer.id);
    return status;
}

cushim_status cushim_pool_allow(cushim_pool pool, cushim_context peer,
                                enum cushim_pool_access access)
{
    struct cushim__cu_access wanted = {.flags = (int) access};
    struct cushim__pool *object;
    struct cushim__scope scope;
    cushim_status status;

    if (access != CUSHIM_POOL_ACCESS_NONE && access != CUSHIM_POOL_ACCESS_READ &&
        access != CUSHIM_POOL_ACCESS_READ_WRITE)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "%s: access is %d, it must be one of enum cushim_pool_access", __func__,
                            (int) access);
    CUSHIM_TRY(enter(pool, __func__, &scope, &object));
    status = locate(peer, &scope, &wanted.location);
    if (!status && wanted.location.id == scope.context->device &&
        access != CUSHIM_POOL_ACCESS_READ_WRITE)
        status = cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, __func__, scope.label,
                                 "%s: peer is of the pool's own device, which can always read and "
                                 "write its memory",
                                 __func__);
    if (!status) {
        status = CU_CALL(&scope, cuMemPoolSetAccess, (object->cu, &wanted, 1));
        if ((status == CUDA_ERROR_INVALID_VALUE || status == CUDA_ERROR_NOT_SUPPORTED) &&
            access == CUSHIM_POOL_ACCESS_READ)
            cushim__error_append("; drivers so far know no access for reading alone: it is "
                                 "CUSHIM_POOL_ACCESS_READ_WRITE, or none");
    }
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_pool_access(cushim_pool pool, cushim_context peer,
                                 enum cushim_pool_access *ret_access)
{
    struct cushim__cu_location location;
    struct cushim__pool *object;
    struct cushim__scope scope;
    cushim_status status;
    int flags = 0;

    CHECK_OUTPUT(ret_access);
    CUSHIM_TRY(enter(pool, __func__, &scope, &object));
    status = locate(peer, &scope, &location);
    if (!status)
        status = CU_CALL(&scope, cuMemPoolGetAccess, (&flags, object->cu, &location));
    if (!status)
        *ret_access = (enum cushim_pool_access) flags;
    return cushim__scope_leave(&scope, status);
}
