/* SPDX-License-Identifier: MIT */
/*
 * Approximate operations. They are rounded correctly up to the limits of double precision. sin and
 * cos also reduce their angles as the hardware does. No result is farther from the exact one than
 * an H200's.
 */
#include <math.h>

#include "mock/ptx/machine/exec.h"

#define N(x)  ptx__nan32((float) (x))
#define F(x)  ptx__ftz(x)
#define NF(x) ptx__ftz(ptx__nan32((float) (x)))

#define APPROXIMATE(name, expression)                                                              \
    LANEWISE(name##_f32, #name ".f32", f32, f32, f32, u32, N(expression((double) A)))              \
    LANEWISE(name##_ftz_f32, #name ".ftz.f32", f32, f32, f32, u32, NF(expression((double) F(A))))

#define RECIPROCAL_ROOT(x) (1.0 / sqrt(x))
#define RECIPROCAL(x)      (1.0 / (x))

/*
 * sin and cos use angles in turns: the product with 1 / (2 pi) is rounded to zero, and 25 bits of
 * its fraction are used. So the sine of a very small angle is 0, and so is that of an angle which
 * is too large to have a fraction. With .2pi the angle is in turns already.
 */
static inline double fraction(double t)
{
    return trunc((t - trunc(t)) * 0x1p25) * 0x1p-25;
}

static inline double turns(float x)
{
    const double product = (double) fabsf(x) * 0x1.45f306p-3;

    return fraction(ptx__f64(ptx__bits64(product) & ~UINT64_C(0x1fffffff)));
}

/*
 * The sine of an angle in turns, from quarter `first` on. Every other quarter is computed from its
 * end, where the last of the 25 bits is missing. If the angle is a NaN or infinite, the result is a
 * NaN.
 */
static inline double wave(double angle, int first)
{
    const double t = angle * 4, quarters = trunc(t), rest = t - quarters;
    const int quarter = first + (quarters == quarters ? (int) quarters : 0);
    const double part = quarter & 1 ? 1 - 0x1p-23 - rest : rest;
    const double value = sin(part * 0x1.921fb54442d18p0);

    return quarter & 2 ? -value : value;
}

#define SINE(x)         (wave(turns((float) (x)), 0) * copysign(1, x))
#define COSINE(x)       wave(turns((float) (x)), 1)
#define TURNS_SINE(x)   (wave(fraction(fabs(x)), 0) * copysign(1, x))
#define TURNS_COSINE(x) wave(fraction(fabs(x)), 1)

/*
 * 2^x: the next integer is the exponent, and for the rest there is a polynomial, which is that of
 * the exponential function. After a sum with 3 * 2^51, the integer is in the lowest bits. All
 * results for .f32 are those of exp2() of the C library; but compilers make vectors of this. The
 * compiled tier has the same in plain_table.c.
 */
static inline double power_of_two(double x)
{
    const double limited = x < -1000 ? -1000 : x > 1000 ? 1000 : x;
    const double shifted = limited + 0x1.8p52, r = limited - (shifted - 0x1.8p52);
    double sum = 0x1.816193166d0f9p-40;

    sum = sum * r + 0x1.c3bd650fc2986p-36;
    sum = sum * r + 0x1.e8cac7351bb25p-32;
    sum = sum * r + 0x1.e4cf5158b8ecap-28;
    sum = sum * r + 0x1.b5253d395e7c4p-24;
    sum = sum * r + 0x1.62c0223a5c824p-20;
    sum = sum * r + 0x1.ffcbfc588b0c7p-17;
    sum = sum * r + 0x1.430912f86c787p-13;
    sum = sum * r + 0x1.5d87fe78a6731p-10;
    sum = sum * r + 0x1.3b2ab6fba4e77p-7;
    sum = sum * r + 0x1.c6b08d704a0cp-5;
    sum = sum * r + 0x1.ebfbdff82c58fp-3;
    sum = sum * r + 0x1.62e42fefa39efp-1;
    sum = sum * r + 1;
    return x == x ? ptx__f64(ptx__bits64(sum) + (ptx__bits64(shifted) << 52)) : x;
}

APPROXIMATE(sin, SINE)
APPROXIMATE(cos, COSINE)
LANEWISE(sin_2pi, "sin.2pi.ftz.f32", f32, f32, f32, u32, NF(TURNS_SINE((double) F(A))))
LANEWISE(cos_2pi, "cos.2pi.ftz.f32", f32, f32, f32, u32, NF(TURNS_COSINE((double) F(A))))
ALSO(sin_2pi, ftz, "sin.ftz.2pi.f32")
ALSO(cos_2pi, ftz, "cos.ftz.2pi.f32")
APPROXIMATE(lg2, log2)
APPROXIMATE(ex2, power_of_two)
APPROXIMATE(tanh, tanh)
APPROXIMATE(rsqrt, RECIPROCAL_ROOT)
LANEWISE(rcp_approx_f32, "rcp.approx.f32", f32, f32, f32, u32, ptx__nan32(1.0f / A))
LANEWISE(rcp_approx_ftz, "rcp.approx.ftz.f32", f32, f32, f32, u32, F(ptx__nan32(1.0f / F(A))))
LANEWISE(sqrt_approx_f32, "sqrt.approx.f32", f32, f32, f32, u32, ptx__nan32(sqrtf(A)))
LANEWISE(sqrt_approx_ftz, "sqrt.approx.ftz.f32", f32, f32, f32, u32, F(ptx__nan32(sqrtf(F(A)))))

/* Multiplies with the reciprocal, as the hardware does: that of a divisor above 2^126 is 0. */
static inline float quotient(float a, float b)
{
    const float magnitude = fabsf(b);

    return magnitude > 0x1p126f && magnitude < INFINITY ? a * copysignf(0.0f, b) : a / b;
}

LANEWISE(div_approx_f32, "div.approx.f32", f32, f32, f32, u32, ptx__nan32(quotient(A, B)))
LANEWISE(div_approx_ftz, "div.approx.ftz.f32", f32, f32, f32, u32,
         F(ptx__nan32(quotient(F(A), F(B)))))
LANEWISE(div_full_f32, "div.full.f32", f32, f32, f32, u32, ptx__nan32(A / B))
LANEWISE(div_full_ftz, "div.full.ftz.f32", f32, f32, f32, u32, F(ptx__nan32(F(A) / F(B))))

/*
 * For .f64, only the upper half of the operand is used, and only that of the result is computed: a
 * first value for iterations. Subnormal numbers count as zeros.
 */
static inline double upper(double x)
{
    const uint64_t bits = ptx__bits64(x) & UINT64_C(0xffffffff00000000);

    if (ptx__f64(bits) != ptx__f64(bits))
        return ptx__f64(UINT64_C(0x7fffffff00000000));
    if (!(bits & UINT64_C(0x7ff0000000000000)))
        return ptx__f64(bits & UINT64_C(0x8000000000000000));
    return ptx__f64(bits);
}

static inline double rounded_upper(double x)
{
    const uint64_t bits = ptx__bits64(x);

    return isfinite(x) ? upper(ptx__f64(bits + UINT64_C(0x80000000))) : upper(x);
}

static inline double exact_root(double x)
{
    const double r = (double) (1.0L / sqrtl((long double) x));

    return ptx__nan64(r, x, x, x);
}

/* The operand was cut off, so the quotient is too large; cutting it off as well corrects that. */
LANEWISE(rcp_approx_f64, "rcp.approx.ftz.f64", f64, f64, f64, u32, upper(1.0 / upper(A)))
/* Without .ftz the full result is computed. */
LANEWISE(rsqrt_f64, "rsqrt.f64", f64, f64, f64, u32, exact_root(A))
LANEWISE(rsqrt_ftz_f64, "rsqrt.ftz.f64", f64, f64, f64, u32, rounded_upper(1.0 / sqrt(upper(A))))
