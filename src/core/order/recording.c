/* SPDX-License-Identifier: MIT */
/* Recordings: how they begin, fork, join and end, and what they keep. */
#include "core/order/recording_works.h"

#include <stdlib.h>

#include "base/log.h"
#include "core/object/host_call.h"
#include "core/object/idle_stream.h"

/* --- what a recording keeps --- */

static void free_branches(struct cushim__recording *recording)
{
    while (recording->branches) {
        struct cushim__branch *branch = recording->branches;

        recording->branches = branch->next;
        cushim__timeline_unref(branch->timeline);
        free(branch->after.items);
        free(branch->ends.items);
        free(branch->given.items);
        free(branch);
    }
}

/* Frees what only a recording needs, and not a graph. */
static void forget_branches(struct cushim__recording *recording)
{
    free_branches(recording);
    for (size_t i = 0; i < recording->n_works; i++)
        recording->works[i].branch = NULL;
    free(TAKE_PTR(recording->found.items));
    free(TAKE_PTR(recording->taken));
}

/* This may drop the last reference on a buffer, and freeing that takes locks. */
void cushim__recording_free(struct cushim__recording *recording)
{
    if (!recording)
        return;
    /* A graph that is kept frees memory of its own, which others must not hold then. */
    cushim__recorded_memory_free(recording);
    if (recording->arena)
        cushim__object_unref(&recording->arena->object);
    cushim__recording_free_bodies(recording);
    free_branches(recording);
    free(recording->found.items);
    free(recording->taken);
    cushim__recorded_works_free(recording);
    if (recording->updates)
        cushim__object_unref(recording->updates);
    free(recording);
}

/* --- begin --- */

/*
 * Counts a recording that begins. While a stream records, a wait for the whole context is refused,
 * and the other way round: the driver would give up the recording.
 */
cushim_status cushim__recording_count(const struct cushim__scope *scope)
{
    bool waits;

    cushim__lock(scope->context);
    waits = scope->context->waits != 0;
    scope->context->recordings += !waits;
    cushim__unlock(scope->context);
    if (!waits)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_BUSY, scope->call, scope->label,
                           "%s: another thread waits for the context: begin when it is done",
                           scope->call);
}

/* Called when the driver has ended the recording. */
void cushim__recording_forget(const struct cushim__scope *scope)
{
    cushim__lock(scope->context);
    scope->context->recordings--;
    cushim__unlock(scope->context);
}

static cushim_status fail_memory(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                           "%s: no memory to record", scope->call);
}

/* Adds a branch for a timeline. NULL when out of memory. */
struct cushim__branch *cushim__branch_add(struct cushim__recording *recording,
                                          struct cushim__timeline *timeline)
{
    struct cushim__branch *branch = calloc(1, sizeof(*branch));

    if (!branch)
        return NULL;
    branch->recording = recording;
    branch->timeline = cushim__timeline_ref(timeline);
    branch->next = recording->branches;
    recording->branches = branch;
    return branch;
}

struct cushim__recording *cushim__recording_new(struct cushim__stream *stream,
                                                const struct cushim__recording_wish *wish)
{
    static _Atomic uint64_t last;
    struct cushim__recording *recording = calloc(1, sizeof(*recording));

    if (!recording)
        return NULL;
    recording->id = atomic_fetch_add(&last, 1) + 1;
    recording->cu = stream->cu;
    recording->by = stream;
    recording->by_recorder = stream->recorder;
    recording->order = wish->order;
    recording->memory_nodes = wish->memory_nodes;
    recording->arena = wish->arena;
    if (!cushim__branch_add(recording, stream->timeline)) {
        free(recording);
        return NULL;
    }
    if (recording->arena)
        cushim__object_ref(&recording->arena->object);
    recording->updates = wish->updates;
    recording->outer = wish->outer;
    if (recording->updates)
        cushim__object_ref(recording->updates);
    return recording;
}

/* Under the stream lock, or before another thread knows the timeline. */
void cushim__branch_set(struct cushim__timeline *timeline, struct cushim__branch *branch)
{
    cushim__lock(timeline->context);
    timeline->branch = branch;
    timeline->not_fast = branch || timeline->thread || timeline->origin;
    cushim__unlock(timeline->context);
}

