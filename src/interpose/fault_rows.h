/* SPDX-License-Identifier: MIT */
/*
 * What faults know of functions: which a name stands for, and what a fault of each is. A place
 * is a number for a function among those of both lists.
 */
#ifndef CUSHIM_INTERPOSE_FAULT_ROWS_H
#define CUSHIM_INTERPOSE_FAULT_ROWS_H

#include <cushim/fault.h>

enum { CUSHIM__FAULT_PLACES = CUSHIM_CUDA_ROWS + CUSHIM_NVRTC_ROWS };

enum {
    CUSHIM__FAULT_LAUNCH = 1,   /* launches kernels */
    CUSHIM__FAULT_MADE = 2,     /* called all the same: it gives back, or waits */
    CUSHIM__FAULT_REFUSED = 4,  /* a lost device fails it */
    CUSHIM__FAULT_NAMED = 8,    /* not one of "*" */
    CUSHIM__FAULT_STRING = 16,  /* returns a text: there is no result to inject */
    CUSHIM__FAULT_ALLOCATE = 32 /* its arguments say how much memory it allocates */
};

/* What "device_lost" stands for. */
#define CUSHIM__DEVICE_LOST "device_lost"

struct cushim__fault_set {
    bool has[CUSHIM__FAULT_PLACES];
    bool nvrtc; /* functions of NVRTC, and of nothing else */
};

static inline size_t cushim__fault_place(const struct cushim_call *call)
{
    return call->library == CUSHIM_LIBRARY_CUDA ? call->row : CUSHIM_CUDA_ROWS + call->row;
}

/* The flags of all places. */
const uint8_t *cushim__fault_kinds(void);

/* The functions that a name stands for. Returns false if there is none. */
bool cushim__fault_find(const char *function, struct cushim__fault_set *set);

/* How many bytes a call allocates, 0 if it is not one that does. */
uint64_t cushim__fault_bytes(const struct cushim_call *call);

#endif
