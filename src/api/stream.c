/* SPDX-License-Identifier: MIT */
#include <cushim/stream.h>

#include <stdlib.h>

#include "base/params.h"
#include "core/object/host_call.h"
#include "core/order/recording.h"
#include "core/order/wait.h"

#define WAITING "waiting"
#define JOINING "joining or forking it"

/* Makes a stream object for a CUstream, and a handle for it. */
static cushim_status give(const struct cushim__scope *scope, CUstream cu, bool owned,
                          const char *label, uint64_t *ret_id)
{
    struct cushim__stream *stream = NULL;
    cushim_status status = CUSHIM_OK;

    CUSHIM_TRY(cushim__stream_new(scope, cu, owned, &stream));
    if (label)
        status = cushim__object_set_label(&stream->object, label, scope->call);
    if (status) {
        cushim__object_unref(&stream->object);
        return status;
    }
    return cushim__object_give(&stream->object, scope->call, ret_id);
}

cushim_status cushim_stream_default(cushim_context context, cushim_stream *ret_stream)
{
    struct cushim__scope scope;
    cushim_status status = CUSHIM_OK;
    uint64_t id;

    CHECK_OUTPUT(ret_stream);
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    cushim__lock(scope.context);
    id = scope.context->default_stream;
    if (!id)
        status = give(&scope, NULL, false, NULL, &id);
    if (!status)
        scope.context->default_stream = ret_stream->id = id;
    cushim__unlock(scope.context);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_stream_per_thread(cushim_context context, cushim_stream *ret_stream)
{
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_stream);
    status = cushim__context_enter(context.id, __func__, &scope);
    if (!status)
        status = cushim__scope_leave(
            &scope, give(&scope, CU_STREAM_PER_THREAD, false, NULL, &ret_stream->id));
    return status;
}

/* Sets how threads wait for the stream, unless the context decides. */
static cushim_status set_wait_policy(const struct cushim__scope *scope, CUstream cu,
                                     enum cushim_wait_policy policy)
{
    const union cushim__cu_attribute_value value = {.number = (int) policy};

