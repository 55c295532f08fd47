// SPDX-License-Identifier: MIT
// build: compute_90 compute_100
// Copies that an engine of its own makes.

// A bulk copy into shared memory, whose bytes a barrier counts.
extern "C" __global__ void bulk_copy(const unsigned *a, unsigned *out)
{
    __shared__ __align__(16) unsigned near[128];
    __shared__ unsigned long long barrier;
    const unsigned bar = (unsigned) __cvta_generic_to_shared(&barrier);
    const unsigned to = (unsigned) __cvta_generic_to_shared(near);

    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(bar)
                     : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, "
            "[%2];" ::"r"(to),
            "l"(a), "r"(bar)
            : "memory");
    }
    __syncthreads();
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(bar)
                     : "memory");
    out[threadIdx.x] = near[127 - threadIdx.x];
}
