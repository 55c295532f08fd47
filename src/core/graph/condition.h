/* SPDX-License-Identifier: MIT */
/*
 * Conditional nodes. A kernel of cushim's reads the condition from memory and gives it to the
 * driver, which then decides what the node does.
 */
#ifndef CUSHIM_CORE_GRAPH_CONDITION_H
#define CUSHIM_CORE_GRAPH_CONDITION_H

#include "core/order/recording.h"

struct cushim__conditional {
    int kind; /* CUSHIM__CU_CONDITION_x */
    unsigned n_bodies;
    const cushim_view *view; /* one number of 32 bits */
};

/* Records a conditional node. Returns the recorders of its bodies, with references for the caller.
 */
cushim_status cushim__condition_begin(struct cushim__scope *scope, struct cushim__stream *stream,
                                      const struct cushim__conditional *condition,
                                      struct cushim__stream **ret_bodies);

/* Ends a body. A loop reads its condition again at the end. */
cushim_status cushim__condition_end_body(struct cushim__scope *scope,
                                         struct cushim__stream *stream);

#endif
