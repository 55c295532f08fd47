// SPDX-License-Identifier: MIT
// build: compute_90a
// Products of matrices whose sums are rounded: of four warps (wgmma) and of one (mma), dense and
// sparse. A has 64 rows of 32 bytes, B 16 columns of as many, or of twice as many for a sparse A.
// C and D are as threads have them: eight words each of .f32 or .s32, four of .f16.
#include <stdint.h>

__device__ uint64_t descriptor(const void *at, unsigned leading, unsigned stride, unsigned swizzle)
{
    const uint64_t start = (unsigned) __cvta_generic_to_shared(at);

    return start >> 4 | (uint64_t) (leading >> 4) << 16 | (uint64_t) (stride >> 4) << 32 |
           (uint64_t) swizzle << 62;
}

// Where a chunk of a row is if rows have W bytes, and are swizzled: 16 bytes are not.
template <int W> __device__ unsigned place(unsigned row, unsigned chunk)
{
    const unsigned at = row * W + chunk * 16;

    return at ^ (at >> 7 & (W / 16 - 1)) << 4;
}

template <int W> __device__ uint64_t matrix(const void *at)
{
    return descriptor(at, 16, 8 * W, W == 128 ? 1 : W == 64 ? 2 : 3);
}

__device__ uint4 masked(uint4 x, unsigned mask)
{
    return make_uint4(x.x & mask, x.y & mask, x.z & mask, x.w & mask);
}

template <int W, int CHUNKS>
__device__ void copy(char *to, const uint4 *from, unsigned rows, unsigned mask)
{
    for (unsigned i = threadIdx.x; i < rows * CHUNKS; i += blockDim.x)
        *(uint4 *) (to + place<W>(i / CHUNKS, i % CHUNKS)) = masked(from[i], mask);
}

// The words of A that a thread has.
__device__ void take(unsigned *x, const uint4 *a, unsigned mask)
{
    const unsigned row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    const unsigned *words = (const unsigned *) a;

    for (int i = 0; i < 4; i++)
        x[i] = words[(row + i % 2 * 8) * 8 + threadIdx.x % 4 + i / 2 * 4] & mask;
}

// Any bits as metadata whose places are in order; of two elements, one is there.
__device__ unsigned metadata(unsigned bits, bool two)
{
    unsigned valid = 0;

    for (int i = 0; i < 32; i += 4)
        valid |=
            (two ? 0xe4u >> (bits >> i & 1) * 4 & 15 : 0xedc984u >> (bits >> i & 15) % 6 * 4 & 15)
            << i;
    return valid;
}

#define FENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define WAIT                                                                                       \
    asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::         \
                     : "memory")

#define EIGHT "{%0, %1, %2, %3, %4, %5, %6, %7}"
#define D8                                                                                         \
    "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3]), "+r"(s[4]), "+r"(s[5]), "+r"(s[6]), "+r"(s[7])
#define D4 "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3])

#define BEGIN(name, W, WORDS, CHUNKS)                                                              \
    extern "C" __global__ void name(const uint4 *a, const uint4 *b, const unsigned *c,             \
                                    const unsigned *e, unsigned *d, int mask_a, int mask_b,        \
                                    int rule)                                                      \
    {                                                                                              \
        __shared__ __align__(1024) char left[64 * W], right[16 * W];                               \
        unsigned s[WORDS], x[4];                                                                   \
        const unsigned word = metadata(e[threadIdx.x], rule == 10);                                \
        copy<W, 2>(left, a, 64, mask_a);                                                           \
        copy<W, CHUNKS>(right, b, 16, mask_b);                                                     \
        take(x, a, mask_a);                                                                        \
        for (int i = 0; i < WORDS; i++)                                                            \
            s[i] = c[threadIdx.x * WORDS + i];                                                     \
        asm volatile("fence.proxy.async;" ::: "memory");                                           \
        __syncthreads();                                                                           \
        FENCE;
#define END(WORDS)                                                                                 \
    WAIT;                                                                                          \
    (void) word, (void) x[0];                                                                      \
    for (int i = 0; i < WORDS; i++)                                                                \
        d[threadIdx.x * WORDS + i] = s[i];                                                         \
    }

// Both from shared memory.
#define SHARED(name, W, shape, types, constants)                                                   \
    BEGIN(name, W, 8, 2)                                                                           \
    asm volatile("wgmma.mma_async.sync.aligned." shape types " " EIGHT ", %8, %9, 1" constants ";" \
                 : D8                                                                              \
                 : "l"(matrix<W>(left)), "l"(matrix<W>(right)));                                   \
    END(8)
