/* SPDX-License-Identifier: MIT */
/* 16-bit floating-point numbers, against their definition and, where it has one, the compiler. */
#include <math.h>

#include "support.h"

SUITE(safe_half);

static cushim_f16 f16(unsigned bits)
{
    return (cushim_f16){(uint16_t) bits};
}

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

Test(safe_half, every_f16_goes_to_float_and_back)
{
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        const float value = cushim_f16_to_float(f16(bits));
        const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
        const double sign = bits & 0x8000 ? -1 : 1;

        if (exponent == 31 && fraction) {
            cr_assert(ne(int, isnan(value), 0), "0x%04x", bits);
            cr_assert(eq(int, isnan(cushim_f16_to_float(cushim_f16_from_float(value))), 1));
            continue;
        }
        if (exponent < 31)
            cr_assert(eq(dbl, (double) value,
                         sign * (exponent ? ldexp(1024 + fraction, (int) exponent - 25)
                                          : ldexp(fraction, -24))),
                      "0x%04x", bits);
        cr_assert(eq(uint, cushim_f16_from_float(value).bits, bits), "0x%04x", bits);
    }
}

/* Between neighbours: the middle goes to the even one, what is off it to the nearer. */
Test(safe_half, f16_rounds_to_nearest_even)
{
    for (unsigned bits = 0; bits < 0x7bff; bits++) {
        const float low = cushim_f16_to_float(f16(bits)), high = cushim_f16_to_float(f16(bits + 1));
        const float middle = low + (high - low) / 2;

        cr_assert(eq(uint, cushim_f16_from_float(middle).bits, bits + (bits & 1)), "0x%04x", bits);
        cr_assert(eq(uint, cushim_f16_from_float(nextafterf(middle, 0)).bits, bits));
        cr_assert(eq(uint, cushim_f16_from_float(nextafterf(middle, 1e9f)).bits, bits + 1));
    }
    cr_expect(eq(uint, cushim_f16_from_float(65519.996f).bits, 0x7bff));
    cr_expect(eq(uint, cushim_f16_from_float(65520).bits, 0x7c00));
    cr_expect(eq(uint, cushim_f16_from_float(-1e30f).bits, 0xfc00));
    cr_expect(eq(uint, cushim_f16_from_float(-INFINITY).bits, 0xfc00));
    cr_expect(eq(uint, cushim_f16_from_float(-0.0f).bits, 0x8000));
}

Test(safe_half, bf16_is_the_upper_half_of_a_float)
{
    for (uint32_t bits = 0; bits < 0x7f80; bits++) {
        const uint32_t even = bits + (bits & 1);

        cr_assert(
            eq(u32, bits_of(cushim_bf16_to_float((cushim_bf16){(uint16_t) bits})), bits << 16));
        cr_assert(eq(uint, cushim_bf16_from_float(float_of(bits << 16)).bits, bits));
        cr_assert(eq(uint, cushim_bf16_from_float(float_of(bits << 16 | 0x7fff)).bits, bits));
        cr_assert(eq(uint, cushim_bf16_from_float(float_of(bits << 16 | 0x8000)).bits, even));
        cr_assert(eq(uint, cushim_bf16_from_float(float_of(bits << 16 | 0x8001)).bits, bits + 1));
    }
    cr_expect(
        ne(int, isnan(cushim_bf16_to_float(cushim_bf16_from_float(float_of(0x7f800001)))), 0));
    cr_expect(eq(uint, cushim_bf16_from_float(-INFINITY).bits, 0xff80));
}

Test(safe_half, slices_of_them)
{
    cushim_stream stream = CUSHIM_NONE;
    cushim_slice slice = CUSHIM_NONE;
    cushim_f16 values[10];
    struct world w;

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_slice_zeros(stream, sizeof(cushim_f16), 10, &slice));
    assert_ok(cushim_slice_fill(stream, slice, cushim_f16_from_float(1.5f)));
    assert_ok(cushim_slice_reclaim(stream, &slice, values, 10));
    cr_expect(eq(flt, cushim_f16_to_float(values[9]), 1.5f));
    cushim_stream_free(&stream);
    close_world(&w);
}
