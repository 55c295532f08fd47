/* SPDX-License-Identifier: MIT */
#include "corpus.h"
#include "number.h"

enum { N = 256 };

static float sum(int direction, float x, float y)
{
    volatile float vx = x, vy = y, result;

    fesetround(direction);
    result = vx + vy;
    fesetround(FE_TONEAREST);
    return result;
}

static float product(int direction, float x, float y)
{
    volatile float vx = x, vy = y, result;

    fesetround(direction);
    result = vx * vy;
    fesetround(FE_TONEAREST);
    return result;
}

static float flushed(float x)
{
    return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

/* The halves of 64 bits, each a float. */
static void floats(struct corpus_run *run)
{
    const float *a = run->in[0], *b = run->in[1], *c = run->in[2];
    float *out = run->expect[3];

    for (int i = 0; i < 2 * N; i++) {
        float *to = out + i / 2 * 8 + i % 2;

        to[0] = sum(FE_TONEAREST, a[i], b[i]);
        to[2] = product(FE_TOWARDZERO, a[i], b[i]);
        to[4] = fmaf(a[i], b[i], c[i]);
        to[6] = flushed(sum(FE_UPWARD, flushed(a[i]), -flushed(b[i])));
    }
}

static void wide(struct corpus_run *run)
{
    for (int i = 0; i < N; i++)
        ((uint32_t *) run->expect[1])[i] = ((uint32_t *) run->in[0])[N - 1 - i];
}

static const struct corpus_case cases[] = {
    {.name = "packed_floats",
     .grid = {4},
     .block = {64},
     .reference = floats,
     .buffers = {IN(F32, 2 * N), IN(F32, 2 * N), IN(F32, 2 * N), OUT(F32, 8 * N)}},
    {.name = "packed_wide",
     .block = {N / 8},
     .reference = wide,
     .values = {N / 8},
     .buffers = {IN(U32, N), OUT(U32, N)}},
};

CORPUS_MODULE(packed, cases);
