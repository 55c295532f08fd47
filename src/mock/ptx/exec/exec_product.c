/* SPDX-License-Identifier: MIT */
/*
 * The sums of product.h, of some columns at a time. Where exponents are near to zero, the host's
 * .f32 numbers do it: see near.h. Else a sum is kept in two parts, each of which
 * fits into 32 bits.
 */
#include <assert.h>
#include <math.h>

#include "mock/ptx/exec/mma.h"
#include "mock/ptx/exec/near_registers.h"
#include "mock/ptx/exec/wgmma.h"

/* --- floating point --- */

static void find_largest(const struct ptx__product *product, unsigned row, unsigned column,
                         struct sums *sums)
{
    const int16_t *a = product->a.exponents + row * product->k;
    const uint8_t *lines = product->lines + row * product->k;

    EACH_COLUMN sums->largest[l] = sums->at[l];
    for (unsigned i = 0; i < product->k; i++) {
        const int16_t *b = product->b.exponents + lines[i] * product->n + column;
        const int32_t of_a = a[i];

        EACH_COLUMN sums->largest[l] = larger(sums->largest[l], of_a + b[l]);
    }
}

/* Adds a number that has been moved to the left as far as its first bit may be, and its exponent.
 */
static inline void add_cut(struct sums *sums, unsigned l, int32_t number, int32_t exponent)
{
    const int32_t down = sums->largest[l] - exponent, magnitude = number < 0 ? -number : number;
    const int32_t cut = (int32_t) ((uint32_t) magnitude >> (down < 31 ? down : 31));
    const int32_t term = number < 0 ? -cut : cut;

    sums->high[l] += term >> LOW_BITS;
    sums->low[l] += term & ((1 << LOW_BITS) - 1);
}

static void add_products(const struct ptx__product *product, unsigned row, unsigned column,
                         struct sums *sums)
{
    const int16_t *a = product->a.significands + row * product->k;
    const int16_t *at = product->a.exponents + row * product->k;
    const uint8_t *lines = product->lines + row * product->k;
    const int32_t up = 1 << (product->kept - product->factor_fraction);

    for (unsigned i = 0; i < product->k; i++) {
        const size_t line = lines[i] * product->n + column;
        const int16_t *b = product->b.significands + line, *of_b = product->b.exponents + line;
        const int32_t factor = a[i] * up, exponent = at[i];

        EACH_COLUMN add_cut(sums, l, factor * b[l], exponent + of_b[l]);
    }
}

/* .f32 has 23 bits of fraction: as many more are kept, or as many fewer. */
static void add_c(const struct ptx__product *product, struct sums *sums)
{
    const int up = (int) product->kept - FRACTION;

    EACH_COLUMN
    {
        const int32_t sign = sums->c[l] < 0 ? -1 : 1;
        const int32_t magnitude = sums->c[l] * sign;

        add_cut(sums, l, sign * (up < 0 ? magnitude >> -up : magnitude << up), sums->at[l]);
    }
}

/* Cuts a number off to as many bits of fraction, or less if it is subnormal in .f32. */
static double cut_off(double x, unsigned fraction)
{
    const int least = -126;

    if (fabs(x) >= 0x1p-126)
        return ptx__f64(ptx__bits64(x) & ~((UINT64_C(1) << (52 - fraction)) - 1));
    return ldexp(trunc(ldexp(x, (int) fraction - least)), least - (int) fraction);
}

/* No sum is -0, nor becomes it. */
static uint32_t result_of(const struct ptx__product *product, double x)
{
    uint32_t bits;

    if (product->d_type == PTX__ELEMENT_F32) {
        bits = ptx__bits32((float) cut_off(x, product->fraction));
        return bits << 1 ? bits : 0;
    }
    bits = ptx__half_of_double(x);
    return bits & 0x7fff ? bits : 0;
}

static void add_columns(const struct ptx__product *product, unsigned row, unsigned column)
{
    uint32_t *c = product->c + row * product->n + column;
    struct sums sums;

    take_c(product->d_type, c, &sums);
    find_largest(product, row, column, &sums);
    EACH_COLUMN sums.high[l] = sums.low[l] = 0;
    add_c(product, &sums);
    add_products(product, row, column, &sums);
    for (unsigned l = 0; l < COLUMNS; l++) {
        const int64_t sum = (int64_t) sums.high[l] * (1 << LOW_BITS) + sums.low[l];

        c[l] = sum ? result_of(product,
                               (double) sum * power_of_two(sums.largest[l] - (int) product->kept))
                   : 0;
    }
}

