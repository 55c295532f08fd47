/* SPDX-License-Identifier: MIT */
#include <cushim/stream_attributes.h>

#include "core/memory/access_window.h"

typedef union cushim__cu_attribute_value value_union;

/* Says of an attribute that came later that it needs a newer driver. Returns the status. */
static cushim_status explained(cushim_stream stream, int id, cushim_status status)
{
    const struct cushim__stream *object;

    if (status != CUDA_ERROR_INVALID_VALUE)
        return status;
    object = cushim__handle_pin(stream.id, CUSHIM__HANDLE_STREAM, NULL);
    if (!object)
        return status;
    if (id == CUSHIM__CU_STREAM_ATTRIBUTE_PRIORITY)
        cushim__explain_since(object->object.context, 11080,
                              "the priority of a stream that exists");
    else if (id == CUSHIM__CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN ||
             id == CUSHIM__CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP)
        cushim__explain_since(object->object.context, 12000, "a synchronisation domain");
    cushim__handle_unpin(stream.id);
    return status;
}

static cushim_status set(cushim_stream stream, int id, const value_union *value, const char *call)
{
    return explained(stream, id,
                     STREAM_CALL(stream.id, call, cuStreamSetAttribute, (cu, id, value)));
}

static cushim_status get(cushim_stream stream, int id, value_union *ret_value, const char *call)
{
    *ret_value = (value_union){.pad = {0}};
    return explained(stream, id,
                     STREAM_CALL(stream.id, call, cuStreamGetAttribute, (cu, id, ret_value)));
}

/* Sets a number that is checked first. */
static cushim_status set_number(cushim_stream stream, int id, int number, const char *call)
{
    const value_union value = {.number = number};

    return set(stream, id, &value, call);
}

static cushim_status fail_number(const char *call, const char *what, int value, int first, int last)
{
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                           "%s: %s is %d, it must be from %d to %d", call, what, value, first,
                           last);
}

/* --- the window --- */

