/* SPDX-License-Identifier: MIT */
/* Sums of elements between which a coordinate lies. */
#include <math.h>
#include <string.h>

#include "mock/ptx/texture.h"

/* What the texture unit keeps of an element below the last place of the largest one. */
enum { FLOAT_BITS = 24, MORE_BITS = 4, WEIGHT_BITS = 8, NO_EXPONENT = -1000 };

static double power(int exponent)
{
    const uint64_t bits = (uint64_t) (exponent + 1023) << 52;
    double result;

    memcpy(&result, &bits, sizeof(result));
    return result;
}

/* The number is below two to the power of this, and not below half of that. */
static int exponent_of(float x)
{
    uint32_t bits;
    int exponent;

    memcpy(&bits, &x, sizeof(bits));
    exponent = (int) (bits >> 23 & 0xff);
    if (!exponent)
        frexpf(x, &exponent);
    else
        exponent -= 126;
    return exponent;
}

/*
 * A weight is split in two along an axis. The two parts are its sum again, and of two weights
 * that are split, so are the parts: where one is rounded up, the other one is rounded down.
 */
static void split(unsigned weight, unsigned part, bool up, unsigned *ret_low, unsigned *ret_high)
{
    *ret_high = (weight * part + (up ? 128 : 127)) >> WEIGHT_BITS;
    *ret_low = weight - *ret_high;
}

unsigned ptx__weights(const struct ptx__axis *axes, unsigned n_axes, unsigned *ret_weights)
{
    unsigned n = 1;

    ret_weights[0] = 1u << WEIGHT_BITS;
    for (unsigned axis = 0; axis < n_axes; axis++) {
        for (unsigned i = 0; i < n; i++)
            split(ret_weights[i], axes[axis].part, i == n - 1, &ret_weights[i],
                  &ret_weights[i + n]);
        n *= 2;
    }
    return n;
}

/* To so many bits, halves away from zero. */
static float rounded(int64_t sum, int exponent)
{
    const uint64_t magnitude = (uint64_t) (sum < 0 ? -sum : sum);
    const int bits = magnitude ? 64 - __builtin_clzll(magnitude) : 0;
    const int extra = bits > FLOAT_BITS ? bits - FLOAT_BITS : 0;
    const uint64_t half = extra ? UINT64_C(1) << (extra - 1) : 0;
    const double value = (double) ((magnitude + half) >> extra) * power(exponent + extra);

    return (float) (sum < 0 ? -value : value);
}

/* Infinities and what is no number spread as in any sum. */
static float blend_wild(const float *values, const unsigned *weights, unsigned n)
{
    double sum = 0;

    for (unsigned i = 0; i < n; i++)
        if (weights[i])
            sum += (double) values[i] * weights[i];
    return (float) (sum / (1 << WEIGHT_BITS));
}

float ptx__blend(const float *values, const unsigned *weights, unsigned n)
{
    int largest = NO_EXPONENT, unit;
    double scale;
    int64_t sum = 0;

    for (unsigned i = 0; i < n; i++) {
        if (weights[i] && !isfinite(values[i]))
            return blend_wild(values, weights, n);
        if (weights[i] && values[i] != 0)
            largest = exponent_of(values[i]) > largest ? exponent_of(values[i]) : largest;
    }
    if (largest == NO_EXPONENT)
        return 0;
    unit = largest - FLOAT_BITS - MORE_BITS;
    scale = power(-unit);
    for (unsigned i = 0; i < n; i++)
        if (weights[i])
            sum += (int64_t) ((double) values[i] * scale) * (int64_t) weights[i];
    return rounded(sum, unit - WEIGHT_BITS);
}

/* The unit that filters integers of 16 bits has no more bits than these. */
float ptx__blend_fractions(const int64_t *values, const unsigned *weights, unsigned n,
                           unsigned largest)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < n; i++)
        sum += values[i] * (int64_t) weights[i];
    if (largest > 255)
        return (float) ((double) ((sum + 128) >> WEIGHT_BITS) / largest);
    return (float) ((double) sum / ((double) largest * (1 << WEIGHT_BITS)));
}
