/* SPDX-License-Identifier: MIT */
/*
 * What tests and their libraries agree on: the value of every argument of every row, so
 * that an argument which gets lost, cut short or swapped on its way is noticed.
 */
#ifndef CUSHIM_TESTS_FAKE_H
#define CUSHIM_TESTS_FAKE_H

#include <stdint.h>

#include <cushim/driver.h>

#include "base/abi.h"

/* A function that got its arguments right answers FAKE_ROW + row: neither 0 nor a result. */
enum { FAKE_ROW = 1000 };

/* What a function answers that nobody should have been led to. */
enum { FAKE_WRONG_FUNCTION = -77 };

/* The value of argument i of a row, for every letter of a signature. */
static inline void *fake_p(unsigned row, unsigned i)
{
    return (void *) (uintptr_t) (UINT64_C(0x5a5a000000000001) + ((uint64_t) row << 16) + i * 16);
}

static inline uint64_t fake_l(unsigned row, unsigned i)
{
    return UINT64_C(0xfedcba9800000000) + row * 256 + i;
}

static inline uint32_t fake_i(unsigned row, unsigned i)
{
    return 0x80000000u + row * 256 + i;
}

static inline uint16_t fake_h(unsigned row, unsigned i)
{
    return (uint16_t) (0x8000u + row * 16 + i);
}

static inline uint8_t fake_b(unsigned row, unsigned i)
{
    return (uint8_t) (0x80u + row * 8 % 128 + i);
}

static inline float fake_f(unsigned row, unsigned i)
{
    return -1.5f - (float) row - (float) i / 16;
}

static inline struct cushim__arg8 fake_m(unsigned row, unsigned i)
{
    return (struct cushim__arg8){-(int) row - 1, (int) i + 7};
}

static inline struct cushim__arg64 fake_H(unsigned row, unsigned i)
{
    struct cushim__arg64 value;

    for (unsigned k = 0; k < 8; k++)
        value.v[k] = UINT64_C(0xabcd000000000000) + ((uint64_t) row << 16) + i * 16 + k;
    return value;
}

/* args[i] points to argument i. The number of the first that is not the test's, from 1; else 0. */
int fake_wrong_argument(unsigned row, const char *signature, void *const *args);

/* Calls a row's function with the test's arguments. The answer, a text's as its number. */
int fake_call(enum cushim_library library, unsigned row, cushim_entry function);

/* The number that a function which returns a text put into it. */
int fake_string_value(const char *text);

#endif
