/* SPDX-License-Identifier: MIT */
/*
 * Conditional nodes: parts of a graph that a launch does, or does not do, or does again and again,
 * as a number in the memory of the device says. The host is not asked.
 *
 *     CUSHIM_TRY(cushim_capture_begin(context, &recorder));
 *     CUSHIM_TRY(cushim_slice_fill(recorder, goes_on, 1));
 *     CUSHIM_TRY(cushim_capture_while(recorder, goes_on, &body));
 *     CUSHIM_TRY(cushim_launch(body, step, ..., CUSHIM_INOUT(x), CUSHIM_OUT(goes_on), ...));
 *     CUSHIM_TRY(cushim_capture_end_body(&body));
 *     CUSHIM_TRY(cushim_capture_end(&recorder, &graph));
 *
 * examples/graph_loop.c is a whole program.
 *
 * A body is recorded on a recorder of its own, which can do launches, copies between memory of the
 * device or with pinned memory, fills, further conditional nodes, and graphs of these. It may fork.
 * The driver has no host functions, events and allocations in bodies: they fail with
 * CUSHIM_ERROR_CAPTURING. What a body needs is allocated before the node. As long as bodies are
 * recorded, the recorder that they belong to records nothing else (CUSHIM_ERROR_CAPTURING).
 *
 * A conditional node is ordered with other work by the condition and by all memory that its bodies
 * use, whether they will run or not. With CUSHIM_CAPTURE_ORDER_BY_HAND it comes after the nodes
 * that cushim_capture_after() has named before it: work in a body whose memory demands more is
 * refused.
 *
 * The condition is a slice or a view of one integer of 4 bytes, which any earlier work may write. A
 * kernel of cushim's reads it in the order of that memory: before the node, and for a loop once
 * more at the end of each body. The graph keeps the memory. The kernel before the node is a node of
 * the graph, too, "cushim_set_condition", with the number before that of the conditional node. It
 * cannot be changed or switched off: with another condition it is another graph, which has to be
 * recorded. To do without a part in some launches, write the condition.
 *
 * A loop goes on as long as its condition is not 0, and no call ends it: work of other streams on
 * the memory of the graph comes after it, and the driver has no limit. So let the body count, and
 * set the condition to 0 at a number that is never reached otherwise. A program that cannot do so
 * waits with cushim_stream_synchronize_for(), which gives up after a time, and ends its process.
 * The mock ends such a loop with 702 CUDA_ERROR_LAUNCH_TIMEOUT and a finding, after some 100000
 * works (CUSHIM_MOCK_PTX_STEPS, docs/mock.md).
 *
 * Conditional nodes need a driver of CUDA 12.3, and else-bodies and switches one of 12.8: with an
 * older one the result is 302 CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND. A graph that has them
 * cannot be a part of another graph. An update (node.h) cannot change them, so it changes other
 * nodes of such a graph one by one: on its recorder these functions fail with
 * CUSHIM_ERROR_CAPTURING.
 *
 * All functions are thread-safe; see object.h.
 */
#ifndef CUSHIM_CONDITION_H
#define CUSHIM_CONDITION_H

#include <cushim/graph.h>
#include <cushim/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Records a part of the graph that a launch does once if the condition is not 0. If ret_else is not
 * NULL, there is a second part, which is done if the condition is 0. The caller ends both bodies
 * with cushim_capture_end_body(), in any order. Freeing the recorder of a body with
 * cushim_stream_free() gives up the whole recording: it then ends with 901
 * CUDA_ERROR_STREAM_CAPTURE_INVALIDATED.
 *
 * The result is CUSHIM_ERROR_INVALID_ARGUMENT if the stream does not record, or the condition is
 * not one integer of 4 bytes, and otherwise as for a launch that reads the condition. After an
 * error of the driver the whole recording cannot become a graph. cushim_capture_if() takes a slice
 * or a view.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_capture_if_view(cushim_stream recorder,
                                                               cushim_view condition,
                                                               cushim_stream *ret_then,
                                                               cushim_stream *ret_else);

/**
 * Records a part of the graph that a launch does again and again as long as the condition is not 0,
 * so not at all if it is 0 at first. The rest is as for cushim_capture_if_view().
 * cushim_capture_while() takes a slice or a view.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_capture_while_view(cushim_stream recorder,
                                                                  cushim_view condition,
                                                                  cushim_stream *ret_body);

/**
 * Records n parts of the graph, of which a launch does the one whose number, counted from 0, is the
 * condition, and none if there is no such part. n is at least 1 and at most 1024; the recorders are
 * returned in the array ret_bodies. The rest is as for cushim_capture_if_view().
 * cushim_capture_switch() takes a slice or a view.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_capture_switch_view(cushim_stream recorder,
                                                                   cushim_view condition, size_t n,
                                                                   cushim_stream *ret_bodies);

/**
 * Ends the recording of a body, and frees its recorder. When all bodies of a node have ended, the
 * recorder that they belong to goes on. The result is CUSHIM_ERROR_CAPTURING, and nothing ends,
 * while bodies inside of this one are recorded; and CUSHIM_ERROR_INVALID_ARGUMENT, and nothing is
 * freed, for a stream that is not the recorder of a body. After any other error the whole recording
 * cannot become a graph.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_capture_end_body(cushim_stream *body);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_capture_if(recorder, condition, ...)                                                \
    (cushim_source_location(CUSHIM_HERE),                                                          \
     cushim_capture_if_view((recorder), CUSHIM_VIEW(condition), __VA_ARGS__))
#define cushim_capture_while(recorder, condition, ...)                                             \
    (cushim_source_location(CUSHIM_HERE),                                                          \
     cushim_capture_while_view((recorder), CUSHIM_VIEW(condition), __VA_ARGS__))
#define cushim_capture_switch(recorder, condition, ...)                                            \
    (cushim_source_location(CUSHIM_HERE),                                                          \
     cushim_capture_switch_view((recorder), CUSHIM_VIEW(condition), __VA_ARGS__))
#else
#define cushim_capture_if(recorder, condition, ...)                                                \
    cushim_capture_if_view((recorder), CUSHIM_VIEW(condition), __VA_ARGS__)
#define cushim_capture_while(recorder, condition, ...)                                             \
    cushim_capture_while_view((recorder), CUSHIM_VIEW(condition), __VA_ARGS__)
#define cushim_capture_switch(recorder, condition, ...)                                            \
    cushim_capture_switch_view((recorder), CUSHIM_VIEW(condition), __VA_ARGS__)
#endif

#ifdef __cplusplus
}
#endif

#endif
