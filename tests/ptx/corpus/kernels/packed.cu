// SPDX-License-Identifier: MIT
// build: compute_100
// What came with compute capability 10.0: pairs of floats, and 256 bits at a time.

typedef unsigned long long u64;

#define PAIR(n, text, ...)                                                                         \
    asm(text : "=l"(result) : __VA_ARGS__);                                                        \
    out[4 * i + n] = result;

extern "C" __global__ void packed_floats(const u64 *a, const u64 *b, const u64 *c, u64 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    u64 result;

    PAIR(0, "add.rn.f32x2 %0, %1, %2;", "l"(a[i]), "l"(b[i]))
    PAIR(1, "mul.rz.f32x2 %0, %1, %2;", "l"(a[i]), "l"(b[i]))
    PAIR(2, "fma.rn.f32x2 %0, %1, %2, %3;", "l"(a[i]), "l"(b[i]), "l"(c[i]))
    PAIR(3, "sub.rp.ftz.f32x2 %0, %1, %2;", "l"(a[i]), "l"(b[i]))
}

extern "C" __global__ void packed_wide(const unsigned *a, unsigned *out, int n)
{
    const int i = threadIdx.x;
    unsigned x[8];

    asm volatile("ld.global.v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]), "=r"(x[4]), "=r"(x[5]),
                   "=r"(x[6]), "=r"(x[7])
                 : "l"(a + 8 * i));
    asm volatile(
        "st.global.v8.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(out + 8 * (n - 1 - i)),
        "r"(x[7]), "r"(x[6]), "r"(x[5]), "r"(x[4]), "r"(x[3]), "r"(x[2]), "r"(x[1]), "r"(x[0])
        : "memory");
}
