// SPDX-License-Identifier: MIT
// build: compute_90a
// Kernels as libraries have them for Hopper: a product in tiles with a pipeline, and attention
// whose scores never leave the registers.
#include <cuda_fp16.h>
#include <stdint.h>

__device__ uint64_t descriptor(const void *at, unsigned stride, unsigned swizzle)
{
    const uint64_t start = (unsigned) __cvta_generic_to_shared(at);

    return start >> 4 | (uint64_t) 1 << 16 | (uint64_t) (stride >> 4) << 32 |
           (uint64_t) swizzle << 62;
}

// Copies rows of ROW bytes, which lie PITCH halves apart, and swizzles their chunks of 16 bytes.
template <int ROW> __device__ void copy(char *to, const __half *from, unsigned rows, unsigned pitch)
{
    const unsigned chunks = ROW / 16;

    for (unsigned i = threadIdx.x; i < rows * chunks; i += blockDim.x) {
        const unsigned at = i * 16, swizzled = at ^ (at >> 7 & (chunks - 1)) << 4;

        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                         (unsigned) __cvta_generic_to_shared(to + swizzled)),
                     "l"(from + i / chunks * pitch + i % chunks * 8));
    }
}

#define FENCE  asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT   asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory")
#define ASYNC  asm volatile("fence.proxy.async;" ::: "memory")

#define R4(i)  "+f"(s[i]), "+f"(s[i + 1]), "+f"(s[i + 2]), "+f"(s[i + 3])
#define R16(i) R4(i), R4(i + 4), R4(i + 8), R4(i + 12)
#define N32                                                                                        \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "   \
    "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define N64                                                                                        \
    N32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, "  \
        "%49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"

// Keeps the compiler from moving what it does with sums past a fence.
template <int N> __device__ void keep(float (&s)[N])
{
    for (int i = 0; i < N; i++)
        asm volatile("" : "+f"(s[i])::"memory");
}

// 64 rows of one warpgroup, 128 columns, and 16 of K.
__device__ void multiply(float (&s)[64], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" N64
                 "}, %64, %65, 1, 1, 1, 0, 0;"
                 : R16(0), R16(16), R16(32), R16(48)
                 : "l"(a), "l"(b));
}

// D = A B^T: tiles of 128 by 128, two of 32 columns of A and B at a time. K is a multiple of 64.
extern "C" __global__ void __launch_bounds__(256)
    hopper_gemm(const __half *a, const __half *b, float *d, int n, int k)
{
    __shared__ __align__(1024) char left[2][128 * 64], right[2][128 * 64];
    const int row = blockIdx.y * 128, column = blockIdx.x * 128;
    const int group = threadIdx.x / 128, lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
    float s[64] = {};

    for (int i = 0; i < 2; i++) {
        copy<64>(left[i], a + row * k + i * 32, 128, k);
        copy<64>(right[i], b + column * k + i * 32, 128, k);
        asm volatile("cp.async.commit_group;");
    }
    for (int i = 0; i < k / 32; i++) {
        const char *x = left[i % 2] + group * 64 * 64, *y = right[i % 2];

        asm volatile("cp.async.wait_group 1;" ::: "memory");
        ASYNC;
        __syncthreads();
        keep(s);
        FENCE;
        for (int j = 0; j < 2; j++)
            multiply(s, descriptor(x + j * 32, 512, 2), descriptor(y + j * 32, 512, 2));
        COMMIT;
        WAIT;
        keep(s);
        __syncthreads();
        if (i + 2 < k / 32) {
            copy<64>(left[i % 2], a + row * k + (i + 2) * 32, 128, k);
            copy<64>(right[i % 2], b + column * k + (i + 2) * 32, 128, k);
        }
        asm volatile("cp.async.commit_group;");
    }
    for (int i = 0; i < 64; i++)
        d[(row + group * 64 + warp * 16 + lane / 4 + i / 2 % 2 * 8) * n + column + i / 4 * 8 +
          lane % 4 * 2 + i % 2] = s[i];
}

// --- the same, fed by copies of tensors ---

struct alignas(64) tensor_map {
    char bytes[128];
};

__device__ unsigned shared(const void *at)
{
    return (unsigned) __cvta_generic_to_shared(at);
}

__device__ void wait(uint64_t *barrier, unsigned phase)
{
    asm volatile("{\n\t.reg .pred done;\n"
                 "again:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
                 "@!done bra again;\n\t}" ::"r"(shared(barrier)),
                 "r"(phase)
                 : "memory");
}

__device__ void arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(barrier)) : "memory");
}

__device__ void copy_box(char *to, const tensor_map &from, int x, int y, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared(to)),
                 "l"(&from), "r"(x), "r"(y), "r"(shared(barrier))
                 : "memory");
}

// Stages of a ring: 64 columns of 128 rows of A, and of B, and the barriers of both ways.
enum { STAGES = 3, PART = 128 * 128, STAGE = 2 * PART, CONSUMERS = 256 };

// One thread of the last warp has the copies made; a stage is full when both have come.
__device__ void produce(char *ring, uint64_t *full, uint64_t *empty, const tensor_map &a,
                        const tensor_map &b, int row, int column, int steps)
{
    for (int i = 0; i < steps; i++) {
        char *stage = ring + i % STAGES * STAGE;
        uint64_t *barrier = &full[i % STAGES];

        wait(&empty[i % STAGES], i / STAGES % 2 ^ 1);
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(barrier)),
            "r"(STAGE)
            : "memory");
        copy_box(stage, a, i * 64, row, barrier);
        copy_box(stage + PART, b, i * 64, column, barrier);
    }
}