static cushim_status set_window(struct cushim__scope *scope, CUstream stream,
                                const struct cushim_access_window *window)
{
    struct cushim__resolved_view span;
    value_union value = {.pad = {0}};
    cushim_status status;

    CUSHIM_TRY(cushim__window_pin(scope, window, &span, &value));
    if (!value.window.bytes)
        value = (value_union){.pad = {0}};
    status = CU_CALL(scope, cuStreamSetAttribute,
                     (stream, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
    cushim__span_unpin(&span);
    return status;
}

cushim_status cushim_stream_set_access_window(cushim_stream stream,
                                              const struct cushim_access_window *window)
{
    const struct cushim__window_place place = {__func__, NULL, __func__, "window"};
    const value_union none = {.pad = {0}};
    struct cushim__stream *object;
    struct cushim__scope scope;
    CUstream cu = NULL;

    if (!window)
        return set(stream, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &none, __func__);
    CUSHIM_TRY(cushim__window_check(window, &place));
    CUSHIM_TRY(cushim__stream_begin(stream.id, __func__, &scope, &object, &cu));
    return cushim__stream_end(&scope, object, set_window(&scope, cu, window));
}

cushim_status cushim_stream_access_window(cushim_stream stream, uint64_t *ret_address,
                                          size_t *ret_bytes, float *ret_hit_ratio, int *ret_hit,
                                          int *ret_miss)
{
    value_union value;

    CUSHIM_TRY(get(stream, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value, __func__));
    if (ret_address)
        *ret_address = (uintptr_t) value.window.base;
    if (ret_bytes)
        *ret_bytes = value.window.bytes;
    if (ret_hit_ratio)
        *ret_hit_ratio = value.window.hit_ratio;
    if (ret_hit)
        *ret_hit = value.window.hit;
    if (ret_miss)
        *ret_miss = value.window.miss;
    return CUSHIM_OK;
}

/* --- numbers --- */

cushim_status cushim_stream_set_wait_policy(cushim_stream stream, enum cushim_wait_policy policy)
{
    if ((unsigned) policy - CUSHIM_WAIT_AUTO > CUSHIM_WAIT_BLOCKING - CUSHIM_WAIT_AUTO)
        return fail_number(__func__, "policy", (int) policy, CUSHIM_WAIT_AUTO,
                           CUSHIM_WAIT_BLOCKING);
    return set_number(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, (int) policy, __func__);
}

/* A driver answers -1 for a policy that was never set. */
cushim_status cushim_stream_wait_policy(cushim_stream stream, enum cushim_wait_policy *ret_policy)
{
    value_union value;

    CHECK_OUTPUT(ret_policy);
    CUSHIM_TRY(get(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value, __func__));
    *ret_policy = value.number < 0 ? CUSHIM_WAIT_UNSET : (enum cushim_wait_policy) value.number;
    return CUSHIM_OK;
}

cushim_status cushim_stream_set_priority(cushim_stream stream, int priority)
{
    return set_number(stream, CUSHIM__CU_STREAM_ATTRIBUTE_PRIORITY, priority, __func__);
}

cushim_status cushim_stream_set_sync_domain(cushim_stream stream, enum cushim_sync_domain domain)
{
    if (domain != CUSHIM_SYNC_DOMAIN_DEFAULT && domain != CUSHIM_SYNC_DOMAIN_REMOTE)
        return fail_number(__func__, "domain", (int) domain, CUSHIM_SYNC_DOMAIN_DEFAULT,
                           CUSHIM_SYNC_DOMAIN_REMOTE);
    return set_number(stream, CUSHIM__CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN,
                      (int) domain - CUSHIM_SYNC_DOMAIN_DEFAULT, __func__);
}

cushim_status cushim_stream_sync_domain(cushim_stream stream, enum cushim_sync_domain *ret_domain)
{
    value_union value;

    CHECK_OUTPUT(ret_domain);
    CUSHIM_TRY(get(stream, CUSHIM__CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, &value, __func__));
    *ret_domain = (enum cushim_sync_domain)(value.number + CUSHIM_SYNC_DOMAIN_DEFAULT);
    return CUSHIM_OK;
}

cushim_status cushim_stream_set_sync_domain_map(cushim_stream stream, unsigned char default_domain,
                                                unsigned char remote_domain)
{
    const value_union value = {.domains = {default_domain, remote_domain}};

    return set(stream, CUSHIM__CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &value, __func__);
}

cushim_status cushim_stream_sync_domain_map(cushim_stream stream, unsigned char *ret_default,
                                            unsigned char *ret_remote)
{
    value_union value;

    CUSHIM_TRY(get(stream, CUSHIM__CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &value, __func__));
    if (ret_default)
        *ret_default = value.domains.local;
    if (ret_remote)
        *ret_remote = value.domains.remote;
    return CUSHIM_OK;
}

/* --- all of them --- */

static cushim_status copy_from(const struct cushim__scope *scope, CUstream to,
                               const struct cushim__stream *source)
{
    CUstream from = NULL;
    cushim_status status;

    if (source->object.context != scope->context)
        return cushim__fail_foreign(scope, "stream");
    CUSHIM_TRY(cushim__stream_check(scope, source));
    CUSHIM_TRY(cushim__timeline_hold(scope, source->timeline, &from));
    status = CU_CALL(scope, cuStreamCopyAttributes, (to, from));
    cushim__timeline_let_go(scope, source->timeline);
    return status;
}

cushim_status cushim_stream_copy_attributes(cushim_stream to, cushim_stream from)
{
    struct cushim__stream *object, *source;
    struct cushim__scope scope;
    CUstream cu = NULL;
    cushim_status status;

    CUSHIM_TRY(cushim__stream_begin(to.id, __func__, &scope, &object, &cu));
    source = cushim__handle_pin(from.id, CUSHIM__HANDLE_STREAM, __func__);
    if (!source)
        return cushim__stream_end(&scope, object, cushim__error()->status);
    status = copy_from(&scope, cu, source);
    cushim__handle_unpin(from.id);
    return cushim__stream_end(&scope, object, status);
}
