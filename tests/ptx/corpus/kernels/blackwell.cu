// SPDX-License-Identifier: MIT
// build: compute_100a
// Products in tensor memory. Where elements lie is said by descriptors, which are made here.
#include <cuda_fp16.h>

typedef unsigned long long descriptor;

__device__ static unsigned near(const void *pointer)
{
    return (unsigned) __cvta_generic_to_shared(pointer);
}

// Rows of 128 bytes, eight of them together, swizzled.
__device__ static descriptor rows_of_128(const void *matrix, unsigned ahead)
{
    return (near(matrix) + ahead) >> 4 | (descriptor) (1024 >> 4) << 32 | (descriptor) 1 << 46 |
           (descriptor) 2 << 61;
}

// Eight rows of 16 bytes together, without a swizzle; `leading` bytes to the next 16 of a row.
__device__ static descriptor rows_of_16(const void *matrix, unsigned leading)
{
    return near(matrix) >> 4 | (descriptor) (leading >> 4) << 16 | (descriptor) (128 >> 4) << 32 |
           (descriptor) 1 << 46;
}

__device__ static unsigned swizzled(unsigned row, unsigned byte)
{
    return row * 128 + (byte ^ row % 8 * 16);
}

__device__ static void allocate(unsigned *to, int pair, unsigned columns)
{
    if (threadIdx.x / 32 != 0)
        return;
    if (pair)
        asm volatile(
            "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(near(to)),
            "r"(columns)
            : "memory");
    else
        asm volatile(
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(near(to)),
            "r"(columns)
            : "memory");
}

__device__ static void release(unsigned at, int pair, unsigned columns)
{
    if (threadIdx.x / 32 != 0)
        return;
    if (pair)
        asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(at),
                     "r"(columns));
    else
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(at),
                     "r"(columns));
}

__device__ static void wait(const void *barrier, unsigned parity)
{
    unsigned done = 0;

    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(near(barrier)), "r"(parity)
                     : "memory");
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

// Each thread gets 16 columns of its lane.
__device__ static void load(unsigned at, float *to)
{
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x16.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, "
                 "%10, %11, %12, %13, %14, %15}, [%16];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3]), "=f"(to[4]), "=f"(to[5]),
                   "=f"(to[6]), "=f"(to[7]), "=f"(to[8]), "=f"(to[9]), "=f"(to[10]), "=f"(to[11]),
                   "=f"(to[12]), "=f"(to[13]), "=f"(to[14]), "=f"(to[15])
                 : "r"(at + (threadIdx.x / 32 % 4 << 21)));
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

// C = A B': A has 128 rows of 256, B has 64 of them. 64 of a row are in shared memory at a time.
extern "C" __global__ void blackwell_product(const __half *a, const __half *b, float *c)
{
    __shared__ __align__(1024) unsigned char near_a[128 * 128], near_b[64 * 128];
    __shared__ unsigned long long barrier;
    __shared__ unsigned at;
    const unsigned t = threadIdx.x, instruction = 1 << 4 | 64 / 8 << 17 | 128 / 16 << 24;
    float row[16];

    allocate(&at, 0, 64);
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(near(&barrier)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    for (unsigned k = 0; k < 256; k += 64) {
        for (unsigned i = 0; i < 64; i++)
            *(__half *) (near_a + swizzled(t, 2 * i)) = a[t * 256 + k + i];
        for (unsigned i = 0; t < 64 && i < 64; i++)
            *(__half *) (near_b + swizzled(t, 2 * i)) = b[t * 256 + k + i];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0) {
            for (unsigned i = 0; i < 4; i++)
                asm volatile(
                    "{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::1.kind::f16 "
                    "[%0], %1, %2, %3, p; }" ::"r"(at),
                    "l"(rows_of_128(near_a, 32 * i)), "l"(rows_of_128(near_b, 32 * i)),
                    "r"(instruction), "r"(k + i)
                    : "memory");
            asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
                         "[%0];" ::"r"(near(&barrier))
                         : "memory");
        }
        wait(&barrier, k / 64 % 2);
        __syncthreads();
    }
    for (unsigned i = 0; i < 64; i += 16) {
        load(at + i, row);
        for (unsigned j = 0; j < 16; j++)
            c[t * 64 + i + j] = row[j];
    }
    __syncthreads();
    release(at, 0, 64);
}

