// SPDX-License-Identifier: MIT
// build: compute_80
// Attention by the products of one warp, whose scores never leave the registers.
#include <cuda_fp16.h>

__device__ void multiply(float *s, const unsigned *a, unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
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

__device__ unsigned word(const __half *at)
{
    return *(const unsigned *) at;
}

__device__ unsigned pair(__half a, __half b)
{
    const __half2 both = __halves2half2(a, b);

    return *(const unsigned *) &both;
}

// A warp has 16 rows of Q; heads of 64. `keys` is a multiple of 64.
extern "C" __global__ void attention(const __half *q, const __half *k, const __half *v, float *out,
                                     int keys)
{
    const int lane = threadIdx.x % 32, group = lane / 4, two = lane % 4 * 2;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 16 + group;
    const float scale = 0.125f * 1.4426950408889634f;
    float most[2] = {-1e30f, -1e30f}, total[2] = {0, 0}, sums[32] = {};
    unsigned x[4][4];

    for (int i = 0; i < 16; i++)
        x[i / 4][i % 4] = word(q + (row + i % 2 * 8) * 64 + i / 4 * 16 + i % 4 / 2 * 8 + two);
    for (int first = 0; first < keys; first += 64) {
        float s[32] = {};

        for (int n = 0; n < 8; n++) {
            const __half *key = k + (first + n * 8 + group) * 64 + two;

            for (int i = 0; i < 4; i++)
                multiply(&s[n * 4], x[i], word(key + i * 16), word(key + i * 16 + 8));
        }
        for (int h = 0; h < 2; h++) {
            float now = most[h], change;

            for (int i = 0; i < 16; i++)
                now = fmaxf(now, s[i / 2 * 4 + h * 2 + i % 2]);
            now = most_of_quad(now);
            change = exp2f((most[h] - now) * scale);
            most[h] = now;
            total[h] *= change;
            for (int i = 0; i < 16; i++) {
                float *p = &s[i / 2 * 4 + h * 2 + i % 2];

                *p = exp2f((*p - now) * scale);
                total[h] += *p;
                sums[i / 2 * 4 + h * 2 + i % 2] *= change;
            }
        }
        for (int i = 0; i < 4; i++) {
            unsigned p[4];

            for (int j = 0; j < 4; j++)
                p[j] = pair(__float2half(s[i * 8 + j * 2]), __float2half(s[i * 8 + j * 2 + 1]));
            for (int n = 0; n < 8; n++) {
                const __half *value = v + (first + i * 16 + two) * 64 + n * 8 + group;

                multiply(&sums[n * 4], p, pair(value[0], value[64]),
                         pair(value[8 * 64], value[9 * 64]));
            }
        }
    }
    total[0] = sum_of_quad(total[0]);
    total[1] = sum_of_quad(total[1]);
    for (int i = 0; i < 32; i++)
        out[(row + i / 2 % 2 * 8) * 64 + i / 4 * 8 + two + i % 2] = sums[i] / total[i / 2 % 2];
}
