/* SPDX-License-Identifier: MIT */
/* What a stream that records does not do. */
#include "core/order/recording.h"
#include "core/order/timeline.h"

cushim_status cushim__check_not_captured(const struct cushim__scope *scope, CUstream cu)
{
    int capture = 0;

    CUSHIM_TRY(CU_CALL(scope, cuStreamIsCapturing, (cu, &capture)));
    if (!capture)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_CAPTURING, scope->call, scope->label,
                           "%s: the program captures the stream by the driver's functions, and "
                           "their graph would call what it does not keep: see "
                           "cushim_capture_begin()",
                           scope->call);
}

/* The branch is read under the stream lock, because another thread may end the recording. */
cushim_status cushim__check_not_recording(const struct cushim__scope *scope,
                                          struct cushim__timeline *timeline, const char *what)
{
    bool records;

    /* A stream that records was so before any thread knew it. */
    if (__builtin_expect(!timeline->not_fast, 1))
        return CUSHIM_OK;
    cushim__timeline_lock(timeline);
    records = timeline->branch;
    cushim__timeline_unlock(timeline);
    if (__builtin_expect(!records, 1))
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_CAPTURING, scope->call, scope->label,
                           "%s: the stream records for a graph, and nothing runs on it: %s is "
                           "not possible while it records",
                           scope->call, what);
}
