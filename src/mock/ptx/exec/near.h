/* SPDX-License-Identifier: MIT */
/*
 * Some columns of the sums of product.h. For exec_product.c, which is compiled for each instruction
 * set of the host.
 *
 * Where exponents are near to zero, a product of two elements is exact in .f32, and so is its
 * multiple by the power of two that makes the last bit which is kept a one, unless all of it is cut
 * off. What is converted to an integer then is cut off as a tensor core does it. Each is below
 * 2^28, so that a few of them fit into 32 bits.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_NEAR_H
#define CUSHIM_MOCK_PTX_EXEC_NEAR_H

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "mock/ptx/exec/product.h"

enum { COLUMNS = 8, LOW_BITS = 12, FRACTION = 23 };

#define EACH_COLUMN PTX__EACH_OF(COLUMNS)

/* Some columns of a row. */
struct sums {
    int32_t largest[COLUMNS];        /* exponents */
    int32_t c[COLUMNS], at[COLUMNS]; /* C: significands with 23 bits of fraction, exponents */
    int32_t high[COLUMNS], low[COLUMNS];
};

static inline int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Returns 2^exponent, within the range of normal numbers. */
static inline double power_of_two(int exponent)
{
    return ptx__f64((uint64_t) (int64_t) (1023 + exponent) << 52);
}

/* FEW products are added in 32 bits. LEAST is the exponent of subnormal numbers of .f32. */
enum { NEAR = 50, FEW = 8, LEAST = -126 };

/* As many columns as the host's registers hold. */
#ifdef __AVX2__
enum { WIDE = 8 };
#else
enum { WIDE = 4 };
#endif
typedef int32_t ints __attribute__((vector_size(4 * WIDE)));
typedef float floats __attribute__((vector_size(4 * WIDE)));
typedef int16_t shorts __attribute__((vector_size(2 * COLUMNS)));
typedef int32_t four __attribute__((vector_size(16)));
typedef float singles __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(32)));
typedef int64_t longs __attribute__((vector_size(32)));

/* The elements of A, and some columns of B, which may be integers: significand * 2^exponent. */
struct near {
    float a[PTX__MOST_ROWS * PTX__MOST_PRODUCTS], b[PTX__MOST_PRODUCTS * COLUMNS];
};

static inline float power_of_two_f32(int32_t exponent)
{
    return ptx__f32((uint32_t) (127 + exponent) << 23);
}

/* Returns whether all of the numbers are in the range. Infinities and NaNs are not. */
static inline bool take_near(const int16_t *significands, const int16_t *exponents, size_t n,
                             float *ret)
{
    int32_t far = 0;

    PTX__EACH_OF(n)
    {
        const int32_t significand = significands[l], exponent = exponents[l];

        far |= exponent > NEAR;
        far |= (exponent < -NEAR) & (significand != 0);
        ret[l] = (float) significand * power_of_two_f32(larger(exponent, -NEAR));
    }
    return !far;
}

static inline bool take_near_b(const struct ptx__product *product, unsigned column,
                               struct near *near)
{
    bool fits = product->depth <= PTX__MOST_PRODUCTS;

    for (unsigned i = 0; i < product->depth && fits; i++) {
        const size_t at = (size_t) i * product->n + column;

        fits = take_near(product->b.significands + at, product->b.exponents + at, COLUMNS,
                         near->b + i * COLUMNS);
    }
    return fits;
}

static inline shorts larger_shorts(shorts a, shorts b)
{
#ifdef __SSE2__
    return (shorts) _mm_max_epi16((__m128i) a, (__m128i) b); /* gcc does not find it */
#else
    const shorts is_larger = a > b;

    return (a & is_larger) | (b & ~is_larger);
#endif
}

