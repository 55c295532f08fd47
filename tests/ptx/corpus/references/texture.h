/* SPDX-License-Identifier: MIT */
/*
 * What the hardware reads from a texture, as its answers show. A coordinate is rounded to
 * 1/256 of an element when it filters, and then every element has a weight of so many 1/256.
 */
#ifndef CUSHIM_TESTS_CORPUS_TEXTURE_H
#define CUSHIM_TESTS_CORPUS_TEXTURE_H

#include "corpus.h"

struct texture {
    const struct corpus_buffer *buffer;
    const void *data;
};

/* The texture that buffer b of a run is. */
struct texture texture_of(const struct corpus_run *run, unsigned b);

/* Four channels as 32 bits each. The slice is a layer or a face. */
void texture_sample(const struct texture *texture, const double *at, unsigned n, unsigned slice,
                    unsigned level, uint32_t out[4]);

/* The same for a level between two, as the texture's kind of filter has it. */
void texture_sample_level(const struct texture *texture, const double *at, unsigned n,
                          unsigned slice, float level, uint32_t out[4]);

/* One element, nothing where there is none. */
void texture_element(const struct texture *texture, const int *at, unsigned n, uint32_t out[4]);

/* A channel of the four elements around a place. */
void texture_gather(const struct texture *texture, const double *at, unsigned channel,
                    uint32_t out[4]);

/* The face of a direction, and the place on it. */
unsigned texture_face(const float *direction, double at[2]);

#endif