/* --- sums of near numbers --- */

static inline void give_near(const struct ptx__product *product, enum ptx__element type,
                             const struct sums *sums, const doubles *exact, uint32_t *ret)
{
    const int64_t cut = ~((INT64_C(1) << (52 - product->fraction)) - 1);
    const bool simple = type == PTX__ELEMENT_F32 && !may_be_subnormal(product, sums);

    for (unsigned column = 0; column < COLUMNS; column += FOUR) {
        doubles x = exact[column / FOUR];

        sum_four(product, sums, column, &x);
        if (simple) {
            const singles results = __builtin_convertvector((doubles) ((longs) x & cut), singles);

            memcpy(ret + column, &results, sizeof(results));
        } else {
            for (unsigned l = 0; l < FOUR; l++)
                ret[column + l] = x[l] != 0 ? result_of(product, x[l]) : 0;
        }
    }
}

static inline __attribute__((always_inline)) void add_near_row(const struct ptx__product *product,
                                                               const struct near *near,
                                                               struct near_row row,
                                                               enum ptx__element type, uint32_t *c)
{
    doubles exact[COLUMNS / FOUR] = {{0}};
    struct sums sums;

    take_c(type, c, &sums);
    find_largest_near(near, row, &sums);
    for (unsigned l = 0; l < COLUMNS; l += WIDE)
        add_near(product, near, row, l, &sums, exact);
    give_near(product, type, &sums, exact, c);
}

/* A row of A is behind the one before it. */
static struct near_row row_of(const struct ptx__product *product, unsigned row)
{
    return (struct near_row){product->k, row * product->k, FOUR, product->lines + row * product->k};
}

static void add_near_columns(const struct ptx__product *product, const struct near *near,
                             unsigned row, unsigned column)
{
    add_near_row(product, near, row_of(product, row), product->d_type,
                 product->c + row * product->n + column);
}

/* --- sums with infinities and NaNs --- */

enum { POSITIVE = 1, NEGATIVE = 2, NO_NUMBER = 4 };

static unsigned special_product(int a, int a_exponent, int b, int b_exponent)
{
    const int larger_one = larger(a_exponent, b_exponent);

    if (larger_one < PTX__EXPONENT_INFINITY)
        return 0;
    if (larger_one == PTX__EXPONENT_NAN || !a || !b)
        return NO_NUMBER;
    return a * b < 0 ? NEGATIVE : POSITIVE;
}

static unsigned special_c(const struct ptx__product *product, uint32_t bits)
{
    const struct ptx__softfloat number = ptx__number_of(ptx__element_format(product->d_type), bits);

    if (number.nan)
        return NO_NUMBER;
    return !number.infinite ? 0 : number.negative ? NEGATIVE : POSITIVE;
}

/* Tells what a sum is that has any infinity or NaN in it; 0: it has none. */
static unsigned special_sum(const struct ptx__product *product, unsigned row, unsigned column,
                            uint32_t c)
{
    const size_t at = (size_t) row * product->k;
    unsigned kinds = special_c(product, c);

    for (unsigned i = 0; i < product->k && (product->a.special || product->b.special); i++) {
        const size_t of_b = product->lines[at + i] * product->n + column;

        kinds |= special_product(product->a.significands[at + i], product->a.exponents[at + i],
                                 product->b.significands[of_b], product->b.exponents[of_b]);
    }
    return kinds;
}

static uint32_t special_bits(const struct ptx__product *product, unsigned kinds)
{
    const struct ptx__format format = ptx__element_format(product->d_type);
    const struct ptx__softfloat number = {.negative = kinds == NEGATIVE,
                                          .infinite = kinds == NEGATIVE || kinds == POSITIVE,
                                          .nan = kinds != NEGATIVE && kinds != POSITIVE};

    return (uint32_t) ptx__bits_of(format, number, PTX__RN, false);
}

/* --- integers --- */

static uint32_t limited(const struct ptx__product *product, int64_t sum)
{
    if (product->finite)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t) sum;
}

