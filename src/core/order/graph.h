/* SPDX-License-Identifier: MIT */
/*
 * Recording work, and graphs that keep it.
 *
 * A timeline that records has a struct cushim__recording, and its stream captures in the driver.
 * Submissions to it do not wait and are not numbered (submit.c): their accesses are collected, with
 * a hold on each buffer. A graph takes the collection over; its launch is one submission with all
 * of it. So memory is in order with everything else, and lives as long as the graph.
 */
#ifndef CUSHIM_CORE_ORDER_GRAPH_H
#define CUSHIM_CORE_ORDER_GRAPH_H

#include "core/cu/cu_graph.h"
#include "core/order/stream.h"

/* Under the submission lock of its timeline's context, until a graph has it. */
struct cushim__recording {
    struct cushim__access *accesses; /* each with a hold on its buffer; a graph has one more */
    size_t n, max;
    struct cushim__host_call *host_calls; /* made by every launch */
};

struct cushim__graph {
    struct cushim__object object; /* holds a reference on its context */
    CUgraph cu;
    CUgraphExec exec;
    struct cushim__recording *recording;
    struct cushim__buffer *launches; /* of one byte: every launch reads it */
};

/* A stream that records, and a reference on it for the caller. */
cushim_status cushim__capture_begin(const struct cushim__scope *scope,
                                    struct cushim__stream **ret_stream);

/* Ends what the stream records, and makes a graph of it. */
cushim_status cushim__capture_end(const struct cushim__scope *scope, struct cushim__stream *stream,
                                  uint64_t *ret_id);

/* Ends it for nothing, if it still goes on. */
void cushim__capture_drop(const struct cushim__scope *scope, struct cushim__stream *stream);

/* Room for n more accesses. */
bool cushim__recording_reserve(struct cushim__recording *recording, size_t n);

/* What was submitted, where there is room. */
void cushim__recording_note(struct cushim__recording *recording,
                            const struct cushim__access *accesses, size_t n);

void cushim__recording_call(struct cushim__recording *recording,
                            struct cushim__host_call *host_call);

/* CUSHIM_ERROR_CAPTURING if the stream records. what is "waiting for it". */
cushim_status cushim__check_not_recording(const struct cushim__scope *scope,
                                          const struct cushim__timeline *timeline,
                                          const char *what);

cushim_status cushim__graph_launch(struct cushim__scope *scope, struct cushim__graph *graph,
                                   struct cushim__stream *stream);
cushim_status cushim__graph_upload(struct cushim__scope *scope, struct cushim__graph *graph,
                                   struct cushim__stream *stream);

#endif
