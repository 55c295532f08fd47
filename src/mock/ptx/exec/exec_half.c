/* SPDX-License-Identifier: MIT */
/*
 * Half precision: .f16 and .bf16, alone and as pairs in a word. Sums, products and quotients are
 * computed in .f32, which has more than twice as many bits, so that rounding twice gives the right
 * result. Of fused operations the last bit notes whether bits were lost.
 */
#include <math.h>

#include "mock/ptx/machine/exec.h"
#include "mock/ptx/machine/softfloat.h"

#define UP_f16(h)      ptx__float_of_half((uint16_t) (h))
#define UP_bf16(h)     ptx__float_of_bfloat((uint16_t) (h))
#define DOWN_f16(x)    ptx__half_of_float(x)
#define DOWN_bf16(x)   ptx__bfloat_of_float(x)
#define NARROW_f16(x)  ptx__half_of_double(x)
#define NARROW_bf16(x) ptx__bfloat_of_double(x)
#define NAN16          0x7fff
#define EXPONENT_f16   0x7c00
#define EXPONENT_bf16  0x7f80

/* Replaces a subnormal half by a zero with its sign. */
#define FLUSH(h, exponent) ((uint16_t) ((h) & (exponent) ? (h) : (h) &0x8000))

/* Tests for a NaN. */
#define IS_NAN_f16(h)  (((h) &0x7fff) > 0x7c00)
#define IS_NAN_bf16(h) (((h) &0x7fff) > 0x7f80)

/*
 * .oob: a product is 0 if an operand has the value that a tensor copy writes outside of the tensor.
 */
#define OUTSIDE(a, b) (((a) &0x7fff) == 0x7ff7 || ((b) &0x7fff) == 0x7ff7)

/*
 * a * b is exact in .f32 for .f16, and in .f64 for .bf16. The last bit of its sum with c is set if
 * bits were lost. Of an infinity or NaN no bits are.
 */
#define FUSED(id, type, bits_type, bits_of, with)                                                  \
    PTX__INLINE type id(type p, type c)                                                            \
    {                                                                                              \
        const type s = p + c, t = s - p, error = (p - (s - t)) + (c - t);                          \
        const bits_type bits = bits_of(s), odd = bits & 1;                                         \
        const bits_type lost = (bits_type) ((error > 0) | (error < 0)) & (odd ^ 1);                \
        const bits_type down = (bits_type) ((error > 0) ^ (s > 0));                                \
                                                                                                   \
        return with(bits + lost - (lost & down) * 2);                                              \
    }

FUSED(fused_singles, float, uint32_t, ptx__bits32, ptx__f32)
FUSED(fused_doubles, double, uint64_t, ptx__bits64, ptx__f64)
#define FUSED_f16(a, b, c)  ptx__half_of_float(fused_singles((a) * (b), c))
#define FUSED_bf16(a, b, c) ptx__bfloat_of_double(fused_doubles((double) (a) * (b), c))

#define CHOOSE(which, yes, no) ((uint16_t) ptx__choose32(which, yes, no))

/* Integers in the order of numbers: -0 comes before 0. */
#define ORDER(h) ((uint32_t) (h) ^ ptx__choose32((h) >> 15, 0xffff, 0x8000))

/* Of two numbers the chosen one; of a NaN and a number the number. */
#define UNLESS_NAN(nan_a, nan_b, chosen)                                                           \
    CHOOSE((nan_a) & (nan_b), NAN16, CHOOSE(nan_a, b, CHOOSE(nan_b, a, chosen)))

