// SPDX-License-Identifier: MIT
// build: compute_80
// Matrix products of 4 bits and of one, and the first ones of half precision, whose registers
// have a layout of their own. The sums are exact.
#include <mma.h>

using namespace nvcuda;
namespace narrow = nvcuda::wmma::experimental;

template <typename P>
__device__ void four(const unsigned *a, const unsigned *b, const int *c, int *d)
{
    wmma::fragment<wmma::matrix_a, 8, 8, 32, P, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, P, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> sum;

    wmma::load_matrix_sync(left, a, 64);
    wmma::load_matrix_sync(right, b, 32);
    wmma::load_matrix_sync(sum, c, 8, wmma::mem_row_major);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(d, sum, 8, wmma::mem_row_major);
}

extern "C" __global__ void fragments_u4(const unsigned *a, const unsigned *b, const int *c, int *d)
{
    four<narrow::precision::u4>(a, b, c, d);
}
extern "C" __global__ void fragments_s4(const unsigned *a, const unsigned *b, const int *c, int *d)
{
    four<narrow::precision::s4>(a, b, c, d);
}

template <narrow::bmmaBitOp op>
__device__ void bits(const unsigned *a, const unsigned *b, const int *c, int *d)
{
    wmma::fragment<wmma::matrix_a, 8, 8, 128, narrow::precision::b1, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, narrow::precision::b1, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> sum;

    wmma::load_matrix_sync(left, a, 128);
    wmma::load_matrix_sync(right, b, 256);
    wmma::load_matrix_sync(sum, c, 8, wmma::mem_col_major);
    wmma::bmma_sync(sum, left, right, sum, op);
    wmma::store_matrix_sync(d, sum, 8, wmma::mem_col_major);
}

extern "C" __global__ void fragments_xor(const unsigned *a, const unsigned *b, const int *c, int *d)
{
    bits<narrow::bmmaBitOpXOR>(a, b, c, d);
}
extern "C" __global__ void fragments_and(const unsigned *a, const unsigned *b, const int *c, int *d)
{
    bits<narrow::bmmaBitOpAND>(a, b, c, d);
}

// Registers as they are: two words of A and of B a lane, and eight sums.
extern "C" __global__ void fragments_quads(const unsigned *a, const unsigned *b, const float *c,
                                           float *d, int columns)
{
    const unsigned *x = a + threadIdx.x * 2, *y = b + threadIdx.x * 2;
    const float *z = c + threadIdx.x * 8;
    float *r = d + threadIdx.x * 8;

#define QUADS(layout)                                                                              \
    asm volatile("mma.sync.aligned.m8n8k4." layout ".f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, "    \
                 "%6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};"        \
                 : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3]), "=f"(r[4]), "=f"(r[5]),         \
                   "=f"(r[6]), "=f"(r[7])                                                          \
                 : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "f"(z[0]), "f"(z[1]), "f"(z[2]),    \
                   "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]))
    if (columns)
        QUADS("col.row");
    else
        QUADS("row.col");
}

extern "C" __global__ void fragments_quads_f16(const unsigned *a, const unsigned *b,
                                               const unsigned *c, unsigned *d)
{
    const unsigned *x = a + threadIdx.x * 2, *y = b + threadIdx.x * 2, *z = c + threadIdx.x * 4;
    unsigned *r = d + threadIdx.x * 4;

    asm volatile("mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, "
                 "{%6, %7}, {%8, %9, %10, %11};"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(z[2]),
                   "r"(z[3]));
}
