// SPDX-License-Identifier: MIT
// build: compute_80 compute_90 compute_100 generated
// The standard library of CUDA C++: atomics, barriers, asynchronous copies, complex numbers.
// The barrier is initialised by a thread of the block.
#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/cmath>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/expected>
#include <cuda/std/mdspan>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/variant>

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

// Threads that wait for one another: a latch, a semaphore, and a word that changes.
extern "C" __global__ void libcu_waiting(const unsigned *a, unsigned *out)
{
    using block_latch = cuda::latch<cuda::thread_scope_block>;
    __shared__ alignas(block_latch) unsigned char room[sizeof(block_latch)];
    block_latch &latch = *(block_latch *) room;
    __shared__ cuda::binary_semaphore<cuda::thread_scope_block> semaphore;
    __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> turn;
    __shared__ unsigned sum;
    const unsigned t = threadIdx.x;

    if (t == 0) {
        new (room) block_latch(blockDim.x);
        new (&semaphore) cuda::binary_semaphore<cuda::thread_scope_block>(1);
        turn = 0;
        sum = 0;
    }
    __syncthreads();
    if (t % 32 == 0) {
        semaphore.acquire();
        sum += a[t];
        semaphore.release();
        for (unsigned seen; (seen = turn.load()) != t / 32;)
            turn.wait(seen);
        out[64 + t / 32] = t;
        turn.store(t / 32 + 1);
        turn.notify_all();
    }
    latch.arrive_and_wait();
    out[t] = sum + a[t];
}

struct shape_of {
    __device__ unsigned operator()(unsigned x) const
    {
        return x * 3;
    }
    __device__ unsigned operator()(float x) const
    {
        return (unsigned) (x * 2);
    }
    __device__ unsigned operator()(cuda::std::pair<int, int> x) const
    {
        return x.first - x.second;
    }
};

__device__ __noinline__ cuda::std::expected<unsigned, int> half_of(unsigned x)
{
    if (x % 2)
        return cuda::std::unexpected<int>(-(int) (x & 255));
    return x / 2;
}

// Types that hold one of several things, or perhaps none.
extern "C" __global__ void libcu_types(const unsigned *a, unsigned *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned x = a[i], y = a[i ^ 1];
    cuda::std::variant<unsigned, float, cuda::std::pair<int, int>> held = x;
    cuda::std::optional<unsigned> perhaps;
    const auto [low, high, odd] = cuda::std::make_tuple(x & 255, x >> 24, x % 2 == 1);

    if (x % 3 == 1)
        held = (float) (x & 4095) + 0.5f;
    else if (x % 3 == 2)
        held = cuda::std::make_pair((int) (x & 127), (int) (y & 127));
    if (x % 5)
        perhaps = y;
    const auto half = half_of(x);
    out += 6 * i;
    out[0] = cuda::std::visit(shape_of{}, held);
    out[1] = perhaps.value_or(77) + perhaps.has_value();
    out[2] = half ? *half : (unsigned) half.error();
    out[3] = low + 2 * high + (odd ? 1000 : 0);
    out[4] = (unsigned) held.index();
    out[5] = cuda::std::apply([](auto p, auto q) { return p ^ q; }, cuda::std::make_tuple(x, y));
}

extern "C" __global__ void libcu_bits(const unsigned *a, const unsigned long long *b,
                                      unsigned long long *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned x = a[i];
    const unsigned long long y = b[i];
    const cuda::std::mdspan<const unsigned, cuda::std::extents<int, 4, 16>> plane(a);
    const cuda::std::span<const unsigned> row(a + i / 8 * 8, 8);
    unsigned sum = 0;

    for (const unsigned element : row.subspan(2, 5))
        sum = sum * 5 + element;
    out += 10 * i;
    out[0] = cuda::std::popcount(y) | cuda::std::countl_zero(y) << 8 | cuda::std::countr_one(y) << 16;
    out[1] = cuda::std::rotl(y, x % 64);
    out[2] = cuda::std::bit_ceil(x >> 1) + cuda::std::bit_width(y);
    out[3] = cuda::std::gcd(x, (unsigned) y);
    out[4] = cuda::std::midpoint(x, (unsigned) y);
    out[5] = cuda::ceil_div(x, 7u) + cuda::round_up(x >> 8, 24u);
    out[6] = cuda::std::byteswap(x);
    out[7] = plane(i % 4, i / 4);
    out[8] = sum;
    out[9] = cuda::std::lcm((unsigned long long) (x & 0xffff) + 1, y % 1000 + 1);
}

// Atomic operations on types of one and two bytes, and on floating-point numbers.
extern "C" __global__ void libcu_small_atomics(const unsigned *a, unsigned *out, double *sums)
{
    __shared__ cuda::atomic<unsigned char, cuda::thread_scope_block> bytes[4];
    __shared__ cuda::atomic<short, cuda::thread_scope_block> halves[2];
    const unsigned t = threadIdx.x;
    cuda::atomic_ref<double, cuda::thread_scope_device> sum(sums[0]);
    cuda::atomic_ref<float, cuda::thread_scope_device> most(((float *) sums)[2]);

    if (t < 4)
        bytes[t] = t;
    if (t < 2)
        halves[t] = -5;
    __syncthreads();
    bytes[t % 4].fetch_add(a[t] & 15);
    halves[t % 2].fetch_max((short) (a[t] % 30000));
    sum.fetch_add(a[t] % 1024);
    most.fetch_max((float) (a[t] % 4096));
    __syncthreads();
    if (t < 4)
        out[t] = bytes[t];
    if (t < 2)
        out[4 + t] = halves[t];
}
