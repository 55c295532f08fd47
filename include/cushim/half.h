/* SPDX-License-Identifier: MIT */
/*
 * 16-bit floating-point numbers, for elements of slices.
 *
 * cushim_f16 is IEEE binary16, which is __half in CUDA. cushim_bf16 is the upper half of a float,
 * which is __nv_bfloat16 in CUDA. Both are structures, so the compiler does not confuse them with
 * integers. They have the layout of CUDA's types, so a slice of them can be passed to kernels that
 * use those types.
 *
 * The conversions to these types round to nearest, ties to even, as the conversions of the device
 * do by default. A value that is too large becomes infinite, and NaN stays NaN. The conversions to
 * float are exact. The functions are for preparing and inspecting data, not for fast arithmetic.
 * They are pure functions, and thread-safe.
 */
#ifndef CUSHIM_HALF_H
#define CUSHIM_HALF_H

#include <stdint.h>
#include <string.h>

#include <cushim/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** 1 sign, 5 exponent and 10 fraction bits: up to 65504, about 3 decimal digits. */
typedef struct cushim_f16 {
    uint16_t bits;
} cushim_f16;

/** 1 sign, 8 exponent and 7 fraction bits: the range of float, about 2 decimal digits. */
typedef struct cushim_bf16 {
    uint16_t bits;
} cushim_bf16;

/** Converts a cushim_f16 to a float of the same value. */
static inline float cushim_f16_to_float(cushim_f16 half)
{
    const uint32_t sign = (uint32_t) (half.bits & 0x8000u) << 16, rest = half.bits & 0x7fffu;
    uint32_t bits;
    float value;

    if (rest >= 0x7c00u) /* infinite, NaN */
        bits = sign | 0x7f800000u | (rest & 0x3ffu) << 13;
    else if (rest >= 0x400u)
        bits = sign | ((rest << 13) + 0x38000000u);
    else { /* zero, subnormal: a multiple of 2 to the -24 */
        value = (float) rest * 5.9604644775390625e-8f;
        return sign ? -value : value;
    }
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/** Converts a float to the nearest cushim_f16, ties to even. */
static inline cushim_f16 cushim_f16_from_float(float value)
{
    uint32_t bits, sign, rest, shift, fraction, half, lost;
    cushim_f16 result;

    memcpy(&bits, &value, sizeof(bits));
    sign = bits >> 16 & 0x8000u;
    rest = bits & 0x7fffffffu;
    if (rest > 0x7f800000u) { /* NaN */
        half = 0x7e00u | (rest >> 13 & 0x1ffu);
    } else if (rest >= 0x477ff000u) { /* rounds to 65536, or is infinite */
        half = 0x7c00u;
    } else if (rest < 0x33000000u) { /* below half of the smallest */
        half = 0;
    } else {
        /* Below the smallest normal number fewer bits of the fraction are left. */
        shift = rest < 0x38800000u ? 126u - (rest >> 23) : 13u;
        fraction = rest < 0x38800000u ? (rest & 0x7fffffu) | 0x800000u : rest - 0x38000000u;
        half = fraction >> shift;
        lost = fraction & ((1u << shift) - 1);
        if (lost > 1u << (shift - 1) || (lost == 1u << (shift - 1) && (half & 1u)))
            half++;
    }
    result.bits = (uint16_t) (sign | half);
    return result;
}

/** Converts a cushim_bf16 to a float of the same value. */
static inline float cushim_bf16_to_float(cushim_bf16 half)
{
    const uint32_t bits = (uint32_t) half.bits << 16;
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/** Converts a float to the nearest cushim_bf16, ties to even. */
static inline cushim_bf16 cushim_bf16_from_float(float value)
{
    cushim_bf16 result;
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    if ((bits & 0x7fffffffu) > 0x7f800000u) /* NaN, and rounding may not make it infinite */
        bits |= 0x400000u;
    else
        bits += 0x7fffu + (bits >> 16 & 1u);
    result.bits = (uint16_t) (bits >> 16);
    return result;
}

#ifdef __cplusplus
}
#endif

#endif
