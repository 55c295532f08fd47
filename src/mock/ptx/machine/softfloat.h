/* SPDX-License-Identifier: MIT */
/*
 * Numbers of all formats with all rounding modes, computed with integers: for conversions, and for
 * arithmetic that the host does not have.
 */
#ifndef CUSHIM_MOCK_PTX_MACHINE_SOFTFLOAT_H
#define CUSHIM_MOCK_PTX_MACHINE_SOFTFLOAT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum ptx__rounding {
    PTX__RN,  /* to nearest, ties to even */
    PTX__RZ,  /* to zero */
    PTX__RM,  /* down */
    PTX__RP,  /* up */
    PTX__RNA, /* to nearest, ties away from zero */
};

/*
 * A format: the bits of fraction and exponent, and the bit patterns of NaN and of the largest
 * number.
 */
struct ptx__format {
    uint8_t fraction, exponent_bits;
    bool has_infinity;
    uint64_t nan, largest;
};

/*
 * A number: the sign, the significand with its highest bit at position 63 (0 for zero), and the
 * exponent of that bit.
 */
struct ptx__softfloat {
    bool negative, infinite, nan, sticky;
    uint64_t significand;
    int exponent;
};

#define PTX__F16  ((struct ptx__format){10, 5, true, 0x7fff, 0x7bff})
#define PTX__BF16 ((struct ptx__format){7, 8, true, 0x7fff, 0x7f7f})
#define PTX__TF32 ((struct ptx__format){10, 8, true, 0x3ffff, 0x3fbff})
#define PTX__F32  ((struct ptx__format){23, 8, true, 0x7fffffff, 0x7f7fffff})
#define PTX__F64                                                                                   \
    ((struct ptx__format){52, 11, true, UINT64_C(0xfff8000000000000), UINT64_C(0x7fefffffffffffff)})
#define PTX__E4M3 ((struct ptx__format){3, 4, false, 0x7f, 0x7e})
#define PTX__E5M2 ((struct ptx__format){2, 5, true, 0x7f, 0x7b})

/* The formats of 6 and 4 bits have neither infinity nor NaN. */
#define PTX__E3M2 ((struct ptx__format){2, 3, false, UINT64_MAX, 0x1f})
#define PTX__E2M3 ((struct ptx__format){3, 2, false, UINT64_MAX, 0x1f})
#define PTX__E2M1 ((struct ptx__format){1, 2, false, UINT64_MAX, 0x7})

/* Returns the number that the bits of a format stand for. */
static inline struct ptx__softfloat ptx__number_of(struct ptx__format format, uint64_t bits)
{
    const unsigned total = format.fraction + format.exponent_bits;
    const uint64_t fraction = bits & ((UINT64_C(1) << format.fraction) - 1);
    const unsigned exponent =
        (unsigned) (bits >> format.fraction & ((1u << format.exponent_bits) - 1));
    const unsigned top = (1u << format.exponent_bits) - 1;
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    struct ptx__softfloat number = {.negative = bits >> total & 1};
    int shift;

    if (format.has_infinity && exponent == top) {
        number.infinite = !fraction;
        number.nan = fraction;
        return number;
    }
    if (!format.has_infinity && (bits & ((UINT64_C(1) << total) - 1)) == format.nan) {
        number.nan = true;
        return number;
    }
    number.significand = exponent ? fraction | UINT64_C(1) << format.fraction : fraction;
    if (!number.significand)
        return number;
    shift = __builtin_clzll(number.significand);
    number.significand <<= shift;
    number.exponent = (exponent ? (int) exponent : 1) - bias + (63 - shift) - (int) format.fraction;
    return number;
}

static inline struct ptx__softfloat ptx__number_of_integer(uint64_t magnitude, bool negative)
{
    struct ptx__softfloat number = {.negative = negative};
    const int shift = magnitude ? __builtin_clzll(magnitude) : 0;

    number.significand = magnitude << shift;
    number.exponent = 63 - shift;
    return number;
}

static inline bool ptx__rounds_up(enum ptx__rounding mode, bool negative, bool odd, uint64_t rest,
                                  uint64_t half, bool sticky)
{
    switch (mode) {
    case PTX__RN:
        return rest > half || (rest == half && (sticky || odd));
    case PTX__RNA:
        return rest >= half;
    case PTX__RM:
        return negative && (rest || sticky);
    case PTX__RP:
        return !negative && (rest || sticky);
    default:
        return false;
    }
}

/* Rounds a number to a format. finite: a number that is too large becomes the largest number. */
static inline uint64_t ptx__bits_of(struct ptx__format format, struct ptx__softfloat number,
                                    enum ptx__rounding mode, bool finite)
{
    const unsigned total = format.fraction + format.exponent_bits;
    const int bias = (1 << (format.exponent_bits - 1)) - 1, least = 1 - bias;
    const uint64_t sign = (uint64_t) number.negative << total;
    const uint64_t infinity = ((UINT64_C(1) << format.exponent_bits) - 1) << format.fraction;
    unsigned drop = 63u - format.fraction;
    int exponent = number.exponent;
    uint64_t kept, rest, bits;