/* A driver that is too old says so here. */
static cushim_status begin_capture(const struct cushim__scope *scope,
                                   const struct cushim__recording *recording, int mode)
{
    struct cushim__capture capture;
    CUgraph graph = NULL;
    cushim_status status = CU_CALL(scope, cuStreamBeginCapture_v2, (recording->cu, mode));

    if (status == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
        return cushim__fail_at(status, "cuStreamBeginCapture", scope->label,
                               "%s: the legacy default stream cannot record; a stream of "
                               "cushim_stream_new() can, and cushim_capture_begin() makes one",
                               scope->call);
    if (status)
        return status;
    status = cushim__capture_ask(scope, recording, &capture);
    if (!status)
        return CUSHIM_OK;
    CU_FREE(scope, cuStreamEndCapture, (recording->cu, &graph));
    if (graph)
        CU_FREE(scope, cuGraphDestroy, (graph));
    return status;
}

/* Under the stream lock, or before another thread knows the stream. */
static cushim_status start(const struct cushim__scope *scope, struct cushim__stream *stream,
                           struct cushim__recording *recording, int mode)
{
    cushim_status status = cushim__recording_count(scope);

    if (status)
        return status;
    status = begin_capture(scope, recording, mode);
    recording->thread = mode == CU_STREAM_CAPTURE_MODE_RELAXED ? 0 : cushim__thread_number();
    if (status)
        cushim__recording_forget(scope);
    else
        cushim__branch_set(stream->timeline, recording->branches);
    return status;
}

static cushim_status begin_new(const struct cushim__scope *scope, struct cushim__stream *stream,
                               const struct cushim__recording_wish *wish)
{
    struct cushim__recording *recording = cushim__recording_new(stream, wish);
    cushim_status status;

    if (!recording)
        return fail_memory(scope);
    status = start(scope, stream, recording, wish->mode);
    if (status)
        cushim__recording_free(recording);
    return status;
}

cushim_status cushim__recording_begin(const struct cushim__scope *scope,
                                      const struct cushim__recording_wish *wish,
                                      struct cushim__stream **ret_stream)
{
    struct cushim__stream *stream = NULL;
    CUstream cu = NULL;
    cushim_status status;

    CUSHIM_TRY(cushim__idle_stream_take(scope, &cu));
    CUSHIM_TRY(cushim__stream_new(scope, cu, true, &stream));
    stream->recorder = true;
    status = begin_new(scope, stream, wish);
    if (status)
        cushim__object_unref(&stream->object);
    else
        *ret_stream = stream;
    return status;
}

/*
 * What the stream has done so far is marked first: while it captures, a mark would be a part of the
 * graph. Under the stream lock.
 */
static cushim_status begin_on(const struct cushim__scope *scope, struct cushim__stream *stream,
                              struct cushim__recording *recording, int mode)
{
    struct cushim__timeline *timeline = stream->timeline;
    struct cushim__mark mark;
    cushim_status status = CUSHIM_OK;

    if (timeline->branch)
        return cushim__fail_at(CUSHIM_ERROR_CAPTURING, scope->call, scope->label,
                               "%s: the stream records for a graph already", scope->call);
    if (timeline->retired)
        return cushim__fail_freed(scope, timeline);
    cushim__lock(timeline->context);
    if (timeline->submitted > timeline->done)
        status = cushim__timeline_mark(scope, timeline, timeline->submitted, &mark);
    cushim__unlock(timeline->context);
    return status ? status : start(scope, stream, recording, mode);
}

cushim_status cushim__recording_begin_on(const struct cushim__scope *scope,
                                         struct cushim__stream *stream,
                                         const struct cushim__recording_wish *wish)
{
    struct cushim__recording *recording = cushim__recording_new(stream, wish);
    cushim_status status;

    if (!recording)
        return fail_memory(scope);
    /* The program may have the CUstream since long. */
    recording->exposed = true;
    cushim__timeline_lock(stream->timeline);
    status = begin_on(scope, stream, recording, wish->mode);
    cushim__timeline_unlock(stream->timeline);
    if (status)
        cushim__recording_free(recording);
    return status;
}

/* --- end --- */

/*
 * Takes the recording from its recorders, which cannot be used any more. A stream of the program
 * that has recorded can. Under the stream lock. The caller ends the capture, and then calls
 * cushim__recording_forget().
 */
void cushim__recording_detach(struct cushim__recording *recording)
{
    for (struct cushim__branch *b = recording->branches; b; b = b->next) {
        cushim__branch_set(b->timeline, NULL);
        b->timeline->recorded = b->timeline->origin || recording->by_recorder;
        b->timeline->retired = b->timeline->recorded;
    }
}

cushim_status cushim__recording_end_capture(const struct cushim__scope *scope,
                                            const struct cushim__recording *recording,
                                            CUgraph *ret_graph)
{
    const cushim_status ended = CU_CALL(scope, cuStreamEndCapture, (recording->cu, ret_graph));

    cushim__recording_forget(scope);
    if (recording->by && recording->by_recorder)
        recording->by->idle = !ended && !recording->exposed;
    return ended;
}

static cushim_status fail_broken(const struct cushim__scope *scope, cushim_status status)
{
    return cushim__fail_at(status, scope->call, scope->label,
                           "%s: a part of the recording could not be noted, or was given up, so "
                           "there is no graph",
                           scope->call);
}

/* A graph that keeps memory could not be launched twice. */
static cushim_status check_freed(const struct cushim__scope *scope,
                                 const struct cushim__recording *recording)
{
    const struct cushim__block *block = recording->unfreed;

    if (!block)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_BUSY, scope->call, scope->label,
                           "%s: with .memory_nodes, what is allocated must be freed before the "
                           "recording ends, and the slice of %zu bytes%s%s is not",
                           scope->call, block->bytes, *block->made.text ? " made by " : "",
                           block->made.text);
}

