// SPDX-License-Identifier: MIT
// build: compute_80 compute_90 compute_100 generated
// The standard library of CUDA C++: atomics, barriers, asynchronous copies, complex numbers.
// The barrier is initialised by a thread of the block.
#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
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

// Rows that a barrier waits for: bulk copies, where the device has them.
extern "C" __global__ void libcu_rows(const unsigned *a, unsigned *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ alignas(16) unsigned rows[2][256];
    const auto block = cooperative_groups::this_thread_block();
    const int t = threadIdx.x;

    if (t == 0)
        init(&barrier, blockDim.x);
    block.sync();
    for (int row = 0; row < 2; row++)
        cuda::memcpy_async(block, rows[row], a + row * 256,
                           cuda::aligned_size_t<16>(sizeof(rows[row])), barrier);
    barrier.arrive_and_wait();
    for (int i = t; i < 256; i += 64)
        out[i] = rows[0][i] * 7 + rows[1][255 - i];
    block.sync();
#if __CUDA_ARCH__ >= 900
    if (t == 0) {
        cuda::device::memcpy_async_tx(rows[0], a + 512, cuda::aligned_size_t<16>(1024), barrier);
        auto token = cuda::device::barrier_arrive_tx(barrier, 1, 1024);
        barrier.wait(std::move(token));
    } else {
        barrier.arrive_and_wait();
    }
#else
    for (int i = t; i < 256; i += 64)
        rows[0][i] = a[512 + i];
    block.sync();
#endif
    for (int i = t; i < 256; i += 64)
        out[256 + i] = rows[0][i ^ 1];
}

// The sums of tiles, of which the next two are always on their way.
extern "C" __global__ void libcu_pipeline(const unsigned *a, unsigned *out)
{
    __shared__ alignas(16) unsigned tiles[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const auto block = cooperative_groups::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    unsigned sum = 0;

    for (int tile = 0, next = 0; tile < 12; tile++) {
        for (; next < 12 && next < tile + 2; next++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, tiles[next % 2], a + next * 64,
                               cuda::aligned_size_t<16>(sizeof(tiles[0])), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum = sum * 3 + tiles[tile % 2][63 - threadIdx.x];
        block.sync();
        pipeline.consumer_release();
    }
    out[threadIdx.x] = sum;
}
