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

struct ptx__arithmetic;

struct ptx__product {
    const struct ptx__arithmetic *arithmetic;
    unsigned m, n, k;                         /* k: of a sum */
    unsigned depth;                           /* rows of B */
    enum ptx__element a_type, b_type, d_type; /* C has the type of D */
    unsigned kept;                            /* bits behind the binary point */
    unsigned fraction;                        /* of a result in .f32 */
    unsigned factor_fraction;                 /* bits of fraction of A and B together */
    bool finite, both;        /* of integers: limited; of .b1: "and" instead of "xor" */
    struct ptx__factors a, b; /* m rows of k, and rows of n */
    const uint8_t *lines;     /* m rows of k: which row of B belongs to an element of A */
    uint32_t *c;              /* bits: m rows of n; becomes D */
};

/* Where the number is in the bits of an element: so many bits are below it. */
static inline unsigned ptx__element_drop(enum ptx__element type)
{
    return type == PTX__ELEMENT_TF32 ? 13 : type == PTX__ELEMENT_E2M1 ? 2 : 0;
}

/*
 * Converts an element, whose number begins at its lowest bit, and returns whether it is an infinity
 * or NaN. There are no branches, so that compilers do this for many elements at once.
 */
static inline uint32_t ptx__factor_in(struct ptx__format format, uint32_t bits, uint32_t negative,
                                      int16_t *ret_significand, int16_t *ret_exponent)
{
    const unsigned total = format.fraction + format.exponent_bits;
    const uint32_t top = (1u << format.exponent_bits) - 1;
    const uint32_t fraction = bits & ((1u << format.fraction) - 1);
    const uint32_t exponent = bits >> format.fraction & top, sign = (bits >> total & 1) ^ negative;
    const uint32_t magnitude = exponent ? fraction | 1u << format.fraction : fraction;
    const uint32_t infinite = format.has_infinity ? exponent == top && !fraction : 0;
    const uint32_t special = format.has_infinity
                                 ? exponent == top
                                 : (bits & ((1u << total) - 1)) == (uint32_t) format.nan;
    const int32_t number =
        (int32_t) (exponent ? exponent : 1) + 1 - (1 << (format.exponent_bits - 1));
    const int32_t finite = magnitude ? number : PTX__EXPONENT_ZERO;
    const int32_t significand = (int32_t) (special ? 1 : magnitude);

    *ret_significand = (int16_t) (sign ? -significand : significand);
    *ret_exponent = (int16_t) (infinite  ? PTX__EXPONENT_INFINITY
                               : special ? PTX__EXPONENT_NAN
                                         : finite);
    return special;
}

/* The same for any element, whose sign may be changed. */
static inline bool ptx__factor_of(enum ptx__element type, uint32_t bits, bool negative,
                                  int16_t *ret_significand, int16_t *ret_exponent)
{
    return ptx__factor_in(ptx__element_format(type), ptx__element_number(type, bits), negative,
                          ret_significand, ret_exponent);
}

/*
 * What is compiled for each instruction set of the host: the handlers of both instructions give
 * their own to ptx__mma() and ptx__wgmma(), which do the rest.
 */
struct ptx__arithmetic {
    /*
     * Converts n elements, a multiple of 4: that of a word begins at bit `shift`. Returns whether
     * an infinity or NaN is among them.
     */
    bool (*convert)(enum ptx__element type, bool negative, const uint32_t *words, unsigned shift,
                    unsigned n, int16_t *ret_significands, int16_t *ret_exponents);
    void (*multiply)(const struct ptx__product *product);
    /*
     * Does a whole mma, if its shape and all its numbers are the usual ones: see near_registers.h.
     * If not, false is returned, and nothing has been done.
     */
    bool (*multiply_registers)(struct ptx__product *product, const struct ptx__op *op,
                               unsigned char *registers);
};

#endif
