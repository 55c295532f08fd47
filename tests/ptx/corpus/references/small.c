/* SPDX-License-Identifier: MIT */
#include "corpus.h"
#include "number.h"

enum { N = 512 };

/* Of a format with so many bits of fraction and of exponent, and neither infinity nor NaN. */
static double value_of(unsigned bits, int fraction, int exponent_bits)
{
    const int exponent = (int) (bits >> fraction) & ((1 << exponent_bits) - 1);
    const int least = 2 - (1 << (exponent_bits - 1));
    const int mantissa = (int) bits & ((1 << fraction) - 1);
    const double x = exponent ? ldexp((1 << fraction) + mantissa, exponent - 1 + least - fraction)
                              : ldexp(mantissa, least - fraction);

    return bits >> (fraction + exponent_bits) & 1 ? -x : x;
}

/* The nearest, found by looking at all of them; the even one of two. Not a number: the largest. */
static unsigned nearest(double x, int fraction, int exponent_bits)
{
    const unsigned sign = 1u << (fraction + exponent_bits);
    const bool large = fabs(x) >= value_of(sign - 1, fraction, exponent_bits);
    unsigned best = 0;

    if (isnan(x))
        return sign - 1;
    for (unsigned i = 1; i < sign && !large; i++) {
        const double now = fabs(value_of(i, fraction, exponent_bits) - fabs(x));
        const double before = fabs(value_of(best, fraction, exponent_bits) - fabs(x));

        if (now < before || (now == before && i % 2 == 0))
            best = i;
    }
    return (large ? sign - 1 : best) | (signbit(x) ? sign : 0);
}

static void six(struct corpus_run *run)
{
    const float *a = run->in[0];

    for (int i = 0; i < N; i++) {
        const unsigned x = nearest((double) a[i], 3, 2), y = nearest((double) a[i], 2, 3);

        ((uint32_t *) run->expect[1])[i] =
            x | y << 8 | y << 16 | nearest((double) a[(i + 1) % N], 2, 3) << 24;
        ((float *) run->expect[2])[2 * i] = (float) value_of(x, 3, 2);
        ((float *) run->expect[2])[2 * i + 1] = (float) value_of(y, 2, 3);
    }
}

static void four(struct corpus_run *run)
{
    const float *a = run->in[0];

    for (int i = 0; i < N; i++) {
        const unsigned x = nearest((double) a[i], 1, 2), y = nearest((double) a[(i + 1) % N], 1, 2);

        ((uint32_t *) run->expect[1])[i] = x | x << 8 | y << 12;
        ((float *) run->expect[2])[2 * i] = (float) value_of(x, 1, 2);
        ((float *) run->expect[2])[2 * i + 1] = (float) value_of(y, 1, 2);
    }
}

/* The exponent of the power of two, above the least of all; 255 is too large, or no number. */
static unsigned exponent_of(float x, bool up)
{
    int exponent;

    if (isnan(x) || isinf(x))
        return 255;
    if (fabsf(x) <= 0x1p-127f)
        return 0;
    exponent = ilogbf(x);
    if (up && fabsf(x) > ldexpf(1, exponent))
        exponent++;
    return exponent < -127 ? 0 : (unsigned) (exponent + 127);
}

static void exponents(struct corpus_run *run)
{
    const float *a = run->in[0];

    for (int i = 0; i < N; i++) {
        const unsigned down = exponent_of(a[i], false), up = exponent_of(a[i], true);
        const unsigned low = down == 255 && !isnan(a[i]) ? 254 : down;
        const unsigned high = up == 255 && !isnan(a[i]) ? 254 : up;

        ((uint32_t *) run->expect[1])[i] = down | up << 8 | low << 16 | high << 24;
        ((float *) run->expect[2])[i] = high == 255 ? NAN : ldexpf(1, (int) high - 127);
    }
}

#define CASE(kernel_name, suffix, reference_of, input, wide)                                       \
    {                                                                                              \
        .name = kernel_name suffix, .kernel = kernel_name, .grid = {4}, .block = {N / 4},          \
        .reference = reference_of, .buffers = {                                                    \
            input,                                                                                 \
            OUT(U32, N),                                                                           \
            OUT(F32, wide)                                                                         \
        }                                                                                          \
    }

static const struct corpus_case cases[] = {
    CASE("small_6", "", six, IN(F32, N), 2 * N),
    CASE("small_6", "_near", six, IN_RANGE(F32, N, -32, 32), 2 * N),
    CASE("small_6", "_ties", six, IN_STEP(F32, N, -8, 0.03125), 2 * N),
    CASE("small_4", "", four, IN(F32, N), 2 * N),
    CASE("small_4", "_ties", four, IN_STEP(F32, N, -8, 0.03125), 2 * N),
    CASE("small_exponent", "", exponents, IN(F32, N), N),
    CASE("small_exponent", "_near", exponents, IN_STEP(F32, N, 0, 0.125), N),
};

CORPUS_MODULE(small, cases);
