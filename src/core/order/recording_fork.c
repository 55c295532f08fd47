/* SPDX-License-Identifier: MIT */
/* Recorders of one recording: how they fork and join. */
#include "core/order/recording_works.h"

static cushim_status fail_memory(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                           "%s: no memory to record", scope->call);
}

static cushim_status fail_ended(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, scope->call, scope->label,
                           "%s: the recording has ended", scope->call);
}

/* Under the stream lock, which the two timelines share. */
static cushim_status fork_branch(const struct cushim__scope *scope, struct cushim__branch *parent,
                                 struct cushim__timeline *timeline)
{
    struct cushim__branch *branch = cushim__branch_add(parent->recording, timeline);

    if (!branch)
        return fail_memory(scope);
    cushim__branch_set(timeline, branch);
    return cushim__branch_join(branch, parent) ? CUSHIM_OK : fail_memory(scope);
}

cushim_status cushim__recording_fork(const struct cushim__scope *scope,
                                     struct cushim__stream *stream,
                                     struct cushim__stream **ret_stream, bool *ret_again)
{
    struct cushim__timeline *parent = stream->timeline;
    struct cushim__stream *forked = NULL;
    struct cushim__timeline *timeline;
    cushim_status status;

    /* Another thread may end the stream meanwhile. */
    cushim__timeline_lock(parent);
    timeline = cushim__timeline_fork(parent);
    cushim__timeline_unlock(parent);
    if (!timeline)
        return fail_memory(scope);
    status = cushim__stream_new_on(scope, timeline, &forked);
    if (status)
        return status;
    cushim__timeline_lock(parent);
    *ret_again = !parent->branch && !parent->retired;
    if (parent->branch)
        status = fork_branch(scope, parent->branch, timeline);
    else if (parent->retired)
        status = cushim__fail_freed(scope, parent);
    cushim__timeline_unlock(parent);
    if (status || *ret_again)
        cushim__object_unref(&forked->object);
    else
        *ret_stream = forked;
    return status;
}

/* Under the stream lock of the first one, which is that of the other one, too, if they may join. */
static cushim_status join(const struct cushim__scope *scope, struct cushim__timeline *timeline,
                          struct cushim__timeline *other)
{
    if (timeline->branch && timeline->lock != other->lock)
        return cushim__fail_at(CUSHIM_ERROR_CAPTURING, scope->call, scope->label,
                               "%s: a stream that records for a graph can be joined with recorders "
                               "of the same recording only; cushim_stream_fork() makes them",
                               scope->call);
    if (!timeline->branch || !other->branch)
        return fail_ended(scope);
    if (timeline->branch->recording != other->branch->recording)
        return cushim__fail_at(CUSHIM_ERROR_CAPTURING, scope->call, scope->label,
                               "%s: the body of a conditional node is a recording of its own",
                               scope->call);
    return cushim__branch_join(timeline->branch, other->branch) ? CUSHIM_OK : fail_memory(scope);
}

cushim_status cushim__recording_join(const struct cushim__scope *scope,
                                     struct cushim__timeline *timeline,
                                     struct cushim__timeline *other, bool *ret_again)
{
    cushim_status status = CUSHIM_OK;

    cushim__timeline_lock(timeline);
    *ret_again = !timeline->branch && !timeline->retired && timeline->lock != other->lock;
    if (!*ret_again)
        status = join(scope, timeline, other);
    cushim__timeline_unlock(timeline);
    return status;
}
