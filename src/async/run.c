/* SPDX-License-Identifier: MIT */
#include "async/run.h"

#include <cushim/policy.h>
#include <stdlib.h>

#include "async/gate.h"
#include "async/run_error.h"

/* How many runs the thread is in: callbacks of one may begin another. */
static _Thread_local unsigned depth TLS_OF_WORDS;

bool cushim__may_wait(void)
{
    return !depth;
}

cushim_status cushim__check_may_wait(const char *call)
{
    if (cushim__may_wait())
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_BUSY, call, NULL,
                           "%s: a callback of an operation must not wait for a future, because "
                           "the operation is still being submitted",
                           call);
}

/* --- frames --- */

static bool reserve(struct cushim__run *run)
{
    const size_t max = run->max ? run->max * 2 : 16;
    struct cushim__run_frame *frames;

    if (run->n < run->max)
        return true;
    frames = realloc(run->frames, max * sizeof(*frames));
    if (!frames) {
        cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, NULL, NULL, "no memory for another step");
        return false;
    }
    run->frames = frames;
    run->max = max;
    return true;
}

/* Adds a frame for a node. Takes over the reference on it, also if it fails. */
static cushim_status push(struct cushim__run *run, struct cushim__node *node, cushim_stream stream)
{
    struct cushim__run_frame frame = {.node = node, .stream = stream};
    const size_t n = node->gate ? 1 : node->n;

    if (n > 1)
        frame.inputs = calloc(n, sizeof(struct cushim_output *));
    if ((n > 1 && !frame.inputs) || !reserve(run)) {
        free(frame.inputs);
        cushim__node_unref(node);
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, NULL, NULL, "no memory for another step");
    }
    run->frames[run->n++] = frame;
    return CUSHIM_OK;
}

static struct cushim_output **inputs_of(struct cushim__run_frame *frame)
{
    return frame->inputs ? frame->inputs : &frame->only;
}

/* Makes the frame's stream wait for what its operands have submitted to other streams. */
static cushim_status join(struct cushim__run_frame *frame)
{
    cushim_status status = CUSHIM_OK;

    for (size_t i = 0; i < frame->n_joins; i++) {
        const cushim_status joined = cushim_stream_join(frame->stream, frame->joins[i]);

        status = status ? status : joined;
    }
    frame->n_joins = 0;
    return status;
}

/* Notes that an operand ran on another stream. Without memory for that, the frame joins it now. */
static cushim_status join_later(struct cushim__run_frame *frame, cushim_stream stream)
{
    cushim_stream *joins;

    for (size_t i = 0; i < frame->n_joins; i++)
        if (frame->joins[i].id == stream.id)
            return CUSHIM_OK;
    joins = realloc(frame->joins, (frame->n_joins + 1) * sizeof(*joins));
    if (!joins)
        return cushim_stream_join(frame->stream, stream);
    frame->joins = joins;
    frame->joins[frame->n_joins++] = stream;
    return CUSHIM_OK;
}

static void pop(struct cushim__run *run)
{
    struct cushim__run_frame *frame = &run->frames[--run->n];
    struct cushim__node *node = frame->node;
    const size_t n = node->gate ? 1 : node->n;

    for (size_t i = 0; i < n; i++)
        cushim__output_unref(&inputs_of(frame)[i]);
    free(frame->inputs);
    free(frame->joins);
    cushim__node_unref(node);
}

/* --- steps --- */

static bool is_same_stream(uint64_t a, uint64_t b)
{
    const void *const first = cushim__handle_pin(a, CUSHIM__HANDLE_STREAM, NULL);
    const void *const second = cushim__handle_pin(b, CUSHIM__HANDLE_STREAM, NULL);

    if (first)
        cushim__handle_unpin(a);
    if (second)
        cushim__handle_unpin(b);
    return first && first == second;
}

/* What is to be recorded must not run on a stream that does not record. */
static cushim_status check_on(const struct cushim__run *run, uint64_t on)
{
    if (!on || !run->recorder || is_same_stream(on, run->recorder))
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_CAPTURING, "cushim_op_on", NULL,
                           "cushim_op_on: what is recorded for a graph is put on no stream: record "
                           "it without cushim_op_on(), and launch the graph on that stream");
}

/* Chooses the stream of the next operand of a frame. */
static cushim_status choose_stream(const struct cushim__run *run,
                                   const struct cushim__run_frame *frame, cushim_stream *ret_stream)
{
    const struct cushim__node *node = frame->node;

    CUSHIM_TRY(check_on(run, node->on_id));
    *ret_stream = node->on_id ? (cushim_stream){.id = node->on_id} : frame->stream;
    if (run->policy && node->type->spreads && frame->next)
        return cushim_policy_next((cushim_policy){.id = run->policy}, ret_stream);
    return CUSHIM_OK;
}

