// SPDX-License-Identifier: MIT
// build: compute_90 compute_100
// Blocks of a cluster read the shared memory of each other.

__device__ void cluster_barrier()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

// Every block of a cluster reads the shared memory of the next one.
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    cluster_shared(const unsigned *a, unsigned *out)
{
    __shared__ unsigned near[64];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    unsigned rank, size, value, far;

    near[t] = a[i] * 3;
    cluster_barrier();
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(far)
                 : "r"((unsigned) __cvta_generic_to_shared(&near[63 - t])), "r"((rank + 1) % size));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(far) : "memory");
    cluster_barrier();
    asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(far) : "memory");
    cluster_barrier();
    out[2 * i] = value;
    out[2 * i + 1] = near[t];
}
