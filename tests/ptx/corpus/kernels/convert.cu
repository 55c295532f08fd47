// SPDX-License-Identifier: MIT
// build: compute_80 compute_100
// Conversions between numbers of every type, in every direction of rounding.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef long long s64;
typedef unsigned long long u64;

// Bits, with one pattern for whatever is not a number.
__device__ u64 bits(float x)
{
    return isnan(x) ? 0x7fffffff : __float_as_uint(x);
}
__device__ u64 bits(double x)
{
    return isnan(x) ? 0x7fffffffffffffff : (u64) __double_as_longlong(x);
}
__device__ u64 bits(__half x)
{
    return __hisnan(x) ? 0x7fff : __half_as_ushort(x);
}

#define ALL(n, function)                                                                           \
    out[n] = (u64) function##_rn(x);                                                               \
    out[n + 1] = (u64) function##_rz(x);                                                           \
    out[n + 2] = (u64) function##_ru(x);                                                           \
    out[n + 3] = (u64) function##_rd(x);

extern "C" __global__ void convert_f32_to_integer(const float *a, u64 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = a[i];

    out += i * 18;
    ALL(0, __float2int)
    ALL(4, __float2uint)
    ALL(8, __float2ll)
    ALL(12, __float2ull)
    out[16] = (u64) (s64) __float_as_int(x);
    out[17] = (u64) (signed char) (int) fminf(fmaxf(x, -100.0f), 100.0f);
}

extern "C" __global__ void convert_f64_to_integer(const double *a, u64 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double x = a[i];

    out += i * 18;
    ALL(0, __double2int)
    ALL(4, __double2uint)
    ALL(8, __double2ll)
    ALL(12, __double2ull)
    out[16] = (u64) (s64) __double2hiint(x);
    out[17] = (u64) (s64) __double2loint(x);
}

extern "C" __global__ void convert_integer_to_f32(const u64 *a, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const u64 x = a[i];

    out += i * 18;
#define DIRECTION(n, M)                                                                            \
    out[n] = __int2float_##M((int) x);                                                             \
    out[n + 1] = __uint2float_##M((unsigned) x);                                                   \
    out[n + 2] = __ll2float_##M((s64) x);                                                          \
    out[n + 3] = __ull2float_##M(x);
    DIRECTION(0, rn)
    DIRECTION(4, rz)
    DIRECTION(8, ru)
    DIRECTION(12, rd)
#undef DIRECTION
    out[16] = (float) (signed char) x;
    out[17] = (float) (unsigned short) x;
}

extern "C" __global__ void convert_integer_to_f64(const u64 *a, double *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const u64 x = a[i];

    out += i * 10;
#define DIRECTION(n, M)                                                                            \
    out[n] = __ll2double_##M((s64) x);                                                             \
    out[n + 1] = __ull2double_##M(x);
    DIRECTION(0, rn)
    DIRECTION(2, rz)
    DIRECTION(4, ru)
    DIRECTION(6, rd)
    out[8] = __int2double_rn((int) x);
    out[9] = __uint2double_rn((unsigned) x);
}

// Between floating-point types; results are bits.
extern "C" __global__ void convert_floats(const float *a, const double *b, u64 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = a[i];
    const double y = b[i];

    out += i * 24;
    out[0] = bits(__double2float_rn(y));
    out[1] = bits(__double2float_rz(y));
    out[2] = bits(__double2float_ru(y));
    out[3] = bits(__double2float_rd(y));
    out[4] = bits((double) x);
    out[5] = __half_as_ushort(__float2half_rn(x));
    out[6] = __half_as_ushort(__float2half_rz(x));
    out[7] = __half_as_ushort(__float2half_ru(x));
    out[8] = __half_as_ushort(__float2half_rd(x));
    out[9] = __half_as_ushort(__double2half(y));
    out[10] = __bfloat16_as_ushort(__float2bfloat16_rn(x));
    out[11] = __bfloat16_as_ushort(__float2bfloat16_rz(x));
    out[12] = bits(rintf(x));
    out[13] = bits(truncf(x));
    out[14] = bits(ceilf(x));
    out[15] = bits(floorf(x));
    out[16] = bits(roundf(x));
    out[17] = bits(rint(y));
    out[18] = bits(trunc(y));
    out[19] = bits(ceil(y));
    out[20] = bits(floor(y));
    out[21] = bits(round(y));
    out[22] = (u64) llrintf(x);
    out[23] = (u64) lround(y);
}

// 16-bit floating point, from and to everything.
extern "C" __global__ void convert_half(const __half *a, const __nv_bfloat16 *b, u64 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const __half x = a[i];
    const __nv_bfloat16 y = b[i];

    out += i * 16;
    out[0] = bits(__half2float(x));
    out[1] = bits(__bfloat162float(y));
    out[2] = (u64) (s64) __half2int_rn(x);
    out[3] = __half2uint_rz(x);
    out[4] = (u64) (s64) __half2short_rn(x);
    out[5] = __half2ushort_rd(x);
    out[6] = (u64) __half2ll_ru(x);
    out[7] = __half2ull_rn(x);
    out[8] = __half_as_ushort(__int2half_rn((int) __half_as_ushort(x) * 3 - 70000));
    out[9] = __half_as_ushort(__ushort2half_rz(__half_as_ushort(x)));
    out[10] = __half_as_ushort(__ll2half_rn((s64) __half_as_ushort(x) - 32768));
    out[11] = bits(hrint(x));
    out[12] = bits(htrunc(x));
    out[13] = bits(hceil(x));
    out[14] = bits(hfloor(x));
    out[15] = bits((double) __half2float(x));
}