/* The largest exponents. Zeros have none, and a sum of zeros needs none. */
static inline void find_largest_near(const struct ptx__product *product, unsigned row,
                                     unsigned column, struct sums *sums)
{
    const int16_t *a = product->a.exponents + row * product->k;
    const uint8_t *lines = product->lines + row * product->k;
    shorts largest = (shorts){0} + LEAST;

    for (unsigned i = 0; i < product->k; i++) {
        shorts b;

        memcpy(&b, product->b.exponents + lines[i] * product->n + column, sizeof(b));
        largest = larger_shorts(largest, a[i] + b);
    }
    EACH_COLUMN sums->largest[l] = larger(sums->at[l], largest[l]);
}

static inline floats powers_of_two(ints exponents)
{
    const ints bits = (exponents + 127) << 23;

    return (floats) bits;
}

static inline ints smaller_ints(ints a, int32_t b)
{
    const ints is_larger = a > b;

    return (a & ~is_larger) | (b & is_larger);
}

static inline ints load_ints(const int32_t *from)
{
    ints result;

    memcpy(&result, from, sizeof(result));
    return result;
}

static inline void add_ints(struct sums *sums, unsigned column, ints terms)
{
    const ints high = load_ints(sums->high + column) + (terms >> LOW_BITS);
    const ints low = load_ints(sums->low + column) + (terms & ((1 << LOW_BITS) - 1));

    memcpy(sums->high + column, &high, sizeof(high));
    memcpy(sums->low + column, &low, sizeof(low));
}

static inline ints near_c(const struct ptx__product *product, const struct sums *sums,
                          unsigned column)
{
    const ints down = load_ints(sums->largest + column) - load_ints(sums->at + column);
    const ints c = load_ints(sums->c + column);
    const int32_t up = (int32_t) product->kept - FRACTION;

    return __builtin_convertvector(
        __builtin_convertvector(c, floats) * powers_of_two(up - smaller_ints(down, 60)), ints);
}

/* Adds C and the products of some columns of those that b has. */
static inline void add_near(const struct ptx__product *product, const struct near *near,
                            unsigned row, unsigned column, struct sums *sums)
{
    const float *a = near->a + row * product->k, *all_b = near->b + column;
    const uint8_t *lines = product->lines + row * product->k;
    const int32_t up = (int32_t) (product->kept - product->factor_fraction);
    const floats units =
        powers_of_two(up + smaller_ints(-load_ints(sums->largest + column), 2 * NEAR));

    add_ints(sums, column, near_c(product, sums, column));
    for (unsigned i = 0; i < product->k;) {
        const unsigned end = product->k - i < FEW ? product->k : i + FEW;
        ints few = {0};

        for (; i < end; i++) {
            floats b;

            memcpy(&b, all_b + lines[i] * COLUMNS, sizeof(b));
            few += __builtin_convertvector(a[i] * b * units, ints);
        }
        add_ints(sums, column, few);
    }
}

/* The sums of some columns of integers: below 2^24, as those of 128 products of 8 bits are. */
static inline void sum_integers(const struct ptx__product *product, const struct near *near,
                                unsigned row, unsigned column, int32_t *ret)
{
    const float *a = near->a + row * product->k, *all_b = near->b + column;
    const uint8_t *lines = product->lines + row * product->k;
    floats sum = {0};
    ints result;

    for (unsigned i = 0; i < product->k; i++) {
        floats b;

        memcpy(&b, all_b + lines[i] * COLUMNS, sizeof(b));
        sum += a[i] * b;
    }
    result = __builtin_convertvector(sum, ints);
    memcpy(ret + column, &result, sizeof(result));
}

static inline void sum_four(const struct ptx__product *product, const struct sums *sums,
                            unsigned column, doubles *ret)
{
    four high, low, largest;
    longs exponents;

    memcpy(&high, sums->high + column, sizeof(high));
    memcpy(&low, sums->low + column, sizeof(low));
    memcpy(&largest, sums->largest + column, sizeof(largest));
    exponents = __builtin_convertvector(largest, longs) + (1023 - (int64_t) product->kept);
    *ret = (__builtin_convertvector(high, doubles) * (1 << LOW_BITS) +
            __builtin_convertvector(low, doubles)) *
           (doubles) (exponents << 52);
}

#endif
