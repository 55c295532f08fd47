/* SPDX-License-Identifier: MIT */
/* Futures: scheduling, submitting, freeing. */
#include "async/future.h"

#include <stdlib.h>
#include <unistd.h>

#include "async/policy.h"
#include "async/watch.h"
#include "core/order/recording.h"

/* --- making and freeing --- */

/* What a future was scheduled with. */
static void free_target(struct cushim__future *future)
{
    if (future->stream.id)
        cushim_stream_free(&future->stream);
    if (future->pool.id)
        cushim_pool_free(&future->pool);
    if (future->policy)
        cushim_policy_free(&(cushim_policy){.id = future->policy});
}

static void destroy(void *object)
{
    struct cushim__future *future = object;

    cushim__future_drop(future);
    cushim__node_unref(future->op);
    free_target(future);
    cushim__flight_end(&future->flight, atomic_load(&future->reached));
    cushim__flight_finish(&future->flight);
    cushim__output_unref(&future->output);
    free(future->error);
    free(future->failure);
    cushim__object_finish(&future->object);
    free(future);
}

void cushim_future_free(cushim_future *future)
{
    cushim__object_close(future ? &future->id : NULL, CUSHIM__HANDLE_FUTURE, __func__);
}

/* Makes a future with a handle. Takes over the reference on the operation, on failure too. */
static cushim_status make(struct cushim__node *op, enum cushim__future_state state,
                          const char *call, struct cushim__future **ret_future)
{
    struct cushim__future *future = op ? cushim__zalloc(sizeof(*future)) : NULL;
    cushim_status status;

    if (!op)
        return cushim__error()->status;
    if (!future) {
        cushim__node_unref(op);
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, NULL, "no memory for a future");
    }
    cushim__object_init(&future->object, CUSHIM__HANDLE_FUTURE, NULL, destroy);
    cushim__flight_init(&future->flight);
    future->fd = -1;
    future->op = op;
    future->state = state;
    cushim__handle_when_closed(CUSHIM__HANDLE_FUTURE, cushim__future_closed);
    status = cushim__object_give(&future->object, call, &future->id);
    if (!status)
        *ret_future = future;
    return status;
}

struct cushim__future *cushim__future_pin(cushim_future future, const char *call)
{
    return cushim__handle_pin(future.id, CUSHIM__HANDLE_FUTURE, call);
}

/* --- submitting --- */

/* Arms a future after all steps, with an error that says so. */
static cushim_status arm_after(struct cushim__future *future, struct cushim__stream *stream,
                               const char *call)
{
    const cushim_status status = cushim__future_arm(future, stream);
    struct cushim__error error;

    if (!status)
        return CUSHIM_OK;
    error = *cushim__error();
    return cushim__fail_at(status, error.call, error.label,
                           "%s: all steps were submitted, but nothing can tell when they are done: "
                           "%.800s",
                           call, error.text);
}

void cushim__future_set(struct cushim__future *future, cushim_status status)
{
    if (status) {
        future->error = malloc(sizeof(*future->error));
        if (future->error)
            *future->error = *cushim__error();
    }
    future->status = status;
    future->state = CUSHIM__FUTURE_SETTLED;
    cushim__condition_tell(&future->changed);
}

/* Where a future's work goes. */
struct target {
    cushim_stream stream;
    cushim_pool pool;
    uint64_t policy; /* if it spreads; or 0 */
};

/* Runs the steps. The stream is pinned. */
static cushim_status run(struct cushim__future *future, const struct target *target,
                         const char *call)
{
    struct cushim__run run = {.exec = {.stream = target->stream, .pool = target->pool},
                              .call = call,
                              .policy = target->policy,
                              .flight = &future->flight};

    return cushim__run(&run, TAKE_PTR(future->op), &future->output);
}

/*
 * After a failure some work may be in flight, and use what the flight keeps. If the stream cannot
 * tell when it is done, waiting for it is the last resort.
 */
static void clean_up(struct cushim__future *future, struct cushim__stream *stream,
                     const struct target *target)
{
    const struct cushim__error error = *cushim__error();

    cushim__output_free_memory(&future->output);
    cushim__mutex_lock(&future->lock);
    future->released = false;
    cushim__mutex_unlock(&future->lock);
    if (future->flight.first && cushim__future_arm(future, stream))
        atomic_store(&future->reached, !cushim_stream_synchronize(target->stream));
    *cushim__error() = error;
}

/* A failure must not be the status that means "pending": who asks for it would ask for ever. */
static cushim_status not_pending(cushim_status status)
{
    struct cushim__error error;

    if (status != CUSHIM_PENDING)
        return status;
    error = *cushim__error();
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, error.call, error.label,
                           "%.800s; 600 CUDA_ERROR_NOT_READY is no result of an operation",
                           error.text);
}

