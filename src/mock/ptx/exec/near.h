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
#include <immintrin.h>
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

/* FEW products are added in 32 bits, which the host adds as .f64 numbers. LEAST is the exponent of
 * subnormal numbers of .f32. */
enum { NEAR = 50, FEW = 8, FOUR = 4, LEAST = -126 };

/* As many columns as the host's registers hold. */
#ifdef __AVX2__
enum { WIDE = 8 };
#else
enum { WIDE = 4 };
#endif
typedef int32_t ints __attribute__((vector_size(4 * WIDE)));
typedef float floats __attribute__((vector_size(4 * WIDE)));
typedef int32_t four __attribute__((vector_size(16)));
typedef float singles __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(32)));
typedef int64_t longs __attribute__((vector_size(32)));

/*
 * The elements of A, and some columns of B, which may be integers, and the powers of two in them,
 * which are 0 for a zero.
 */
struct near {
    float a[PTX__MOST_ROWS * PTX__MOST_PRODUCTS], a_powers[PTX__MOST_ROWS * PTX__MOST_PRODUCTS];
    float b[PTX__MOST_PRODUCTS * COLUMNS], b_powers[PTX__MOST_PRODUCTS * COLUMNS];
};

/* What belongs to a row: constants for the compiler where they can be. */
struct near_row {
    unsigned k;
    unsigned at, step; /* of A: four elements are next to each other, the next four a step behind */
    const uint8_t *lines; /* of B; NULL: in their order */
};

static inline unsigned near_at(struct near_row row, unsigned i)
{
    return row.at + i / FOUR * row.step + i % FOUR;
}

static inline floats near_line(struct near_row row, const float *b, unsigned i)
{
    floats result;

    memcpy(&result, b + (row.lines ? row.lines[i] : i) * COLUMNS, sizeof(result));
    return result;
}

static inline float power_of_two_f32(int32_t exponent)
{
    return ptx__f32((uint32_t) (127 + exponent) << 23);
}

/* Returns whether all of the numbers are in the range. Infinities and NaNs are not. */
static inline bool take_near(const struct ptx__factors *factors, size_t first, size_t n,
                             unsigned fraction, float *ret, float *ret_powers)
{
    const int16_t *significands = factors->significands + first;
    const int16_t *exponents = factors->exponents + first;
    const float one = power_of_two_f32(-(int32_t) fraction);
    int32_t far = 0;

    PTX__EACH_OF(n)
    {
        const int32_t significand = significands[l], exponent = exponents[l];
        const float power = power_of_two_f32(larger(exponent, -NEAR));

        far |= exponent > NEAR;
        far |= (exponent < -NEAR) & (significand != 0);
        ret[l] = (float) significand * one * power;
        ret_powers[l] = significand ? power : 0;
    }
    return !far;
}

static inline bool take_near_b(const struct ptx__product *product, unsigned column,
                               struct near *near)
{
    bool fits = product->depth <= PTX__MOST_PRODUCTS;

    for (unsigned i = 0; i < product->depth && fits; i++) {
        const size_t at = (size_t) i * product->n + column;

        fits = take_near(&product->b, at, COLUMNS, 0, near->b + i * COLUMNS,
                         near->b_powers + i * COLUMNS);
    }
    return fits;
}

static inline floats larger_floats(floats a, floats b)
{
#if defined(__AVX2__)
    return (floats) _mm256_max_ps((__m256) a, (__m256) b); /* gcc does not find it */
#elif defined(__SSE2__)
    return (floats) _mm_max_ps((__m128) a, (__m128) b);
#else
    const ints is_larger = a > b;

    return (floats) (((ints) a & is_larger) | ((ints) b & ~is_larger));
#endif
}

static inline ints load_ints(const int32_t *from)
{
    ints result;

    memcpy(&result, from, sizeof(result));
    return result;
}

static inline bool any_of(ints masks)
{
    uint64_t words[sizeof(masks) / 8], some = 0;

    memcpy(words, &masks, sizeof(masks));
    for (unsigned i = 0; i < sizeof(masks) / 8; i++)
        some |= words[i];
    return some;
}

static inline ints larger_ints(ints a, ints b)
{
    const ints is_larger = a > b;

    return (a & is_larger) | (b & ~is_larger);
}

