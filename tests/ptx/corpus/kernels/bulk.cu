// SPDX-License-Identifier: MIT
// build: compute_90 compute_100
// Copies that an engine of its own makes.
#include <cuda_fp16.h>

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

// Out of shared memory: copied, and added, bounded and joined to what is there.
extern "C" __global__ void bulk_out(const unsigned *a, unsigned *copied, unsigned *sums,
                                    int *limits, unsigned *bits, __half *halves)
{
    __shared__ __align__(16) unsigned near[128];
    const int t = threadIdx.x;
    const unsigned from = (unsigned) __cvta_generic_to_shared(near);

    near[t] = a[t];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(copied),
                     "r"(from)
                     : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], "
                     "512;" ::"l"(sums),
                     "r"(from)
                     : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [%0], [%1], "
                     "512;" ::"l"(limits),
                     "r"(from)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b32 [%0], [%1], "
                     "256;" ::"l"(bits),
                     "r"(from + 128)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    near[t] = 0x40003c00; // 1 and 2
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], "
                     "[%1], 512;" ::"l"(halves),
                     "r"(from)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

__device__ unsigned in_rank(const void *at, unsigned rank)
{
    unsigned address;

    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(address)
                 : "r"((unsigned) __cvta_generic_to_shared(at)), "r"(rank));
    return address;
}

__device__ void wait_for(const void *barrier, unsigned parity)
{
    unsigned done = 0;

    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, "
                     "[%1], %2, 100000; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"((unsigned) __cvta_generic_to_shared(barrier)), "r"(parity)
                     : "memory");
}

// Block 0 copies to both blocks of the cluster at once; then each to the other one: rows, a few
// numbers, and sums.
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    bulk_cluster(const unsigned *a, unsigned *out, unsigned *few)
{
    __shared__ __align__(16) unsigned near[64], far[64], words[8];
    __shared__ unsigned sum;
    __shared__ unsigned long long first, second;
    const int t = threadIdx.x;
    const unsigned rank = blockIdx.x & 1, at = (unsigned) __cvta_generic_to_shared(near);
    const unsigned bar = (unsigned) __cvta_generic_to_shared(&first);
    const unsigned other = (unsigned) __cvta_generic_to_shared(&second);

    if (t == 0) {
        sum = 5;
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(other) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(bar)
                     : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(other),
                     "r"(256 + 4 + 16 + 64 * 4)
                     : "memory");
    }
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
    if (t == 0 && rank == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
                     "multicast::cluster [%0], [%1], 256, [%2], %3;" ::"r"(at),
                     "l"(a + blockIdx.x * 32), "r"(bar), "h"((unsigned short) 3)
                     : "memory");
    wait_for(&first, 0);
    near[t] = near[t] * 3 + rank;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                     "[%0], [%1], 256, [%2];" ::"r"(in_rank(far, 1 - rank)),
                     "r"(at), "r"(in_rank(&second, 1 - rank))
                     : "memory");
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, "
                     "[%2];" ::"r"(in_rank(&words[1], 1 - rank)),
                     "r"(rank + 70), "r"(in_rank(&second, 1 - rank))
                     : "memory");
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], "
                     "{%1, %2, %3, %4}, [%5];" ::"r"(in_rank(&words[4], 1 - rank)),
                     "r"(rank), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(in_rank(&second, 1 - rank))
                     : "memory");
    }
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
                 "[%0], %1, [%2];" ::"r"(in_rank(&sum, 1 - rank)),
                 "r"(a[t]), "r"(in_rank(&second, 1 - rank))
                 : "memory");
    wait_for(&second, 0);
    out[blockIdx.x * 64 + t] = far[t];
    if (t == 0) {
        few[blockIdx.x * 8] = sum;
        few[blockIdx.x * 8 + 1] = words[1];
        for (int i = 4; i < 8; i++)
            few[blockIdx.x * 8 + i] = words[i];
    }
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}
