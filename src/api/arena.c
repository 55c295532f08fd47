/* SPDX-License-Identifier: MIT */
#include <cushim/arena.h>

#include "base/params.h"
#include "core/order/arena.h"

static cushim_status check(const struct cushim_arena_params *params, const char *call)
{
    if (params->bytes > PTRDIFF_MAX || params->limit > PTRDIFF_MAX)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "%s: .bytes is %zu and .limit %zu, which is more than there can be",
                            call, params->bytes, params->limit);
    if (params->limit && params->limit < params->bytes)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "%s: .limit is %zu, and .bytes is more: %zu", call, params->limit,
                            params->bytes);
    return CUSHIM_OK;
}

static cushim_status make(const struct cushim__scope *scope,
                          const struct cushim_arena_params *params, uint64_t *ret_id)
{
    const struct cushim__device_arena_wish wish = {
        .bytes = params->bytes, .limit = params->limit, .dry = params->dry_run != 0};
    struct cushim__device_arena *arena = NULL;
    cushim_status status;

    CUSHIM_TRY(cushim__device_arena_new(scope, &wish, &arena));
    status = params->label ? cushim__object_set_label(&arena->object, params->label, scope->call)
                           : CUSHIM_OK;
    if (!status)
        return cushim__object_give(&arena->object, scope->call, ret_id);
    cushim__object_unref(&arena->object);
    return status;
}

cushim_status cushim_arena_new(cushim_context context, const struct cushim_arena_params *params,
                               cushim_arena *ret_arena)
{
    struct cushim_arena_params given;
    struct cushim__scope scope;

    CHECK_OUTPUT(ret_arena);
    CUSHIM_TRY(PARAMS_READ(cushim_arena_params, label, params, &given));
    CUSHIM_TRY(check(&given, __func__));
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    return cushim__scope_leave(&scope, make(&scope, &given, &ret_arena->id));
}

void cushim_arena_free(cushim_arena *arena)
{
    cushim__object_close(arena ? &arena->id : NULL, CUSHIM__HANDLE_ARENA, __func__);
}

cushim_status cushim_arena_stats(cushim_arena arena, size_t *ret_limit, size_t *ret_bytes,
                                 size_t *ret_used, size_t *ret_peak)
{
    struct cushim__device_arena *object =
        cushim__handle_pin(arena.id, CUSHIM__HANDLE_ARENA, __func__);
    const struct cushim__device_arena_map *map;

    if (!object)
        return cushim__error()->status;
    map = &object->map;
    pthread_mutex_lock(&object->lock);
    if (ret_limit)
        *ret_limit = object->buffer->bytes;
    if (ret_bytes)
        *ret_bytes = map->dry ? (map->shared ? map->step : 0) : map->mapped;
    if (ret_used)
        *ret_used = object->used;
    if (ret_peak)
        *ret_peak = object->peak;
    pthread_mutex_unlock(&object->lock);
    cushim__handle_unpin(arena.id);
    return CUSHIM_OK;
}
