// SPDX-License-Identifier: MIT
// build: compute_80 compute_90 compute_100 generated
// The standard library of CUDA C++: atomics, barriers, asynchronous copies, complex numbers.
// The barrier is initialised by a thread of the block.
#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/array>
#include <cuda/std/complex>

extern "C" __global__ void libcu_atomic(const unsigned *a, unsigned *out, unsigned long long *wide)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> sum(out[0]), most(out[1]), flips(out[2]);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> product(wide[0]);

    sum.fetch_add(a[i], cuda::memory_order_relaxed);
    most.fetch_max(a[i]);
    flips ^= a[i];
    unsigned long long seen = product.load();
    while (!product.compare_exchange_weak(seen, seen * (2 * i + 1)))
        ;
}

extern "C" __global__ void libcu_barrier(const unsigned *a, unsigned *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ alignas(16) unsigned part[2][128];
    const int t = threadIdx.x;

    if (t == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&part[0][t], &a[t], sizeof(unsigned), barrier);
    barrier.arrive_and_wait();
    unsigned sum = 0;
    for (int round = 0; round < 5; round++) {
        const int from = round & 1;

        part[1 - from][t] = part[from][(t + 1) % 128] * 3 + part[from][t];
        auto token = barrier.arrive();
        sum += part[from][(t + round) % 128];
        barrier.wait(std::move(token));
    }
    out[t] = sum + part[1][t];
}

extern "C" __global__ void libcu_complex(const double *a, double *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::std::complex<double> z(a[2 * i], a[2 * i + 1]), sum(0, 0);
    cuda::std::array<double, 4> factors = {0.5, -1, 0.25, 2};

    for (double factor : factors)
        sum = sum * z + factor;
    out[2 * i] = sum.real();
    out[2 * i + 1] = sum.imag();
}
