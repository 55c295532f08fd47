// SPDX-License-Identifier: MIT
// build: compute_75 compute_90 compute_100
// Integer arithmetic of every width, with and without sign.
#include "integer_ops.h"

#define QUOTIENT(T, a, b)  ((T) ((a) / (b)))
#define REMAINDER(T, a, b) ((T) ((a) % (b)))

__device__ int high(int a, int b)
{
    return __mulhi(a, b);
}
__device__ unsigned high(unsigned a, unsigned b)
{
    return __umulhi(a, b);
}
__device__ long long high(long long a, long long b)
{
    return __mul64hi(a, b);
}
__device__ unsigned long long high(unsigned long long a, unsigned long long b)
{
    return __umul64hi(a, b);
}
template <typename T> __device__ T high(T a, T b)
{
    return (T) (((int) a * (int) b) >> (8 * sizeof(T)));
}

#define HIGH(T, a, b) high(a, b)

#define KERNEL(name, T, U, W)                                                                      \
    extern "C" __global__ void name(const T *a, const T *b, const T *c, T *out)                    \
    {                                                                                              \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                       \
        const T x = a[i], y = b[i], z = c[i];                                                      \
                                                                                                   \
        INTEGER_OPS(T, U, W, x, y, z, out + i * N_INTEGER_OPS);                                    \
    }

KERNEL(integer_s8, signed char, unsigned char, 8)
KERNEL(integer_u8, unsigned char, unsigned char, 8)
KERNEL(integer_s16, short, unsigned short, 16)
KERNEL(integer_u16, unsigned short, unsigned short, 16)
KERNEL(integer_s32, int, unsigned, 32)
KERNEL(integer_u32, unsigned, unsigned, 32)
KERNEL(integer_s64, long long, unsigned long long, 64)
KERNEL(integer_u64, unsigned long long, unsigned long long, 64)

extern "C" __global__ void integer_widening(const unsigned long long *a,
                                            const unsigned long long *b, unsigned long long *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned long long x = a[i], y = b[i];

    WIDENING_OPS(x, y, out + i * N_WIDENING_OPS);
}

// 128 bits: carries through add.cc, and products of four parts.
extern "C" __global__ void integer_128(const unsigned long long *a, const unsigned long long *b,
                                       unsigned long long *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned __int128 x = (unsigned __int128) a[i] << 64 | b[i];
    const unsigned __int128 y = (unsigned __int128) b[i] << 64 | a[i];
    const unsigned __int128 results[] = {
        x + y, x - y, x * y, x >> (a[i] & 127), x << (b[i] & 127), (unsigned __int128) a[i] * b[i]};

    for (int r = 0; r < 6; r++) {
        out[i * 12 + 2 * r] = (unsigned long long) results[r];
        out[i * 12 + 2 * r + 1] = (unsigned long long) (results[r] >> 64);
    }
}

// By zero: every bit of the quotient is set, and of the remainder.
extern "C" __global__ void integer_by_zero(const unsigned long long *a, unsigned long long *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned long long x = a[i], zero = 0;
    unsigned short narrow;
    unsigned word;

    out += 12 * i;
#define DIVIDE_64(n, text) asm volatile(text " %0, %1, %2;" : "=l"(out[n]) : "l"(x), "l"(zero))
#define DIVIDE_32(n, text)                                                                         \
    asm volatile(text " %0, %1, %2;" : "=r"(word) : "r"((unsigned) x), "r"(0));                    \
    out[n] = word;
#define DIVIDE_16(n, text)                                                                         \
    asm volatile(text " %0, %1, %2;" : "=h"(narrow) : "h"((unsigned short) x), "h"((short) 0));    \
    out[n] = narrow;
    DIVIDE_64(0, "div.u64");
    DIVIDE_64(1, "div.s64");
    DIVIDE_64(2, "rem.u64");
    DIVIDE_64(3, "rem.s64");
    DIVIDE_32(4, "div.u32")
    DIVIDE_32(5, "div.s32")
    DIVIDE_32(6, "rem.u32")
    DIVIDE_32(7, "rem.s32")
    DIVIDE_16(8, "div.u16")
    DIVIDE_16(9, "div.s16")
    DIVIDE_16(10, "rem.u16")
    DIVIDE_16(11, "rem.s16")
}
