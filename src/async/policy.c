/* SPDX-License-Identifier: MIT */
#include "async/policy.h"

#include <stdlib.h>

#include "base/params.h"
#include "base/release.h"
#include "base/status.h"
#include "core/object/handle_words.h"
#include "core/object/scope.h"
#include "core/order/stream.h"

enum { DEFAULT_STREAMS = 4, MOST_STREAMS = 1024 };

/* --- making and freeing --- */

static void destroy(void *object)
{
    struct cushim__policy *policy = object;

    for (size_t i = 0; i < policy->n; i++)
        cushim_stream_free(&policy->streams[i]);
    free(policy->streams);
    cushim_pool_free(&policy->pool);
    cushim__release(policy->release, policy->user);
    cushim_close(&policy->driver);
    cushim__object_finish(&policy->object);
    free(policy);
}

/* Fails unless the pool belongs to the context of the stream. */
static cushim_status check_pool(uint64_t pool, uint64_t stream, const char *call)
{
    const struct cushim__object *p = cushim__handle_pin(pool, CUSHIM__HANDLE_POOL, call), *s;
    cushim_status status = CUSHIM_OK;

    if (!p)
        return cushim__error()->status;
    s = cushim__handle_pin(stream, CUSHIM__HANDLE_STREAM, call);
    if (!s)
        status = cushim__error()->status;
    else if (s->context != p->context)
        status = cushim__fail_at(CUSHIM_ERROR_FOREIGN_CONTEXT, call, NULL,
                                 "%s: the policy's pool belongs to another context than the stream",
                                 call);
    if (s)
        cushim__handle_unpin(stream);
    cushim__handle_unpin(pool);
    return status;
}

/* Sets what all policies have. */
static cushim_status apply(struct cushim__policy *policy, const struct cushim_policy_params *params,
                           const char *call)
{
    policy->spread = params->spread;
    if (params->label)
        CUSHIM_TRY(cushim__object_set_label(&policy->object, params->label, call));
    if (!params->pool.id)
        return CUSHIM_OK;
    if (!cushim__handle_pin(params->pool.id, CUSHIM__HANDLE_POOL, call))
        return cushim__error()->status;
    cushim__handle_unpin(params->pool.id);
    CUSHIM_TRY(cushim__handle_retain_kept(params->pool.id, call, &policy->pool.id));
    return policy->n ? check_pool(policy->pool.id, policy->streams[0].id, call) : CUSHIM_OK;
}

/* Makes a policy with room for n streams. NULL when out of memory. */
static struct cushim__policy *new_policy(size_t n, const char *call)
{
    struct cushim__policy *policy = calloc(1, sizeof(*policy));

    if (policy)
        policy->streams = calloc(n ? n : 1, sizeof(*policy->streams));
    if (!policy || !policy->streams) {
        free(policy);
        cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, NULL, "no memory for a policy");
        return NULL;
    }
    cushim__object_init(&policy->object, CUSHIM__HANDLE_POLICY, NULL, destroy);
    return policy;
}

/* Gives the policy a handle, unless the status is a failure: then the policy is freed. */
static cushim_status give(struct cushim__policy *policy, cushim_status status, const char *call,
                          uint64_t *ret_id)
{
    if (!status)
        return cushim__object_give(&policy->object, call, ret_id);
    cushim__object_unref(&policy->object);
    return status;
}

static cushim_status make_streams(struct cushim__policy *policy, cushim_context context, size_t n)
{
    cushim_status status = CUSHIM_OK;

    for (; !status && policy->n < n; policy->n += !status) {
        cushim__handle_source_location(CUSHIM__PLACE_KEPT);
        status = cushim_stream_new(context, NULL, &policy->streams[policy->n]);
    }
    cushim__handle_source_location(NULL);
    return status;
}

cushim_status cushim_policy_round_robin(cushim_context context,
                                        const struct cushim_policy_params *params,
                                        cushim_policy *ret_policy)
{
    const char *place = cushim__handle_source_location(NULL);
    struct cushim_policy_params given;
    struct cushim__policy *policy;
    cushim_status status;
    size_t n;

    CHECK_OUTPUT(ret_policy);
    CUSHIM_TRY(PARAMS_READ(cushim_policy_params, label, params, &given));
    n = given.streams ? given.streams : DEFAULT_STREAMS;
    if (n > MOST_STREAMS)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: .streams is %zu, more than %d",
                            __func__, n, MOST_STREAMS);
    if (!cushim__handle_pin(context.id, CUSHIM__HANDLE_CONTEXT, __func__))
        return cushim__error()->status;
    policy = new_policy(n, __func__);
    status = policy ? make_streams(policy, context, n) : cushim__error()->status;
    cushim__handle_unpin(context.id);
    if (!policy)
        return status;
    if (!status)
        status = apply(policy, &given, __func__);
    if (!status)
        cushim__handle_source_location(place);
    return give(policy, status, __func__, &ret_policy->id);
}

