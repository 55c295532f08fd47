/* SPDX-License-Identifier: MIT */
/* The problems in C, for all threads of the machine if OpenMP is there. */
#include "problems.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

enum { TILE = 16, MILLION = 1 << 20, BINS = 256, ROW = 256, SIDE = 128, RADIX = 16 };

int problems_threads(bool all)
{
#ifdef _OPENMP
    omp_set_num_threads(all ? omp_get_num_procs() : 1);
    return all ? omp_get_num_procs() : 1;
#else
    (void) all;
    return 1;
#endif
}

static void saxpy(float *a, float *b, float *c, int n)
{
    (void) c;
#pragma omp parallel for simd
    for (int i = 0; i < n; i++)
        b[i] = 2 * a[i] + b[i];
}

static void naive(float *restrict a, float *restrict b, float *restrict c, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            float sum = 0;

            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    }
}

static void tile(const float *restrict a, const float *restrict b, float *restrict c, int n)
{
    float sums[TILE][TILE] = {{0}};

    for (int k = 0; k < n; k++)
        for (int i = 0; i < TILE; i++)
            for (int j = 0; j < TILE; j++)
                sums[i][j] += a[i * n + k] * b[k * n + j];
    for (int i = 0; i < TILE; i++)
        memcpy(c + i * n, sums[i], sizeof(sums[i]));
}

static void tiled(float *a, float *b, float *c, int n)
{
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i += TILE)
        for (int j = 0; j < n; j += TILE)
            tile(a + i * n, b + j, c + i * n + j, n);
}

static void sum(float *a, float *b, float *c, int n)
{
    float all = 0;

    (void) b;
#pragma omp parallel for simd reduction(+ : all)
    for (int i = 0; i < n; i++)
        all += a[i];
    c[0] = all;
}

static void histogram(float *a, float *b, float *c, int n)
{
    const uint32_t *words = (const uint32_t *) a;
    uint32_t bins[BINS] = {0};

    (void) b;
#pragma omp parallel for reduction(+ : bins[:BINS])
    for (int i = 0; i < n; i++)
        bins[words[i] >> 16 & (BINS - 1)]++;
    for (int i = 0; i < BINS; i++)
        ((uint32_t *) c)[i] += bins[i];
}

static void collatz(float *a, float *b, float *c, int n)
{
    uint32_t *out = (uint32_t *) b;

    (void) a;
    (void) c;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        uint32_t x = ((uint32_t) i & 1023) + 1, steps = 0;

        for (; x != 1; steps++)
            x = x % 2 ? 3 * x + 1 : x / 2;
        out[i] = steps;
    }
}

static void softmax(float *restrict a, float *restrict b, float *c, int n)
{
    (void) c;
#pragma omp parallel for
    for (int row = 0; row < n; row += ROW) {
        float most = a[row], all = 0;

        for (int i = 0; i < ROW; i++)
            most = fmaxf(most, a[row + i]);
        for (int i = 0; i < ROW; i++)
            all += b[row + i] = exp2f(a[row + i] - most);
        for (int i = 0; i < ROW; i++)
            b[row + i] /= all;
    }
}

static void stencil(float *restrict a, float *restrict b, float *c, int n)
{
    (void) c;
#pragma omp parallel for
    for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++) {
            const float *from = a + (z * n + y) * n;
            float *to = b + (z * n + y) * n;

            for (int x = 1; x < n - 1; x++)
                to[x] = from[x - 1] + from[x + 1] + from[x - n] + from[x + n] + from[x - n * n] +
                        from[x + n * n] - 6 * from[x];
        }
}

/* In parts, as many as there may be threads. */
static void radix(float *a, float *b, float *c, int n)
{
    enum { PARTS = 64 };
    const uint32_t *keys = (const uint32_t *) a;
    uint32_t *out = (uint32_t *) b, counts[RADIX][PARTS] = {{0}}, before = 0;
    const int length = n / PARTS;

    (void) c;
#pragma omp parallel for
    for (int part = 0; part < PARTS; part++)
        for (int i = part * length; i < (part + 1) * length; i++)
            counts[keys[i] >> 12 & 15][part]++;
    for (int i = 0; i < RADIX * PARTS; i++) {
        const uint32_t count = counts[i / PARTS][i % PARTS];

        counts[i / PARTS][i % PARTS] = before;
        before += count;
    }
#pragma omp parallel for
    for (int part = 0; part < PARTS; part++)
        for (int i = part * length; i < (part + 1) * length; i++)
            out[counts[keys[i] >> 12 & 15][part]++] = keys[i];
}

