/* SPDX-License-Identifier: MIT */
#include "core/memory/pool.h"

#include <stdlib.h>

#include <cushim/pool.h>

#include "loader/library.h"

/* Runs without locks, after the slices of the pool are freed. */
static void destroy(void *object)
{
    struct cushim__pool *pool = object;
    struct cushim__context *context = pool->object.context;
    struct cushim__scope scope;

    if (pool->kind != CUSHIM__POOL_BORROWED) {
        cushim__scope_to_free(context, "cushim_pool_free", cushim__object_label(&pool->object),
                              &scope);
        CU_FREE(&scope, cuMemPoolDestroy, (pool->cu));
        cushim__scope_leave(&scope, CUSHIM_OK);
    }
    cushim__object_finish(&pool->object);
    free(pool);
    cushim__context_unref(context);
}

cushim_status cushim__pool_check_device(const struct cushim__scope *scope)
{
    if (scope->context->limits.memory_pools ||
        !scope->context->driver->library->has[CUSHIM_ROW_cuMemPoolCreate])
        return CUSHIM_OK;
    return cushim__fail_at(CUDA_ERROR_NOT_SUPPORTED, scope->call, NULL,
                           "%s: the device has no memory pools", scope->call);
}

/* Lets kernels of the scope's device use the pool that slices of another one come from. */
static cushim_status open_pool(const struct cushim__scope *scope,
                               const struct cushim__context *peer)
{
    const struct cushim__cu_access wanted = {
        .location = {CU_MEM_LOCATION_TYPE_DEVICE, scope->context->device},
        .flags = CUSHIM_POOL_ACCESS_READ_WRITE};
    CUmemoryPool pool = NULL;

    if (!peer->limits.memory_pools)
        return CUSHIM_OK;
    CUSHIM_TRY(CU_CALL(scope, cuDeviceGetMemPool, (&pool, peer->device)));
    return CU_CALL(scope, cuMemPoolSetAccess, (pool, &wanted, 1));
}

cushim_status cushim__peer_set(const struct cushim__scope *scope,
                               const struct cushim__context *peer, bool enable)
{
    cushim_status status;

    CUSHIM_TRY(cushim__check_driver(scope, peer, "peer"));
    if (!enable)
        return CU_CALL(scope, cuCtxDisablePeerAccess, (peer->cu));
    CUSHIM_TRY(CU_CALL(scope, cuCtxEnablePeerAccess, (peer->cu, 0)));
    status = open_pool(scope, peer);
    if (status)
        CU_FREE(scope, cuCtxDisablePeerAccess, (peer->cu));
    return status;
}

cushim_status cushim__pool_give(const struct cushim__scope *scope, CUmemoryPool cu,
                                enum cushim__pool_kind kind, size_t max_bytes, const char *label,
                                uint64_t *ret_id)
{
    struct cushim__pool *pool = calloc(1, sizeof(*pool));
    cushim_status status = CUSHIM_OK;

    if (!pool) {
        if (kind != CUSHIM__POOL_BORROWED)
            CU_FREE(scope, cuMemPoolDestroy, (cu));
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, label, "no memory for a pool");
    }
    cushim__context_ref(scope->context);
    cushim__object_init(&pool->object, CUSHIM__HANDLE_POOL, scope->context, destroy);
    pool->cu = cu;
    pool->kind = kind;
    pool->max_bytes = max_bytes;
    if (label)
        status = cushim__object_set_label(&pool->object, label, scope->call);
    if (!status)
        return cushim__object_give(&pool->object, scope->call, ret_id);
    cushim__object_unref(&pool->object);
    return status;
}
