/* SPDX-License-Identifier: MIT */
/* What a future gives back when its last handle is closed. */
#include <unistd.h>

#include "async/watch.h"

struct cushim__flight cushim__future_take_kept(struct cushim__future *future)
{
    const struct cushim__flight kept = {.first = TAKE_PTR(future->flight.first)};

    future->flight.last = &future->flight.first;
    return kept;
}

void cushim__future_drop(struct cushim__future *future)
{
    struct cushim__flight kept = {.first = NULL};
    struct cushim__stream *on;
    bool reached;

    cushim__mutex_lock(&future->lock);
    future->dropped = true;
    future->notify = NULL;
    while (future->notifying && !pthread_equal(future->notifier, pthread_self()))
        cushim__condition_wait(&future->changed, &future->lock);
    if (future->fd >= 0)
        close(future->fd);
    future->fd = -1;
    on = TAKE_PTR(future->on);
    reached = atomic_load(&future->reached);
    /* Otherwise the driver's function does this when it is released. */
    if (future->released)
        kept = cushim__future_take_kept(future);
    cushim__mutex_unlock(&future->lock);
    cushim__flight_end(&kept, reached);
    if (on)
        cushim__object_unref(&on->object);
}

/* Frees the memory of the result, which needs no wait; data of the host may still be used. */
static void drop_result(struct cushim__future *future)
{
    struct cushim_output *output = NULL;

    cushim__mutex_lock(&future->lock);
    output = TAKE_PTR(future->output);
    cushim__mutex_unlock(&future->lock);
    cushim__output_free_memory(&output);
    cushim__mutex_lock(&future->lock);
    future->output = output;
    cushim__mutex_unlock(&future->lock);
}

static void drop(struct cushim__future *future)
{
    drop_result(future);
    cushim__future_drop(future);
    cushim__unwatch(future);
}

/*
 * Waits for the thread that submits or settles a future. A callback of an operation does not wait
 * for a submission, which may be its own, or need it: that one drops the future at its end.
 */
static bool may_drop(struct cushim__future *future)
{
    const bool may_wait = cushim__may_wait();

    cushim__mutex_lock(&future->lock);
    future->dropped = true;
    future->notify = NULL;
    while (future->state == CUSHIM__FUTURE_SETTLING ||
           (may_wait && future->state == CUSHIM__FUTURE_SUBMITTING))
        cushim__condition_wait(&future->changed, &future->lock);
    future->drop_later = future->state == CUSHIM__FUTURE_SUBMITTING;
    cushim__mutex_unlock(&future->lock);
    return !future->drop_later;
}

/*
 * The driver's function may have pinned the future, and keep it until the device is done. So what
 * is the program's, or needs the driver, is freed with the last handle.
 */
void cushim__future_closed(void *object)
{
    if (may_drop(object))
        drop(object);
}

void cushim__future_drop_late(struct cushim__future *future)
{
    bool late;

    cushim__mutex_lock(&future->lock);
    late = future->drop_later;
    cushim__mutex_unlock(&future->lock);
    if (late)
        drop(future);
}