/* Sets the result of a future that could not be submitted. */
static cushim_status fail_submission(struct cushim__future *future, cushim_status status)
{
    status = not_pending(status);
    cushim__mutex_lock(&future->lock);
    cushim__future_set(future, status);
    cushim__mutex_unlock(&future->lock);
    cushim__future_wake(future, false);
    return status;
}

/* Submits the work of a future in state SUBMITTING to a stream that is pinned. */
static cushim_status submit_to(struct cushim__future *future, struct cushim__stream *stream,
                               const struct target *target, const char *call)
{
    cushim_status status;
    bool watch, early;

    future->flight.home = stream->object.context;
    cushim__object_ref(&stream->object);
    cushim__mutex_lock(&future->lock); /* a thread that waits looks at it */
    future->on = stream;
    cushim__mutex_unlock(&future->lock);
    status = run(future, target, call);
    if (!status)
        status = arm_after(future, stream, call);
    if (status) {
        clean_up(future, stream, target);
        return fail_submission(future, status);
    }
    cushim__mutex_lock(&future->lock);
    early = future->ended_early;
    watch = !early && (future->fd >= 0 || future->notify);
    future->state = CUSHIM__FUTURE_IN_FLIGHT;
    cushim__condition_tell(&future->changed);
    cushim__mutex_unlock(&future->lock);
    if (early)
        cushim__future_wake(future, atomic_load(&future->lost));
    if (watch)
        cushim__watch(future);
    return CUSHIM_OK;
}

/*
 * Fails for a recorder, and for a stream that the program captures: nothing runs on them, so it
 * would never end a future.
 */
static cushim_status check_runs(const struct cushim__stream *stream, const char *call)
{
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(cushim__scope_enter(stream->object.context, call, NULL, &scope));
    status = cushim__check_not_recording(&scope, stream->timeline, "submitting an operation");
    if (!status)
        status = cushim__check_not_captured(&scope, stream->cu);
    return cushim__scope_leave(&scope, status);
}

/* What is done with a future whose stream is pinned: submit_to(), or run_and_wait(). */
typedef cushim_status work_fn(struct cushim__future *future, struct cushim__stream *stream,
                              const struct target *target, const char *call);

/* Pins the stream, and begins the work. */
static cushim_status submit(struct cushim__future *future, const struct target *target,
                            work_fn *work, const char *call)
{
    struct cushim__stream *stream =
        cushim__handle_pin(target->stream.id, CUSHIM__HANDLE_STREAM, call);
    cushim_status status;

    if (!stream)
        return fail_submission(future, cushim__error()->status);
    status = check_runs(stream, call);
    status = status ? fail_submission(future, status) : work(future, stream, target, call);
    cushim__handle_unpin(target->stream.id);
    return status;
}

/* Asks a policy, which is pinned, where the work goes. */
static cushim_status choose(struct cushim__policy *policy, uint64_t id, const char *call,
                            struct target *ret_target)
{
    *ret_target = (struct target){.pool = policy->pool, .policy = policy->spread ? id : 0};
    return cushim__policy_choose(policy, call, &ret_target->stream);
}

/* Makes a future for an operation, which it consumes. */
static cushim_status begin(cushim_op op, enum cushim__future_state state, const char *call,
                           const void *ret, struct cushim__future **ret_future)
{
    const cushim_status status = cushim__check_no_callback(call);

    if (!status && ret)
        return make(cushim__node_take_last(op.id, call), state, call, ret_future);
    cushim__ops_drop(&op, 1);
    if (status)
        return status;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL, "%s: ret_future is NULL",
                           call);
}

/* Gives a future to the program, or frees it after a failure, whose error stays the thread's. */
static cushim_status end(struct cushim__future *future, cushim_status status,
                         cushim_future *ret_future)
{
    cushim_future handle = {.id = future->id};

    status = not_pending(status);
    if (status)
        cushim_future_free(&handle);
    else
        *ret_future = handle;
    return status;
}

/* --- for programs --- */

/* Keeps what was chosen, until the future is submitted. */
static cushim_status keep(struct cushim__future *future, const struct target *target,
                          const char *call)
{
    CUSHIM_TRY(cushim__handle_retain_kept(target->stream.id, call, &future->stream.id));
    if (target->pool.id)
        CUSHIM_TRY(cushim__handle_retain_kept(target->pool.id, call, &future->pool.id));
    return target->policy ? cushim__handle_retain_kept(target->policy, call, &future->policy)
                          : CUSHIM_OK;
}

cushim_status cushim_op_schedule(cushim_op op, cushim_policy policy, cushim_future *ret_future)
{
    struct cushim__future *future;
    struct cushim__policy *object;
    struct target target;
    cushim_status status;
    uint64_t id;

    CUSHIM_TRY(begin(op, CUSHIM__FUTURE_SCHEDULED, __func__, ret_future, &future));
    if (cushim__node_error(future->op))
        return end(future, cushim__error()->status, ret_future);
    object = cushim__policy_pin(policy.id, __func__, &id);
    status = object ? choose(object, id, __func__, &target) : cushim__error()->status;
    if (!status)
        status = keep(future, &target, __func__);
    if (object)
        cushim__policy_unpin(policy.id, id);
    return end(future, status, ret_future);
}

