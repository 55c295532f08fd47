/* SPDX-License-Identifier: MIT */
/*
 * .f32 and .f64, rounded to nearest; other rounding modes are in exec_round.c. An operation on .f32
 * yields the NaN 0x7fffffff. Of two NaNs of .f64, the second operand's is the result, but the first
 * one's for a division. A fused operation takes the second operand's, then the third's, and then
 * the first's.
 */
#include <math.h>

#include "mock/ptx/machine/exec.h"

#define F(x)   ptx__ftz(x)
#define N(x)   ptx__nan32(x)
#define NF(x)  ptx__ftz(ptx__nan32(x))
#define SAT(x) ptx__saturate(x)
#define SIGN32 0x80000000u
#define SIGN64 UINT64_C(0x8000000000000000)

/* .sat: limits to [0, 1]; a NaN becomes 0. */
static inline float ptx__saturate(float x)
{
    return x > 0 ? x < 1 ? x : 1 : 0;
}

LANEWISE(add_f32, "add.f32", f32, f32, f32, u32, N(A + B))
LANEWISE(sub_f32, "sub.f32", f32, f32, f32, u32, N(A - B))
LANEWISE(mul_f32, "mul.f32", f32, f32, f32, u32, N(A *B))
LANEWISE(div_f32, "div.f32", f32, f32, f32, u32, N(A / B))
LANEWISE(fma_f32, "fma.f32", f32, f32, f32, f32, N(__builtin_fmaf(A, B, C)))
LANEWISE(sqrt_f32, "sqrt.f32", f32, f32, f32, u32, N(__builtin_sqrtf(A)))
LANEWISE(rcp_f32, "rcp.f32", f32, f32, f32, u32, N(1.0f / A))

LANEWISE(add_ftz_f32, "add.ftz.f32", f32, f32, f32, u32, NF(F(A) + F(B)))
LANEWISE(sub_ftz_f32, "sub.ftz.f32", f32, f32, f32, u32, NF(F(A) - F(B)))
LANEWISE(mul_ftz_f32, "mul.ftz.f32", f32, f32, f32, u32, NF(F(A) * F(B)))
LANEWISE(div_ftz_f32, "div.ftz.f32", f32, f32, f32, u32, NF(F(A) / F(B)))
LANEWISE(fma_ftz_f32, "fma.ftz.f32", f32, f32, f32, f32, NF(__builtin_fmaf(F(A), F(B), F(C))))
LANEWISE(sqrt_ftz_f32, "sqrt.ftz.f32", f32, f32, f32, u32, NF(__builtin_sqrtf(F(A))))
LANEWISE(rcp_ftz_f32, "rcp.ftz.f32", f32, f32, f32, u32, NF(1.0f / F(A)))

/* Saturation of a result, as a separate operation. */
LANEWISE(sat_f32, "sat.f32", f32, f32, f32, u32, SAT(A))
LANEWISE(sat_f64, "sat.f64", f64, f64, f64, u32, A > 0 ? A < 1 ? A : 1 : 0)

/*
 * The highest bit of the result is set if x is a NaN. It uses integers only, so that the compiler
 * can do it for many lanes at once.
 */
static inline uint64_t nan_flag(double x)
{
    return (ptx__bits64(x) & ~SIGN64) + UINT64_C(0x000fffffffffffff);
}

/*
 * Few warps have a NaN. So the operands are examined only if a result is a NaN. Nothing is written
 * before that, because the slot of the result may be that of an operand.
 */
