// SPDX-License-Identifier: MIT
// build: compute_80 compute_100
// Matrix products of a warp. The numbers are small and whole, so that no sum is rounded and every
// right answer is the same.
#include <mma.h>

using namespace nvcuda;

template <typename T, typename S, int M, int N, int K, typename P = T>
__device__ void product(const T *a, const T *b, const S *c, S *d)
{
    wmma::fragment<wmma::matrix_a, M, N, K, P, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, M, N, K, P, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, M, N, K, S> sum;

    wmma::load_matrix_sync(left, a, K);
    wmma::load_matrix_sync(right, b, K);
    wmma::load_matrix_sync(sum, c, N, wmma::mem_row_major);
    wmma::mma_sync(sum, left, right, sum);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(d, sum, N, wmma::mem_row_major);
}

extern "C" __global__ void tensor_f16_f32(const __half *a, const __half *b, const float *c,
                                          float *d)
{
    product<__half, float, 16, 16, 16>(a, b, c, d);
}
extern "C" __global__ void tensor_f16_f16(const __half *a, const __half *b, const __half *c,
                                          __half *d)
{
    product<__half, __half, 32, 8, 16>(a, b, c, d);
}
extern "C" __global__ void tensor_bf16(const __nv_bfloat16 *a, const __nv_bfloat16 *b,
                                       const float *c, float *d)
{
    product<__nv_bfloat16, float, 8, 32, 16>(a, b, c, d);
}
extern "C" __global__ void tensor_tf32(const float *a, const float *b, const float *c, float *d)
{
    product<float, float, 16, 16, 8, wmma::precision::tf32>(a, b, c, d);
}
extern "C" __global__ void tensor_s8(const signed char *a, const signed char *b, const int *c,
                                     int *d)
{
    product<signed char, int, 16, 16, 16>(a, b, c, d);
}
extern "C" __global__ void tensor_u8(const unsigned char *a, const unsigned char *b, const int *c,
                                     int *d)
{
    product<unsigned char, int, 32, 8, 16>(a, b, c, d);
}
extern "C" __global__ void tensor_f64(const double *a, const double *b, const double *c, double *d)
{
    product<double, double, 8, 8, 4>(a, b, c, d);
}

// Matrices stored by columns, and the elements of a fragment used one by one.
extern "C" __global__ void tensor_scaled(const __half *a, const __half *b, float *d)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::col_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;

    wmma::fill_fragment(sum, 3.0f);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::mma_sync(sum, left, right, sum);
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] = sum.x[i] * 0.5f + 1.0f;
    wmma::store_matrix_sync(d, sum, 16, wmma::mem_col_major);
}

// ldmatrix and mma.sync: a 16 by 16 tile of A from shared memory, 16 by 8 of B, transposed on
// the way.
extern "C" __global__ void tensor_ldmatrix(const __half *a, const __half *b, float *d)
{
    __shared__ __align__(16) __half left[16][16], right[16][8];
    const int lane = threadIdx.x;
    unsigned x[4], y[2];
    float s[4] = {0, 0, 0, 0};

    for (int i = lane; i < 256; i += 32)
        left[i / 16][i % 16] = a[i];
    for (int i = lane; i < 128; i += 32)
        right[i / 8][i % 8] = b[i];
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"((unsigned) __cvta_generic_to_shared(&left[lane % 16][lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(y[0]), "=r"(y[1])
                 : "r"((unsigned) __cvta_generic_to_shared(&right[lane % 16][0])));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    for (int i = 0; i < 4; i++)
        d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = s[i];
}

// Operands laid out by hand, as the PTX document draws them.
extern "C" __global__ void tensor_mma_s8(const unsigned *a, const unsigned *b, int *d)
{
    const int lane = threadIdx.x, group = lane / 4, in_group = lane % 4;
    unsigned x[4], y[2];
    int s[4] = {1, 2, 3, 4};

    for (int i = 0; i < 4; i++) // rows of 32 bytes, 8 words
        x[i] = a[(group + i % 2 * 8) * 8 + i / 2 * 4 + in_group];
    for (int i = 0; i < 2; i++)
        y[i] = b[group * 8 + i * 4 + in_group];
    asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    for (int i = 0; i < 4; i++)
        d[(group + i / 2 * 8) * 8 + in_group * 2 + i % 2] = s[i];
}

extern "C" __global__ void tensor_mma_f64(const double *a, const double *b, double *d)
{
    const int lane = threadIdx.x;
    double s0 = 0.5, s1 = -0.5;

    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(s0), "+d"(s1)
                 : "d"(a[lane / 4 * 4 + lane % 4]), "d"(b[lane / 4 * 4 + lane % 4]));
    d[lane / 4 * 8 + lane % 4 * 2] = s0;
    d[lane / 4 * 8 + lane % 4 * 2 + 1] = s1;
}
