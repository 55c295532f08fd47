/* SPDX-License-Identifier: MIT */
#include "corpus.h"

static void one(struct corpus_run *run)
{
    const float *a = run->in[0], *weights = run->in[1];
    float *out = run->expect[2];

    for (int i = 0; i < 300; i++)
        for (int k = -3; k <= 3; k++) {
            const volatile float product =
                (i + k >= 0 && i + k < 300 ? a[i + k] : 0) * weights[k + 3];

            out[i] += product;
        }
}

static void two(struct corpus_run *run)
{
    const int w = 45, h = 21;
    const double *a = run->in[0];
    double *out = run->expect[1];

    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const double *p = a + y * w + x;

            if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
                out[y * w + x] = *p;
            else
                out[y * w + x] = 0.25 * (p[-1] + p[1] + p[-w] + p[w]) - *p;
        }
}

static float around(const float *a, int x, int y, int z)
{
    float sum = 0;
    int n = 0;

    for (int w = z - 1; w <= z + 1; w++)
        for (int v = y - 1; v <= y + 1; v++)
            for (int u = x - 1; u <= x + 1; u++)
                if (u >= 0 && v >= 0 && w >= 0 && u < 13 && v < 9 && w < 7) {
                    sum += a[(w * 9 + v) * 13 + u];
                    n++;
                }
    return sum / (float) n;
}

static void three(struct corpus_run *run)
{
    float *out = run->expect[1];

    for (int z = 0; z < 7; z++)
        for (int y = 0; y < 9; y++)
            for (int x = 0; x < 13; x++)
                *out++ = around(run->in[0], x, y, z);
}

static void generation(const uint8_t *from, uint8_t *to)
{
    for (int i = 0; i < 1024; i++) {
        int n = -from[i];

        for (int k = 0; k < 9; k++)
            n += from[((i / 32 + k / 3 + 31) % 32) * 32 + (i % 32 + k % 3 + 31) % 32];
        to[i] = n == 3 || (n == 2 && from[i]);
    }
}

static void life(struct corpus_run *run)
{
    uint8_t world[2][1024], *out = run->expect[1];
    const int rounds = run->test->values[0];

    for (int i = 0; i < 1024; i++)
        world[0][i] = ((uint8_t *) run->in[0])[i] & 1;
    for (int round = 0; round < rounds; round++)
        generation(world[round & 1], world[1 - (round & 1)]);
    for (int i = 0; i < 1024; i++)
        out[i] = world[rounds & 1][i];
}

static const struct corpus_case cases[] = {
    {.name = "stencil_1d",
     .grid = {3},
     .block = {128},
     .reference = one,
     .values = {300},
     .buffers = {IN_RANGE(F32, 300, -9, 9), IN_RANGE(F32, 7, -1, 1), OUT(F32, 300)}},
    {.name = "stencil_2d",
     .grid = {3, 3},
     .block = {16, 8},
     .reference = two,
     .values = {45, 21},
     .buffers = {IN_RANGE(F64, 45 * 21, -9, 9), OUT(F64, 45 * 21)}},
    {.name = "stencil_3d",
     .grid = {4, 3, 4},
     .block = {4, 4, 2},
     .reference = three,
     .values = {13, 9, 7},
     .buffers = {IN_RANGE(F32, 13 * 9 * 7, -9, 9), OUT(F32, 13 * 9 * 7)}},
    {.name = "stencil_life",
     .block = {32, 32},
     .reference = life,
     .values = {9},
     .buffers = {IN(U8, 1024), OUT(U8, 1024)}},
};

CORPUS_MODULE(stencil, cases);
