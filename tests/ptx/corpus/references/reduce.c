/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <string.h>

enum { N = 3000, ROWS = 64 };

static void tree(struct corpus_run *run)
{
    const int *a = run->in[0];
    int *out = run->expect[1];

    for (int i = 0; i < N; i++)
        out[i / 256 % 4] += a[i];
}

static float warp_sum(const float *x)
{
    float v[32];

    memcpy(v, x, sizeof(v));
    for (int delta = 16; delta > 0; delta /= 2)
        for (int lane = 0; lane + delta < 32; lane++)
            v[lane] += v[lane + delta];
    return v[0];
}

static void shuffle(struct corpus_run *run)
{
    const float *a = run->in[0];
    float *out = run->expect[1];

    for (int block = 0; block < 3; block++) {
        float sum[256] = {0}, part[32] = {0};

        for (int i = 0; i < 1000; i++)
            sum[i % 256] += a[block * 1000 + i];
        for (int warp = 0; warp < 8; warp++)
            part[warp] = warp_sum(sum + warp * 32);
        out[block] = warp_sum(part);
    }
}

static void least(struct corpus_run *run)
{
    const float *a = run->in[0];
    float *parts = run->expect[1], *out = run->expect[4];
    int *places = run->expect[2], best = 0;

    for (int block = 0; block < 5; block++)
        places[block] = block * 128;
    for (int i = 0; i < N; i++) {
        const int block = i / 128 % 5;

        if (a[i] < a[places[block]])
            places[block] = i;
        if (a[i] < a[best])
            best = i;
    }
    for (int block = 0; block < 5; block++)
        parts[block] = a[places[block]];
    *(unsigned *) run->expect[3] = 5;
    out[0] = a[best];
    out[1] = (float) best;
}

static void kahan(struct corpus_run *run)
{
    const float *a = run->in[0], *b = run->in[1];
    float *out = run->expect[2];

    for (int row = 0; row < ROWS; row++) {
        volatile float sum = 0, lost = 0, x, y, next;

        for (int i = 0; i < 100; i++) {
            x = a[row * 100 + i] * b[i];
            y = x - lost;
            next = sum + y;
            lost = next - sum;
            lost = lost - y;
            sum = next;
        }
        out[row] = sum;
    }
}

static void histogram_shared(struct corpus_run *run)
{
    const uint8_t *a = run->in[0];
    unsigned *out = run->expect[1];

    for (int i = 0; i < N; i++)
        out[a[i]]++;
}

static void histogram_bounds(struct corpus_run *run)
{
    const float *a = run->in[0], *bounds = run->in[1];
    uint64_t *out = run->expect[2];

    for (int i = 0; i < N; i++) {
        int bin = 0;

        while (bin < 20 && bounds[bin] <= a[i])
            bin++;
        out[bin] += 1ull << (i % 40);
    }
}

static const struct corpus_case cases[] = {
    {.name = "reduce_tree",
     .grid = {4},
     .block = {256},
     .reference = tree,
     .buffers = {IN_RANGE(U32, N, 0, 99999), OUT(U32, 4)},
     .values = {N}},
    {.name = "reduce_shuffle",
     .grid = {3},
     .block = {256},
     .reference = shuffle,
     .buffers = {IN_RANGE(F32, 3 * 1000, -10, 10), OUT(F32, 3)},
     .values = {1000}},
    {.name = "reduce_least",
     .grid = {5},
     .block = {128},
     .reference = least,
     .buffers = {IN_RANGE(F32, N, -10, 10), OUT(F32, 5), OUT(U32, 5), OUT(U32, 1), OUT(F32, 2)},
     .values = {N}},
    {.name = "reduce_kahan",
     .grid = {2},
     .block = {ROWS / 2},
     .reference = kahan,
     .buffers = {IN_RANGE(F32, ROWS * 100, -1e4, 1e4), IN_RANGE(F32, 100, -1, 1), OUT(F32, ROWS)},
     .values = {100}},
    {.name = "reduce_histogram_shared",
     .grid = {4},
     .block = {256},
     .reference = histogram_shared,
     .buffers = {IN(U8, N), OUT(U32, 256)},
     .values = {N}},
    {.name = "reduce_histogram_bounds",
     .grid = {24},
     .block = {128},
     .reference = histogram_bounds,
     .buffers = {IN_RANGE(F32, N, 0, 22), IN_STEP(F32, 20, 1, 1), OUT(U64, 21)},
     .values = {N, 20}},
};

CORPUS_MODULE(reduce, cases);
