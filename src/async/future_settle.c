/* SPDX-License-Identifier: MIT */
/* Settling futures: how their work has ended, and their results. */
#include <cushim/future.h>

#include <stdlib.h>

#include "async/future.h"
#include "base/util.h"

/* --- asking the driver --- */

/* Notes that the driver has said that a stream is well, when so many futures had ended. */
static void note_well(struct cushim__stream *stream, uint64_t ends)
{
    uint64_t well = atomic_load(&stream->well);

    while (well < ends && !atomic_compare_exchange_weak(&stream->well, &well, ends))
        ;
}

/* Asks whether a stream is done, until it is, or the future has ended. */
static int query(const struct cushim__scope *scope, struct cushim__stream *stream,
                 const struct cushim__future *future, unsigned questions)
{
    int result = CUDA_ERROR_NOT_READY;

    for (unsigned i = 0; i < questions && result == CUDA_ERROR_NOT_READY; i++) {
        const uint64_t ends = cushim__future_ends();

        result = CU_FN(scope->table, cuStreamQuery)(stream->cu);
        if (!result || result == CUDA_ERROR_NOT_READY)
            note_well(stream, ends);
        if (atomic_load(&future->ended))
            break;
    }
    return result == CUDA_ERROR_NOT_READY ? 0 : result;
}

/*
 * Asks the driver whether the stream is well: CUSHIM_OK also while it works. *ret_asked tells
 * whether the driver has answered at all.
 */
static cushim_status ask(const struct cushim__future *future, struct cushim__stream *stream,
                         unsigned questions, bool *ret_asked)
{
    struct cushim__scope scope;
    cushim_status status;
    int result;

    *ret_asked = false;
    status = cushim__scope_enter(stream->object.context, "cushim_future_poll", NULL, &scope);
    if (status)
        return status;
    *ret_asked = true;
    result = query(&scope, stream, future, questions);
    return cushim__scope_leave(&scope, result ? cushim__fail_driver(&scope, result, "cuStreamQuery")
                                              : CUSHIM_OK);
}

/* Returns the stream of a future in flight, with a reference, or NULL. */
static struct cushim__stream *stream_of(struct cushim__future *future)
{
    struct cushim__stream *on;

    cushim__mutex_lock(&future->lock);
    on = future->on;
    if (on)
        cushim__object_ref(&on->object);
    cushim__mutex_unlock(&future->lock);
    return on;
}

/* Keeps the thread's error as that of the device. Without memory the future fails without it. */
static void keep_failure(struct cushim__future *future)
{
    struct cushim__error *failure = malloc(sizeof(*failure));

    if (failure)
        *failure = *cushim__error();
    cushim__mutex_lock(&future->lock);
    if (!future->failure) {
        future->failure = failure;
        failure = NULL;
    }
    cushim__mutex_unlock(&future->lock);
    free(failure);
}

void cushim__future_look(struct cushim__future *future, unsigned questions)
{
    struct cushim__stream *stream;
    struct cushim__error before;
    bool asked;

    if (!questions || atomic_load(&future->ended))
        return;
    stream = stream_of(future);
    if (!stream)
        return;
    cushim__error_keep(&before);
    if (ask(future, stream, questions, &asked) && asked) {
        keep_failure(future);
        cushim__future_wake(future, true);
    }
    cushim__error_restore(&before);
    cushim__object_unref(&stream->object);
}

/* Where a stream is noted among those that were asked. Two may have the same place. */
static const struct cushim__stream **place_of(struct cushim__asked *asked,
                                              const struct cushim__stream *stream)
{
    const uint64_t mixed = (uint64_t) (uintptr_t) stream * UINT64_C(0x9e3779b97f4a7c15);

    return &asked->streams[mixed >> 58];
}

bool cushim__future_look_after(struct cushim__future *future, struct cushim__asked *asked)
{
    enum { QUESTIONS = 32 };
    const struct cushim__stream *on, **place;
    bool dropped;

    cushim__mutex_lock(&future->lock);
    on = future->on;
    dropped = future->dropped;
    cushim__mutex_unlock(&future->lock);
    place = place_of(asked, on);
    if (on && on != *place) {
        cushim__future_look(future, QUESTIONS);
        /* Each future of a stream that has failed learns that itself. */
        *place = atomic_load(&future->lost) ? NULL : on;
    }
    return !dropped && !atomic_load(&future->ended);
}

/* --- settling --- */

/*
 * Finds out how the device has ended: CUSHIM_OK, or the status of the thread's error. A failure
 * stays one, so an answer after the future's end is one for all futures that had ended by then.
 */
