/* SPDX-License-Identifier: MIT */
/*
 * Numbers of the device that C does not have, and operations rounded in a chosen direction.
 */
#ifndef CUSHIM_TESTS_CORPUS_NUMBER_H
#define CUSHIM_TESTS_CORPUS_NUMBER_H

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

static inline uint64_t bits_of_double(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline double double_of(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* An IEEE-like format of 16 bits with so many bits of fraction. */
double corpus_small_value(uint16_t bits, int fraction);

/* The nearest value in the direction of `mode`, one of fenv.h's. Not a number is 0x7fff. */
uint16_t corpus_small_round(double x, int fraction, int mode);

static inline double half_value(uint16_t bits)
{
    return corpus_small_value(bits, 10);
}

static inline double bfloat_value(uint16_t bits)
{
    return corpus_small_value(bits, 7);
}

static inline uint16_t half_round(double x)
{
    return corpus_small_round(x, 10, FE_TONEAREST);
}

static inline uint16_t bfloat_round(double x)
{
    return corpus_small_round(x, 7, FE_TONEAREST);
}

/*
 * A sum and a multiply-add that can be rounded again to a short format: where they are not
 * exact, the last bit is set ("round to odd").
 */
double corpus_odd_add(double a, double b);
double corpus_odd_fma(double a, double b, double c);

#endif
