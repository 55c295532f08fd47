/* SPDX-License-Identifier: MIT */
/*
 * Operations on .f32 and .f64 that round to zero, down or up. They use the rounding modes of the
 * host.
 */
#include <fenv.h>

#include "mock/ptx/machine/exec.h"

#define F(x) ptx__ftz(x)

/* The results. For .f64 a NaN is that of an operand. */
#define RESULT_32(r)     ptx__nan32(r)
#define RESULT_64(r)     ptx__nan64(r, B, A, A)
#define RESULT_64_DIV(r) ptx__nan64(r, A, B, B)
#define RESULT_64_FMA(r) ptx__nan64(r, B, C, A)
#define RESULT_64_ONE(r) ptx__nan64(r, A, A, A)
#define FLUSHED(r)       ptx__ftz(ptx__nan32(r))

/*
 * The rounding mode is changed around this. volatile keeps the compiler from moving reads and
 * writes out of it.
 */
#define ROUNDED(id, key, T, result, mode, expression)                                              \
    COMPUTES(id, key, 8 * sizeof(S_##T), 8 * sizeof(S_##T), 8 * sizeof(S_##T), 8 * sizeof(S_##T))  \
    {                                                                                              \
        volatile S_##T *d = (volatile S_##T *) REG(S_##T, op->d);                                  \
        const volatile S_##T *pa = REG(S_##T, op->a);                                              \
        const volatile S_##T *pb = REG(S_##T, op->b);                                              \
        const volatile S_##T *pc = REG(S_##T, op->c);                                              \
                                                                                                   \
        fesetround(mode);                                                                          \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            const unsigned l = (unsigned) __builtin_ctz(m);                                        \
            const V_##T A = pa[l], B = pb[l], C = pc[l];                                           \
            volatile V_##T r;                                                                      \
                                                                                                   \
            (void) B, (void) C;                                                                    \
            r = expression;                                                                        \
            d[l] = result(r);                                                                      \
        }                                                                                          \
        fesetround(FE_TONEAREST);                                                                  \
        return op + 1;                                                                             \
    }

#define MODES(id, name, suffix, T, result, expression)                                             \
    ROUNDED(id##_rz, name ".rz." suffix, T, result, FE_TOWARDZERO, expression)                     \
    ROUNDED(id##_rm, name ".rm." suffix, T, result, FE_DOWNWARD, expression)                       \
    ROUNDED(id##_rp, name ".rp." suffix, T, result, FE_UPWARD, expression)

MODES(add_f32, "add", "f32", f32, RESULT_32, A + B)
MODES(sub_f32, "sub", "f32", f32, RESULT_32, A - B)
MODES(mul_f32, "mul", "f32", f32, RESULT_32, A *B)
MODES(div_f32, "div", "f32", f32, RESULT_32, A / B)
MODES(fma_f32, "fma", "f32", f32, RESULT_32, __builtin_fmaf(A, B, C))
MODES(sqrt_f32, "sqrt", "f32", f32, RESULT_32, __builtin_sqrtf(A))
MODES(rcp_f32, "rcp", "f32", f32, RESULT_32, 1.0f / A)
MODES(add_ftz_f32, "add", "ftz.f32", f32, FLUSHED, F(A) + F(B))
MODES(sub_ftz_f32, "sub", "ftz.f32", f32, FLUSHED, F(A) - F(B))
MODES(mul_ftz_f32, "mul", "ftz.f32", f32, FLUSHED, F(A) * F(B))
MODES(div_ftz_f32, "div", "ftz.f32", f32, FLUSHED, F(A) / F(B))
MODES(fma_ftz_f32, "fma", "ftz.f32", f32, FLUSHED, __builtin_fmaf(F(A), F(B), F(C)))
MODES(sqrt_ftz_f32, "sqrt", "ftz.f32", f32, FLUSHED, __builtin_sqrtf(F(A)))
MODES(rcp_ftz_f32, "rcp", "ftz.f32", f32, FLUSHED, 1.0f / F(A))
MODES(add_f64, "add", "f64", f64, RESULT_64, A + B)
MODES(sub_f64, "sub", "f64", f64, RESULT_64, A - B)
MODES(mul_f64, "mul", "f64", f64, RESULT_64, A *B)
MODES(div_f64, "div", "f64", f64, RESULT_64_DIV, A / B)
MODES(fma_f64, "fma", "f64", f64, RESULT_64_FMA, __builtin_fma(A, B, C))
MODES(sqrt_f64, "sqrt", "f64", f64, RESULT_64_ONE, __builtin_sqrt(A))
MODES(rcp_f64, "rcp", "f64", f64, RESULT_64_ONE, 1.0 / A)