static cushim_status push_operand(struct cushim__run *run, struct cushim__run_frame *frame)
{
    struct cushim__node *operand;
    cushim_stream stream;

    CUSHIM_TRY(choose_stream(run, frame, &stream));
    operand = TAKE_PTR(frame->node->operands[frame->next]);
    return push(run, operand, stream);
}

/* Enters the gate of a frame. *ret_pushed: the operation behind it must run first. */
static cushim_status pass_gate(struct cushim__run *run, struct cushim__run_frame *frame,
                               bool *ret_pushed)
{
    struct cushim__node *op;

    if (frame->in_gate && frame->next) {
        cushim__gate_open(frame->node->gate, TAKE_PTR(frame->only));
        frame->in_gate = false;
        frame->next = 0;
        return CUSHIM_OK;
    }
    CUSHIM_TRY(cushim__gate_enter(frame->node->gate, run->recorder, &op));
    if (!op)
        return CUSHIM_OK;
    frame->in_gate = true;
    *ret_pushed = true;
    return push(run, op, frame->stream);
}

/* Gives an output to the frame below the top one, which is done. */
static cushim_status deliver(struct cushim__run *run, struct cushim_output *output,
                             struct cushim_output **ret_output)
{
    const cushim_stream stream = run->frames[run->n - 1].stream;
    struct cushim__run_frame *parent;

    pop(run);
    if (!run->n) {
        *ret_output = output;
        return CUSHIM_OK;
    }
    parent = &run->frames[run->n - 1];
    inputs_of(parent)[parent->next++] = output;
    return stream.id == parent->stream.id ? CUSHIM_OK : join_later(parent, stream);
}

/* Puts the node that a callback has returned in the place of the top frame. */
static cushim_status replace(struct cushim__run *run, struct cushim__node *next)
{
    const cushim_stream stream = run->frames[run->n - 1].stream;

    pop(run);
    return push(run, next, stream);
}

static cushim_status run_step(struct cushim__run *run, struct cushim_output **ret_output)
{
    struct cushim__run_frame *frame = &run->frames[run->n - 1];
    struct cushim__node *node = frame->node;
    struct cushim__outcome outcome = {NULL, NULL};

    CUSHIM_TRY(join(frame));
    run->exec.stream = frame->stream;
    CUSHIM_TRY(node->type->run(run, node, inputs_of(frame), &outcome));
    run->done += node->type->noun != NULL;
    return outcome.next ? replace(run, outcome.next) : deliver(run, outcome.output, ret_output);
}

/* Goes one step on with the top frame. */
static cushim_status advance(struct cushim__run *run, struct cushim_output **ret_output)
{
    struct cushim__run_frame *frame = &run->frames[run->n - 1];
    bool pushed = false;

    if (frame->node->gate) {
        CUSHIM_TRY(pass_gate(run, frame, &pushed));
        return pushed ? CUSHIM_OK : run_step(run, ret_output);
    }
    if (frame->next < frame->node->n)
        return push_operand(run, frame);
    return run_step(run, ret_output);
}

/*
 * Drops all frames after a failure, whose error is the thread's. What operands have submitted to
 * other streams is joined, so that waiting for the first stream is waiting for all.
 */
static void unwind(struct cushim__run *run)
{
    const struct cushim__error error = *cushim__error();

    while (run->n) {
        struct cushim__run_frame *frame = &run->frames[run->n - 1];
        const cushim_stream stream = frame->stream;

        CUSHIM_IGNORE(join(frame));
        *cushim__error() = error;
        if (frame->in_gate)
            cushim__gate_fail(frame->node->gate);
        pop(run);
        if (run->n && run->frames[run->n - 1].stream.id != stream.id)
            CUSHIM_IGNORE(join_later(&run->frames[run->n - 1], stream));
    }
    *cushim__error() = error;
}

cushim_status cushim__run(struct cushim__run *run, struct cushim__node *node,
                          struct cushim_output **ret_output)
{
    cushim_status status;

    run->exec.size = sizeof(run->exec);
    depth++;
    status = push(run, node, run->exec.stream);
    while (!status && run->n)
        status = advance(run, ret_output);
    if (status) {
        cushim__run_name_step(run);
        unwind(run);
    }
    free(run->frames);
    run->frames = NULL;
    depth--;
    return status;
}