static float of_bfloat(uint16_t half)
{
    const uint32_t bits = (uint32_t) half << 16;
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static void tensor(float *restrict a, float *restrict b, float *restrict c, int n)
{
    const uint16_t *left = (const uint16_t *) a, *right = (const uint16_t *) b;

#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float all = 0;

            for (int k = 0; k < n; k++)
                all += of_bfloat(left[i * n + k]) * of_bfloat(right[j * n + k]);
            c[i * n + j] = all;
        }
}

static uint32_t path(uint32_t x, uint32_t y)
{
    const uint32_t turns = x >> 8 & 7;

    switch (x >> 29) {
    case 0:
        for (uint32_t j = 0; j < turns; j++)
            y = y * 5 + j;
        return y;
    case 1:
        for (uint32_t j = 0; j < turns; j++)
            y ^= y << 3 ^ j;
        return y;
    case 2:
        for (uint32_t j = 0; j < turns; j++)
            y += y >> 5 | j;
        return y;
    case 3:
        return y % 1000003;
    case 4:
        for (uint32_t j = turns; j > 0; j--)
            y = (y >> 1) + (y & j);
        return y;
    case 5:
        return ~y;
    case 6:
        for (uint32_t j = 0; j < 2 * turns; j++)
            y -= y << 7;
        return y;
    default:
        return y & 1 ? y * 3 + 1 : y;
    }
}

static void paths(float *a, float *b, float *c, int n)
{
    const uint32_t *words = (const uint32_t *) a;
    uint32_t *out = (uint32_t *) b;

    (void) c;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        uint32_t x = words[i], y = (uint32_t) i;

        for (int step = 0; step < 16; step++) {
            y = path(x, y);
            x = x * 1664525 + 1013904223;
        }
        out[i] = y;
    }
}

#define LINE(name, n)                                                                              \
    {                                                                                              \
        {                                                                                          \
            name, {(n) / 256, 1, 1}, {256, 1, 1}, n                                                \
        }                                                                                          \
    }
#define SQUARE(name, n)                                                                            \
    {                                                                                              \
        {                                                                                          \
            name, {(n) / TILE, (n) / TILE, 1}, {TILE, TILE, 1}, n                                  \
        }                                                                                          \
    }