/* Under the stream lock. The graph is NULL if the driver has none. */
static cushim_status end_capture(const struct cushim__scope *scope,
                                 struct cushim__recording *recording, CUgraph *ret_graph)
{
    cushim_status status = cushim__recording_come_together(scope, recording);
    cushim_status ended;

    if (!status)
        status = check_freed(scope, recording);
    cushim__recording_detach(recording);
    ended = cushim__recording_end_capture(scope, recording, ret_graph);
    if (!status && !ended && recording->broken)
        status = fail_broken(scope, recording->broken);
    return ended ? ended : status;
}

static cushim_status fail_no_recording(const struct cushim__scope *scope,
                                       struct cushim__stream *stream)
{
    const char *why = "not a stream of cushim_capture_begin() or cushim_capture_begin_on()";

    if (cushim__recording_is_body(stream))
        why = "a body of a conditional node, which cushim_capture_end_body() ends; now the whole "
              "recording is given up";
    else if (stream->recorder)
        why = "the recording has ended, by another handle of the stream";
    else if (stream->timeline->origin)
        why = "a fork of the recorder: the stream that began the recording ends it";
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label, "%s: %s",
                           scope->call, why);
}

/* The driver would refuse another thread, too, but the recording would be taken apart by then. */
bool cushim__recording_may_end(const struct cushim__recording *recording)
{
    return !recording->thread || recording->thread == cushim__thread_number();
}

static cushim_status check_thread(const struct cushim__scope *scope,
                                  const struct cushim__recording *recording)
{
    if (cushim__recording_may_end(recording))
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_WRONG_THREAD, scope->call, scope->label,
                           "%s: in this capture mode, the thread that began the recording ends it",
                           scope->call);
}

cushim_status cushim__recording_end(const struct cushim__scope *scope,
                                    struct cushim__stream *stream,
                                    struct cushim__recording **ret_recording, CUgraph *ret_graph)
{
    struct cushim__timeline *timeline = stream->timeline;
    struct cushim__recording *recording = NULL;
    cushim_status status = CUSHIM_OK;
    CUgraph graph = NULL;

    cushim__timeline_lock(timeline);
    if (timeline->branch && !timeline->origin) {
        recording = timeline->branch->recording;
        status = check_thread(scope, recording);
        if (!status)
            status = cushim__recording_check_bodies(scope, recording);
        if (status) {
            cushim__timeline_unlock(timeline);
            return status;
        }
        status = end_capture(scope, recording, &graph);
    }
    cushim__timeline_unlock(timeline);
    if (!recording)
        return fail_no_recording(scope, stream);
    if (status) {
        if (graph)
            CU_FREE(scope, cuGraphDestroy, (graph));
        cushim__recording_free(recording);
        return status;
    }
    forget_branches(recording);
    *ret_recording = recording;
    *ret_graph = graph;
    return CUSHIM_OK;
}

bool cushim__recording_goes_on(struct cushim__stream *stream, cushim_status status)
{
    struct cushim__timeline *timeline = stream->timeline;
    bool records;

    if (status == CUSHIM_ERROR_WRONG_THREAD || status == CUSHIM_ERROR_CAPTURING)
        return true;
    cushim__timeline_lock(timeline);
    records = timeline->branch;
    cushim__timeline_unlock(timeline);
    return records && status == CUSHIM_ERROR_INVALID_ARGUMENT;
}

bool cushim__recording_is_update(struct cushim__stream *stream)
{
    struct cushim__timeline *timeline = stream->timeline;
    bool is;

    cushim__timeline_lock(timeline);
    is = timeline->branch && !timeline->origin && timeline->branch->recording->updates;
    cushim__timeline_unlock(timeline);
    return is;
}

/* Another handle of the stream may still end it, in the thread that began it. */
static void leave(const struct cushim__scope *scope, struct cushim__recording *recording)
{
    recording->by = NULL;
    cushim__log(
        CUSHIM_LOG_ERROR,
        "%s: the recording goes on: in this capture mode, the thread that began it ends it, "
        "by cushim_capture_end() and a handle of the stream",
        scope->call);
}

/* Errors are not reported again: the calls that failed during the recording returned them. */
void cushim__recording_drop(const struct cushim__scope *scope, struct cushim__stream *stream)
{
    struct cushim__recording *recording = NULL;
    CUgraph graph = NULL;

    cushim__timeline_lock(stream->timeline);
    if (stream->timeline->branch && stream->timeline->branch->recording->by == stream)
        recording = stream->timeline->branch->recording;
    if (recording && !stream->owned && !cushim__recording_may_end(recording)) {
        leave(scope, TAKE_PTR(recording));
    } else if (recording) {
        cushim__recording_give_up(scope, recording, &graph);
        if (recording->outer)
            recording = NULL;
    }
    cushim__timeline_unlock(stream->timeline);
    if (graph)
        CU_FREE(scope, cuGraphDestroy, (graph));
    cushim__recording_free(recording);
}
