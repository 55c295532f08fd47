/* SPDX-License-Identifier: MIT */
/*
 * Products of small matrices as tensor cores compute them.
 *
 * A result is a sum of C and of the products of one instruction. Products are exact. All of these
 * numbers are shifted to the largest exponent among them, cut off behind some bits, and added
 * without a further loss. The sum is cut off to .f32, or rounded to .f16. How many bits are kept
 * was found out on an H100: 25 behind the binary point, and 13 for e4m3 and e5m2 of wgmma, whose
 * .f32 results have no more bits, either. A sum that is zero, or becomes so, is +0. Any NaN is the
 * same.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_PRODUCT_H
#define CUSHIM_MOCK_PTX_EXEC_PRODUCT_H

#include "mock/ptx/exec/element.h"
#include "mock/ptx/machine/exec.h"

enum {
    PTX__MOST_ROWS = 16,      /* of a warp */
    PTX__MOST_COLUMNS = 256,  /* a multiple of 8 */
    PTX__MOST_PRODUCTS = 128, /* of a sum: K, or for a sparse A the half of it */
    PTX__MOST_OF_B = 64 * 256,
};

/*
 * Elements as numbers: significand * 2^(exponent - fraction), with the bits of fraction of their
 * format. Of zero the exponent is PTX__EXPONENT_ZERO. An infinity or NaN has one of the two below,
 * and 1 or -1. An integer has only a significand; for .b1 it is 16 elements.
 */
#define PTX__EXPONENT_ZERO     (-8000)
#define PTX__EXPONENT_INFINITY 8000
#define PTX__EXPONENT_NAN      8001

struct ptx__factors {
    int16_t *significands, *exponents;
    bool special; /* there are infinities or NaNs */
};

struct ptx__product {
    unsigned m, n, k;                         /* k: of a sum */
    enum ptx__element a_type, b_type, d_type; /* C has the type of D */
    unsigned kept;                            /* bits behind the binary point */
    unsigned fraction;                        /* of a result in .f32 */
    unsigned factor_fraction;                 /* bits of fraction of A and B together */
    bool finite, both;        /* of integers: limited; of .b1: "and" instead of "xor" */
    struct ptx__factors a, b; /* m rows of k, and rows of n */
    const uint8_t *lines;     /* m rows of k: which row of B belongs to an element of A */
    uint32_t *c;              /* bits: m rows of n; becomes D */
};

/* Converts an element to a number, and returns whether it is an infinity or NaN. */
static inline bool ptx__factor_of(enum ptx__element type, uint32_t bits, bool negative,
                                  int16_t *ret_significand, int16_t *ret_exponent)
{
    const struct ptx__format format = ptx__element_format(type);
    const struct ptx__softfloat number = ptx__number_of(format, ptx__element_number(type, bits));
    const int least = 2 - (1 << (format.exponent_bits - 1));
    const int sign = number.negative != negative ? -1 : 1;
    int exponent;

    if (number.nan || number.infinite) {
        *ret_significand = (int16_t) sign;
        *ret_exponent = number.nan ? PTX__EXPONENT_NAN : PTX__EXPONENT_INFINITY;
        return true;
    }
    exponent = number.exponent < least ? least : number.exponent;
    *ret_significand = 0;
    *ret_exponent = PTX__EXPONENT_ZERO;
    if (!number.significand)
        return false;
    *ret_significand =
        (int16_t) (sign * (int) (number.significand >>
                                 (63 - format.fraction + exponent - number.exponent)));
    *ret_exponent = (int16_t) exponent;
    return false;
}

/*
 * Multiplies. It is compiled for each instruction set of the host: the handlers of both
 * instructions give their own to ptx__mma() and ptx__wgmma(), which do the rest.
 */
typedef void (*ptx__multiply)(const struct ptx__product *product);

#endif