#define OPERATION64(name, expression, first, second, third)                                        \
    static __attribute__((noinline)) void name##_f64_nans(struct ptx__warp *w,                     \
                                                          const struct ptx__op *op)                \
    {                                                                                              \
        const double *pa = REG(double, op->a), *pb = REG(double, op->b), *pc = REG(double, op->c); \
        double *d = REG(double, op->d);                                                            \
                                                                                                   \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            const unsigned l = (unsigned) __builtin_ctz(m);                                        \
            const double A = pa[l], B = pb[l], C = pc[l];                                          \
            (void) B, (void) C;                                                                    \
            d[l] = ptx__nan64(expression, first, second, third);                                   \
        }                                                                                          \
    }                                                                                              \
    COMPUTES(name##_f64, #name ".f64", 64, 64, 64, 64)                                             \
    {                                                                                              \
        const double *pa = REG(double, op->a), *pb = REG(double, op->b), *pc = REG(double, op->c); \
        double *d = REG(double, op->d), r[PTX__LANES];                                             \
        const uint32_t mask = w->mask;                                                             \
        uint64_t nans = 0;                                                                         \
                                                                                                   \
        PTX__EACH_LANE                                                                             \
        {                                                                                          \
            const double A = pa[l], B = pb[l], C = pc[l];                                          \
            (void) A, (void) B, (void) C;                                                          \
            r[l] = expression;                                                                     \
            nans |= nan_flag(r[l]);                                                                \
        }                                                                                          \
        if (__builtin_expect(nans >> 63, 0))                                                       \
            name##_f64_nans(w, op);                                                                \
        else if (w->converged)                                                                     \
            PTX__EACH_LANE d[l] = r[l];                                                            \
        else                                                                                       \
            PTX__EACH_LANE d[l] = mask >> l & 1 ? r[l] : d[l];                                     \
        return op + 1;                                                                             \
    }

OPERATION64(add, A + B, B, A, A)
OPERATION64(sub, A - B, B, A, A)
OPERATION64(mul, A *B, B, A, A)
OPERATION64(div, A / B, A, B, B)
OPERATION64(fma, __builtin_fma(A, B, C), B, C, A)
OPERATION64(sqrt, __builtin_sqrt(A), A, A, A)
OPERATION64(rcp, 1.0 / A, A, A, A)

/* Changes of the sign. A NaN of .f32 has no sign; one of .f64 keeps its sign. */
LANEWISE(neg_f32, "neg.f32", f32, f32, f32, u32, N(ptx__f32(ptx__bits32(A) ^ SIGN32)))
LANEWISE(abs_f32, "abs.f32", f32, f32, f32, u32, N(ptx__f32(ptx__bits32(A) & ~SIGN32)))
LANEWISE(neg_ftz_f32, "neg.ftz.f32", f32, f32, f32, u32, NF(ptx__f32(ptx__bits32(A) ^ SIGN32)))
LANEWISE(abs_ftz_f32, "abs.ftz.f32", f32, f32, f32, u32, NF(ptx__f32(ptx__bits32(A) & ~SIGN32)))
LANEWISE(neg_f64, "neg.f64", f64, f64, f64, u32,
         A == A ? ptx__f64(ptx__bits64(A) ^ SIGN64) : ptx__quiet64(A))
LANEWISE(abs_f64, "abs.f64", f64, f64, f64, u32,
         A == A ? ptx__f64(ptx__bits64(A) & ~SIGN64) : ptx__quiet64(A))
LANEWISE(copysign_f32, "copysign.f32", u32, u32, u32, u32, (A & SIGN32) | (B & ~SIGN32))
LANEWISE(copysign_f64, "copysign.f64", u64, u64, u64, u32, (A & SIGN64) | (B & ~SIGN64))

/*
 * min and max: -0 is less than +0. Of a NaN and a number the number is the result, but with .NaN
 * the NaN.
 */
static inline float min32(float a, float b)
{
    if (a != a)
        return b;
    if (b != b)
        return a;
    return a < b || (a == b && ptx__bits32(a) >> 31) ? a : b;
}

static inline float max32(float a, float b)
{
    if (a != a)
        return b;
    if (b != b)
        return a;
    return a > b || (a == b && !(ptx__bits32(a) >> 31)) ? a : b;
}

static inline float min32_nan(float a, float b)
{
    return a != a || b != b ? ptx__f32(0x7fffffff) : min32(a, b);
}

static inline float max32_nan(float a, float b)
{
    return a != a || b != b ? ptx__f32(0x7fffffff) : max32(a, b);
}

/*
 * The sign of the result is the product of the signs of a and b; its magnitude is that of the
 * minimum or maximum.
 */
static inline float xorsign(float a, float b, float r)
{
    const uint32_t sign = (ptx__bits32(a) ^ ptx__bits32(b)) & SIGN32;

    return r == r ? ptx__f32((ptx__bits32(r) & ~SIGN32) | sign) : r;
}

#define MAGNITUDE(x) ptx__f32(ptx__bits32(x) & ~SIGN32)

#define LIMITS(name)                                                                               \
    LANEWISE(name##_f32, #name ".f32", f32, f32, f32, u32, N(name##32(A, B)))                      \
    LANEWISE(name##_ftz_f32, #name ".ftz.f32", f32, f32, f32, u32, N(name##32(F(A), F(B))))        \
    LANEWISE(name##_nan_f32, #name ".NaN.f32", f32, f32, f32, u32, name##32_nan(A, B))             \
    LANEWISE(name##_ftz_nan_f32, #name ".ftz.NaN.f32", f32, f32, f32, u32,                         \
             name##32_nan(F(A), F(B)))                                                             \
    LANEWISE(name##_xor_f32, #name ".xorsign.abs.f32", f32, f32, f32, u32,                         \
             xorsign(A, B, N(name##32(MAGNITUDE(A), MAGNITUDE(B)))))                               \
    LANEWISE(name##_ftz_xor_f32, #name ".ftz.xorsign.abs.f32", f32, f32, f32, u32,                 \
             xorsign(A, B, N(name##32(F(MAGNITUDE(A)), F(MAGNITUDE(B))))))                         \
    LANEWISE(name##_nan_xor_f32, #name ".NaN.xorsign.abs.f32", f32, f32, f32, u32,                 \
             xorsign(A, B, name##32_nan(MAGNITUDE(A), MAGNITUDE(B))))                              \
    LANEWISE(name##_ftz_nan_xor_f32, #name ".ftz.NaN.xorsign.abs.f32", f32, f32, f32, u32,         \
             xorsign(A, B, name##32_nan(F(MAGNITUDE(A)), F(MAGNITUDE(B)))))

LIMITS(min)
LIMITS(max)

static inline double min64(double a, double b)
{
    if (a != a)
        return b;
    if (b != b)
        return a;
    return a < b || (a == b && ptx__bits64(a) >> 63) ? a : b;
}

static inline double max64(double a, double b)
{
    if (a != a)
        return b;
    if (b != b)
        return a;
    return a > b || (a == b && !(ptx__bits64(a) >> 63)) ? a : b;
}

LANEWISE(min_f64, "min.f64", f64, f64, f64, u32, ptx__quiet64(min64(A, B)))
LANEWISE(max_f64, "max.f64", f64, f64, f64, u32, ptx__quiet64(max64(A, B)))

/* Comparisons. Those whose name ends in u are true for NaNs. */
#define COMPARISONS(prefix, id, T, X, Y)                                                           \
    COMPARE(setp_eq_##id, "setp.eq." prefix #T, T, X == Y)                                         \
    COMPARE(setp_ne_##id, "setp.ne." prefix #T, T, X == X && Y == Y && X != Y)                     \
    COMPARE(setp_lt_##id, "setp.lt." prefix #T, T, X < Y)                                          \
    COMPARE(setp_le_##id, "setp.le." prefix #T, T, X <= Y)                                         \
    COMPARE(setp_gt_##id, "setp.gt." prefix #T, T, X > Y)                                          \
    COMPARE(setp_ge_##id, "setp.ge." prefix #T, T, X >= Y)                                         \
    COMPARE(setp_equ_##id, "setp.equ." prefix #T, T, X == Y || X != X || Y != Y)                   \
    COMPARE(setp_neu_##id, "setp.neu." prefix #T, T, X != Y)                                       \
    COMPARE(setp_ltu_##id, "setp.ltu." prefix #T, T, !(X >= Y))                                    \
    COMPARE(setp_leu_##id, "setp.leu." prefix #T, T, !(X > Y))                                     \
    COMPARE(setp_gtu_##id, "setp.gtu." prefix #T, T, !(X <= Y))                                    \
    COMPARE(setp_geu_##id, "setp.geu." prefix #T, T, !(X < Y))                                     \
    COMPARE(setp_num_##id, "setp.num." prefix #T, T, X == X && Y == Y)                             \
    COMPARE(setp_nan_##id, "setp.nan." prefix #T, T, X != X || Y != Y)

COMPARISONS("", f32, f32, A, B)
COMPARISONS("", f64, f64, A, B)
COMPARISONS("ftz.", ftz_f32, f32, F(A), F(B))

#define EXPONENT32(x) (ptx__bits32(x) & 0x7f800000)
#define EXPONENT64(x) (ptx__bits64(x) & UINT64_C(0x7ff0000000000000))

/* testp; b is not used. Zeros count as normal numbers. */
#define TESTS(T, exponent, all)                                                                    \
    COMPARE(testp_finite_##T, "testp.finite." #T, T, ((void) B, exponent(A) != (all)))             \
    COMPARE(testp_infinite_##T, "testp.infinite." #T, T,                                           \
            ((void) B, exponent(A) == (all) && A == A))                                            \
    COMPARE(testp_number_##T, "testp.number." #T, T, ((void) B, A == A))                           \
    COMPARE(testp_nan_##T, "testp.notanumber." #T, T, ((void) B, A != A))                          \
    COMPARE(testp_normal_##T, "testp.normal." #T, T,                                               \
            ((void) B, (exponent(A) != 0 || A == 0) && exponent(A) != (all)))                      \
    COMPARE(testp_subnormal_##T, "testp.subnormal." #T, T, ((void) B, exponent(A) == 0 && A != 0))

TESTS(f32, EXPONENT32, 0x7f800000)
TESTS(f64, EXPONENT64, UINT64_C(0x7ff0000000000000))
