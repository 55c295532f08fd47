/* SPDX-License-Identifier: MIT */
/*
 * Running an operation: its steps are submitted, each after its operands, in the calling thread.
 * The frames of nodes that wait for their operands are in an array, so that operations may be as
 * deep as memory allows.
 */
#ifndef CUSHIM_ASYNC_RUN_H
#define CUSHIM_ASYNC_RUN_H

#include "async/flight.h"
#include "async/node.h"

struct cushim__run {
    struct cushim_exec exec; /* of the step that runs */
    const char *call;        /* the public function */
    uint64_t policy;         /* its handle, if it spreads what is joined; or 0 */
    uint64_t recorder;       /* the stream that records, if exec.recording; or 0 */
    struct cushim__flight *flight;
    struct cushim__run_frame *frames;
    size_t n, max;
    size_t done;                            /* how many steps have run */
    uint64_t asked;                         /* the stream whose context is known, or 0 */
    const struct cushim__context *at;       /* that context, only to be compared */
    const struct cushim__handle_lock *lock; /* its lock, the same */
};

/*
 * Runs an operation on run->exec.stream. Takes over the reference on the node. If a step fails, the
 * thread's error names it, and all that was made is freed. Whatever happens, work of the operation
 * on other streams is done before later work of this one.
 */
cushim_status cushim__run(struct cushim__run *run, struct cushim__node *node,
                          struct cushim_output **ret_output);

/* False in a callback of an operation. */
bool cushim__may_wait(void);

/* Fails with CUSHIM_ERROR_BUSY in a callback of an operation, where the thread must not wait. */
cushim_status cushim__check_may_wait(const char *call);

#endif
