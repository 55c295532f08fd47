// SPDX-License-Identifier: MIT
// build: compute_90 compute_100
// What devices of compute capability 9.0 brought: stmatrix, 8-bit floating point, elections.
#include <cuda_fp8.h>

extern "C" __global__ void newer_stmatrix(const unsigned *a, unsigned short *out)
{
    __shared__ __align__(16) unsigned short tile[32][8];
    const int lane = threadIdx.x;
    const unsigned to = (unsigned) __cvta_generic_to_shared(&tile[lane][0]);

    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
                 "r"(a[lane]), "r"(a[32 + lane]), "r"(a[64 + lane]), "r"(a[96 + lane])
                 : "memory");
    __syncwarp();
    for (int k = 0; k < 8; k++)
        out[lane * 8 + k] = tile[lane][k];
    __syncwarp();
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(to),
                 "r"(a[lane]), "r"(a[32 + lane])
                 : "memory");
    __syncwarp();
    for (int k = 0; k < 8; k++)
        out[256 + lane * 8 + k] = tile[lane][k];
}

extern "C" __global__ void newer_fp8(const float *a, const float *b, unsigned *out, float *back)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const __nv_fp8_storage_t e4m3 = __nv_cvt_float_to_fp8(a[i], __NV_SATFINITE, __NV_E4M3);
    const __nv_fp8_storage_t e5m2 = __nv_cvt_float_to_fp8(b[i], __NV_NOSAT, __NV_E5M2);

    out[i] = e4m3 | e5m2 << 8;
    back[2 * i] = __half2float(__nv_cvt_fp8_to_halfraw(e4m3, __NV_E4M3));
    back[2 * i + 1] = __half2float(__nv_cvt_fp8_to_halfraw(e5m2, __NV_E5M2));
}

// One lane of each warp is elected; minima of floats with three operands where there are some.
extern "C" __global__ void newer_elect(unsigned *out)
{
    unsigned elected, leader;

    asm volatile("{ .reg .pred p; elect.sync %1|p, -1; selp.u32 %0, 1, 0, p; }"
                 : "=r"(elected), "=r"(leader));
    out[threadIdx.x] = __popc(__ballot_sync(0xffffffff, elected)) == 1 && leader < 32 &&
                       elected == (threadIdx.x % 32 == leader);
}