/* Fails unless the future is scheduled, and begins its submission. */
static cushim_status begin_submission(struct cushim__future *future, const char *call)
{
    cushim_status status = CUSHIM_OK;

    cushim__mutex_lock(&future->lock);
    if (future->dropped) /* after this call has pinned it: what it has is being freed */
        status = cushim__future_fail_freed(call);
    else if (future->state == CUSHIM__FUTURE_SCHEDULED)
        future->state = CUSHIM__FUTURE_SUBMITTING;
    else if (future->state == CUSHIM__FUTURE_SETTLED && future->status == CUSHIM_ERROR_CANCELLED)
        status = cushim__fail_at(CUSHIM_ERROR_CANCELLED, call, NULL, "%s: it was cancelled", call);
    else
        status =
            cushim__fail_at(CUSHIM_ERROR_BUSY, call, NULL, "%s: it was submitted before", call);
    cushim__mutex_unlock(&future->lock);
    return status;
}

cushim_status cushim_future_submit(cushim_future handle)
{
    struct cushim__future *future;
    struct target target;
    cushim_status status;

    CUSHIM_TRY(cushim__check_no_callback(__func__));
    future = cushim__future_pin(handle, __func__);
    if (!future)
        return cushim__error()->status;
    status = begin_submission(future, __func__);
    if (!status) {
        target = (struct target){future->stream, future->pool, future->policy};
        status = submit(future, &target, submit_to, __func__);
        cushim_stream_free(&future->stream);
        cushim__future_drop_late(future);
    }
    cushim__handle_unpin(handle.id);
    return status;
}

cushim_status cushim_op_submit(cushim_op op, cushim_policy policy, cushim_future *ret_future)
{
    struct cushim__future *future;
    struct cushim__policy *object;
    struct target target;
    cushim_status status;
    uint64_t id;

    CUSHIM_TRY(begin(op, CUSHIM__FUTURE_SUBMITTING, __func__, ret_future, &future));
    object = cushim__policy_pin(policy.id, __func__, &id);
    status = object ? choose(object, id, __func__, &target) : cushim__error()->status;
    status =
        status ? fail_submission(future, status) : submit(future, &target, submit_to, __func__);
    if (object)
        cushim__policy_unpin(policy.id, id);
    return end(future, status, ret_future);
}

cushim_status cushim_op_submit_on(cushim_op op, cushim_stream stream, cushim_future *ret_future)
{
    const struct target target = {.stream = stream};
    struct cushim__future *future;
    cushim_status status;

    CUSHIM_TRY(begin(op, CUSHIM__FUTURE_SUBMITTING, __func__, ret_future, &future));
    status = submit(future, &target, submit_to, __func__);
    return end(future, status, ret_future);
}

/*
 * Runs the operation and waits for the stream, whatever happens. The stream is pinned. Nothing is
 * left in flight, so the driver need not tell when the work is done.
 */
static cushim_status run_and_wait(struct cushim__future *future, struct cushim__stream *stream,
                                  const struct target *target, const char *call)
{
    struct cushim__error error;
    cushim_status status, waited;

    future->flight.home = stream->object.context;
    status = run(future, target, call);
    error = *cushim__error();
    waited = cushim_stream_synchronize(target->stream);
    if (!waited && !status)
        cushim__flight_deliver(&future->flight);
    cushim__flight_end(&future->flight, !waited);
    cushim__flight_finish(&future->flight);
    if (status && !waited)
        *cushim__error() = error;
    status = waited ? waited : status;
    if (status)
        cushim__output_free_memory(&future->output);
    cushim__mutex_lock(&future->lock);
    cushim__future_set(future, status);
    cushim__mutex_unlock(&future->lock);
    cushim__future_wake(future, waited);
    return status;
}

cushim_status cushim_op_run(cushim_op op, cushim_stream stream, cushim_future *ret_future)
{
    struct target target = {.stream = stream};
    cushim_future made = CUSHIM_NONE;
    struct cushim__future *future;
    struct cushim__policy *policy = NULL;
    uint64_t id = 0;
    cushim_status status;

    status = cushim__check_may_wait(__func__);
    if (status) {
        cushim__ops_drop(&op, 1);
        return status;
    }
    CUSHIM_TRY(begin(op, CUSHIM__FUTURE_SUBMITTING, __func__, &made, &future));
    if (!stream.id) {
        policy = cushim__policy_pin(0, __func__, &id);
        status = policy ? choose(policy, id, __func__, &target) : cushim__error()->status;
    }
    status =
        status ? fail_submission(future, status) : submit(future, &target, run_and_wait, __func__);
    if (policy)
        cushim__policy_unpin(0, id);
    status = end(future, status, &made);
    if (!ret_future)
        cushim_future_free(&made);
    else if (!status)
        *ret_future = made;
    return status;
}
