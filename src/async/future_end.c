/* SPDX-License-Identifier: MIT */
/* The function that the driver calls when a future's work is done. */
#include "async/future.h"

/*
 * How many futures have ended. A driver that says later that a stream is well says so of all of
 * them that it had.
 */
static _Atomic uint64_t ends;

uint64_t cushim__future_ends(void)
{
    return atomic_load(&ends);
}

/* In a thread of the driver. released() follows at once, and tells it. */
static void reached(void *user)
{
    struct cushim__future *future = user;

    future->number = atomic_fetch_add(&ends, 1) + 1;
    atomic_store(&future->reached, true);
}

/*
 * Called once in any case, also when the context ends. It calls no driver, and no function of the
 * program but notify(): data that is held is released with the future. Of a dropped future nothing
 * else keeps the context, so the blocks, which are of the context, are given back here, if they
 * were not when the future was dropped.
 */
static void released(void *user)
{
    struct cushim__future *future = user;
    struct cushim__flight blocks = {.first = NULL};

    cushim__mutex_lock(&future->lock);
    cushim__future_tell(future, !atomic_load(&future->reached), future->call.is_made);
    future->released = true;
    if (future->dropped && future->state != CUSHIM__FUTURE_SETTLING &&
        future->state != CUSHIM__FUTURE_SUBMITTING)
        blocks = cushim__flight_take_blocks(&future->flight);
    cushim__mutex_unlock(&future->lock);
    cushim__flight_end(&blocks, atomic_load(&future->reached));
}

/* The pin may be the last one. In a thread of the driver, the future is then destroyed later. */
static void unpin(struct cushim__host_call *call)
{
    const struct cushim__future *future = call->user;

    if (call->is_made)
        cushim__handle_unpin_in_driver(future->id);
    else
        cushim__handle_unpin(future->id);
}

static cushim_status fail(struct cushim__future *future, cushim_status status)
{
    released(future);
    unpin(&future->call);
    return status;
}

cushim_status cushim__future_arm(struct cushim__future *future, struct cushim__stream *stream)
{
    struct cushim__scope scope;
    cushim_status status;

    cushim__handle_pin_again(future->id);
    cushim__mutex_lock(&future->lock);
    future->released = false; /* it was, if arming has failed before */
    cushim__mutex_unlock(&future->lock);
    future->call = (struct cushim__host_call){
        .function = reached, .release = released, .user = future, .end = unpin};
    status = cushim__scope_enter(stream->object.context, "cushim_stream_host_function",
                                 cushim__object_label(&stream->object), &scope);
    if (status)
        return fail(future, status);
    status = cushim__stream_check(&scope, stream);
    status = status ? fail(future, status) : cushim__stream_call(&scope, stream, &future->call);
    return cushim__scope_leave(&scope, status);
}
