/* SPDX-License-Identifier: MIT */
/* One call through an interposed table that has hooks. Used by generated code. */
#ifndef CUSHIM_INTERPOSE_FRAME_H
#define CUSHIM_INTERPOSE_FRAME_H

#include <cushim/interpose.h>

#include "interpose/slot.h"

struct cushim__frame {
    struct cushim_call call;
    struct cushim__hook_slot *slot;
    struct cushim__hook_list *hooks; /* NULL if the call is passed on without */
    size_t ran;                      /* how many hooks saw it before */
};

/*
 * Begins a call and runs the hooks before it. Returns the function to call, or NULL if
 * a hook answered.
 */
cushim__entry *cushim__enter(struct cushim__frame *frame, struct cushim__place place,
                             void *const *args);

static inline void cushim__result(struct cushim__frame *frame, intptr_t result)
{
    frame->call.result = result;
}

/* Runs the hooks after the call and ends it. Returns what the caller is to get. */
intptr_t cushim__leave(struct cushim__frame *frame);

#endif
