/* SPDX-License-Identifier: MIT */
/*
 * Stream objects. Several handles, and so several objects, may name one CUstream. The order of its
 * work is kept in the timeline that they share (timeline.h).
 */
#include "core/order/stream.h"

#include <stdlib.h>

#include "base/log.h"
#include "core/object/host_call.h"
#include "core/object/idle_stream.h"
#include "core/order/recording.h"
#include "core/order/thread_end.h"

/*
 * Retires the timeline and destroys the CUstream, unless a call of another thread holds it. Where
 * the work on it cannot be marked, the CUstream stays: other streams can wait for it only then.
 */
static void end(const struct cushim__scope *scope, struct cushim__stream *stream)
{
    if (!cushim__timeline_retire(scope, stream->timeline))
        cushim__log(CUSHIM_LOG_ERROR,
                    "%s: the stream stays, because nothing could wait for its work", scope->call);
    else if (stream->timeline->held)
        stream->timeline->ending = stream->cu;
    else if (stream->idle)
        cushim__idle_stream_give(scope, stream->cu);
    else
        CU_FREE(scope, cuStreamDestroy_v2, (stream->cu));
}

static void end_owned(const struct cushim__scope *scope, struct cushim__stream *stream)
{
    cushim__timeline_lock(stream->timeline);
    cushim__lock(scope->context);
    end(scope, stream);
    cushim__unlock(scope->context);
    cushim__timeline_unlock(stream->timeline);
}

/*
 * Destroys a CUstream of ours under its locks. A submission of another thread takes the stream
 * lock, and finds the timeline retired: so nothing is submitted to a destroyed stream, and no
 * new stream with the same address gets the old timeline. A recorder's graph is dropped first,
 * because the driver does not destroy a stream that captures.
 */
static void destroy(void *object)
{
    struct cushim__stream *stream = object;
    struct cushim__context *context = stream->object.context;
    struct cushim__scope scope;

    if (stream->owned || stream->timeline->branch) {
        cushim__scope_to_free(context, "cushim_stream_free", cushim__object_label(&stream->object),
                              &scope);
        cushim__recording_drop(&scope, stream);
        if (stream->owned)
            end_owned(&scope, stream);
        cushim__scope_leave(&scope, CUSHIM_OK);
    }
    cushim__timeline_unref(stream->timeline);
    cushim__object_finish(&stream->object);
    free(stream);
    cushim__context_unref(context);
}

cushim_status cushim__stream_new_on(const struct cushim__scope *scope,
                                    struct cushim__timeline *timeline,
                                    struct cushim__stream **ret_stream)
{
    struct cushim__stream *stream = timeline ? cushim__zalloc_lines(sizeof(*stream)) : NULL;

    if (!stream) {
        cushim__timeline_unref(timeline);
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, NULL, "no memory for a stream");
    }
    cushim__context_ref(scope->context);
    cushim__object_init(&stream->object, CUSHIM__HANDLE_STREAM, scope->context, destroy);
    stream->object.lock = timeline->lock;
    stream->timeline = timeline;
    stream->cu = timeline->cu;
    *ret_stream = stream;
    return CUSHIM_OK;
}

cushim_status cushim__stream_new(const struct cushim__scope *scope, CUstream cu, bool owned,
                                 struct cushim__stream **ret_stream)
{
    /* The per-thread stream has one CUstream for all threads, and a timeline for each of them. */
    const uint64_t thread = cu == CU_STREAM_PER_THREAD ? cushim__thread_number() : 0;
    struct cushim__timeline *timeline = !thread || cushim__thread_end_note(scope->context)
                                            ? cushim__timeline_get(scope->context, cu, thread)
                                            : NULL;
    const cushim_status status = cushim__stream_new_on(scope, timeline, ret_stream);

    if (status) {
        if (owned)
            CU_FREE(scope, cuStreamDestroy_v2, (cu));
        return status;
    }
    (*ret_stream)->object.kept_by_parent = !cu; /* the context keeps the default stream */
    (*ret_stream)->owned = owned;
    if (!owned && cu && cu != CU_STREAM_PER_THREAD)
        timeline->adopted = scope->context->reuse.adopts = true;
    return CUSHIM_OK;
}

cushim_status cushim__stream_check(const struct cushim__scope *scope,
                                   const struct cushim__stream *stream)
{
    /* Another handle has owned the CUstream, and is freed. */
    if (stream->timeline->retired)
        return cushim__fail_freed(scope, stream->timeline);
    /* The driver would submit to the stream of the calling thread, which is another stream. */
    if (!stream->timeline->thread || stream->timeline->thread == cushim__thread_number())
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_WRONG_THREAD, scope->call, scope->label,
                           "%s: this is the per-thread default stream of another thread",
                           scope->call);
}

cushim_status cushim__stream_enter(uint64_t id, const char *call, struct cushim__scope *ret_scope,
                                   struct cushim__stream **ret_stream)
{
    cushim_status status;

    CUSHIM_TRY(cushim__object_enter(id, CUSHIM__HANDLE_STREAM, call, ret_scope, ret_stream));
    status = cushim__stream_check(ret_scope, *ret_stream);
    return status ? cushim__scope_leave(ret_scope, status) : CUSHIM_OK;
}

cushim_status cushim__stream_begin(uint64_t id, const char *call, struct cushim__scope *ret_scope,
                                   struct cushim__stream **ret_stream, CUstream *ret_cu)
{
    cushim_status status;

    CUSHIM_TRY(cushim__stream_enter(id, call, ret_scope, ret_stream));
    status = cushim__timeline_hold(ret_scope, (*ret_stream)->timeline, ret_cu);
    return status ? cushim__scope_leave(ret_scope, status) : CUSHIM_OK;
}

cushim_status cushim__stream_end(struct cushim__scope *scope, struct cushim__stream *stream,
                                 cushim_status status)
{
    cushim__timeline_let_go(scope, stream->timeline);
    return cushim__scope_leave(scope, status);
}

cushim_status cushim__fail_foreign(const struct cushim__scope *scope, const char *what)
{
    return cushim__fail_at(CUSHIM_ERROR_FOREIGN_CONTEXT, scope->call, scope->label,
                           "%s: the %s belongs to another context", scope->call, what);
}

static cushim_status launch_host(struct cushim__scope *scope, struct cushim__stream *stream,
                                 struct cushim__host_call *host_call)
{
    struct cushim__submission s = {
        .scope = scope, .timeline = stream->timeline, .recordable = true, .in_order = true};
    struct cushim__recording *recording;
    cushim_status status;

    CUSHIM_TRY(cushim__submit_begin(&s));
    recording = stream->timeline->branch ? stream->timeline->branch->recording : NULL;
    host_call->is_recorded = recording;
    status = recording
                 ? cushim__recording_check_outside(scope, stream->timeline, "a host function")
                 : cushim__check_not_captured(scope, stream->cu);
    if (!status)
        status = CU_CALL(scope, cuLaunchHostFunc, (stream->cu, cushim__host_call_make, host_call));
    /*
     * A host call that is not recorded may have run and been freed already, so only a recorded one
     * is used here.
     */
    if (!status && recording)
        cushim__recording_call(recording, host_call);
    cushim__submit_end(&s);
    return status;
}

/* The stream keeps the context whose list the call is in. */
cushim_status cushim__stream_call(struct cushim__scope *scope, struct cushim__stream *stream,
                                  struct cushim__host_call *host_call)
{
    cushim_status status;

    cushim__host_call_add(scope->context, host_call);
    status = launch_host(scope, stream, host_call);
    if (status)
        cushim__host_call_drop(host_call);
    return status;
}
