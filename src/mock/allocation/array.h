/* SPDX-License-Identifier: MIT */
/*
 * Arrays: memory of the device that the program reaches by copies, textures and surfaces, and
 * by no address. Here rows follow each other without a gap, and slices or layers do too.
 * Callers hold the lock.
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
    struct mock__mipmapped_array *mipmapped; /* that it is a level of, or NULL */
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    uint64_t address; /* of the memory behind it */
    size_t element;   /* bytes of one, all channels */
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

/* The bytes of an element of so many channels; 0 if arrays do not have it. */
size_t mock__array_element(CUarray_format format, unsigned channels);

/* Can the device have an array like this, mipmapped or not? */
CUresult mock__array_check(const struct mock__device *device,
                           const CUDA_ARRAY3D_DESCRIPTOR *descriptor, bool mipmapped);

/* How many bytes it takes; false if that is more than fits. */
bool mock__array_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, size_t *ret_bytes);

/* Memory for arrays, and its end: it goes with what it was made for. */
CUresult mock__array_alloc(struct mock__context *context, size_t bytes, const char *made_by,
                           uint64_t *ret_address);
void mock__array_release(uint64_t address);

/* An array over memory that is there already. NULL if there is no memory. */
struct mock__array *mock__array_over(struct mock__context *context,
                                     const CUDA_ARRAY3D_DESCRIPTOR *descriptor, uint64_t address);

/* Destroys the arrays of a context. */
void mock__arrays_destroy(const struct mock__context *context);

#endif
