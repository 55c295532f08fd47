/* SPDX-License-Identifier: MIT */
/* The frames of a run, and the sentence that names the step that failed. */
#ifndef CUSHIM_ASYNC_RUN_ERROR_H
#define CUSHIM_ASYNC_RUN_ERROR_H

#include "async/run.h"

/* A node whose operands run, or have run. */
struct cushim__run_frame {
    struct cushim__node *node; /* with a reference */
    cushim_stream stream;
    size_t next;                   /* the operand that runs next */
    struct cushim_output **inputs; /* the outputs of the operands, unless there is one at most */
    struct cushim_output *only;
    bool in_gate; /* what is behind the node's gate runs for this frame */
    cushim_stream *joins;
    size_t n_joins;
};

/* Makes the thread's error say which step has failed: that of the top frame. */
void cushim__run_name_step(const struct cushim__run *run);

#endif