#define PRODUCT(size, kernel)                                                                      \
    {                                                                                              \
#kernel "-" #size, size,                                                                   \
            {size *size, size *size, size *size }, SMALL_FLOATS, false, kernel,                    \
             SQUARE(#kernel, size)                                                                 \
    }

static const struct problem problems[] = {
    {"saxpy-1m",
     MILLION,
     {MILLION, MILLION, 1},
     SMALL_FLOATS,
     false,
     saxpy,
     LINE("saxpy", MILLION)},
    {"saxpy-16m",
     16 * MILLION,
     {16 * MILLION, 16 * MILLION, 1},
     SMALL_FLOATS,
     false,
     saxpy,
     LINE("saxpy", 16 * MILLION)},
    PRODUCT(128, naive),
    PRODUCT(512, naive),
    PRODUCT(128, tiled),
    PRODUCT(512, tiled),
    {"sum",
     MILLION,
     {MILLION, MILLION / 1024, 1},
     SMALL_FLOATS,
     false,
     sum,
     {{"sum", {MILLION / 1024, 1, 1}, {256, 1, 1}, MILLION},
      {"sum_end", {1, 1, 1}, {256, 1, 1}, 0}}},
    {"histogram", MILLION, {MILLION, 1, BINS}, WORDS, false, histogram, LINE("histogram", MILLION)},
    {"collatz", MILLION, {1, MILLION, 1}, WORDS, false, collatz, LINE("collatz", MILLION)},
    {"softmax",
     MILLION,
     {MILLION, MILLION, 1},
     SMALL_FLOATS,
     true,
     softmax,
     {{"softmax", {MILLION / 2048, 1, 1}, {32, 8, 1}, MILLION}}},
    {"stencil",
     SIDE,
     {SIDE * SIDE * SIDE, SIDE *SIDE *SIDE, 1},
     SMALL_FLOATS,
     false,
     stencil,
     {{"stencil", {SIDE / 32, SIDE / 8, SIDE}, {32, 8, 1}, SIDE}}},
    {"radix",
     MILLION,
     {MILLION, MILLION, RADIX *MILLION / 256},
     WORDS,
     false,
     radix,
     {{"radix_count", {MILLION / 256, 1, 1}, {256, 1, 1}, MILLION},
      {"radix_scan", {1, 1, 1}, {1024, 1, 1}, RADIX *MILLION / 256 / 1024},
      {"radix_scatter", {MILLION / 256, 1, 1}, {256, 1, 1}, MILLION}}},
    {"tensor",
     256,
     {256 * 256 / 2, 256 * 256 / 2, 256 * 256},
     BFLOATS,
     false,
     tensor,
     {{"tensor", {256 / 8, 256 / 64, 1}, {32, 4, 1}, 256}}},
    {"paths",
     MILLION / 16,
     {MILLION / 16, MILLION / 16, 1},
     WORDS,
     false,
     paths,
     LINE("paths", MILLION / 16)},
};

enum { N_PROBLEMS = sizeof(problems) / sizeof(problems[0]) };

const char *problems_name(size_t i)
{
    return i < N_PROBLEMS ? problems[i].name : NULL;
}

const struct problem *problems_find(const char *name)
{
    for (size_t i = 0; i < N_PROBLEMS; i++)
        if (!strcmp(problems[i].name, name))
            return &problems[i];
    return NULL;
}

/* Small whole numbers, of which no sum and no product is rounded. */
static uint32_t value_of(enum values values, uint32_t i)
{
    const uint32_t drawn = (i ^ i >> 15) * UINT32_C(2654435769) ^ i >> 3;
    const float small = (float) (drawn >> 28), next = (float) (drawn >> 24 & 15);
    uint32_t bits, more;

    memcpy(&bits, &small, sizeof(bits));
    memcpy(&more, &next, sizeof(more));
    return values == WORDS ? drawn : values == BFLOATS ? bits >> 16 | more : bits;
}

struct memories problems_memories(const struct problem *problem)
{
    struct memories memories;

    for (int m = 0; m < MEMORIES; m++) {
        uint32_t *words = calloc(problem->count[m], sizeof(*words));

        if (!words)
            abort();
        for (size_t i = 0; m < 2 && i < problem->count[m]; i++)
            words[i] = value_of(problem->values, (uint32_t) i + 77 * (uint32_t) m);
        memories.m[m] = (float *) words;
    }
    return memories;
}

void problems_free(struct memories *memories)
{
    for (int m = 0; m < MEMORIES; m++)
        free(memories->m[m]);
}

static bool same(const struct problem *problem, float expected, float actual)
{
    if (problem->rounded)
        return fabsf(expected - actual) <= 1e-5F * fabsf(expected);
    return !memcmp(&expected, &actual, sizeof(actual));
}

bool problems_equal(const struct problem *problem, const struct memories *expected,
                    const struct memories *actual)
{
    for (int m = 0; m < MEMORIES; m++) {
        /* What is in between is not C's: parts of sums, counts of digits. */
        if (m > 0 && problem->steps[1].kernel && m != (problem->c == sum ? 2 : 1))
            continue;
        for (size_t i = 0; i < problem->count[m]; i++) {
            const float e = expected->m[m][i], a = actual->m[m][i];

            if (same(problem, e, a))
                continue;
            fprintf(stderr, "%s: %c[%zu] is %a, C has %a\n", problem->name, "abc"[m], i, (double) a,
                    (double) e);
            return false;
        }
    }
    return true;
}
