// SPDX-License-Identifier: MIT
// build: compute_80 compute_100
// IEEE arithmetic in every rounding direction, both precisions.

extern "C" __global__ void rounding_f32(const float *a, const float *b, const float *c, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = a[i], y = b[i], z = c[i];

    out += i * 36;
#define DIRECTION(n, M)                                                                            \
    out[n] = __fadd_##M(x, y);                                                                     \
    out[n + 1] = __fsub_##M(x, y);                                                                 \
    out[n + 2] = __fmul_##M(x, y);                                                                 \
    out[n + 3] = __fmaf_##M(x, y, z);                                                              \
    out[n + 4] = __fdiv_##M(x, y);                                                                 \
    out[n + 5] = __frcp_##M(x);                                                                    \
    out[n + 6] = __fsqrt_##M(x);
    DIRECTION(0, rn)
    DIRECTION(7, rz)
    DIRECTION(14, ru)
    DIRECTION(21, rd)
#undef DIRECTION
    out[28] = fminf(x, y);
    out[29] = fmaxf(x, y);
    out[30] = fabsf(x);
    out[31] = -x;
    out[32] = copysignf(x, y);
    out[33] = __saturatef(x);
    out[34] = (x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y) + 16 * isnan(x) + 32 * !(x >= y);
    out[35] = fdimf(x, y);
}

extern "C" __global__ void rounding_f64(const double *a, const double *b, const double *c,
                                        double *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double x = a[i], y = b[i], z = c[i];

    out += i * 36;
#define DIRECTION(n, M)                                                                            \
    out[n] = __dadd_##M(x, y);                                                                     \
    out[n + 1] = __dsub_##M(x, y);                                                                 \
    out[n + 2] = __dmul_##M(x, y);                                                                 \
    out[n + 3] = __fma_##M(x, y, z);                                                               \
    out[n + 4] = __ddiv_##M(x, y);                                                                 \
    out[n + 5] = __drcp_##M(x);                                                                    \
    out[n + 6] = __dsqrt_##M(x);
    DIRECTION(0, rn)
    DIRECTION(7, rz)
    DIRECTION(14, ru)
    DIRECTION(21, rd)
    out[28] = fmin(x, y);
    out[29] = fmax(x, y);
    out[30] = fabs(x);
    out[31] = -x;
    out[32] = copysign(x, y);
    out[33] = (double) (float) x;
    out[34] = (x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y) + 16 * isnan(x) + 32 * !(x >= y);
    out[35] = fdim(x, y);
}

#define FTZ(n, text) asm(text " %0, %1, %2;" : "=f"(out[n]) : "f"(x), "f"(y))

// Subnormal numbers become zero, before and after.
extern "C" __global__ void rounding_ftz(const float *a, const float *b, const float *c, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = a[i], y = b[i], z = c[i];

    out += i * 10;
    FTZ(0, "add.rn.ftz.f32");
    FTZ(1, "mul.rn.ftz.f32");
    FTZ(2, "div.rn.ftz.f32");
    FTZ(3, "min.ftz.f32");
    FTZ(4, "max.NaN.f32");
    FTZ(5, "add.rz.ftz.sat.f32");
    asm("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(out[6]) : "f"(x), "f"(y), "f"(z));
    asm("fma.rp.sat.f32 %0, %1, %2, %3;" : "=f"(out[7]) : "f"(x), "f"(y), "f"(z));
    asm("sqrt.rn.ftz.f32 %0, %1;" : "=f"(out[8]) : "f"(x));
    asm("cvt.rni.ftz.f32.f32 %0, %1;" : "=f"(out[9]) : "f"(x));
}

// A product and a sum that the assembler may join: two right results.
extern "C" __global__ void rounding_contract(const float *a, const float *b, const float *c,
                                             float *out, double *wide)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double x = a[i], y = b[i] * 1e-3, z = -x * y;

    asm("{ .reg .f32 t; mul.f32 t, %1, %2; add.f32 %0, t, %3; }"
        : "=f"(out[i])
        : "f"(a[i]), "f"(b[i]), "f"(c[i]));
    asm("{ .reg .f64 t; mul.f64 t, %1, %2; add.f64 %0, t, %3; }"
        : "=d"(wide[i])
        : "d"(x), "d"(y), "d"(z));
}
