// SPDX-License-Identifier: MIT
// build: compute_90 compute_100a generated
// Numbers of 6 and 4 bits, and exponents alone: by instructions where the device has them, by
// what the headers do instead where it does not.
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

extern "C" __global__ void small_6(const float *a, unsigned *out, float *back)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float2 pair = make_float2(a[i], a[(i + 1) % (gridDim.x * blockDim.x)]);
    const __nv_fp6_storage_t x = __nv_cvt_float_to_fp6(a[i], __NV_E2M3, cudaRoundNearest);
    const __nv_fp6_storage_t y = __nv_cvt_float_to_fp6(a[i], __NV_E3M2, cudaRoundNearest);
    const __nv_fp6x2_storage_t both = __nv_cvt_float2_to_fp6x2(pair, __NV_E3M2, cudaRoundNearest);

    out[i] = x | y << 8 | (unsigned) both << 16;
    back[2 * i] = __half2float(__nv_cvt_fp6_to_halfraw(x, __NV_E2M3));
    back[2 * i + 1] = __half2float(__nv_cvt_fp6_to_halfraw(y, __NV_E3M2));
}

extern "C" __global__ void small_4(const float *a, unsigned *out, float *back)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float2 pair = make_float2(a[i], a[(i + 1) % (gridDim.x * blockDim.x)]);
    const __nv_fp4_storage_t x = __nv_cvt_float_to_fp4(a[i], __NV_E2M1, cudaRoundNearest);
    const __nv_fp4x2_storage_t both = __nv_cvt_float2_to_fp4x2(pair, __NV_E2M1, cudaRoundNearest);
    const __half2 wide = __nv_cvt_fp4x2_to_halfraw2(both, __NV_E2M1);

    out[i] = (x & 15) | (unsigned) both << 8;
    back[2 * i] = __low2float(wide);
    back[2 * i + 1] = __high2float(wide);
}

// To the power of two below and the one above.
extern "C" __global__ void small_exponent(const float *a, unsigned *out, float *back)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const __nv_fp8_storage_t down = __nv_cvt_float_to_e8m0(a[i], __NV_NOSAT, cudaRoundZero);
    const __nv_fp8_storage_t up = __nv_cvt_float_to_e8m0(a[i], __NV_NOSAT, cudaRoundPosInf);
    const __nv_fp8_storage_t low = __nv_cvt_float_to_e8m0(a[i], __NV_SATFINITE, cudaRoundZero);
    const __nv_fp8_storage_t high = __nv_cvt_float_to_e8m0(a[i], __NV_SATFINITE, cudaRoundPosInf);

    out[i] = down | up << 8 | low << 16 | (unsigned) high << 24;
    back[i] = __bfloat162float(__nv_cvt_e8m0_to_bf16raw(high));
}
