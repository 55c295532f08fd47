/* SPDX-License-Identifier: MIT */
/* Copies, checked. Callers hold the lock. */
#ifndef CUSHIM_MOCK_MEMORY_COPY_H
#define CUSHIM_MOCK_MEMORY_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/functions.h"

struct mock__stream;
struct mock__work;

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

/*
 * Submits a copy to a stream. CUDA_ERROR_INVALID_VALUE if either range is not what its side
 * says.
 *
 * What the host may count on when this returns is what a driver promises: an asynchronous
 * copy reads and writes memory that the driver knows later; from memory that it does not
 * know, it has read, and to such memory it has written. A copy that is not asynchronous is
 * done, unless it is from device to device.
 */
CUresult mock__copy(struct mock__stream *stream, bool async, const struct mock__copy *copy);

/* A copy as work for a graph: checked, and what it reads is read when it is done. */
CUresult mock__copy_work(const struct mock__copy *copy, struct mock__work **ret_work);
const struct mock__copy *mock__copy_of_work(const struct mock__work *work);

/* May an executable graph's copy become another? The memory has to be of the same class. */
bool mock__copy_replaces(const struct mock__work *work, const struct mock__work *old);

/* The structure of cuMemcpy3D(), and back. (memcpy_nd.c) */
CUresult mock__copy_from_3d(const CUDA_MEMCPY3D *p, struct mock__copy *ret_copy);
void mock__copy_to_3d(const struct mock__copy *copy, CUDA_MEMCPY3D *ret_p);

/* A copy of bytes that follow each other. */
struct mock__copy mock__copy_line(enum mock__side dst_side, uint64_t dst, enum mock__side src_side,
                                  uint64_t src, size_t bytes);

/* An array as one end of a copy (memcpy_array.c): x is in bytes. CUDA_ERROR_INVALID_VALUE if the
 * box is not inside. */
CUresult mock__array_end(CUarray handle, const struct mock__copy *copy, struct mock__end *end);

#endif
