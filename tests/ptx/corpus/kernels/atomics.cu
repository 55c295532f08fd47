// SPDX-License-Identifier: MIT
// build: compute_80 compute_100
// Atomic operations of every type, in global and in shared memory. What comes out does not
// depend on the order.
typedef unsigned u32;
typedef unsigned long long u64;
typedef long long s64;

__device__ void all_of(u32 *to, u32 x)
{
    atomicAdd(&to[0], x);
    atomicSub(&to[1], x);
    atomicMin(&to[2], x);
    atomicMax(&to[3], x);
    atomicAnd(&to[4], x | 0xff);
    atomicOr(&to[5], x & 0xff00ff);
    atomicXor(&to[6], x);
    atomicInc(&to[7], 99);
    atomicDec(&to[8], 77);
    atomicMin((int *) &to[9], (int) x);
    atomicMax((int *) &to[10], (int) x);
    atomicAdd((int *) &to[11], (int) x >> 3);
}

extern "C" __global__ void atomics_u32_global(const u32 *a, u32 *out)
{
    all_of(out, a[blockIdx.x * blockDim.x + threadIdx.x]);
}

extern "C" __global__ void atomics_u32_shared(const u32 *a, u32 *out)
{
    __shared__ u32 place[12];

    if (threadIdx.x < 12)
        place[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        all_of(place, a[i]);
    __syncthreads();
    if (threadIdx.x < 12)
        out[threadIdx.x] = place[threadIdx.x];
}

extern "C" __global__ void atomics_u64(const u64 *a, u64 *out)
{
    const u64 x = a[blockIdx.x * blockDim.x + threadIdx.x];
    __shared__ u64 near[2];

    if (threadIdx.x < 2)
        near[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&out[0], x);
    atomicMin(&out[1], x);
    atomicMax(&out[2], x);
    atomicAnd(&out[3], x | 0xffff);
    atomicOr(&out[4], x & 0xff00ff00ff);
    atomicXor(&out[5], x);
    atomicMin((s64 *) &out[6], (s64) x);
    atomicMax((s64 *) &out[7], (s64) x);
    atomicAdd(&near[0], x);
    atomicXor(&near[1], x);
    __syncthreads();
    if (threadIdx.x < 2)
        atomicAdd(&out[8 + threadIdx.x], near[threadIdx.x]);
}

// Whole numbers, so that sums are exact in any order.
extern "C" __global__ void atomics_float(const float *a, float *out, double *wide)
{
    const float x = truncf(a[blockIdx.x * blockDim.x + threadIdx.x]);
    __shared__ float near;
    __shared__ double near_wide;

    if (threadIdx.x == 0)
        near = 0, near_wide = 0;
    __syncthreads();
    atomicAdd(&out[0], x);
    atomicAdd(&wide[0], x * 0.5);
    atomicAdd(&near, x);
    atomicAdd(&near_wide, x * 0.25);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&out[1], near);
        atomicAdd(&wide[1], near_wide);
    }
    atomicExch(&out[2], 42.0f);
}

// Loops of compare-and-swap: the largest float, a product modulo 2^32, 16 bits at a time.
extern "C" __global__ void atomics_cas(const float *a, u32 *out, u64 *wide, unsigned short *small)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 seen = out[0], expected;
    u64 expected_wide, seen_wide = wide[0];
    unsigned short expected_small, seen_small = small[0];

    do {
        expected = seen;
        seen =
            atomicCAS(&out[0], expected, __float_as_uint(fmaxf(__uint_as_float(expected), a[i])));
    } while (seen != expected);
    seen = out[1];
    do {
        expected = seen;
        seen = atomicCAS(&out[1], expected, expected * (2 * i + 1));
    } while (seen != expected);
    do {
        expected_wide = seen_wide;
        seen_wide = atomicCAS(&wide[0], expected_wide, expected_wide * (2 * i + 3));
    } while (seen_wide != expected_wide);
    do {
        expected_small = seen_small;
        seen_small = atomicCAS(&small[0], expected_small, (unsigned short) (expected_small + 3));
    } while (seen_small != expected_small);
}

// Scopes, and the value that was there before: each thread gets a number of its own.
extern "C" __global__ void atomics_ticket(u32 *counters, u32 *taken)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 ticket = atomicAdd(&counters[0], 1);

    atomicAdd_system(&counters[1], 2);
    atomicAdd_block(&counters[2 + blockIdx.x], 3);
    atomicOr(&taken[ticket / 32], 1u << (ticket % 32));
    if (i == 0)
        atomicExch(&counters[6], 5);
    u32 old;
    asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], 7;"
                 : "=r"(old)
                 : "l"(counters + 7)
                 : "memory");
    asm volatile("red.relaxed.cta.global.max.u32 [%0], %1;" ::"l"(counters + 8), "r"(old)
                 : "memory");
}

// A lock that threads of one warp take in turn: they have to make progress one by one.
extern "C" __global__ void atomics_lock(u32 *lock, u32 *out)
{
    bool done = false;

    while (!done)
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            const u32 kept = *(volatile u32 *) &out[0];
            *(volatile u32 *) &out[0] = kept + 1;
            *(volatile u32 *) &out[1] = *(volatile u32 *) &out[1] + kept;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
}