// Two blocks have 128 rows of A each, and half of the columns of B, which both use.
extern "C" __global__ void __cluster_dims__(2)
    blackwell_pair(const __half *a, const __half *b, float *c)
{
    __shared__ __align__(1024) unsigned char near_a[128 * 32], near_b[32 * 32];
    __shared__ unsigned long long barrier;
    __shared__ unsigned at;
    const unsigned t = threadIdx.x, rank = blockIdx.x % 2;
    const unsigned instruction = 1 << 4 | 64 / 8 << 17 | 256 / 16 << 24;
    float row[16];

    allocate(&at, 1, 64);
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(near(&barrier)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    for (unsigned i = 0; i < 16; i++)
        *(__half *) (near_a + i / 8 * 2048 + t * 16 + i % 8 * 2) = a[(rank * 128 + t) * 16 + i];
    for (unsigned i = 0; t < 32 && i < 16; i++)
        *(__half *) (near_b + i / 8 * 512 + t * 16 + i % 8 * 2) = b[(rank * 32 + t) * 16 + i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (rank == 0 && t == 0) {
        asm volatile("{ .reg .pred p; setp.ne.u32 p, 0, 0; tcgen05.mma.cta_group::2.kind::f16 "
                     "[%0], %1, %2, %3, p; }" ::"r"(at),
                     "l"(rows_of_16(near_a, 2048)), "l"(rows_of_16(near_b, 512)), "r"(instruction)
                     : "memory");
        asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::"
                     "cluster.b64 [%0], %1;" ::"r"(near(&barrier)),
                     "h"((unsigned short) 3)
                     : "memory");
    }
    wait(&barrier, 0);
    for (unsigned i = 0; i < 64; i += 16) {
        load(at + i, row);
        for (unsigned j = 0; j < 16; j++)
            c[(rank * 128 + t) * 64 + i + j] = row[j];
    }
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    release(at, 1, 64);
}

// Rows of 32 numbers of 8 bits, each with a power of two, which is copied into tensor memory.
extern "C" __global__ void blackwell_scaled(const unsigned char *a, const unsigned char *b,
                                            const unsigned char *powers, float *c)
{
    __shared__ __align__(128) unsigned char near_a[128 * 32], near_b[32 * 32], near_powers[2][512];
    __shared__ unsigned long long barrier;
    __shared__ unsigned at;
    const unsigned t = threadIdx.x, instruction = 32 / 8 << 17 | 1 << 23 | 128 / 16 << 24;
    float row[16];

    allocate(&at, 0, 64);
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(near(&barrier)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    for (unsigned i = 0; i < 32; i++)
        near_a[i / 16 * 2048 + t * 16 + i % 16] = a[t * 32 + i];
    for (unsigned i = 0; t < 32 && i < 32; i++)
        near_b[i / 16 * 512 + t * 16 + i % 16] = b[t * 32 + i];
    for (unsigned i = t; i < 1024; i += 128)
        near_powers[i / 512][i % 512] = 127;
    __syncthreads();
    near_powers[0][t % 32 * 16 + t / 32 * 4] = 127 + powers[t] % 4;
    if (t < 32)
        near_powers[1][t * 16] = 127 - powers[128 + t] % 4;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(at + 32),
                     "l"(rows_of_16(near_powers[0], 16))
                     : "memory");
        asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(at + 36),
                     "l"(rows_of_16(near_powers[1], 16))
                     : "memory");
        asm volatile("{ .reg .pred p; setp.ne.u32 p, 0, 0; tcgen05.mma.cta_group::1.kind::mxf8f6f4."
                     "block_scale.scale_vec::1X [%0], %1, %2, %3, [%4], [%5], p; }" ::"r"(at),
                     "l"(rows_of_16(near_a, 2048)), "l"(rows_of_16(near_b, 512)), "r"(instruction),
                     "r"(at + 32), "r"(at + 36)
                     : "memory");
        asm volatile(
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
                near(&barrier))
            : "memory");
    }
    wait(&barrier, 0);
    for (unsigned i = 0; i < 32; i += 16) {
        load(at + i, row);
        for (unsigned j = 0; j < 16; j++)
            c[t * 32 + i + j] = row[j];
    }
    __syncthreads();
    release(at, 0, 64);
}
