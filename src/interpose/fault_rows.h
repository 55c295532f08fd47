/* SPDX-License-Identifier: MIT */
/*
 * The properties of functions for fault injection: the functions of a name, and the effect of a
 * fault in each of them. A place is the number of a function among those of all lists.
 */
#ifndef CUSHIM_INTERPOSE_FAULT_ROWS_H
#define CUSHIM_INTERPOSE_FAULT_ROWS_H

#include <cushim/fault.h>

#include "interpose/lists.h"

enum { CUSHIM__FAULT_PLACES = CUSHIM__ALL_ROWS };

enum {
    CUSHIM__FAULT_LAUNCH = 1,   /* launches kernels */
    CUSHIM__FAULT_MADE = 2,     /* a fault does not prevent the call: the function releases
                                   something, or waits */
    CUSHIM__FAULT_REFUSED = 4,  /* fails on a lost device */
    CUSHIM__FAULT_NAMED = 8,    /* "*" does not include it */
    CUSHIM__FAULT_STRING = 16,  /* returns a text, so no result can be injected */
    CUSHIM__FAULT_ALLOCATE = 32 /* its arguments determine how much memory it allocates */
};

/* The name of a rule for a lost device. */
#define CUSHIM__DEVICE_LOST "device_lost"

struct cushim__fault_set {
    bool has[CUSHIM__FAULT_PLACES];
    bool compilers; /* only functions of NVRTC and nvJitLink */
};

static inline size_t cushim__fault_place(const struct cushim_call *call)
{
    return cushim__lists[call->library].first + call->row;
}

/* Returns the flags of all places. */
const uint8_t *cushim__fault_kinds(void);

/* Finds the functions of a name. Returns false if there are none. */
bool cushim__fault_find(const char *function, struct cushim__fault_set *set);

/* Returns how many bytes a call allocates, or 0 if it allocates nothing. */
uint64_t cushim__fault_bytes(const struct cushim_call *call);

#endif
