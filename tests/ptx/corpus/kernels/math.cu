// SPDX-License-Identifier: MIT
// build: compute_75 compute_100 -fmad=true
// The math library in both precisions.
#include "math_list.h"

#define CALL_FLOAT(name, ulps, wide_ulps)   *out++ = name##f(x);
#define CALL_DOUBLE(name, ulps, wide_ulps)  *out++ = name(x);
#define CALL_FLOAT2(name, ulps, wide_ulps)  *out++ = name##f(x, y);
#define CALL_DOUBLE2(name, ulps, wide_ulps) *out++ = name(x, y);

#define UNARY(kernel, T, list, call, n)                                                            \
    extern "C" __global__ void kernel(const T *a, T *out)                                          \
    {                                                                                              \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                       \
        const T x = a[i];                                                                          \
                                                                                                   \
        out += i * n;                                                                              \
        list(call)                                                                                 \
    }

#define BINARY(kernel, T, list, call, n)                                                           \
    extern "C" __global__ void kernel(const T *a, const T *b, T *out)                              \
    {                                                                                              \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                       \
        const T x = a[i], y = b[i];                                                                \
                                                                                                   \
        out += i * n;                                                                              \
        list(call)                                                                                 \
    }

UNARY(math_trigonometric_f32, float, MATH_TRIGONOMETRIC, CALL_FLOAT, N_TRIGONOMETRIC)
UNARY(math_exponential_f32, float, MATH_EXPONENTIAL, CALL_FLOAT, N_EXPONENTIAL)
UNARY(math_special_f32, float, MATH_SPECIAL, CALL_FLOAT, N_SPECIAL_FUNCTIONS)
BINARY(math_binary_f32, float, MATH_BINARY, CALL_FLOAT2, N_BINARY)
UNARY(math_trigonometric_f64, double, MATH_TRIGONOMETRIC, CALL_DOUBLE, N_TRIGONOMETRIC)
UNARY(math_exponential_f64, double, MATH_EXPONENTIAL, CALL_DOUBLE, N_EXPONENTIAL)
UNARY(math_special_f64, double, MATH_SPECIAL, CALL_DOUBLE, N_SPECIAL_FUNCTIONS)
BINARY(math_binary_f64, double, MATH_BINARY, CALL_DOUBLE2, N_BINARY)

// Functions with two results, or with an integer.
extern "C" __global__ void math_parts(const float *a, const double *b, float *out, double *wide,
                                      int *whole)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = a[i];
    const double y = b[i];

    out += 6 * i;
    wide += 6 * i;
    whole += 4 * i;
    sincosf(x, &out[0], &out[1]);
    out[2] = modff(x, &out[3]);
    out[4] = frexpf(x, &whole[0]);
    out[5] = ldexpf(x, i % 300 - 150);
    sincos(y, &wide[0], &wide[1]);
    wide[2] = modf(y, &wide[3]);
    wide[4] = frexp(y, &whole[1]);
    wide[5] = scalbn(y, i % 300 - 150);
    whole[2] = ilogbf(x);
    whole[3] = ilogb(y);
}

// What one instruction approximates.
extern "C" __global__ void math_approximate(const float *a, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = a[i];

    out += i * 8;
    asm("ex2.approx.f32 %0, %1;" : "=f"(out[0]) : "f"(x));
    asm("lg2.approx.f32 %0, %1;" : "=f"(out[1]) : "f"(fabsf(x) + 3));
    asm("rcp.approx.f32 %0, %1;" : "=f"(out[2]) : "f"(x));
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(out[3]) : "f"(fabsf(x)));
    asm("sqrt.approx.f32 %0, %1;" : "=f"(out[4]) : "f"(fabsf(x)));
    asm("sin.approx.f32 %0, %1;" : "=f"(out[5]) : "f"(x));
    asm("cos.approx.f32 %0, %1;" : "=f"(out[6]) : "f"(x));
    asm("tanh.approx.f32 %0, %1;" : "=f"(out[7]) : "f"(x));
}

// The fast intrinsics.
extern "C" __global__ void math_fast(const float *a, const float *b, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = a[i], y = b[i];

    out += i * 8;
    out[0] = __expf(x);
    out[1] = __logf(y);
    out[2] = __sinf(x);
    out[3] = __cosf(x);
    out[4] = __fdividef(x, y);
    out[5] = __frsqrt_rn(y);
    out[6] = __log2f(y);
    out[7] = __exp10f(x);
}
