/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "corpus.h"
#include "number.h"

/* C = A B', of which all numbers are whole, and all sums exact. */
static void halves(struct corpus_run *run, int m, int n, int k)
{
    const uint16_t *a = run->in[0], *b = run->in[1];
    float *c = run->expect[2];

    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0;

            for (int l = 0; l < k; l++)
                sum += half_value(a[i * k + l]) * half_value(b[j * k + l]);
            c[i * n + j] = (float) sum;
        }
    }
}

static void product(struct corpus_run *run)
{
    halves(run, 128, 64, 256);
}

static void pair(struct corpus_run *run)
{
    halves(run, 256, 64, 16);
}

/* Three bits of fraction, four of exponent; all bits set is no number. */
static double e4m3_value(uint8_t bits)
{
    const int exponent = bits >> 3 & 15, fraction = bits & 7;
    const double size = exponent ? ldexp(8 + fraction, exponent - 10) : ldexp(fraction, -9);

    return (bits & 0x7f) == 0x7f ? NAN : bits & 0x80 ? -size : size;
}

static void scaled(struct corpus_run *run)
{
    const uint8_t *a = run->in[0], *b = run->in[1], *powers = run->in[2];
    float *c = run->expect[3];

    for (int i = 0; i < 128; i++) {
        for (int j = 0; j < 32; j++) {
            double sum = 0;

            for (int l = 0; l < 32; l++)
                sum += e4m3_value(a[i * 32 + l]) * e4m3_value(b[j * 32 + l]);
            c[i * 32 + j] = (float) ldexp(sum, powers[i] % 4 - powers[128 + j] % 4);
        }
    }
}

static const struct corpus_case cases[] = {
    {.name = "blackwell_product",
     .block = {128},
     .reference = product,
     .buffers = {IN_WHOLE(F16, 128 * 256, -8, 8), IN_WHOLE(F16, 64 * 256, -8, 8),
                 OUT(F32, 128 * 64)}},
    {.name = "blackwell_pair",
     .grid = {2},
     .block = {128},
     .reference = pair,
     .buffers = {IN_WHOLE(F16, 256 * 16, -8, 8), IN_WHOLE(F16, 64 * 16, -8, 8),
                 OUT(F32, 256 * 64)}},
    {.name = "blackwell_scaled",
     .block = {128},
     .reference = scaled,
     .buffers = {IN_RANGE(U8, 128 * 32, 40, 64), IN_RANGE(U8, 32 * 32, 40, 64), IN(U8, 160),
                 OUT(F32, 128 * 32)}},
};

CORPUS_MODULE(blackwell, cases);