static void add_integers(const struct ptx__product *product, const struct near *near, unsigned row,
                         unsigned column)
{
    uint32_t *c = product->c + row * product->n + column;
    int32_t sums[COLUMNS];

    for (unsigned l = 0; l < COLUMNS; l += WIDE)
        sum_integers(near, row_of(product, row), l, sums);
    for (unsigned l = 0; l < COLUMNS; l++)
        c[l] = limited(product, (int64_t) (int32_t) c[l] + sums[l]);
}

static void add_bits(const struct ptx__product *product, unsigned row, unsigned column)
{
    const int16_t *a = product->a.significands + row * product->k;
    uint32_t *c = product->c + row * product->n + column;

    for (unsigned i = 0; i < product->k; i++) {
        const int16_t *b = product->b.significands + i * product->n + column;

        for (unsigned l = 0; l < COLUMNS; l++)
            c[l] += (uint32_t) __builtin_popcount(
                (uint16_t) (product->both ? a[i] & b[l] : a[i] ^ b[l]));
    }
}

/* --- */

/* Whether an infinity or NaN may be in some sums. */
static bool may_be_special(const struct ptx__product *product, const uint32_t *c)
{
    const struct ptx__format format = ptx__element_format(product->d_type);
    const uint32_t top = (1u << format.exponent_bits) - 1;
    uint32_t special = product->a.special || product->b.special;

    EACH_COLUMN special |= (c[l] >> format.fraction & top) == top;
    return special;
}

static void add_reals(const struct ptx__product *product, const struct near *near, unsigned row,
                      unsigned column)
{
    uint32_t *c = product->c + row * product->n + column;
    unsigned kinds[COLUMNS];

    if (!may_be_special(product, c)) {
        if (near)
            add_near_columns(product, near, row, column);
        else
            add_columns(product, row, column);
        return;
    }
    for (unsigned l = 0; l < COLUMNS; l++)
        kinds[l] = special_sum(product, row, column + l, c[l]);
    add_columns(product, row, column);
    for (unsigned l = 0; l < COLUMNS; l++)
        c[l] = kinds[l] ? special_bits(product, kinds[l]) : c[l];
}

/* Integers are always near. */
static void multiply_numbers(const struct ptx__product *product)
{
    const bool integers = ptx__element_is_integer(product->a_type);
    struct near near;
    const bool fits = take_near(&product->a, 0, product->m * product->k, product->factor_fraction,
                                near.a, near.a_powers);

    for (unsigned column = 0; column < product->n; column += COLUMNS) {
        const bool is_near = fits && take_near_b(product, column, &near);

        assert(is_near || !integers);
        for (unsigned row = 0; row < product->m; row++) {
            if (integers)
                add_integers(product, &near, row, column);
            else
                add_reals(product, is_near ? &near : NULL, row, column);
        }
    }
}

static void multiply(const struct ptx__product *product)
{
    if (product->a_type != PTX__ELEMENT_B1) {
        multiply_numbers(product);
        return;
    }
    for (unsigned row = 0; row < product->m; row++) {
        for (unsigned column = 0; column < product->n; column += COLUMNS)
            add_bits(product, row, column);
    }
}

/* --- elements --- */

static void convert_integers(enum ptx__element type, const uint32_t *words, unsigned shift,
                             unsigned n, int16_t *ret)
{
    const unsigned bits = ptx__element_bits(type), up = 32 - bits - shift, down = 32 - bits;
    const bool has_sign = type == PTX__ELEMENT_S8 || type == PTX__ELEMENT_S4;

    PTX__EACH_OF(n)
    {
        const uint32_t top = words[l] << up;

        ret[l] = (int16_t) (has_sign ? (int32_t) top >> down : (int32_t) (top >> down));
    }
}

/* Stores numbers of 16 bits. */
static inline void store_four(four numbers, int16_t *ret)
{
#ifdef __SSE2__
    const __m128i packed = _mm_packs_epi32((__m128i) numbers, (__m128i) numbers);

    memcpy(ret, &packed, 4 * sizeof(*ret));
#else
    for (unsigned l = 0; l < 4; l++)
        ret[l] = (int16_t) numbers[l];
#endif
}