cushim_status cushim_policy_single(cushim_stream stream, const struct cushim_policy_params *params,
                                   cushim_policy *ret_policy)
{
    struct cushim_policy_params given;
    struct cushim__policy *policy;
    cushim_status status;

    CHECK_OUTPUT(ret_policy);
    CUSHIM_TRY(PARAMS_READ(cushim_policy_params, label, params, &given));
    if (given.streams > 1)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: .streams is %zu, and there is one",
                            __func__, given.streams);
    if (!cushim__handle_pin(stream.id, CUSHIM__HANDLE_STREAM, __func__))
        return cushim__error()->status;
    policy = new_policy(1, __func__);
    status = policy ? cushim__handle_retain_kept(stream.id, __func__, &policy->streams[0].id)
                    : cushim__error()->status;
    cushim__handle_unpin(stream.id);
    if (!policy)
        return status;
    policy->n = !status;
    if (!status)
        status = apply(policy, &given, __func__);
    return give(policy, status, __func__, &ret_policy->id);
}

/* Makes a policy of the program's function. If it fails, the caller releases user. */
static cushim_status custom(cushim_status (*next)(void *user, cushim_stream *ret_stream),
                            void *user, void (*release)(void *user),
                            const struct cushim_policy_params *params, const char *call,
                            cushim_policy *ret_policy)
{
    struct cushim_policy_params given;
    struct cushim__policy *policy;
    cushim_status status;

    if (!ret_policy || !next)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL, "%s: %s is NULL", call,
                               next ? "ret_policy" : "next");
    CUSHIM_TRY(PARAMS_READ_FOR(call, cushim_policy_params, label, params, &given));
    if (given.streams)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                               "%s: .streams is %zu, but the function has the streams", call,
                               given.streams);
    policy = new_policy(0, call);
    if (!policy)
        return cushim__error()->status;
    policy->next = next;
    policy->user = user;
    status = apply(policy, &given, call);
    if (!status) {
        /* The handle takes over the reference, and may fail: then the caller releases, too. */
        cushim__object_ref(&policy->object);
        status = give(policy, CUSHIM_OK, call, &ret_policy->id);
        if (!status)
            policy->release = release;
    }
    cushim__object_unref(&policy->object);
    return status;
}

cushim_status cushim_policy_custom(cushim_status (*next)(void *user, cushim_stream *ret_stream),
                                   void *user, void (*release)(void *user),
                                   const struct cushim_policy_params *params,
                                   cushim_policy *ret_policy)
{
    const cushim_status status = custom(next, user, release, params, __func__, ret_policy);

    if (status)
        cushim__release(release, user);
    return status;
}

void cushim_policy_free(cushim_policy *policy)
{
    cushim__object_close(policy ? &policy->id : NULL, CUSHIM__HANDLE_POLICY, __func__);
}

/* --- choosing --- */

/* Asks the function of the program. */
static cushim_status ask(const struct cushim__policy *policy, const char *call,
                         cushim_stream *ret_stream)
{
    struct cushim__error before;
    cushim_status status;

    /* A failure is told by the error that the function leaves, so none may be there before. */
    cushim__error_keep(&before);
    cushim_error_clear();
    status = policy->next(policy->user, ret_stream);
    if (!status && !ret_stream->id)
        return cushim__fail(CUSHIM_ERROR_STALE_HANDLE,
                            "%s: the policy's function returned CUSHIM_OK without a stream", call);
    if (!status)
        cushim__error_restore(&before);
    if (status && cushim__error()->status)
        cushim__error()->status = status;
    else if (status)
        cushim__fail_at(status, call, NULL, "%s: the policy's function failed: %s", call,
                        cushim__status_text(status));
    return status;
}

cushim_status cushim__policy_choose(struct cushim__policy *policy, const char *call,
                                    cushim_stream *ret_stream)
{
    cushim_stream stream = CUSHIM_NONE;

    if (policy->next)
        CUSHIM_TRY(ask(policy, call, &stream));
    else
        stream = policy->streams[atomic_fetch_add_explicit(&policy->turn, 1, memory_order_relaxed) %
                                 policy->n];
    if (policy->pool.id && policy->next)
        CUSHIM_TRY(check_pool(policy->pool.id, stream.id, call));
    if (policy->next) {
        if (!cushim__handle_pin(stream.id, CUSHIM__HANDLE_STREAM, call))
            return cushim__error()->status;
        cushim__handle_unpin(stream.id);
    }
    *ret_stream = stream;
    return CUSHIM_OK;
}

struct cushim__policy *cushim__policy_pin(uint64_t id, const char *call, uint64_t *ret_id)
{
    struct cushim__policy *policy;
    cushim_policy found = {.id = id};

    if (!id && cushim_policy_default(&found))
        return NULL;
    policy = cushim__handle_pin(found.id, CUSHIM__HANDLE_POLICY, call);
    if (!policy && !id)
        cushim_policy_free(&found);
    *ret_id = found.id;
    return policy;
}

void cushim__policy_unpin(uint64_t given, uint64_t id)
{
    cushim__handle_unpin(id);
    if (!given)
        cushim_policy_free(&(cushim_policy){.id = id});
}

cushim_status cushim_policy_next(cushim_policy policy, cushim_stream *ret_stream)
{
    struct cushim__policy *object;
    cushim_status status;

    CHECK_OUTPUT(ret_stream);
    object = cushim__handle_pin(policy.id, CUSHIM__HANDLE_POLICY, __func__);
    if (!object)
        return cushim__error()->status;
    status = cushim__policy_choose(object, __func__, ret_stream);
    cushim__handle_unpin(policy.id);
    return status;
}