    if (policy == CUSHIM_WAIT_UNSET)
        return CUSHIM_OK;
    return CU_CALL(scope, cuStreamSetAttribute,
                   (cu, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
}

static cushim_status create(const struct cushim__scope *scope,
                            const struct cushim_stream_params *params, uint64_t *ret_id)
{
    CUstream cu = NULL;
    cushim_status status;

    if ((unsigned) params->wait_policy > CUSHIM_WAIT_BLOCKING)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, params->label,
                               "%s: .wait_policy is %d, it must be one of enum cushim_wait_policy",
                               scope->call, (int) params->wait_policy);
    CUSHIM_TRY(CU_CALL(scope, cuStreamCreateWithPriority,
                       (&cu, params->blocking ? 0 : CU_STREAM_NON_BLOCKING, params->priority)));
    status = set_wait_policy(scope, cu, params->wait_policy);
    if (!status)
        return give(scope, cu, true, params->label, ret_id);
    CU_FREE(scope, cuStreamDestroy_v2, (cu));
    return status;
}

cushim_status cushim_stream_new(cushim_context context, const struct cushim_stream_params *params,
                                cushim_stream *ret_stream)
{
    struct cushim_stream_params given;
    struct cushim__scope scope;

    CHECK_OUTPUT(ret_stream);
    CUSHIM_TRY(PARAMS_READ(cushim_stream_params, label, params, &given));
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    return cushim__scope_leave(&scope, create(&scope, &given, &ret_stream->id));
}

/*
 * Adopting NULL, CU_STREAM_LEGACY or CU_STREAM_PER_THREAD returns the default stream of that name.
 */
cushim_status cushim_stream_adopt(cushim_context context, void *cu_stream,
                                  cushim_stream *ret_stream)
{
    CUstream cu = cu_stream == CU_STREAM_LEGACY ? NULL : cu_stream;
    struct cushim__scope scope;
    CUcontext owner = NULL;
    cushim_status status;

    CHECK_OUTPUT(ret_stream);
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    status = CU_CALL(&scope, cuStreamGetCtx, (cu, &owner));
    if (!status && owner != scope.context->cu)
        status = cushim__fail_foreign(&scope, "stream");
    if (!status)
        status = give(&scope, cu, false, NULL, &ret_stream->id);
    return cushim__scope_leave(&scope, status);
}

/*
 * The handle of a default stream belongs to its context. No lock is taken, because a hook, which
 * may run while locks are held, can free streams, too.
 */
static bool is_default(uint64_t id)
{
    const struct cushim__stream *stream = cushim__handle_pin(id, CUSHIM__HANDLE_STREAM, NULL);
    const bool is = stream && stream->object.context->default_stream == id;

    if (stream)
        cushim__handle_unpin(id);
    return is;
}

void cushim_stream_free(cushim_stream *stream)
{
    if (stream && is_default(stream->id))
        stream->id = 0;
    else
        cushim__object_close(stream ? &stream->id : NULL, CUSHIM__HANDLE_STREAM, __func__);
}

/* What the program submits itself to a recorder must find its place in the recording. */
static cushim_status expose(cushim_stream stream, const struct cushim__stream *object,
                            const char *call)
{
    struct cushim__stream *entered;
    struct cushim__scope scope;

    if (!object->timeline->not_fast || object->timeline->thread)
        return CUSHIM_OK;
    CUSHIM_TRY(cushim__stream_enter(stream.id, call, &scope, &entered));
    return cushim__scope_leave(&scope, cushim__recording_expose(&scope, entered->timeline));
}

cushim_status cushim_stream_raw(cushim_stream stream, void **ret_cu_stream)
{
    const struct cushim__stream *object;
    cushim_status status;
    bool retired;

    CHECK_OUTPUT(ret_cu_stream);
    object = cushim__handle_pin(stream.id, CUSHIM__HANDLE_STREAM, __func__);
    if (!object)
        return cushim__error()->status;
    /* Another handle has owned the CUstream, and is freed. */
    retired = object->timeline->retired;
    status = retired ? cushim__fail_freed(&(struct cushim__scope){.call = __func__},
                                          object->timeline)
                     : expose(stream, object, __func__);
    if (!status)
        *ret_cu_stream = object->cu;
    cushim__handle_unpin(stream.id);
    return status;
}

/* Tells whether a stream records now. Another thread may end the recording at any time. */
static bool records(struct cushim__timeline *timeline)
{
    bool is;

    if (!timeline->not_fast)
        return false;
    cushim__timeline_lock(timeline);
    is = timeline->branch;
    cushim__timeline_unlock(timeline);
    return is;
}

/*
 * Takes all locks of both timelines: the stream locks in the order of their addresses. Before it
 * has them, another thread may free one of them, or begin to record on it: *ret_again is true then.
 */
static cushim_status join_locked(struct cushim__scope *scope, struct cushim__timeline *timeline,
                                 struct cushim__timeline *other, bool *ret_again)
{
    const bool in_order = (uintptr_t) timeline->lock < (uintptr_t) other->lock;
    struct cushim__timeline *first = in_order ? timeline : other;
    struct cushim__timeline *second = in_order ? other : timeline;
    struct cushim__locks locks = {.n = 0};
    cushim_status status = CUSHIM_OK;

    cushim__timeline_lock(first);
    cushim__timeline_lock(second);
    cushim__lock_contexts(&locks, timeline->context, other->context);
    *ret_again = timeline->branch || other->branch;
    if (timeline->retired || other->retired)
        status = cushim__fail_freed(scope, timeline->retired ? timeline : other);
    else if (!*ret_again)
        status = cushim__timeline_join(scope, timeline, other);
    cushim__timeline_mark_waits(scope, timeline);
    cushim__timeline_mark_waits(scope, other);
    cushim__unlock_all(&locks);
    cushim__timeline_unlock(second);
    cushim__timeline_unlock(first);
    return status;
}

static cushim_status join(struct cushim__scope *scope, struct cushim__timeline *timeline,
                          struct cushim__timeline *other)
{
    cushim_status status = CUSHIM_OK;
    bool again = timeline != other;

