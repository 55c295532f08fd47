/* SPDX-License-Identifier: MIT */
#include <cushim/node.h>

#include "core/order/recording.h"

cushim_status cushim_capture_node(cushim_stream recorder, cushim_node *ret_node)
{
    struct cushim__stream *stream;
    struct cushim__scope scope;

    CHECK_OUTPUT(ret_node);
    CUSHIM_TRY(cushim__stream_enter(recorder.id, __func__, &scope, &stream));
    return cushim__scope_leave(&scope, cushim__recording_node(&scope, stream->timeline, ret_node));
}

cushim_status cushim_capture_after(cushim_stream recorder, const cushim_node *nodes, size_t n)
{
    struct cushim__stream *stream;
    struct cushim__scope scope;

    if (!nodes && n)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: nodes is NULL", __func__);
    CUSHIM_TRY(cushim__stream_enter(recorder.id, __func__, &scope, &stream));
    return cushim__scope_leave(&scope, cushim__recording_after(&scope, stream->timeline, nodes, n));
}

cushim_status cushim_capture_empty(cushim_stream recorder)
{
    struct cushim__stream *stream;
    struct cushim__scope scope;

    CUSHIM_TRY(cushim__stream_enter(recorder.id, __func__, &scope, &stream));
    return cushim__scope_leave(&scope, cushim__recording_empty(&scope, stream->timeline));
}
