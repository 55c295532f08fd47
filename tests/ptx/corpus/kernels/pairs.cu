// SPDX-License-Identifier: MIT
// build: compute_90 compute_100
// Atomic operations on two short floats at a time, and on vectors of them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void pairs_atomic(__half2 *half, __nv_bfloat162 *bfloat, __half *single)
{
    const float x = (threadIdx.x & 1) * 2.0f;

    atomicAdd(half, __floats2half2_rn(x, -1.0f));
    atomicAdd(bfloat, __floats2bfloat162_rn(-1.0f, x * 0.25f));
    atomicAdd(single, __float2half(0.5f));
}