static cushim_status find_end(const struct cushim__future *future, struct cushim__stream *on,
                              const struct cushim__error *failure)
{
    bool asked;

    if (failure) {
        *cushim__error() = *failure;
        return failure->status;
    }
    if (!on || (atomic_load(&future->reached) && future->number <= atomic_load(&on->well)))
        return CUSHIM_OK;
    return ask(future, on, 1, &asked);
}

/* Makes the error of a future whose device has failed. */
static cushim_status fail_on_device(cushim_status status)
{
    const struct cushim__error error = *cushim__error();

    return cushim__fail_at(status, error.call, error.label,
                           "the operation failed on the device, or another one before it: %.800s",
                           error.text);
}

/*
 * Settles a future that has ended. The driver is asked and host memory is copied without the lock,
 * which the driver's function takes. No function of the program is called before the future has its
 * result: it may ask for the future, and free it.
 */
static void settle(struct cushim__future *future, const struct cushim__error *failure)
{
    const bool held = cushim__hold_deferred(true);
    struct cushim__stream *on = future->on; /* only the thread that settles takes it now */
    cushim_status status = find_end(future, on, failure);
    struct cushim__error before;
    struct cushim__flight kept;

    if (status)
        status = fail_on_device(status);
    else if (atomic_load(&future->lost))
        status = cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, "cushim_future_poll", NULL,
                                 "the context ended before the operation was done");
    if (status)
        cushim__output_free_memory(&future->output);
    else
        cushim__flight_deliver(&future->flight);
    cushim__mutex_lock(&future->lock);
    future->on = NULL;
    kept = cushim__future_take_kept(future);
    cushim__future_set(future, status);
    cushim__mutex_unlock(&future->lock);
    cushim__hold_deferred(held);
    cushim__error_keep(&before);
    cushim__flight_end(&kept, !status);
    cushim__flight_finish(&future->flight);
    cushim__error_restore(&before);
    if (on)
        cushim__object_unref(&on->object);
}

/*
 * Settles a future that has ended, or waits while another thread does so. Returns its state
 * afterwards. Under the lock, which is released meanwhile.
 */
static enum cushim__future_state settle_once(struct cushim__future *future)
{
    const struct cushim__error *failure;

    while (future->state == CUSHIM__FUTURE_SETTLING)
        cushim__condition_wait(&future->changed, &future->lock);
    if (future->state != CUSHIM__FUTURE_IN_FLIGHT || future->dropped ||
        !atomic_load(&future->ended))
        return future->state;
    future->state = CUSHIM__FUTURE_SETTLING;
    failure = future->failure;
    cushim__mutex_unlock(&future->lock);
    settle(future, failure);
    cushim__mutex_lock(&future->lock);
    return CUSHIM__FUTURE_SETTLED;
}

cushim_status cushim__future_result(const struct cushim__future *future)
{
    if (future->status && future->error)
        *cushim__error() = *future->error;
    else if (future->status)
        cushim__fail_at(future->status, "cushim_future_poll", NULL, "the operation failed: %s",
                        cushim__status_text(future->status));
    return future->status;
}

enum cushim__future_state cushim__future_state(struct cushim__future *future)
{
    enum cushim__future_state state;

    cushim__mutex_lock(&future->lock);
    state = future->state;
    cushim__mutex_unlock(&future->lock);
    return state;
}

cushim_status cushim__future_fail_freed(const char *call)
{
    return cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, call, NULL,
                           "%s: another thread has freed the future meanwhile", call);
}

cushim_status cushim__future_ask(struct cushim__future *future, unsigned questions,
                                 const char *call)
{
    enum cushim__future_state state;
    bool dropped;

    if (questions && cushim__future_state(future) == CUSHIM__FUTURE_IN_FLIGHT)
        cushim__future_look(future, questions);
    cushim__mutex_lock(&future->lock);
    dropped = future->dropped;
    state = dropped ? future->state : settle_once(future);
    cushim__mutex_unlock(&future->lock);
    if (dropped)
        return cushim__future_fail_freed(call);
    if (state == CUSHIM__FUTURE_SETTLED)
        return cushim__future_result(future);
    if (state == CUSHIM__FUTURE_SCHEDULED)
        return cushim__fail_at(CUSHIM_ERROR_BUSY, call, NULL,
                               "%s: the future was not submitted, and would be pending for ever: "
                               "see cushim_future_submit()",
                               call);
    return CUSHIM_PENDING;
}