/* Infinities and NaNs of C are replaced later, whatever becomes of them here. */
static inline void take_c_of(struct ptx__format format, const uint32_t *c, struct sums *sums)
{
    const int32_t total = format.fraction + format.exponent_bits, up = FRACTION - format.fraction;
    const int32_t top = (1 << format.exponent_bits) - 1, one = 1 << format.fraction;

    for (unsigned column = 0; column < COLUMNS; column += WIDE) {
        const ints bits = load_ints((const int32_t *) c + column);
        const ints exponent = bits >> format.fraction & top, normal = exponent != 0;
        const ints significand = ((bits & (one - 1)) | (normal & one)) << up;
        const ints sign = -(bits >> total & 1), some = significand != 0;
        const ints number = exponent + 1 + normal - top / 2;
        const ints c_signed = (significand ^ sign) - sign;
        const ints at = (number & some) | (PTX__EXPONENT_ZERO & ~some);

        memcpy(sums->c + column, &c_signed, sizeof(c_signed));
        memcpy(sums->at + column, &at, sizeof(at));
    }
}

static inline void take_c(enum ptx__element type, const uint32_t *c, struct sums *sums)
{
    if (type == PTX__ELEMENT_F32)
        take_c_of(PTX__F32, c, sums);
    else
        take_c_of(ptx__element_format(type), c, sums);
}

/* The largest exponents. Zeros have none, and a sum of zeros needs none. */
static inline void find_largest_near(const struct near *near, struct near_row row,
                                     struct sums *sums)
{
    for (unsigned column = 0; column < COLUMNS; column += WIDE) {
        floats power = {0};
        ints largest;

        for (unsigned i = 0; i < row.k; i++)
            power = larger_floats(power, near->a_powers[near_at(row, i)] *
                                             near_line(row, near->b_powers + column, i));
        largest = larger_ints(((ints) power >> FRACTION) - 127, (ints){0} + LEAST);
        largest = larger_ints(largest, load_ints(sums->at + column));
        memcpy(sums->largest + column, &largest, sizeof(largest));
    }
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

/* Adds some columns to the sums, which are exact. */
static inline void add_ints(doubles *sums, unsigned column, ints terms)
{
    four part;

    for (unsigned l = 0; l < WIDE; l += FOUR) {
        memcpy(&part, (const int32_t *) &terms + l, sizeof(part));
        sums[(column + l) / FOUR] += __builtin_convertvector(part, doubles);
    }
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

/* Whether a result may be subnormal in .f32. */
static inline bool may_be_subnormal(const struct ptx__product *product, const struct sums *sums)
{
    const int32_t least = LEAST + (int32_t) product->kept;
    ints some = {0};

    for (unsigned column = 0; column < COLUMNS; column += WIDE)
        some |= load_ints(sums->largest + column) < least;
    return any_of(some);
}

/* Adds C and the products of some columns of those that b has. */
static inline void add_near(const struct ptx__product *product, const struct near *near,
                            struct near_row row, unsigned column, const struct sums *sums,
                            doubles *ret)
{
    const ints largest = load_ints(sums->largest + column);
    const floats units = powers_of_two((int32_t) product->kept + smaller_ints(-largest, 2 * NEAR));

    add_ints(ret, column, near_c(product, sums, column));
    for (unsigned first = 0; first < row.k; first += FEW) {
        ints few = {0};

        for (unsigned i = first; i < first + FEW && i < row.k; i++)
            few += __builtin_convertvector(
                near->a[near_at(row, i)] * near_line(row, near->b + column, i) * units, ints);
        add_ints(ret, column, few);
    }
}

/* The sums of some columns of integers: below 2^24, as those of 128 products of 8 bits are. */
static inline void sum_integers(const struct near *near, struct near_row row, unsigned column,
                                int32_t *ret)
{
    floats sum = {0};
    ints result;

    for (unsigned i = 0; i < row.k; i++)
        sum += near->a[near_at(row, i)] * near_line(row, near->b + column, i);
    result = __builtin_convertvector(sum, ints);
    memcpy(ret + column, &result, sizeof(result));
}

/* The sums of four columns, of which each last bit that was kept is a one. */
static inline void sum_four(const struct ptx__product *product, const struct sums *sums,
                            unsigned column, doubles *sum)
{
    four largest;
    longs exponents;

    memcpy(&largest, sums->largest + column, sizeof(largest));
    exponents = __builtin_convertvector(largest, longs) + (1023 - (int64_t) product->kept);
    *sum *= (doubles) (exponents << 52);
}

#endif
