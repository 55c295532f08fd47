/* SPDX-License-Identifier: MIT */
/*
 * Arrays: memory of a device without an address for the program, which uses it through copies,
 * textures and surfaces. Rows are contiguous, and so are slices and layers. Sizes of arrays are in
 * array_shape.c, and mipmapped.c ends those of a context. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_ALLOCATION_ARRAY_H
#define CUSHIM_MOCK_ALLOCATION_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mock/base/objects.h"
#include "mock/functions.h"

#define MOCK__MOST_LEVELS 32

struct mock__context;
struct mock__device;
struct mock__memory;

struct mock__array {
    struct mock__object object;
    struct mock__context *context;
    struct mock__mipmapped_array *mipmapped; /* the mipmapped array that it is a level of, or
                                                NULL */
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    uint64_t address; /* of its memory */
    size_t element;   /* bytes of an element with all its channels */
    size_t pitch;     /* bytes of a row */
    size_t rows;      /* of a slice or layer; 1 for arrays without a height */
    size_t slices;    /* or layers, or faces */
};

struct mock__mipmapped_array {
    struct mock__object object;
    struct mock__context *context;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    uint64_t address;
    struct mock__array *levels[MOCK__MOST_LEVELS];
    unsigned n_levels;
};

/* Returns the bytes of an element with this number of channels, or 0 if arrays do not have it. */
size_t mock__array_element(CUarray_format format, unsigned channels);

/* Returns the descriptor as a driver reads it: of sizes, the lower 32 bits. */
CUDA_ARRAY3D_DESCRIPTOR mock__array_read(const CUDA_ARRAY3D_DESCRIPTOR *given);

/* Tells whether the device can have such an array, mipmapped or not. */
CUresult mock__array_check(const struct mock__device *device,
                           const CUDA_ARRAY3D_DESCRIPTOR *descriptor, bool mipmapped);

/* Computes the size of the array. False if it does not fit into a size_t. */
bool mock__array_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, size_t *ret_bytes);

/* Allocates memory for arrays, and frees it with the array or the mipmapped array. */
CUresult mock__array_alloc(struct mock__context *context, size_t bytes, const char *made_by,
                           uint64_t *ret_address);
void mock__array_release(uint64_t address);

/* Makes an array of existing memory. NULL when out of memory. */
struct mock__array *mock__array_over(struct mock__context *context,
                                     const CUDA_ARRAY3D_DESCRIPTOR *descriptor, uint64_t address);

/*
 * Returns what a driver says of a handle that is no array, or no mipmapped array: it looks into
 * what the handle stands for.
 */
CUresult mock__array_stranger(const void *handle);

/* Destroys the arrays of a context. */
void mock__arrays_destroy(const struct mock__context *context);

#endif
