/* SPDX-License-Identifier: MIT */
/* Filtering: weighted sums of the elements around a coordinate. */
#include <math.h>
#include <string.h>

#include "mock/ptx/texture/texture.h"

/*
 * The number of bits of results and weights, and the bits of a sum that are kept below the unit of
 * the coarser operand.
 */
enum {
    FLOAT_BITS = 24,
    HALF_BITS = 11,
    WEIGHT_BITS = 8,
    SUM_BITS = 2,
    PLANE = 4,
    LEAST_HALF = -24,
    NO_EXPONENT = -1000
};

static double power(int exponent)
{
    const uint64_t bits = (uint64_t) (exponent + 1023) << 52;
    double result;

    memcpy(&result, &bits, sizeof(result));
    return result;
}

/* Returns the exponent e with 2^(e-1) <= |x| < 2^e. */
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
 * Splits a weight along one axis. The sum of both parts is the old weight. up decides to which part
 * a half is rounded.
 */
static void split(unsigned *weights, unsigned corner, unsigned bit, unsigned part, bool up)
{
    const unsigned further = (weights[corner] * part + (up ? 128 : 127)) >> WEIGHT_BITS;

    weights[corner | bit] = further;
    weights[corner] -= further;
}

/*
 * The order is that of the hardware: first along z, then along x, and then along y, where a half is
 * rounded up as well.
 */
void ptx__weights(const struct ptx__axis *axes, unsigned n_axes, unsigned total,
                  unsigned ret_weights[PTX__CORNERS])
{
    memset(ret_weights, 0, PTX__CORNERS * sizeof(*ret_weights));
    ret_weights[0] = total;
    if (n_axes > 2)
        split(ret_weights, 0, 4, axes[2].part, false);
    for (unsigned i = 0; i < PTX__CORNERS; i += 4)
        split(ret_weights, i, 1, axes[0].part, true);
    for (unsigned i = 0; i < PTX__CORNERS && n_axes > 1; i++)
        if (!(i & 2))
            split(ret_weights, i, 2, axes[1].part, i & 1);
}

/* A number in units of a power of two. */
struct sum {
    int64_t value;
    int exponent;
};

/* Rounds to this many bits, halves away from zero. */
static float rounded(struct sum sum, int kept, int least)
{
    const uint64_t magnitude = (uint64_t) (sum.value < 0 ? -sum.value : sum.value);
    const int bits = magnitude ? 64 - __builtin_clzll(magnitude) : 0;
    int extra = bits > kept ? bits - kept : 0;
    double value;

    extra = extra < least - sum.exponent ? least - sum.exponent : extra;
    extra = extra < 62 ? extra : 62;
    value = (double) ((magnitude + (extra ? UINT64_C(1) << (extra - 1) : 0)) >> extra) *
            power(sum.exponent + extra);
    return (float) (sum.value < 0 ? -value : value);
}

/* Infinities and NaNs propagate as in any sum. */
static bool is_wild(const float *values, const unsigned *weights, unsigned n, double *ret_sum)
{
    bool wild = false;

    *ret_sum = 0;
    for (unsigned i = 0; i < n; i++)
        if (weights[i]) {
            *ret_sum += (double) values[i] * weights[i];
            wild = wild || !isfinite(values[i]);
        }
    return wild;
}

static struct sum plane(const float *values, const unsigned *weights, int bits)
{
    struct sum sum = {0, NO_EXPONENT};
    int largest = NO_EXPONENT;
    double scale;

    for (unsigned i = 0; i < PLANE; i++)
        if (weights[i] && values[i] != 0)
            largest = exponent_of(values[i]) > largest ? exponent_of(values[i]) : largest;
    if (largest == NO_EXPONENT)
        return sum;
    sum.exponent = largest - bits;
    scale = power(-sum.exponent);
    for (unsigned i = 0; i < PLANE; i++)
        if (weights[i])
            sum.value += (int64_t) ((double) values[i] * scale) * (int64_t) weights[i];
    sum.exponent -= WEIGHT_BITS;
    return sum;
}

static int64_t in_units(struct sum sum, int exponent)
{
    const int up = sum.exponent - exponent;

    return up >= 0 ? sum.value * (INT64_C(1) << up) : sum.value >> (up < -63 ? 63 : -up);
}

static struct sum added(struct sum a, struct sum b)
{
    const int unit = (a.exponent > b.exponent ? a.exponent : b.exponent) - SUM_BITS;

    if (!a.value || !b.value)
        return a.value ? a : b;
    return (struct sum){in_units(a, unit) + in_units(b, unit), unit};
}

float ptx__blend(const float *values, const unsigned *weights, unsigned n,
                 enum ptx__precision precision)
{
    static const uint8_t bits[] = {[PTX__OF_FLOAT] = 28, [PTX__OF_HALF] = 15, [PTX__OF_SRGB] = 8};
    const bool half = precision != PTX__OF_FLOAT;
    const int kept = half ? HALF_BITS : FLOAT_BITS;
    struct sum sum = {0, NO_EXPONENT};
    double wild;

    if (is_wild(values, weights, n, &wild))
        return (float) (wild / (1 << WEIGHT_BITS));
    for (unsigned i = 0; i < n; i += PLANE)
        sum = added(sum, plane(values + i, weights + i, bits[precision]));
    return sum.value ? rounded(sum, kept, half ? LEAST_HALF : NO_EXPONENT) : 0;
}

/*
 * Integers of 8 bits are extended to 16 bits before they are added. Signed ones have 7 and 15 bits.
 * The last four bits of the sum do not change the result of the next addition.
 */
float ptx__blend_fractions(const int64_t *values, const unsigned *weights, unsigned n,
                           unsigned largest)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < n; i++)
        sum += values[i] * (int64_t) weights[i];
    if (largest == 255)
        sum = sum * 257;
    sum = largest == 127 ? sum + (((sum >> 4) * 257 + 1024) >> 11) : (sum + 128) >> WEIGHT_BITS;
    if (largest == 255 || largest == 65535)
        return (float) ((double) sum / 65535);
    return sum < -32767 ? -1 : (float) ((double) sum / 32767);
}
