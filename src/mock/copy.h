/* SPDX-License-Identifier: MIT */
/* Copies, checked. Callers hold the lock. */
#ifndef CUSHIM_MOCK_COPY_H
#define CUSHIM_MOCK_COPY_H

#include <stdint.h>

#include "mock/functions.h"

/* How an address is to be read. */
enum mock__side {
    MOCK__HOST_SIDE,   /* the program's memory, or any that the driver knows */
    MOCK__DEVICE_SIDE, /* only what the driver knows */
    MOCK__ANY_SIDE,    /* what the driver knows, and the program's otherwise */
};

/* One end of a copy of up to three dimensions, in bytes. */
struct mock__end {
    enum mock__side side;
    uint64_t address;
    size_t x, y, z;
    size_t pitch;  /* from row to row; 0 if rows follow each other */
    size_t height; /* rows from slice to slice; 0 if slices follow each other */
};

struct mock__copy {
    struct mock__end dst, src;
    size_t width, height, depth;
};

/* CUDA_ERROR_INVALID_VALUE if either range is not what its side says. */
CUresult mock__copy(enum mock__side dst_side, uint64_t dst, enum mock__side src_side, uint64_t src,
                    size_t bytes);
CUresult mock__copy_box(const struct mock__copy *copy);

#endif
