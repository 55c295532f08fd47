/* SPDX-License-Identifier: MIT */
#include "mock/base/context.h"
#include "mock/queue/work.h"
#include "mock/stream/capture.h"
#include "mock/stream/stream.h"

void mock__capture_join(struct mock__stream *stream, struct mock__capture *capture)
{
    if (stream->capture == capture)
        return;
    stream->capture = capture;
    stream->next_member = capture->members;
    stream->link_member = &capture->members;
    if (capture->members)
        capture->members->link_member = &stream->next_member;
    capture->members = stream;
    stream->context->capturing++;
    stream->context->capturing_blocking += stream->queue->blocking;
}

void mock__capture_part(struct mock__stream *stream)
{
    if (stream->capture) {
        *stream->link_member = stream->next_member;
        if (stream->next_member)
            stream->next_member->link_member = stream->link_member;
        stream->context->capturing--;
        stream->context->capturing_blocking -= stream->queue->blocking;
    }
    stream->capture = NULL;
    mock__capture_dependencies_clear(&stream->dependencies);
}
