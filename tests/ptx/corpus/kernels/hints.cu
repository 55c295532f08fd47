// SPDX-License-Identifier: MIT
// build: compute_80 compute_100
// Hints for caches, which change no result.
typedef unsigned u32;

extern "C" __global__ void hints_caches(const u32 *a, u32 *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long policy;
    u32 x, y, z, w;

    asm volatile("prefetch.global.L2 [%0];" ::"l"(a + i));
    asm volatile("prefetchu.L1 [%0];" ::"l"(a + i));
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(x) : "l"(a + i), "l"(policy));
    asm volatile("ld.global.nc.L2::128B.u32 %0, [%1];" : "=r"(y) : "l"(a + n - 1 - i));
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(z) : "l"(a + i));
    asm volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(w) : "l"(a + n - 1 - i));
    asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(out + i), "r"(x - y + z * w),
                 "l"(policy)
                 : "memory");
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(out + (i & ~31)));
}
