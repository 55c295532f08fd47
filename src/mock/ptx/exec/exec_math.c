/* SPDX-License-Identifier: MIT */
/*
 * The approximate operations, correctly rounded but for what double precision leaves, of angles but
 * for what hardware takes of them: nowhere farther from what is right than an H200 is.
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
 * sin and cos take angles as parts of a turn: the product with 1 / (2 pi) rounded to zero, and of
 * its fraction 25 bits. So the sine of a small angle is 0, and so is that of any angle too large to
 * have a fraction.
 */
static inline double turns(float x)
{
    const double product = (double) fabsf(x) * 0x1.45f306p-3;
    const double t = ptx__f64(ptx__bits64(product) & ~UINT64_C(0x1fffffff));

    return trunc((t - trunc(t)) * 0x1p25) * 0x1p-25;
}

/* The sine of turns from quarter `first` on; every other quarter is gone through from its end,
 * where the last of the 25 bits is missing. Of an angle without a number it is none. */
static inline double wave(float x, int first)
{
    const double t = turns(x) * 4, quarters = trunc(t), rest = t - quarters;
    const int quarter = first + (quarters == quarters ? (int) quarters : 0);
    const double part = quarter & 1 ? 1 - 0x1p-23 - rest : rest;
    const double value = sin(part * 0x1.921fb54442d18p0);

    return quarter & 2 ? -value : value;
}

#define SINE(x)   (wave((float) (x), 0) * copysign(1, x))
#define COSINE(x) wave((float) (x), 1)

APPROXIMATE(sin, SINE)
APPROXIMATE(cos, COSINE)
APPROXIMATE(lg2, log2)
APPROXIMATE(ex2, exp2)
APPROXIMATE(tanh, tanh)
APPROXIMATE(rsqrt, RECIPROCAL_ROOT)
LANEWISE(rcp_approx_f32, "rcp.approx.f32", f32, f32, f32, u32, ptx__nan32(1.0f / A))
LANEWISE(rcp_approx_ftz, "rcp.approx.ftz.f32", f32, f32, f32, u32, F(ptx__nan32(1.0f / F(A))))
LANEWISE(sqrt_approx_f32, "sqrt.approx.f32", f32, f32, f32, u32, ptx__nan32(sqrtf(A)))
LANEWISE(sqrt_approx_ftz, "sqrt.approx.ftz.f32", f32, f32, f32, u32, F(ptx__nan32(sqrtf(F(A)))))

/* As it multiplies with the reciprocal: that of a divisor above 2^126 is 0. */
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
 * Of .f64 the upper half is looked at, and the upper half of the result is given: a seed for
 * iterations. Subnormal numbers are zeros.
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

/* Cut, not rounded: what the operand lost has made it greater. */
LANEWISE(rcp_approx_f64, "rcp.approx.ftz.f64", f64, f64, f64, u32, upper(1.0 / upper(A)))
/* Without .ftz it is all of it. */
LANEWISE(rsqrt_f64, "rsqrt.f64", f64, f64, f64, u32, exact_root(A))
LANEWISE(rsqrt_ftz_f64, "rsqrt.ftz.f64", f64, f64, f64, u32, rounded_upper(1.0 / sqrt(upper(A))))
