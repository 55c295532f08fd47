// SPDX-License-Identifier: MIT
// build: compute_80 compute_100
// Arithmetic of 16-bit floating point, alone and in pairs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T> __device__ void scalar(T x, T y, T z, T *out)
{
    out[0] = __hadd(x, y);
    out[1] = __hsub(x, y);
    out[2] = __hmul(x, y);
    out[3] = __hfma(x, y, z);
    out[4] = __hneg(x);
    out[5] = __habs(x);
    out[6] = __hmin(x, y);
    out[7] = __hmax(x, y);
    out[8] = __hmin_nan(x, y);
    out[9] = __hmax_nan(x, y);
    out[10] = __hfma_relu(x, y, z);
    out[11] = __hadd_rn(x, y);
    out[12] = __hmul_sat(x, y);
}

template <typename T> __device__ unsigned short relations(T x, T y)
{
    return __heq(x, y) + 2 * __hne(x, y) + 4 * __hlt(x, y) + 8 * __hle(x, y) + 16 * __hgt(x, y) +
           32 * __hge(x, y) + 64 * __hequ(x, y) + 128 * __hltu(x, y) + 256 * __hisnan(x);
}

extern "C" __global__ void half_f16(const __half *a, const __half *b, const __half *c, __half *out,
                                    unsigned short *relation)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    scalar(a[i], b[i], c[i], out + i * 13);
    relation[i] = relations(a[i], b[i]);
}

extern "C" __global__ void half_bf16(const __nv_bfloat16 *a, const __nv_bfloat16 *b,
                                     const __nv_bfloat16 *c, __nv_bfloat16 *out,
                                     unsigned short *relation)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    scalar(a[i], b[i], c[i], out + i * 13);
    relation[i] = relations(a[i], b[i]);
}

template <typename T> __device__ void pairs(T x, T y, T z, T *out)
{
    out[0] = __hadd2(x, y);
    out[1] = __hmul2(x, y);
    out[2] = __hfma2(x, y, z);
    out[3] = __hmin2(x, y);
    out[4] = __hmax2_nan(x, y);
    out[5] = __hfma2_relu(x, y, z);
    out[6] = __hsub2(x, y);
    out[7] = __lowhigh2highlow(x);
}

extern "C" __global__ void half_f16x2(const __half2 *a, const __half2 *b, const __half2 *c,
                                      __half2 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    pairs(a[i], b[i], c[i], out + i * 8);
}

extern "C" __global__ void half_bf16x2(const __nv_bfloat162 *a, const __nv_bfloat162 *b,
                                       const __nv_bfloat162 *c, __nv_bfloat162 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    pairs(a[i], b[i], c[i], out + i * 8);
}

// Functions of half precision; each is computed in single precision and rounded.
extern "C" __global__ void half_math(const __half *a, __half *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const __half x = a[i];

    out += 10 * i;
    out[0] = hsqrt(x);
    out[1] = hrsqrt(x);
    out[2] = hrcp(x);
    out[3] = hexp(x);
    out[4] = hexp2(x);
    out[5] = hlog(x);
    out[6] = hlog2(x);
    out[7] = hsin(x);
    out[8] = hcos(x);
    out[9] = __hdiv(x, __float2half(3.0f));
}
