/* SPDX-License-Identifier: MIT */
/*
 * Copies and their checks. memcpy_array.c has the ends that are arrays, and memcpy_nd.c copies of
 * three dimensions. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_MEMORY_COPY_H
#define CUSHIM_MOCK_MEMORY_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/functions.h"

struct mock__stream;
struct mock__work;

/* The kinds of address at one end of a copy. */
enum mock__side {
    MOCK__HOST_SIDE,   /* memory of the program, or any memory that the driver knows */
    MOCK__DEVICE_SIDE, /* only memory that the driver knows */
    MOCK__ANY_SIDE,    /* memory that the driver knows, or else memory of the program */
};

/* One end of a copy with up to three dimensions, in bytes. */
struct mock__end {
    enum mock__side side;
    uint64_t address;
    size_t x, y, z;
    size_t pitch;  /* distance of rows; 0 if rows are contiguous */
    size_t height; /* rows between layers; 0 if layers are contiguous */
    CUarray array; /* whose memory it is, or NULL */
};

struct mock__copy {
    struct mock__end dst, src;
    size_t width, height, depth;
};

/*
 * Submits a copy to a stream. CUDA_ERROR_INVALID_VALUE if one of the ranges is not of the kind that
 * its side says.
 *
 * When this returns, the host may rely on what a driver guarantees. An asynchronous copy accesses,
 * at a later time, the memory that the driver knows. Memory that the driver does not know has been
 * read, or written, already. A synchronous copy is done, unless it is from device to device.
 */
CUresult mock__copy(struct mock__stream *stream, bool async, const struct mock__copy *copy);

/* Makes a copy as work for a graph. It is checked now, and reads its source when it runs. */
CUresult mock__copy_work(const struct mock__copy *copy, struct mock__work **ret_work);
const struct mock__copy *mock__copy_of_work(const struct mock__work *work);

/*
 * Tells whether a copy of an executable graph may become another one. The memory must be of the
 * same class, and that of arrays stays that of arrays.
 */
bool mock__copy_replaces(const struct mock__work *work, const struct mock__work *old);

/* Convert the structure of cuMemcpy3D(), and back (memcpy_nd.c). */
CUresult mock__copy_from_3d(const CUDA_MEMCPY3D *p, struct mock__copy *ret_copy);
void mock__copy_to_3d(const struct mock__copy *copy, CUDA_MEMCPY3D *ret_p);

/* Returns a copy of contiguous bytes. */
struct mock__copy mock__copy_line(enum mock__side dst_side, uint64_t dst, enum mock__side src_side,
                                  uint64_t src, size_t bytes);

/*
 * Makes an array one end of a copy (memcpy_array.c); x is in bytes. CUDA_ERROR_INVALID_VALUE if the
 * box is not inside.
 */
CUresult mock__array_end(CUarray handle, const struct mock__copy *copy, struct mock__end *end);

#endif
