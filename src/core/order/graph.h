/* SPDX-License-Identifier: MIT */
/*
 * Recordings of work, and graphs that are made of them.
 *
 * A timeline that records has a struct cushim__recording. The driver's word for the state of its
 * stream is capture. Submissions to it do not wait and get no numbers (submit.c). The recording
 * collects their accesses, with a hold on each buffer. A graph takes over the recording. A launch
 * of the graph is one submission with all of its accesses, so it is ordered with other work on the
 * memory, and the memory lives as long as the graph.
 */
#ifndef CUSHIM_CORE_ORDER_GRAPH_H
#define CUSHIM_CORE_ORDER_GRAPH_H

#include "core/cu/cu_graph.h"
#include "core/order/stream.h"

/* Under the stream lock of its timeline, until a graph has it. */
struct cushim__recording {
    struct cushim__access *accesses; /* each holds its buffer; a graph adds one */
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

/* Makes a stream that records, with a reference for the caller. */
cushim_status cushim__recording_begin(const struct cushim__scope *scope,
                                      struct cushim__stream **ret_stream);

/* Ends the recording of a stream, and makes a graph of it. */
cushim_status cushim__recording_end(const struct cushim__scope *scope,
                                    struct cushim__stream *stream, uint64_t *ret_id);

/* Ends the recording of a stream without a graph, if the stream still records. */
void cushim__recording_drop(const struct cushim__scope *scope, struct cushim__stream *stream);

/* Makes room for n more accesses. False when out of memory. */
bool cushim__recording_reserve(struct cushim__recording *recording, size_t n);

/*
 * Adds the accesses of a submission, for which cushim__recording_reserve() has made room: for two,
 * where the memory is a variable of a module.
 */
void cushim__recording_note(struct cushim__recording *recording,
                            const struct cushim__access *accesses, size_t n);

void cushim__recording_call(struct cushim__recording *recording,
                            struct cushim__host_call *host_call);

/*
 * Returns CUSHIM_ERROR_CAPTURING if the stream records. what names the action in the error text,
 * such as "waiting for it".
 */
cushim_status cushim__check_not_recording(const struct cushim__scope *scope,
                                          struct cushim__timeline *timeline, const char *what);

cushim_status cushim__graph_launch(struct cushim__scope *scope, struct cushim__graph *graph,
                                   struct cushim__stream *stream);
cushim_status cushim__graph_upload(struct cushim__scope *scope, struct cushim__graph *graph,
                                   struct cushim__stream *stream);

#endif
