/* SPDX-License-Identifier: MIT */
/*
 * A model of tensor cores, apart from the engine's. The products of an instruction and C are
 * numbers of any length, which are cut off so many bits behind the binary point of the largest of
 * them.
 */
#ifndef CUSHIM_TESTS_CORPUS_TENSOR_CORE_H
#define CUSHIM_TESTS_CORPUS_TENSOR_CORE_H

#include <math.h>

#include "corpus.h"
#include "number.h"

enum kind { HALF, BFLOAT, TENSOR_FLOAT, E4M3, E5M2, BYTE, UNSIGNED_BYTE, FOUR, BIT, SINGLE };

static const unsigned bits_of_kind[] = {16, 16, 32, 8, 8, 8, 8, 4, 1, 32};

/* significand * 2^exponent; `top` is the exponent of a normal number's first bit. */
struct value {
    int64_t significand;
    int exponent, top;
};

static inline struct value value_of(enum kind kind, uint32_t bits)
{
    static const int fractions[] = {
        [HALF] = 10, [BFLOAT] = 7, [TENSOR_FLOAT] = 10, [E4M3] = 3, [E5M2] = 2, [SINGLE] = 23};
    static const int exponents[] = {
        [HALF] = 5, [BFLOAT] = 8, [TENSOR_FLOAT] = 8, [E4M3] = 4, [E5M2] = 5, [SINGLE] = 8};
    const uint32_t all = kind == TENSOR_FLOAT ? bits >> 13 : bits;
    const int n = fractions[kind], bias = (1 << (exponents[kind] - 1)) - 1;
    const int field = (int) (all >> n & ((1u << exponents[kind]) - 1));
    const int64_t fraction = all & ((1u << n) - 1);
    const int top = (field ? field : 1) - bias;
    const int64_t significand = field ? fraction | (int64_t) 1 << n : fraction;

    return (struct value){all >> (n + exponents[kind]) & 1 ? -significand : significand, top - n,
                          top};
}

static inline double cut(double x, int unit)
{
    return ldexp(trunc(ldexp(x, -unit)), unit);
}

/* Of so many values and one more. Each fits into a double, and so does their sum. */
static inline double sum_of(unsigned kept, const struct value *values, unsigned n, struct value c)
{
    int largest = c.significand ? c.top : -9999;
    double sum;

    for (unsigned i = 0; i < n; i++)
        if (values[i].significand && values[i].top > largest)
            largest = values[i].top;
    sum = cut(ldexp((double) c.significand, c.exponent), largest - (int) kept);
    for (unsigned i = 0; i < n; i++)
        sum += cut(ldexp((double) values[i].significand, values[i].exponent), largest - (int) kept);
    return sum;
}

/* A sum as .f32 with so many bits of fraction; but subnormal numbers have fewer. */
static inline uint32_t single_of(double x, unsigned fraction)
{
    return x == 0 ? 0 : bits_of((float) cut(x, ilogb(x) - (int) fraction));
}

#endif
