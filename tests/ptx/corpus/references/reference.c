/* SPDX-License-Identifier: MIT */
/*
 * References: textures and surfaces that are variables of a module. C++ has none since CUDA 12,
 * so this PTX was written by hand.
 */
#include "texture.h"

enum { CLAMP = 1, MIRROR = 2, NORMALISED = 2 };

static uint32_t one(const struct corpus_run *run, unsigned b, const double *at, unsigned n)
{
    const struct texture texture = texture_of(run, b);
    uint32_t out[4];

    texture_sample(&texture, at, n, 0, 0, out);
    return out[0];
}

static void textures(struct corpus_run *run)
{
    const float *x = run->in[2], *y = run->in[3];
    uint32_t *out = run->expect[4];

    for (unsigned i = 0; i < 128; i++) {
        const double at[2] = {(double) x[i], (double) y[i]};

        out[2 * i] = one(run, 0, at, 1);
        out[2 * i + 1] = one(run, 1, at, 2);
    }
}

/* A surface is one, and a texture is a texture. */
static void surfaces(struct corpus_run *run)
{
    for (int i = 0; i < 32; i++)
        ((uint32_t *) run->expect[0])[i] += 4 + 1;
}

static const struct corpus_image line = {
    .size = {16}, .modes = {CLAMP, CLAMP, CLAMP}, .linear = true};
static const struct corpus_image plane = {
    .size = {8, 4}, .modes = {MIRROR, MIRROR, MIRROR}, .linear = true, .reading = NORMALISED};
static const struct corpus_image image = {.size = {32}};

static const struct corpus_case cases[] = {
    {.name = "reference_texture",
     .block = {128},
     .reference = textures,
     .buffers = {{F32, 16, RANGE, -1, 1, false, TEXTURE, "line", &line},
                 {F32, 32, RANGE, -1, 1, false, TEXTURE, "plane", &plane},
                 IN_RANGE(F32, 128, -2, 18),
                 IN_RANGE(F32, 128, -2, 2),
                 OUT(F32, 256)}},
    {.name = "reference_surface",
     .block = {32},
     .reference = surfaces,
     .buffers = {{U32, 32, ANY, 0, 0, true, SURFACE, "image", &image},
                 {F32, 32, ZERO, 0, 0, false, TEXTURE, "line", &image},
                 {F32, 32, ZERO, 0, 0, false, TEXTURE, "plane", &image}}},
};

CORPUS_MODULE(reference, cases);
