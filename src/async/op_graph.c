/* SPDX-License-Identifier: MIT */
/* Operations and graphs: launching one, and recording operations into one. */
#include <cushim/graph.h>

#include "async/operand.h"

struct graph {
    struct cushim__node node;
    uint64_t id; /* a handle of its own */
};

static cushim_status run_graph(struct cushim__run *run, struct cushim__node *node,
                               struct cushim_output **inputs, struct cushim__outcome *ret)
{
    (void) inputs, (void) ret;
    return cushim_graph_launch((cushim_graph){.id = ((const struct graph *) node)->id},
                               run->exec.stream);
}

static void finish_graph(struct cushim__node *node)
{
    cushim__object_close(&((struct graph *) node)->id, CUSHIM__HANDLE_GRAPH, "cushim_op_free");
}

static const struct cushim__node_type graph_type = {.noun = "launch of a graph",
                                                    .call = "cushim_op_graph",
                                                    .run = run_graph,
                                                    .finish = finish_graph};

cushim_op cushim_op_graph(cushim_graph graph)
{
    struct graph *node = NULL;

    if (cushim__handle_pin(graph.id, CUSHIM__HANDLE_GRAPH, __func__)) {
        node = (struct graph *) cushim__node_new(&graph_type, sizeof(*node), 0);
        if (node && cushim__handle_retain_kept(graph.id, __func__, &node->id)) {
            node->id = 0;
            cushim__node_unref(&node->node);
            node = NULL;
        }
        cushim__handle_unpin(graph.id);
    }
    return cushim__node_give(node ? &node->node : NULL, __func__);
}

/*
 * What a recorded step would have to keep for every launch of the graph is refused: data that is
 * held, and copies of the host, which the recorder refuses itself.
 */
static cushim_status record(struct cushim__node *node, cushim_stream recorder)
{
    struct cushim__flight flight;
    struct cushim__run run = {.exec = {.stream = recorder, .recording = true},
                              .call = "cushim_op_record",
                              .recorder = recorder.id,
                              .flight = &flight};
    struct cushim_output *output = NULL;
    cushim_status status;

    cushim__flight_init(&flight);
    status = cushim__run(&run, node, &output);
    if (!status && flight.first)
        status = cushim__fail_at(CUSHIM_ERROR_CAPTURING, run.call, NULL,
                                 "%s: a graph cannot hold data of the host", run.call);
    cushim__output_unref(&output);
    cushim__flight_end(&flight, true);
    cushim__flight_finish(&flight);
    return status;
}

/* The graph is made at this place. */
static cushim_status end_recording(cushim_stream *recorder, const char *place,
                                   cushim_graph *ret_graph)
{
    cushim_status status;

    cushim__handle_source_location(place);
    status = cushim_capture_end(recorder, ret_graph);
    if (status)
        cushim__error_as("cushim_op_record");
    return status;
}

cushim_status cushim_op_record(cushim_op op, cushim_context context, cushim_graph *ret_graph)
{
    struct cushim__node *node = cushim__node_take_last(op.id, __func__);
    const char *place = cushim__handle_source_location(NULL);
    cushim_stream recorder = CUSHIM_NONE;
    cushim_status status = node ? CUSHIM_OK : cushim__error()->status;

    if (!status && !ret_graph)
        status = cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: ret_graph is NULL", __func__);
    if (!status && !cushim__handle_pin(context.id, CUSHIM__HANDLE_CONTEXT, __func__))
        status = cushim__error()->status;
    if (!status) {
        status = cushim_capture_begin(context, &recorder);
        if (status)
            cushim__error_as(__func__);
        cushim__handle_unpin(context.id);
    }
    if (status) {
        cushim__node_unref(node);
        return status;
    }
    status = record(node, recorder);
    if (status)
        cushim_stream_free(&recorder);
    else
        status = end_recording(&recorder, place, ret_graph);
    return status;
}
