// SPDX-License-Identifier: MIT
// build: compute_80 compute_100
// The order of memory: fences, acquire and release, hints for caches.

typedef unsigned u32;

// Block 0 writes, and says so; the others wait for it.
extern "C" __global__ void order_message(const u32 *a, u32 *data, u32 *flag, u32 *out)
{
    const int t = threadIdx.x;
    u32 seen;

    if (blockIdx.x == 0) {
        data[t] = a[t] * 7;
        __syncthreads();
        if (t == 0)
            asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        if (t == 0)
            do
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                             : "=r"(seen)
                             : "l"(flag)
                             : "memory");
            while (!seen);
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = data[t] + blockIdx.x;
}

extern "C" __global__ void order_fences(const u32 *a, u32 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = a[i];
    __threadfence_block();
    out[i] += 1;
    __threadfence();
    out[i] *= 3;
    __threadfence_system();
    asm volatile("fence.acq_rel.cta;" ::: "memory");
    asm volatile("fence.sc.gpu;" ::: "memory");
    asm volatile("membar.sys;" ::: "memory");
    u32 x;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(out + i) : "memory");
    asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(out + i), "r"(x ^ 5) : "memory");
    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(x) : "l"(out + i) : "memory");
    asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(out + i), "r"(x + 9) : "memory");
}