SHARED(products_f16, 128, "m64n16k16", ".f32.f16.f16", ", 1, 1, 0, 0")
SHARED(products_bf16, 64, "m64n16k16", ".f32.bf16.bf16", ", -1, 1, 0, 0")
SHARED(products_tf32, 32, "m64n16k8", ".f32.tf32.tf32", ", 1, -1")
SHARED(products_e4m3, 128, "m64n16k32", ".f32.e4m3.e4m3", ", 1, 1")
SHARED(products_mixed, 64, "m64n16k32", ".f32.e5m2.e4m3", ", 1, 1")
SHARED(products_s8, 128, "m64n16k32", ".s32.s8.u8.satfinite", "")
SHARED(products_b1, 32, "m64n16k256", ".s32.b1.b1.and.popc", "")

// A from registers.
BEGIN(products_registers, 64, 4, 2)
asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16 {%0, %1, %2, %3}, "
             "{%4, %5, %6, %7}, %8, 1, 1, 1, 0;"
             : D4
             : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(matrix<64>(right)));
END(4)
BEGIN(products_e5m2, 32, 4, 2)
asm volatile("wgmma.mma_async.sync.aligned.m64n16k32.f16.e5m2.e5m2 {%0, %1, %2, %3}, "
             "{%4, %5, %6, %7}, %8, 1, 1, 1;"
             : D4
             : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(matrix<32>(right)));
END(4)

// A sparse A.
#define SPARSE(name, W, shape, types, selector, constants)                                         \
    BEGIN(name, W, 8, 4)                                                                           \
    asm volatile("wgmma.mma_async.sp.sync.aligned." shape types " " EIGHT                          \
                 ", %8, %9, %10, " selector ", 1" constants ";"                                    \
                 : D8                                                                              \
                 : "l"(matrix<W>(left)), "l"(matrix<W>(right)), "r"(word));                        \
    END(8)
SPARSE(products_sparse_f16, 64, "m64n16k32", ".f32.f16.f16", "1", ", 1, 1, 0, 0")
SPARSE(products_sparse_tf32, 128, "m64n16k16", ".f32.tf32.tf32", "0", ", 1, 1")
SPARSE(products_sparse_e4m3, 128, "m64n16k64", ".f32.e4m3.e4m3", "0", ", 1, 1")
SPARSE(products_sparse_s8, 64, "m64n16k64", ".s32.s8.s8", "0", "")

// The same of one warp each: eight columns after the other.
#define MMA_BEGIN(name, WORDS_OF_B)                                                                \
    extern "C" __global__ void name(const uint4 *a, const unsigned *b, const unsigned *c,          \
                                    const unsigned *e, unsigned *d, int mask_a, int mask_b,        \
                                    int rule)                                                      \
    {                                                                                              \
        const unsigned word = metadata(e[threadIdx.x], rule == 10);                                \
        unsigned x[4], y[4];                                                                       \
        take(x, a, mask_a);                                                                        \
        (void) word;                                                                               \
        for (int half = 0; half < 2; half++) {                                                     \
            unsigned s[4];                                                                         \
            for (int i = 0; i < 4; i++)                                                            \
                s[i] = c[threadIdx.x * 8 + half * 4 + i];                                          \
            for (int i = 0; i < WORDS_OF_B / 4; i++)                                               \
                y[i] =                                                                             \
                    b[(half * 8 + threadIdx.x % 32 / 4) * WORDS_OF_B + threadIdx.x % 4 + i * 4] &  \
                    (unsigned) mask_b;
#define MMA_END                                                                                    \
    for (int i = 0; i < 4; i++)                                                                    \
        d[threadIdx.x * 8 + half * 4 + i] = s[i];                                                  \
    }                                                                                              \
    }
#define MMA(name, form)                                                                            \
    MMA_BEGIN(name, 8)                                                                             \
    asm volatile("mma.sync.aligned." form " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "        \
                 "{%0, %1, %2, %3};"                                                               \
                 : D4                                                                              \
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));              \
    MMA_END
MMA(products_mma_f16, "m16n8k16.row.col.f32.f16.f16.f32")
MMA(products_mma_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32")
MMA(products_mma_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32")
MMA(products_mma_e4m3, "m16n8k32.row.col.f32.e4m3.e4m3.f32")
#define MMA_SPARSE(name, form, selector)                                                           \
    MMA_BEGIN(name, 16)                                                                            \
    asm volatile("mma.sp::ordered_metadata.sync.aligned." form " {%0, %1, %2, %3}, "               \
                 "{%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, " selector ";"      \
                 : D4                                                                              \
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]),    \
                   "r"(y[3]), "r"(word));                                                          \
    MMA_END
MMA_SPARSE(products_mma_sparse_f16, "m16n8k32.row.col.f32.f16.f16.f32", "1")
MMA_SPARSE(products_mma_sparse_s8, "m16n8k64.row.col.s32.s8.s8.s32", "0")
MMA_SPARSE(products_mma_sparse_s4, "m16n8k128.row.col.s32.s4.s4.s32", "0")
MMA_SPARSE(products_mma_sparse_e4m3, "m16n8k64.row.col.f32.e4m3.e4m3.f32", "0")
