/* SPDX-License-Identifier: MIT */
/*
 * One call through an interposed table with hooks. Generated code uses it. The functions are in
 * interpose.c.
 */
#ifndef CUSHIM_INTERPOSE_FRAME_H
#define CUSHIM_INTERPOSE_FRAME_H

#include <cushim/interpose.h>

#include "interpose/slot.h"

struct cushim__frame {
    struct cushim_call call;
    struct cushim__hook_slot *slot;
    struct cushim__hook_list *hooks; /* NULL if the call is passed on without hooks */
    size_t ran;                      /* how many hooks ran before the call */
};

/*
 * Begins a call and runs the hooks before it. Returns the function to call, or NULL if a hook has
 * answered the call.
 */
cushim__entry *cushim__enter(struct cushim__frame *frame, struct cushim__place place,
                             void *const *args);

static inline void cushim__result(struct cushim__frame *frame, intptr_t result)
{
    frame->call.result = result;
}

/* Runs the hooks after the call and ends it. Returns the result for the caller. */
intptr_t cushim__leave(struct cushim__frame *frame);

#endif
