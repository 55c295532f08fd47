// SPDX-License-Identifier: MIT
// build: compute_90 compute_100
// Atomic operations on more than 8 bytes, and on several numbers at once.
#include <cuda_fp16.h>

// The sums are of small whole numbers, so that their order does not matter.
extern "C" __global__ void wide_floats(const float *a, float *sums)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;

    atomicAdd((float4 *) sums + t % 4,
              make_float4(a[4 * t], a[4 * t + 1], a[4 * t + 2], a[4 * t + 3]));
    atomicAdd((float2 *) (sums + 16) + t % 4, make_float2(a[2 * t], a[2 * t + 1]));
}

extern "C" __global__ void wide_halves(const unsigned *a, unsigned *sums, unsigned *least,
                                       unsigned *most)
{
    const int t = threadIdx.x, at = t % 4 * 4;

    asm volatile("red.global.add.noftz.v4.f16x2 [%0], {%1, %2, %3, %4};" ::"l"(sums + at),
                 "r"(a[4 * t]), "r"(a[4 * t + 1]), "r"(a[4 * t + 2]), "r"(a[4 * t + 3])
                 : "memory");
    asm volatile("red.global.min.noftz.v2.f16x2 [%0], {%1, %2};" ::"l"(least + at), "r"(a[4 * t]),
                 "r"(a[4 * t + 1])
                 : "memory");
    asm volatile("red.global.max.noftz.v2.bf16x2 [%0], {%1, %2};" ::"l"(most + at), "r"(a[4 * t]),
                 "r"(a[4 * t + 1])
                 : "memory");
}

struct __align__(16) pair {
    unsigned long long low, high;
};

// A number of 128 bits that all threads count up, and a place that they pass on from one to
// another: each takes what was there, all of it.
extern "C" __global__ void wide_exchange(pair *count, pair *place, unsigned *torn)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long low, high, was, above;

    asm volatile("{ .reg .b128 q; ld.relaxed.gpu.global.b128 q, [%2]; mov.b128 {%0, %1}, q; }"
                 : "=l"(low), "=l"(high)
                 : "l"(count)
                 : "memory");
    for (;;) {
        const unsigned long long more = low + 0x4000000000000001, carry = more < low;

        asm volatile("{ .reg .b128 c, v, d; mov.b128 c, {%3, %4}; mov.b128 v, {%5, %6};\n"
                     "atom.relaxed.gpu.global.cas.b128 d, [%2], c, v; mov.b128 {%0, %1}, d; }"
                     : "=l"(was), "=l"(above)
                     : "l"(count), "l"(low), "l"(high), "l"(more), "l"(high + carry)
                     : "memory");
        if (was == low && above == high)
            break;
        low = was;
        high = above;
    }
    asm volatile("{ .reg .b128 v, d; mov.b128 v, {%3, %4};\n"
                 "atom.relaxed.gpu.global.exch.b128 d, [%2], v; mov.b128 {%0, %1}, d; }"
                 : "=l"(was), "=l"(above)
                 : "l"(place), "l"((unsigned long long) t), "l"(~(unsigned long long) t)
                 : "memory");
    if (was != ~above)
        atomicAdd(torn, 1);
}

// Nobody else is there: what comes back is what was there before.
extern "C" __global__ void wide_results(float *f, float *before, unsigned *halves, unsigned *old)
{
    float x, y, z, w;
    unsigned a, b;

    asm volatile("atom.global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
                 : "l"(f), "f"(1.0f), "f"(2.0f), "f"(3.0f), "f"(4.0f)
                 : "memory");
    before[0] = x;
    before[1] = y;
    before[2] = z;
    before[3] = w;
    asm volatile("atom.global.max.noftz.v2.f16x2 {%0, %1}, [%2], {%3, %4};"
                 : "=r"(a), "=r"(b)
                 : "l"(halves), "r"(0x3c00bc00), "r"(0x7e000000)
                 : "memory");
    old[0] = a;
    old[1] = b;
}
