/* SPDX-License-Identifier: MIT */
#include "corpus.h"
#include "number.h"

static void stmatrix(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint16_t *out = run->expect[1];

    for (int row = 0; row < 32; row++)
        for (int column = 0; column < 8; column++) {
            const int word = row / 8 * 32 + row % 8 * 4 + column / 2;
            const int turned = row / 8 * 32 + column * 4 + row % 8 / 2;

            out[row * 8 + column] = (uint16_t) (a[word] >> (column % 2 * 16));
            out[256 + row * 8 + column] =
                row < 16 ? (uint16_t) (a[turned] >> (row % 2 * 16)) : out[row * 8 + column];
        }
}

static double e4m3_value(uint8_t bits)
{
    const int exponent = bits >> 3 & 15, mantissa = bits & 7;
    const double x = exponent ? ldexp(8 + mantissa, exponent - 10) : ldexp(mantissa, -9);

    return (bits & 0x7f) == 0x7f ? (double) NAN : bits & 0x80 ? -x : x;
}

/* The nearest, found by looking at all of them; the even one of two. */
static uint8_t e4m3(double x)
{
    uint8_t best = 0;

    if (isnan(x))
        return 0x7f;
    for (int i = 1; i < 0x7f; i++) {
        const double now = fabs(e4m3_value((uint8_t) i) - fabs(x));
        const double before = fabs(e4m3_value(best) - fabs(x));

        if (now < before || (now == before && i % 2 == 0))
            best = (uint8_t) i;
    }
    if (fabs(x) > 448)
        best = 0x7e;
    return best | (signbit(x) ? 0x80 : 0);
}

/* As in half precision, with fewer bits of fraction. */
static uint8_t e5m2(double x)
{
    uint8_t best = 0;

    if (isnan(x))
        return 0x7f;
    for (int i = 1; i <= 0x7c; i++) {
        const double candidate = i == 0x7c ? 65536 : half_value((uint16_t) (i << 8));
        const double now = fabs(candidate - fabs(x));
        const double before = fabs(half_value((uint16_t) (best << 8)) - fabs(x));

        if (now < before || (now == before && i % 2 == 0))
            best = (uint8_t) i;
    }
    if (fabs(x) >= 61440)
        best = 0x7c;
    return best | (signbit(x) ? 0x80 : 0);
}

static void fp8(struct corpus_run *run)
{
    const float *a = run->in[0], *b = run->in[1];
    uint32_t *out = run->expect[2];
    float *back = run->expect[3];

    for (int i = 0; i < 512; i++) {
        const uint8_t x = e4m3((double) a[i]), y = e5m2((double) b[i]);

        out[i] = x | (uint32_t) y << 8;
        back[2 * i] = (float) e4m3_value(x);
        back[2 * i + 1] = (float) half_value((uint16_t) (y << 8));
    }
}

static void elect(struct corpus_run *run)
{
    for (int i = 0; i < 64; i++)
        ((uint32_t *) run->expect[0])[i] = 1;
}

static const struct corpus_case cases[] = {
    {.name = "newer_stmatrix",
     .block = {32},
     .reference = stmatrix,
     .buffers = {IN(U32, 128), OUT(U16, 512)}},
    {.name = "newer_fp8",
     .grid = {4},
     .block = {128},
     .reference = fp8,
     .buffers = {IN(F32, 512), IN(F32, 512), OUT(U32, 512), OUT(F32, 1024)}},
    {.name = "newer_fp8_near",
     .kernel = "newer_fp8",
     .grid = {4},
     .block = {128},
     .reference = fp8,
     .buffers = {IN_RANGE(F32, 512, -500, 500), IN_RANGE(F32, 512, -70000, 70000), OUT(U32, 512),
                 OUT(F32, 1024)}},
    {.name = "newer_elect", .block = {64}, .reference = elect, .buffers = {OUT(U32, 64)}},
};

CORPUS_MODULE(newer, cases);
