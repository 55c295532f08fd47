/* SPDX-License-Identifier: MIT */
/* What the tests that look at graphs share. */
#ifndef CUSHIM_TESTS_GRAPH_VIEW_H
#define CUSHIM_TESTS_GRAPH_VIEW_H

#include "recording.h"

static inline cushim_slice labelled(const char *label)
{
    cushim_slice slice = zeros();

    assert_ok(cushim_label(slice, label));
    return slice;
}

static inline cushim_stream begin_recording(enum cushim_capture_order order)
{
    cushim_stream recorder = CUSHIM_NONE;

    assert_ok(
        cushim_capture_begin_with(w.context, cushim_capture_params(.order = order), &recorder));
    return recorder;
}

static inline cushim_graph end_recording(cushim_stream *recorder)
{
    cushim_graph graph = CUSHIM_NONE;

    assert_ok(cushim_capture_end(recorder, &graph));
    return graph;
}

/* Not inline: gcc 12 then warns of a pointer to what it has made of `text`. */
__attribute__((noinline)) static const char *dot(cushim_graph graph)
{
    const char *text = NULL;

    assert_ok(cushim_graph_dot(graph, &text));
    return text;
}

static inline struct cushim_graph_counts stats(cushim_graph graph)
{
    struct cushim_graph_counts found = {.size = sizeof(found)};

    assert_ok(cushim_graph_stats(graph, &found));
    return found;
}

#endif
