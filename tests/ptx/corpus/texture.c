/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <math.h>

static void fetch(struct corpus_run *run)
{
    const uint32_t *a = run->in[0], *index = run->in[1];
    uint32_t *out = run->expect[2];

    for (int i = 0; i < 64; i++)
        out[i] = a[index[i]];
}

static int at(float x, int n)
{
    return x < 0 ? 0 : x >= (float) n ? n - 1 : (int) x;
}

static void point(struct corpus_run *run)
{
    const float *line = run->in[0], *plane = run->in[1], *x = run->in[2], *y = run->in[3];
    float *out = run->expect[4];

    for (int i = 0; i < 256; i++) {
        out[2 * i] = line[at(x[i], 40)];
        out[2 * i + 1] = plane[at(y[i], 10) * 20 + at(x[i], 20)];
    }
}

/* The place left of a coordinate, and how far it is from there: in steps of 1/256. */
static int left_of(float x, int n, double *ret_part)
{
    const double place = (double) (x - floorf(x)) * n - 0.5, steps = rint(place * 256) / 256;
    const double left = floor(steps);

    *ret_part = steps - left;
    return ((int) left + n) % n;
}

static double mixed(double a, double b, double part)
{
    return a + (b - a) * part;
}

static void linear(struct corpus_run *run)
{
    const float *line = run->in[0], *plane = run->in[1], *x = run->in[2], *y = run->in[3];
    float *out = run->expect[4];

    for (int i = 0; i < 256; i++) {
        double part, part_x, part_y;
        const int l = left_of(x[i], 40, &part), u = left_of(x[i], 20, &part_x);
        const int v = left_of(y[i], 10, &part_y), u1 = (u + 1) % 20, v1 = (v + 1) % 10;

        out[2 * i] = (float) mixed((double) line[l], (double) line[(l + 1) % 40], part);
        out[2 * i + 1] = (float) mixed(
            mixed((double) plane[v * 20 + u], (double) plane[v * 20 + u1], part_x),
            mixed((double) plane[v1 * 20 + u], (double) plane[v1 * 20 + u1], part_x), part_y);
    }
}

/* Weights have 8 bits of fraction, so one step of a weight is what they may differ in, over
 * numbers that are at most 2 apart. */
static const struct corpus_bound steps[] = {{0, 2.0 / 256}, {0, 4.0 / 256}};

static void surface(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *plane = run->expect[0], *out = run->expect[2];
    uint8_t *line = run->expect[1];

    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 16; x++) {
            out[y * 16 + x] = a[y * 16 + x];
            plane[(7 - y) * 16 + 15 - x] = a[y * 16 + x] * 2 + (uint32_t) x;
        }
    for (int x = 0; x < 16; x++)
        line[x] = (uint8_t) (x * 3);
}

#define ARRAY(type, count, role, width, linear)                                                    \
    {                                                                                              \
        type, count, RANGE, -1, 1, false, role, NULL, width, linear                                \
    }

static const struct corpus_case cases[] = {
    {.name = "texture_fetch",
     .block = {64},
     .reference = fetch,
     .buffers = {{U32, 64, ANY, 0, 0, false, TEXTURE, NULL, 0, false},
                 IN_RANGE(U32, 64, 0, 63),
                 OUT(U32, 64)}},
    {.name = "texture_point",
     .block = {256},
     .reference = point,
     .buffers = {ARRAY(F32, 40, TEXTURE, 0, false), ARRAY(F32, 200, TEXTURE, 20, false),
                 IN_RANGE(F32, 256, -5, 45), IN_RANGE(F32, 256, -5, 15), OUT(F32, 512)}},
    {.name = "texture_linear",
     .block = {256},
     .reference = linear,
     BOUNDS(steps),
     .buffers = {ARRAY(F32, 40, TEXTURE, 0, true), ARRAY(F32, 200, TEXTURE, 20, true),
                 IN_RANGE(F32, 256, -2, 2), IN_RANGE(F32, 256, -2, 2), OUT(F32, 512)}},
    {.name = "texture_surface",
     .block = {16, 8},
     .reference = surface,
     .values = {16, 8},
     .buffers = {{U32, 128, ANY, 0, 0, true, SURFACE, NULL, 16, false},
                 {U8, 16, ANY, 0, 0, true, SURFACE, NULL, 0, false},
                 OUT(U32, 128)}},
};

CORPUS_MODULE(texture, cases);