    while (again && !status) {
        /* Recorders of one recording share the lock, also when it has ended. */
        if (timeline->lock == other->lock || records(timeline)) {
            status = cushim__recording_join(scope, timeline, other, &again);
            continue;
        }
        status = cushim__check_not_recording(scope, other, JOINING);
        if (!status)
            status = join_locked(scope, timeline, other, &again);
    }
    return status;
}

static cushim_status fork_recorder(const struct cushim__scope *scope, struct cushim__stream *stream,
                                   cushim_stream *ret_stream, bool *ret_again)
{
    struct cushim__stream *forked = NULL;

    CUSHIM_TRY(cushim__recording_fork(scope, stream, &forked, ret_again));
    if (*ret_again)
        return CUSHIM_OK;
    return cushim__object_give(&forked->object, scope->call, &ret_stream->id);
}

static cushim_status fork_stream(struct cushim__scope *scope, struct cushim__stream *stream,
                                 cushim_stream *ret_stream, bool *ret_again)
{
    static const struct cushim_stream_params plain;
    cushim_stream forked = CUSHIM_NONE;
    struct cushim__stream *made;
    cushim_status status;

    CUSHIM_TRY(create(scope, &plain, &forked.id));
    made = cushim__handle_pin(forked.id, CUSHIM__HANDLE_STREAM, scope->call);
    status = made ? join_locked(scope, made->timeline, stream->timeline, ret_again)
                  : cushim__error()->status;
    if (made)
        cushim__handle_unpin(forked.id);
    if (status || *ret_again)
        cushim_stream_free(&forked);
    else
        *ret_stream = forked;
    return status;
}

cushim_status cushim_stream_fork(cushim_stream stream, cushim_stream *ret_stream)
{
    cushim_status status = CUSHIM_OK;
    struct cushim__stream *object;
    struct cushim__scope scope;
    bool again = true;

    CHECK_OUTPUT(ret_stream);
    CUSHIM_TRY(cushim__stream_enter(stream.id, __func__, &scope, &object));
    /* Another thread may begin or end a recording meanwhile. */
    while (again && !status)
        status = records(object->timeline) ? fork_recorder(&scope, object, ret_stream, &again)
                                           : fork_stream(&scope, object, ret_stream, &again);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_stream_join(cushim_stream stream, cushim_stream other)
{
    struct cushim__stream *object, *others;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(cushim__stream_enter(stream.id, __func__, &scope, &object));
    others = cushim__handle_pin(other.id, CUSHIM__HANDLE_STREAM, __func__);
    if (!others)
        return cushim__scope_leave(&scope, cushim__error()->status);
    status = cushim__check_driver(&scope, others->object.context, "other stream");
    if (!status)
        status = cushim__stream_check(&scope, others);
    if (!status)
        status = join(&scope, object->timeline, others->timeline);
    cushim__handle_unpin(other.id);
    return cushim__scope_leave(&scope, status);
}

/* Under the stream lock. Takes those of both contexts. */
static cushim_status wait_for_event(const struct cushim__scope *scope,
                                    struct cushim__timeline *timeline,
                                    const struct cushim__event *event)
{
    struct cushim__locks locks = {.n = 0};
    const struct cushim__point *point;
    cushim_status status;

    cushim__lock_contexts(&locks, timeline->context, event->object.context);
    if (timeline->retired)
        status = cushim__fail_freed(scope, timeline);
    else
        status = CU_CALL(scope, cuStreamWaitEvent, (timeline->cu, event->cu, 0));
    point = cushim__event_point(event);
    if (!status && point && point->timeline != timeline)
        cushim__timeline_learn(timeline, point->timeline, point->number);
    cushim__timeline_mark_waits(scope, timeline);
    cushim__unlock_all(&locks);
    return status;
}

static cushim_status wait_or_record(struct cushim__scope *scope, struct cushim__timeline *timeline,
                                    struct cushim__event *event)
{
    cushim_status status = CUSHIM_OK;
    bool records;

    CUSHIM_TRY(cushim__check_driver(scope, event->object.context, "event"));
    cushim__timeline_lock(timeline);
    records = timeline->branch;
    if (!records)
        status = wait_for_event(scope, timeline, event);
    cushim__timeline_unlock(timeline);
    return records ? cushim__recording_wait(scope, timeline, event) : status;
}

cushim_status cushim_stream_wait(cushim_stream stream, cushim_event event)
{
    struct cushim__stream *object;
    struct cushim__event *waited;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(cushim__stream_enter(stream.id, __func__, &scope, &object));
    waited = cushim__handle_pin(event.id, CUSHIM__HANDLE_EVENT, __func__);
    if (!waited)
        return cushim__scope_leave(&scope, cushim__error()->status);
    status = wait_or_record(&scope, object->timeline, waited);
    cushim__handle_unpin(event.id);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_stream_synchronize(cushim_stream stream)
{
    struct cushim__stream *object;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(cushim__stream_enter(stream.id, __func__, &scope, &object));
    status = cushim__check_not_recording(&scope, object->timeline, WAITING);
    if (!status)
        status = cushim__timeline_synchronize(&scope, object->timeline);
    return cushim__scope_leave(&scope, status);
}

/* 600 CUDA_ERROR_NOT_READY does not change the thread's last error. */
static cushim_status ask(const struct cushim__scope *scope, struct cushim__timeline *timeline,
                         CUstream cu)
{
    const uint64_t number = cushim__timeline_issued(timeline);
    const int result = CU_FN(scope->table, cuStreamQuery)(cu);

    if (result == CUDA_ERROR_NOT_READY)
        return result;
    CUSHIM_TRY(cushim__check_result(scope, result, "cuStreamQuery"));
    cushim__lock(scope->context);
    cushim__timeline_done(timeline, number);
    cushim__unlock(scope->context);
    return CUSHIM_OK;
}

static cushim_status query(uint64_t id, const char *call)
{
    struct cushim__stream *object;
    struct cushim__scope scope;
    CUstream cu = NULL;
    cushim_status status;

    CUSHIM_TRY(cushim__stream_begin(id, call, &scope, &object, &cu));
    status = cushim__check_not_recording(&scope, object->timeline, "asking for its work");
    if (!status)
        status = ask(&scope, object->timeline, cu);
    return cushim__stream_end(&scope, object, status);
}

cushim_status cushim_stream_query(cushim_stream stream)
{
    return query(stream.id, __func__);
}

cushim_status cushim_stream_synchronize_for(cushim_stream stream, uint64_t nanoseconds)
{
    return cushim__poll(query, stream.id, nanoseconds, __func__);
}

cushim_status cushim_stream_host_function(cushim_stream stream, void (*function)(void *user),
                                          void *user, void (*release)(void *user))
{
    struct cushim__host_call *host_call = NULL;
    struct cushim__stream *object;
    struct cushim__scope scope;
    cushim_status status;

    status = cushim__stream_enter(stream.id, __func__, &scope, &object);
    if (!status) {
        host_call = function ? malloc(sizeof(*host_call)) : NULL;
        if (!function)
            status = cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: function is NULL", __func__);
        else if (!host_call)
            status = cushim__fail(CUSHIM_ERROR_NO_MEMORY, "%s: no memory for a call", __func__);
        else {
            *host_call =
                (struct cushim__host_call){.function = function, .release = release, .user = user};
            status = cushim__stream_call(&scope, object, host_call);
            release = NULL;
        }
        status = cushim__scope_leave(&scope, status);
    }
    if (status && release)
        release(user);
    return status;
}

cushim_status cushim_stream_capture_status(cushim_stream stream, enum cushim_capture *ret_status)
{
    cushim_status status;
    int capture = 0;

    CHECK_OUTPUT(ret_status);
    status = STREAM_CALL(stream.id, __func__, cuStreamIsCapturing, (cu, &capture));
    if (!status)
        *ret_status = (enum cushim_capture) capture;
    return status;
}

cushim_status cushim_stream_priority(cushim_stream stream, int *ret_priority)
{
    CHECK_OUTPUT(ret_priority);
    return STREAM_CALL(stream.id, __func__, cuStreamGetPriority, (cu, ret_priority));
}

cushim_status cushim_stream_is_blocking(cushim_stream stream, bool *ret_blocking)
{
    cushim_status status;
    unsigned flags = 0;

    CHECK_OUTPUT(ret_blocking);
    status = STREAM_CALL(stream.id, __func__, cuStreamGetFlags, (cu, &flags));
    if (!status)
        *ret_blocking = !(flags & CU_STREAM_NON_BLOCKING);
    return status;
}