// D = A B^T: tiles of 128 by 128, each by two warpgroups that multiply and a warp that copies.
extern "C" __global__ void __launch_bounds__(CONSUMERS + 32)
    hopper_tma_gemm(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b,
                    float *d, int n, int k)
{
    extern __shared__ __align__(1024) char ring[];
    uint64_t *full = (uint64_t *) (ring + STAGES * STAGE), *empty = full + STAGES;
    const int row = blockIdx.y * 128, column = blockIdx.x * 128;
    const int group = threadIdx.x / 128, lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
    float s[64] = {};

    if (threadIdx.x < STAGES) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&full[threadIdx.x])));
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(&empty[threadIdx.x])),
                     "r"(CONSUMERS));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        ASYNC;
    }
    __syncthreads();
    if (threadIdx.x >= CONSUMERS) {
        if (!lane)
            produce(ring, full, empty, a, b, row, column, k / 64);
        return;
    }
    for (int i = 0; i < k / 64; i++) {
        const char *x = ring + i % STAGES * STAGE + group * PART / 2;
        const char *y = ring + i % STAGES * STAGE + PART;

        wait(&full[i % STAGES], i / STAGES % 2);
        keep(s);
        FENCE;
        for (int j = 0; j < 4; j++)
            multiply(s, descriptor(x + j * 32, 1024, 1), descriptor(y + j * 32, 1024, 1));
        COMMIT;
        WAIT;
        keep(s);
        arrive(&empty[i % STAGES]);
    }
    for (int i = 0; i < 64; i++)
        d[(row + group * 64 + warp * 16 + lane / 4 + i / 2 % 2 * 8) * n + column + i / 4 * 8 +
          lane % 4 * 2 + i % 2] = s[i];
}

// --- attention ---

__device__ void scores(float (&s)[32], uint64_t q, uint64_t k, int adds)
{
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %34, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" N32
                 "}, %32, %33, p, 1, 1, 0, 0;\n\t}"
                 : R16(0), R16(16)
                 : "l"(q), "l"(k), "r"(adds));
}

__device__ void weighted(float (&s)[32], const unsigned *p, uint64_t v)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" N32
                 "}, {%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
                 : R16(0), R16(16)
                 : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(v));
}

__device__ float most_of_quad(float x)
{
    x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
    return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}

__device__ float sum_of_quad(float x)
{
    x += __shfl_xor_sync(~0u, x, 1);
    return x + __shfl_xor_sync(~0u, x, 2);
}

__device__ unsigned pair(float a, float b)
{
    const __half2 both = __floats2half2_rn(a, b);

    return *(const unsigned *) &both;
}

// A block has 64 rows of Q; heads of 64. `keys` is a multiple of 64.
extern "C" __global__ void __launch_bounds__(128)
    hopper_attention(const __half *q, const __half *k, const __half *v, float *out, int keys)
{
    __shared__ __align__(1024) char query[8192], key[8192], value[8192];
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4;
    const float scale = 0.125f * 1.4426950408889634f;
    float most[2] = {-1e30f, -1e30f}, total[2] = {0, 0}, sums[32] = {};

    copy<128>(query, q + blockIdx.x * 64 * 64, 64, 64);
    for (int first = 0; first < keys; first += 64) {
        float s[32] = {};

        copy<128>(key, k + first * 64, 64, 64);
        copy<128>(value, v + first * 64, 64, 64);
        asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
        ASYNC;
        __syncthreads();
        keep(s);
        FENCE;
        for (int i = 0; i < 4; i++)
            scores(s, descriptor(query + i * 32, 1024, 1), descriptor(key + i * 32, 1024, 1), i);
        COMMIT;
        WAIT;
        keep(s);
        for (int h = 0; h < 2; h++) {
            float now = most[h], change;

            for (int i = 0; i < 16; i++)
                now = fmaxf(now, s[i / 2 * 4 + h * 2 + i % 2]);
            now = most_of_quad(now);
            change = exp2f((most[h] - now) * scale);
            most[h] = now;
            total[h] *= change;
            for (int i = 0; i < 16; i++) {
                float *x = &s[i / 2 * 4 + h * 2 + i % 2];

                *x = exp2f((*x - now) * scale);
                total[h] += *x;
                sums[i / 2 * 4 + h * 2 + i % 2] *= change;
            }
        }
        keep(sums);
        unsigned p[4][4];
        for (int i = 0; i < 16; i++) {
            p[i / 4][i % 4] = pair(s[i * 2], s[i * 2 + 1]);
            asm volatile("" : "+r"(p[i / 4][i % 4])::"memory");
        }
        FENCE;
        for (int i = 0; i < 4; i++)
            weighted(sums, p[i], descriptor(value + i * 2048, 1024, 1));
        COMMIT;
        WAIT;
        keep(sums);
        __syncthreads();
    }
    total[0] = sum_of_quad(total[0]);
    total[1] = sum_of_quad(total[1]);
    for (int i = 0; i < 32; i++)
        out[(blockIdx.x * 64 + row + i / 2 % 2 * 8) * 64 + i / 4 * 8 + lane % 4 * 2 + i % 2] =
            sums[i] / total[i / 2 % 2];
}
