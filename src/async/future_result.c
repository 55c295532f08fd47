/* SPDX-License-Identifier: MIT */
/* Results of futures: asking for them, giving them up, taking them. */
#include <cushim/future.h>

#include "async/future.h"

cushim_status cushim_future_poll(cushim_future handle)
{
    struct cushim__future *future;
    cushim_status status;

    CUSHIM_TRY(cushim__check_no_callback(__func__));
    future = cushim__future_pin(handle, __func__);
    if (!future)
        return cushim__error()->status;
    status = cushim__future_ask(future, 1, __func__);
    cushim__handle_unpin(handle.id);
    return status;
}

cushim_status cushim_future_cancel(cushim_future handle)
{
    struct cushim__future *future;
    struct cushim__node *op = NULL;
    cushim_status status = CUSHIM_OK;

    CUSHIM_TRY(cushim__check_no_callback(__func__));
    future = cushim__future_pin(handle, __func__);
    if (!future)
        return cushim__error()->status;
    cushim__mutex_lock(&future->lock);
    if (future->state == CUSHIM__FUTURE_SCHEDULED) {
        struct cushim__error before;

        op = TAKE_PTR(future->op);
        cushim__error_keep(&before);
        cushim__fail_at(CUSHIM_ERROR_CANCELLED, "cushim_future_poll", NULL,
                        "the operation was cancelled before it was submitted");
        cushim__future_set(future, CUSHIM_ERROR_CANCELLED);
        cushim__error_restore(&before);
    } else if (future->state != CUSHIM__FUTURE_SETTLED ||
               future->status != CUSHIM_ERROR_CANCELLED) {
        status =
            cushim__fail(CUSHIM_ERROR_BUSY,
                         "%s: the operation was submitted, and nothing stops the device", __func__);
    }
    cushim__mutex_unlock(&future->lock);
    cushim__node_unref(op);
    if (!status)
        cushim__future_wake(future, false);
    cushim__handle_unpin(handle.id);
    return status;
}

cushim_status cushim_future_output(cushim_future handle, cushim_output **ret_output)
{
    struct cushim__future *future;
    cushim_status status;

    CHECK_OUTPUT(ret_output);
    CUSHIM_TRY(cushim__check_no_callback(__func__));
    future = cushim__future_pin(handle, __func__);
    if (!future)
        return cushim__error()->status;
    status = cushim__future_ask(future, 1, __func__);
    if (!status) {
        cushim__mutex_lock(&future->lock);
        *ret_output = future->output;
        cushim__mutex_unlock(&future->lock);
    }
    cushim__handle_unpin(handle.id);
    return status;
}

/* The state cannot go back, so what is seen here stays true: the output exists, or never will. */
static cushim_status take_slice(struct cushim__future *future, const char *call,
                                cushim_slice *ret_slice)
{
    cushim_status status;

    if (cushim__future_state(future) < CUSHIM__FUTURE_IN_FLIGHT)
        return cushim__fail_at(CUSHIM_ERROR_BUSY, call, NULL, "%s: the future was not submitted",
                               call);
    cushim__mutex_lock(&future->lock);
    while (future->state == CUSHIM__FUTURE_SETTLING)
        cushim__condition_wait(&future->changed, &future->lock);
    if (future->dropped)
        status = cushim__future_fail_freed(call);
    else if (future->state == CUSHIM__FUTURE_SETTLED && future->status)
        status = cushim__future_result(future);
    else
        status = cushim_output_take_slice(future->output, ret_slice);
    cushim__mutex_unlock(&future->lock);
    return status;
}

cushim_status cushim_future_take_slice(cushim_future handle, cushim_slice *ret_slice)
{
    struct cushim__future *future;
    cushim_status status;

    CHECK_OUTPUT(ret_slice);
    CUSHIM_TRY(cushim__check_no_callback(__func__));
    future = cushim__future_pin(handle, __func__);
    if (!future)
        return cushim__error()->status;
    status = take_slice(future, __func__, ret_slice);
    if (status)
        cushim__error_as(__func__);
    cushim__handle_unpin(handle.id);
    return status;
}