#define HALF_OPS(T)                                                                                \
    PTX__INLINE uint16_t add_##T(uint16_t a, uint16_t b)                                           \
    {                                                                                              \
        return DOWN_##T(UP_##T(a) + UP_##T(b));                                                    \
    }                                                                                              \
    PTX__INLINE uint16_t sub_##T(uint16_t a, uint16_t b)                                           \
    {                                                                                              \
        return DOWN_##T(UP_##T(a) - UP_##T(b));                                                    \
    }                                                                                              \
    PTX__INLINE uint16_t mul_##T(uint16_t a, uint16_t b)                                           \
    {                                                                                              \
        return DOWN_##T(UP_##T(a) * UP_##T(b));                                                    \
    }                                                                                              \
    PTX__INLINE uint16_t fma_##T(uint16_t a, uint16_t b, uint16_t c)                               \
    {                                                                                              \
        return FUSED_##T(UP_##T(a), UP_##T(b), UP_##T(c));                                         \
    }                                                                                              \
    PTX__INLINE uint16_t neg_##T(uint16_t a)                                                       \
    {                                                                                              \
        return CHOOSE(IS_NAN_##T(a), NAN16, a ^ 0x8000u);                                          \
    }                                                                                              \
    PTX__INLINE uint16_t abs_##T(uint16_t a)                                                       \
    {                                                                                              \
        return CHOOSE(IS_NAN_##T(a), NAN16, a & 0x7fffu);                                          \
    }                                                                                              \
    PTX__INLINE uint16_t relu_##T(uint16_t a)                                                      \
    {                                                                                              \
        return CHOOSE(IS_NAN_##T(a), NAN16, CHOOSE(a >> 15, 0, a));                                \
    }                                                                                              \
    PTX__INLINE uint16_t sat_##T(uint16_t a)                                                       \
    {                                                                                              \
        const float x = UP_##T(a);                                                                 \
                                                                                                   \
        return DOWN_##T(x > 0 ? x < 1 ? x : 1 : 0);                                                \
    }                                                                                              \
    PTX__INLINE uint16_t min_##T(uint16_t a, uint16_t b)                                           \
    {                                                                                              \
        return UNLESS_NAN(IS_NAN_##T(a), IS_NAN_##T(b), CHOOSE(ORDER(a) < ORDER(b), a, b));        \
    }                                                                                              \
    PTX__INLINE uint16_t max_##T(uint16_t a, uint16_t b)                                           \
    {                                                                                              \
        return UNLESS_NAN(IS_NAN_##T(a), IS_NAN_##T(b), CHOOSE(ORDER(a) > ORDER(b), a, b));        \
    }                                                                                              \
    PTX__INLINE uint16_t minNaN_##T(uint16_t a, uint16_t b)                                        \
    {                                                                                              \
        return CHOOSE(IS_NAN_##T(a) | IS_NAN_##T(b), NAN16, min_##T(a, b));                        \
    }                                                                                              \
    PTX__INLINE uint16_t maxNaN_##T(uint16_t a, uint16_t b)                                        \
    {                                                                                              \
        return CHOOSE(IS_NAN_##T(a) | IS_NAN_##T(b), NAN16, max_##T(a, b));                        \
    }                                                                                              \
    PTX__INLINE uint16_t minx_##T(uint16_t a, uint16_t b)                                          \
    {                                                                                              \
        const uint16_t r = min_##T(a & 0x7fff, b & 0x7fff);                                        \
                                                                                                   \
        return IS_NAN_##T(r) ? r : r | ((a ^ b) & 0x8000);                                         \
    }                                                                                              \
    PTX__INLINE uint16_t maxx_##T(uint16_t a, uint16_t b)                                          \
    {                                                                                              \
        const uint16_t r = max_##T(a & 0x7fff, b & 0x7fff);                                        \
                                                                                                   \
        return IS_NAN_##T(r) ? r : r | ((a ^ b) & 0x8000);                                         \
    }                                                                                              \
    PTX__INLINE uint16_t minxNaN_##T(uint16_t a, uint16_t b)                                       \
    {                                                                                              \
        return IS_NAN_##T(a) || IS_NAN_##T(b) ? NAN16 : minx_##T(a, b);                            \
    }                                                                                              \
    PTX__INLINE uint16_t maxxNaN_##T(uint16_t a, uint16_t b)                                       \
    {                                                                                              \
        return IS_NAN_##T(a) || IS_NAN_##T(b) ? NAN16 : maxx_##T(a, b);                            \
    }                                                                                              \
    PTX__INLINE uint16_t tanh_##T(uint16_t a)                                                      \
    {                                                                                              \
        return NARROW_##T(tanh(UP_##T(a)));                                                        \
    }

HALF_OPS(f16)
HALF_OPS(bf16)

/* A result below the smallest normal number is cut off, not rounded. */
static inline uint16_t ex2_f16(uint16_t a)
{
    const double r = exp2(UP_f16(a));

    return (uint16_t) ptx__convert(PTX__F16, PTX__F64, ptx__bits64(r),
                                   r < 0x1p-14 ? PTX__RZ : PTX__RN, false);
}

static inline uint16_t ex2_bf16(uint16_t a)
{
    return NARROW_bf16(exp2(UP_bf16(a)));
}

/* Single values and pairs: the expression works on A, B and C of 16 bits each. */
#define HALF(id, before, T, expression)                                                            \
    LANEWISE(id##_##T, before "." #T, u16, u16, u16, u16, expression)                              \
    PTX__INLINE uint16_t id##_##T##_one(uint16_t A, uint16_t B, uint16_t C)                        \
    {                                                                                              \
        (void) A, (void) B, (void) C;                                                              \
        return (uint16_t) (expression);                                                            \
    }                                                                                              \
    LANEWISE(id##_##T##x2, before "." #T "x2", u32, u32, u32, u32,                                 \
             (uint32_t) id##_##T##_one((uint16_t) (A >> 16), (uint16_t) (B >> 16),                 \
                                       (uint16_t) (C >> 16))                                       \
                     << 16 |                                                                       \
                 id##_##T##_one((uint16_t) A, (uint16_t) B, (uint16_t) C))

#define COMMON(T)                                                                                  \
    HALF(h_add, "add", T, add_##T(A, B))                                                           \
    HALF(h_sub, "sub", T, sub_##T(A, B))                                                           \
    HALF(h_mul, "mul", T, mul_##T(A, B))                                                           \
    HALF(h_fma, "fma", T, fma_##T(A, B, C))                                                        \
    HALF(h_fma_relu, "fma.relu", T, relu_##T(fma_##T(A, B, C)))                                    \
    HALF(h_neg, "neg", T, neg_##T(A))                                                              \
    HALF(h_abs, "abs", T, abs_##T(A))                                                              \
    HALF(h_min, "min", T, min_##T(A, B))                                                           \
    HALF(h_max, "max", T, max_##T(A, B))                                                           \
    HALF(h_min_nan, "min.NaN", T, minNaN_##T(A, B))                                                \
    HALF(h_max_nan, "max.NaN", T, maxNaN_##T(A, B))                                                \
    HALF(h_min_x, "min.xorsign.abs", T, minx_##T(A, B))                                            \
    HALF(h_max_x, "max.xorsign.abs", T, maxx_##T(A, B))                                            \
    HALF(h_min_nan_x, "min.NaN.xorsign.abs", T, minxNaN_##T(A, B))                                 \
    HALF(h_max_nan_x, "max.NaN.xorsign.abs", T, maxxNaN_##T(A, B))                                 \
    HALF(h_fma_oob, "fma.oob", T, OUTSIDE(A, B) ? 0 : fma_##T(A, B, C))                            \
    HALF(h_fma_oob_relu, "fma.oob.relu", T, OUTSIDE(A, B) ? 0 : relu_##T(fma_##T(A, B, C)))        \
    HALF(h_relu, "relu", T, relu_##T(A))                                                           \
    HALF(h_sat, "sat", T, sat_##T(A))                                                              \
    HALF(h_tanh, "tanh", T, tanh_##T(A))

COMMON(f16)
COMMON(bf16)
HALF(h_ex2, "ex2", f16, ex2_f16(A))
HALF(h_ex2_ftz, "ex2.ftz", bf16, FLUSH(ex2_bf16(FLUSH(A, EXPONENT_bf16)), EXPONENT_bf16))

#define Z(x) FLUSH(x, EXPONENT_f16)

HALF(h_add_ftz, "add.ftz", f16, Z(add_f16(Z(A), Z(B))))
HALF(h_sub_ftz, "sub.ftz", f16, Z(sub_f16(Z(A), Z(B))))
HALF(h_mul_ftz, "mul.ftz", f16, Z(mul_f16(Z(A), Z(B))))
HALF(h_fma_ftz, "fma.ftz", f16, Z(fma_f16(Z(A), Z(B), Z(C))))
HALF(h_fma_ftz_relu, "fma.ftz.relu", f16, relu_f16(Z(fma_f16(Z(A), Z(B), Z(C)))))
HALF(h_neg_ftz, "neg.ftz", f16, Z(neg_f16(A)))
HALF(h_abs_ftz, "abs.ftz", f16, Z(abs_f16(A)))
HALF(h_min_ftz, "min.ftz", f16, min_f16(Z(A), Z(B)))
HALF(h_max_ftz, "max.ftz", f16, max_f16(Z(A), Z(B)))
HALF(h_min_ftz_nan, "min.ftz.NaN", f16, minNaN_f16(Z(A), Z(B)))
HALF(h_max_ftz_nan, "max.ftz.NaN", f16, maxNaN_f16(Z(A), Z(B)))
HALF(h_min_ftz_x, "min.ftz.xorsign.abs", f16, minx_f16(Z(A), Z(B)))
HALF(h_max_ftz_x, "max.ftz.xorsign.abs", f16, maxx_f16(Z(A), Z(B)))
HALF(h_min_ftz_nan_x, "min.ftz.NaN.xorsign.abs", f16, minxNaN_f16(Z(A), Z(B)))
HALF(h_max_ftz_nan_x, "max.ftz.NaN.xorsign.abs", f16, maxxNaN_f16(Z(A), Z(B)))

/* --- comparisons: of single values, and of the lower and the upper value of pairs --- */

#define HALF_COMPARE(word, T, id, key, value, expression)                                          \
    COMPUTES(setp_##word##_##id, "setp." #word "." key, 1, 32, 32, 0)                              \
    {                                                                                              \
        const uint32_t *pa = REG(uint32_t, op->a), *pb = REG(uint32_t, op->b);                     \
        uint32_t bits = 0;                                                                         \
                                                                                                   \
        PTX__EACH_LANE                                                                             \
        {                                                                                          \
            const float A = UP_##T(value(pa[l])), B = UP_##T(value(pb[l]));                        \
            bits |= (uint32_t) (expression) << l;                                                  \
        }                                                                                          \
        ptx__set_pred(w, op->d, bits);                                                             \
        return op + 1;                                                                             \
    }

#define HALF_COMPARISONS(T, id, key, value)                                                        \
    HALF_COMPARE(eq, T, id, key, value, A == B)                                                    \
    HALF_COMPARE(ne, T, id, key, value, A == A && B == B && A != B)                                \
    HALF_COMPARE(lt, T, id, key, value, A < B)                                                     \
    HALF_COMPARE(le, T, id, key, value, A <= B)                                                    \
    HALF_COMPARE(gt, T, id, key, value, A > B)                                                     \
    HALF_COMPARE(ge, T, id, key, value, A >= B)                                                    \
    HALF_COMPARE(equ, T, id, key, value, A == B || A != A || B != B)                               \
    HALF_COMPARE(neu, T, id, key, value, A != B)                                                   \
    HALF_COMPARE(ltu, T, id, key, value, !(A >= B))                                                \
    HALF_COMPARE(leu, T, id, key, value, !(A > B))                                                 \
    HALF_COMPARE(gtu, T, id, key, value, !(A <= B))                                                \
    HALF_COMPARE(geu, T, id, key, value, !(A < B))                                                 \
    HALF_COMPARE(num, T, id, key, value, A == A && B == B)                                         \
    HALF_COMPARE(nan, T, id, key, value, A != A || B != B)

#define AS_IT_IS(h) (h)

HALF_COMPARISONS(f16, f16, "f16", AS_IT_IS)
HALF_COMPARISONS(bf16, bf16, "bf16", AS_IT_IS)
HALF_COMPARISONS(f16, ftz_f16, "ftz.f16", Z)
