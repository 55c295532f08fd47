/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <math.h>

/* The compiler makes fused multiply-adds of these sums, in their order. */
static void product_f32(struct corpus_run *run)
{
    const int n = run->test->values[0];
    const float *a = run->in[0], *b = run->in[1];
    float *c = run->expect[2];

    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++)
            for (int k = 0; k < n; k++)
                c[row * n + column] = fmaf(a[row * n + k], b[k * n + column], c[row * n + column]);
}

static void product_f64(struct corpus_run *run)
{
    const int n = run->test->values[0];
    const double *a = run->in[0], *b = run->in[1];
    double *c = run->expect[2];

    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++)
            for (int k = 0; k < n; k++)
                c[row * n + column] = fma(a[row * n + k], b[k * n + column], c[row * n + column]);
}

static void product_s8(struct corpus_run *run)
{
    const int n = run->test->values[0];
    const int8_t *a = run->in[0], *b = run->in[1];
    int *c = run->expect[2];

    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++)
            for (int k = 0; k < n; k++)
                c[row * n + column] += a[row * n + k] * b[k * n + column];
}

static void transpose(struct corpus_run *run)
{
    const int width = run->test->values[0], height = run->test->values[1];
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            out[x * height + y] = a[y * width + x];
}

#define PRODUCT(title, n, across, type, sum, function, low, high)                                  \
    {                                                                                              \
        .name = title, .grid = {(n + 15) / 16 / across, (n + 15) / 16}, .block = {16, 16},         \
        .reference = function, .values = {n}, .buffers = {                                         \
            IN_RANGE(type, n * n, low, high),                                                      \
            IN_RANGE(type, n * n, low, high),                                                      \
            OUT(sum, n * n)                                                                        \
        }                                                                                          \
    }

static const struct corpus_case cases[] = {
    PRODUCT("matmul_naive_f32", 37, 1, F32, F32, product_f32, -1, 1),
    PRODUCT("matmul_naive_f64", 37, 1, F64, F64, product_f64, -1, 1),
    PRODUCT("matmul_naive_s8", 37, 1, U8, U32, product_s8, 0, 255),
    PRODUCT("matmul_tiled", 45, 1, F32, F32, product_f32, -1, 1),
    PRODUCT("matmul_register", 64, 4, F32, F32, product_f32, -1, 1),
    {.name = "matmul_transpose",
     .grid = {3, 2},
     .block = {32, 8},
     .reference = transpose,
     .buffers = {IN(U32, 70 * 50), OUT(U32, 70 * 50)},
     .values = {70, 50}},
};

CORPUS_MODULE(matmul, cases);
