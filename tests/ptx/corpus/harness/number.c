/* SPDX-License-Identifier: MIT */
#include "number.h"

#include <stdlib.h>

double corpus_small_value(uint16_t bits, int fraction)
{
    const int width = 15 - fraction, bias = (1 << (width - 1)) - 1;
    const int exponent = bits >> fraction & ((1 << width) - 1);
    const int mantissa = bits & ((1 << fraction) - 1);
    double x;

    if (exponent == (1 << width) - 1)
        x = mantissa ? (double) NAN : (double) INFINITY;
    else if (exponent == 0)
        x = ldexp(mantissa, 1 - bias - fraction);
    else
        x = ldexp(mantissa + (1 << fraction), exponent - bias - fraction);
    return bits & 0x8000 ? -x : x;
}

/* |x| over the distance of neighbours there, as a whole number in the direction. */
static uint64_t round_whole(double x, bool negative, int mode)
{
    const uint64_t below = (uint64_t) x;
    const double rest = x - (double) below;

    if (rest == 0 || mode == FE_TOWARDZERO || mode == (negative ? FE_UPWARD : FE_DOWNWARD))
        return below;
    if (mode != FE_TONEAREST)
        return below + 1;
    return below + (rest > 0.5 || (rest == 0.5 && below % 2));
}

uint16_t corpus_small_round(double x, int fraction, int mode)
{
    const int width = 15 - fraction, bias = (1 << (width - 1)) - 1;
    const uint16_t sign = signbit(x) ? 0x8000 : 0, infinity = ((1 << width) - 1) << fraction;
    uint64_t whole;
    int exponent;

    if (isnan(x))
        return 0x7fff;
    if (isinf(x) || x == 0)
        return sign | (isinf(x) ? infinity : 0);
    frexp(x, &exponent);
    exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    if (exponent > bias) {
        whole = infinity; /* beyond all: as far as the direction lets it */
        if (mode == FE_TOWARDZERO || mode == (sign ? FE_UPWARD : FE_DOWNWARD))
            whole = infinity - 1;
        return sign | whole;
    }
    whole = round_whole(ldexp(fabs(x), fraction - exponent), sign, mode);
    /* A carry out of the fraction is the next exponent, and after the largest, infinity. */
    whole += (uint64_t) (exponent - (1 - bias)) << fraction;
    if (whole >= infinity)
        whole = mode == FE_TOWARDZERO || mode == (sign ? FE_UPWARD : FE_DOWNWARD) ? infinity - 1u
                                                                                  : infinity;
    return sign | whole;
}

static double odd(double x, bool inexact)
{
    return inexact && isfinite(x) ? double_of(bits_of_double(x) | 1) : x;
}

double corpus_odd_add(double a, double b)
{
    volatile double va = a, vb = b, sum;
    bool inexact;

    feclearexcept(FE_ALL_EXCEPT);
    fesetround(FE_TOWARDZERO);
    sum = va + vb;
    inexact = fetestexcept(FE_INEXACT);
    fesetround(FE_TONEAREST);
    /* Where the sum is exactly zero, the sign is that of rounding to nearest. */
    return sum == 0 ? va + vb : odd(sum, inexact);
}

double corpus_odd_fma(double a, double b, double c)
{
    return corpus_odd_add(a * b, c);
}