/* ptx__factor_in() for four elements; masks take the place of what it asks. */
static inline four convert_four(struct ptx__format format, bool negative, four bits,
                                int16_t *ret_significands, int16_t *ret_exponents)
{
    const int32_t total = format.fraction + format.exponent_bits;
    const int32_t top = (1 << format.exponent_bits) - 1, one = 1 << format.fraction;
    const four fraction = bits & (one - 1), exponent = bits >> format.fraction & top;
    const four sign = -((bits >> total & 1) ^ (int32_t) negative), normal = exponent != 0;
    const four magnitude = fraction | (normal & one), is_number = magnitude != 0;
    const four special =
        format.has_infinity ? exponent == top : (bits & ((1 << total) - 1)) == (int32_t) format.nan;
    const four infinite = special & (fraction == 0) & -(int32_t) format.has_infinity;
    const four number = exponent + normal + (2 - (1 << (format.exponent_bits - 1)));
    const four finite = (number & is_number) | (PTX__EXPONENT_ZERO & ~is_number);
    const four significand = (1 & special) | (magnitude & ~special);

    _Static_assert(PTX__EXPONENT_NAN == PTX__EXPONENT_INFINITY + 1, "a mask is -1");
    store_four((significand ^ sign) - sign, ret_significands);
    store_four(((PTX__EXPONENT_NAN + infinite) & special) | (finite & ~special), ret_exponents);
    return special;
}

static inline bool convert_reals(struct ptx__format format, bool negative, const uint32_t *words,
                                 unsigned shift, unsigned n, int16_t *ret_significands,
                                 int16_t *ret_exponents)
{
    four special = {0};

    for (unsigned i = 0; i < n; i += 4) {
        four bits;

        memcpy(&bits, words + i, sizeof(bits));
        special |=
            convert_four(format, negative, bits >> shift, ret_significands + i, ret_exponents + i);
    }
    return special[0] | special[1] | special[2] | special[3];
}

/* The formats of the most frequent types are constants for the compiler. */
static bool convert(enum ptx__element type, bool negative, const uint32_t *words, unsigned shift,
                    unsigned n, int16_t *ret_significands, int16_t *ret_exponents)
{
    switch (type) {
    case PTX__ELEMENT_F16:
        return convert_reals(PTX__F16, negative, words, shift, n, ret_significands, ret_exponents);
    case PTX__ELEMENT_BF16:
        return convert_reals(PTX__BF16, negative, words, shift, n, ret_significands, ret_exponents);
    case PTX__ELEMENT_U8:
    case PTX__ELEMENT_S8:
    case PTX__ELEMENT_U4:
    case PTX__ELEMENT_S4:
        convert_integers(type, words, shift, n, ret_significands);
        memset(ret_exponents, 0, n * sizeof(*ret_exponents));
        return false;
    default:
        return convert_reals(ptx__element_format(type), negative, words,
                             shift + ptx__element_drop(type), n, ret_significands, ret_exponents);
    }
}

/* --- */

/* No infinity nor NaN is near. */
static bool near_numbers(const uint32_t *numbers, unsigned n, struct ptx__format format)
{
    const uint32_t top = ((1u << format.exponent_bits) - 1) << format.fraction;
    uint32_t special = 0;

    PTX__EACH_OF(n) special |= (numbers[l] & top) == top;
    return !special;
}

static inline __attribute__((always_inline)) void add_all_near(const struct ptx__product *product,
                                                               const struct near *near, unsigned k,
                                                               enum ptx__element type)
{
    for (unsigned row = 0; row < product->m; row++) {
        const struct near_row from = {k, near_registers_row(row, k), PTX__LANES, NULL};

        add_near_row(product, near, from, type, product->c + row * COLUMNS);
    }
}

static bool multiply_registers(struct ptx__product *product, const struct ptx__op *op,
                               unsigned char *registers)
{
    const bool halves = product->d_type == PTX__ELEMENT_F16;
    struct near near;

    if (!fits_registers(matrix_of(op)) || !take_registers_a(op, registers, &near) ||
        !take_registers_b(op, registers, &near))
        return false;
    take_registers_c(op, registers, halves, product->c);
    if (!near_numbers(product->c, product->m * COLUMNS, ptx__element_format(product->d_type)))
        return false;
    if (product->k == 16 && !halves)
        add_all_near(product, &near, 16, PTX__ELEMENT_F32);
    else
        add_all_near(product, &near, product->k, product->d_type);
    give_registers_d(op, registers, halves, product->c);
    return true;
}

static const struct ptx__arithmetic arithmetic = {convert, multiply, multiply_registers};

HANDLER(mma, "mma")
{
    return ptx__mma(w, op, &arithmetic);
}

HANDLER(wgmma, "wgmma")
{
    return ptx__wgmma(w, op, &arithmetic);
}