    if (number.nan)
        return format.nan;
    if (number.infinite)
        return sign | (finite || !format.has_infinity ? format.largest : infinity);
    if (!number.significand)
        return sign;
    if (exponent < least) {
        const int more = least - exponent;

        drop = more > 64 ? 127u : drop + (unsigned) more;
        exponent = least;
    }
    kept = drop < 64 ? number.significand >> drop : 0;
    rest = drop < 64 ? number.significand << (64 - drop) : drop == 64 ? number.significand : 1;
    if (ptx__rounds_up(mode, number.negative, kept & 1, rest, UINT64_C(1) << 63, number.sticky))
        kept++;
    /* The highest bit of a normal number adds one to the exponent field. */
    bits = ((uint64_t) (exponent - least) << format.fraction) + kept;
    if (bits > format.largest) {
        const bool to_largest = finite || !format.has_infinity || mode == PTX__RZ ||
                                (mode == PTX__RM && !number.negative) ||
                                (mode == PTX__RP && number.negative);

        bits = to_largest ? format.largest : infinity;
    }
    return sign | bits;
}

static inline uint64_t ptx__convert(struct ptx__format to, struct ptx__format from, uint64_t bits,
                                    enum ptx__rounding mode, bool finite)
{
    return ptx__bits_of(to, ptx__number_of(from, bits), mode, finite);
}

/*
 * Conversions of numbers of 16 bits, without branches, so that compilers do them for many at once.
 * They give the same as ptx__convert(), rounded to nearest.
 */

static inline uint32_t ptx__bits_of_float(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, 4);
    return bits;
}

static inline uint64_t ptx__bits_of_double(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, 8);
    return bits;
}

static inline float ptx__float_with(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, 4);
    return f;
}

static inline double ptx__double_with(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, 8);
    return x;
}

/* One of two, by a mask: compilers make branches of what they may not do for many at once. */
static inline uint32_t ptx__choose32(bool which, uint32_t yes, uint32_t no)
{
    return no ^ ((no ^ yes) & -(uint32_t) which);
}

static inline uint64_t ptx__choose64(bool which, uint64_t yes, uint64_t no)
{
    return no ^ ((no ^ yes) & -(uint64_t) which);
}

/* A subnormal half is its integer value times 2^-24. */
static inline float ptx__float_of_half(uint16_t h)
{
    const uint32_t sign = (uint32_t) (h & 0x8000) << 16, rest = (h & 0x7fffu) << 13;
    const uint32_t subnormal = ptx__bits_of_float(ptx__float_with(0x38800000 | rest) - 0x1p-14f);
    const uint32_t up = ptx__choose32(rest >= 0x7c00u << 13, 0x70000000, 0x38000000);

    return ptx__float_with(sign | ptx__choose32(rest < 0x400u << 13, subnormal, rest + up));
}

static inline float ptx__float_of_bfloat(uint16_t h)
{
    return ptx__float_with((uint32_t) h << 16);
}

/* Subnormal halves are rounded by an addition. */
static inline uint16_t ptx__half_of_float(float f)
{
    const uint32_t bits = ptx__bits_of_float(f), sign = bits >> 16 & 0x8000;
    const uint32_t magnitude = bits & 0x7fffffff;
    const uint32_t subnormal =
        ptx__bits_of_float(ptx__float_with(magnitude) + 0.5f) - ptx__bits_of_float(0.5f);
    const uint32_t normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    const uint32_t finite = ptx__choose32(magnitude < 0x38800000, subnormal, normal);
    const uint32_t number = ptx__choose32(magnitude >= 0x477ff000, 0x7c00, finite);

    return (uint16_t) ptx__choose32(magnitude > 0x7f800000, 0x7fff, sign | number);
}

static inline uint16_t ptx__bfloat_of_float(float f)
{
    const uint32_t bits = ptx__bits_of_float(f);

    return (uint16_t) ptx__choose32((bits & 0x7fffffff) > 0x7f800000, 0x7fff,
                                    (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* The last bit of an .f32 notes whether bits were lost, so that rounding it once more is right. */
static inline uint16_t ptx__half_of_double(double x)
{
    const uint64_t bits = ptx__bits_of_double(x), lost = bits & 0x1fffffff;

    return ptx__half_of_float(
        (float) ptx__double_with((bits - lost) | (uint64_t) (lost != 0) << 29));
}

/* The same with 45 more bits of fraction; the exponents are 896 less. */
static inline uint16_t ptx__bfloat_of_double(double x)
{
    const uint64_t bits = ptx__bits_of_double(x), magnitude = bits & (UINT64_MAX >> 1);
    const uint64_t subnormal =
        ptx__bits_of_double(ptx__double_with(magnitude) + 0x1p-81) - ptx__bits_of_double(0x1p-81);
    const uint64_t rounded = (magnitude + (UINT64_MAX >> 20) + (magnitude >> 45 & 1)) >> 45;
    const uint64_t normal = rounded - (UINT64_C(896) << 7);
    const uint64_t finite = ptx__choose64(magnitude < (UINT64_C(897) << 52), subnormal, normal);
    const uint64_t number = ptx__choose64(finite > 0x7f80, 0x7f80, finite);

    return (uint16_t) ptx__choose64(magnitude > (UINT64_C(0x7ff) << 52), 0x7fff,
                                    (bits >> 48 & 0x8000) | number);
}

#endif
