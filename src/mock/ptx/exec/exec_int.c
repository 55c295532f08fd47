/* SPDX-License-Identifier: MIT */
/*
 * Integers. If the sign makes no difference, the key has the unsigned type. A division by zero
 * yields all ones, and so does its remainder, as on the hardware.
 */
#include "mock/ptx/machine/exec.h"

#define ALL_SIZES(F) F(u16) F(u32) F(u64)

/* Computed in the unsigned type, where C defines overflow. */
#define WRAPPING(T)                                                                                \
    BINARY(add, T, (S_##T) A + (S_##T) B)                                                          \
    BINARY(sub, T, (S_##T) A - (S_##T) B)                                                          \
    LANEWISE(mul_lo_##T, "mul.lo." #T, T, T, T, u32, ((S_##T) A * (S_##T) B))                      \
    LANEWISE(mad_lo_##T, "mad.lo." #T, T, T, T, T, ((S_##T) A * (S_##T) B) + (S_##T) C)            \
    UNARY(neg, T, (S_##T) 0 - (S_##T) A)                                                           \
    UNARY(not, T, ~A)                                                                              \
    UNARY(cnot, T, A == 0)                                                                         \
    UNARY(mov, T, A)                                                                               \
    BINARY(and, T, (A & B))                                                                        \
    BINARY(or, T, A | B)                                                                           \
    BINARY(xor, T, A ^ B)

ALL_SIZES(WRAPPING)

#define ORDERED(T)                                                                                 \
    BINARY(min, T, A < B ? A : B)                                                                  \
    BINARY(max, T, A > B ? A : B)                                                                  \
    COMPARE(setp_lt_##T, "setp.lt." #T, T, A < B)                                                  \
    COMPARE(setp_le_##T, "setp.le." #T, T, A <= B)                                                 \
    COMPARE(setp_gt_##T, "setp.gt." #T, T, A > B)                                                  \
    COMPARE(setp_ge_##T, "setp.ge." #T, T, A >= B)

ORDERED(u16)
ORDERED(s16)
ORDERED(u32)
ORDERED(s32)
ORDERED(u64)
ORDERED(s64)

#define EQUALITY(T)                                                                                \
    COMPARE(setp_eq_##T, "setp.eq." #T, T, A == B)                                                 \
    COMPARE(setp_ne_##T, "setp.ne." #T, T, A != B)

ALL_SIZES(EQUALITY)

#define UNSIGNED_DIVISION(T)                                                                       \
    BINARY(div, T, B ? A / B : ~(V_##T) 0)                                                         \
    BINARY(rem, T, B ? A % B : ~(V_##T) 0)

UNSIGNED_DIVISION(u16)
UNSIGNED_DIVISION(u32)
UNSIGNED_DIVISION(u64)

/* The smallest number divided by -1 yields itself; C does not define this division. */
#define SIGNED_DIVISION(T, U)                                                                      \
    BINARY(div, T, B == 0 ? (V_##T) - 1 : B == -1 ? (V_##T)(0 - (V_##U) A) : (V_##T)(A / B))       \
    BINARY(rem, T, B == 0 ? (V_##T) - 1 : B == -1 ? (V_##T) 0 : (V_##T)(A % B))                    \
    UNARY(abs, T, A < 0 ? (V_##T)(0 - (V_##U) A) : A)

SIGNED_DIVISION(s16, u16)
SIGNED_DIVISION(s32, u32)
SIGNED_DIVISION(s64, u64)

/* Shifts by more than the number of bits yield 0, or the sign in all bits. */
#define SHIFTS(U, S, bits)                                                                         \
    LANEWISE(shl_##U, "shl." #U, U, U, u32, u32, B < bits ? (S_##U) A << B : 0)                    \
    LANEWISE(shr_##U, "shr." #U, U, U, u32, u32, B < bits ? A >> B : 0)                            \
    LANEWISE(shr_##S, "shr." #S, S, S, u32, u32, A >> (B < bits ? B : bits - 1))

SHIFTS(u16, s16, 16)
SHIFTS(u32, s32, 32)
SHIFTS(u64, s64, 64)

#define WIDE(T, a, b) ((T) (a) * (b))

LANEWISE(mul_wide_u16, "mul.wide.u16", u32, u16, u16, u32, WIDE(uint32_t, A, B))
LANEWISE(mul_wide_s16, "mul.wide.s16", s32, s16, s16, u32, WIDE(int32_t, A, B))
LANEWISE(mul_wide_u32, "mul.wide.u32", u64, u32, u32, u32, WIDE(uint64_t, A, B))
LANEWISE(mul_wide_s32, "mul.wide.s32", s64, s32, s32, u32, WIDE(int64_t, A, B))
LANEWISE(mad_wide_u16, "mad.wide.u16", u32, u16, u16, u32, WIDE(uint32_t, A, B) + C)
LANEWISE(mad_wide_s16, "mad.wide.s16", u32, s16, s16, u32, (uint32_t) WIDE(int32_t, A, B) + C)
LANEWISE(mad_wide_u32, "mad.wide.u32", u64, u32, u32, u64, WIDE(uint64_t, A, B) + C)
LANEWISE(mad_wide_s32, "mad.wide.s32", u64, s32, s32, u64, (uint64_t) WIDE(int64_t, A, B) + C)

#define HI_u16(a, b) ((uint32_t) (a) * (b) >> 16)
#define HI_s16(a, b) ((int32_t) (a) * (b) >> 16)
#define HI_u32(a, b) ((uint32_t) ((uint64_t) (a) * (b) >> 32))
#define HI_s32(a, b) ((uint32_t) (uint64_t) ((int64_t) (a) * (b) >> 32))

static inline uint64_t high_u64(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;

    return (uint64_t) ((wide) a * b >> 64);
}

static inline uint64_t high_s64(int64_t a, int64_t b)
{
    return high_u64((uint64_t) a, (uint64_t) b) - (a < 0 ? (uint64_t) b : 0) -
           (b < 0 ? (uint64_t) a : 0);
}

#define HIGH(T)                                                                                    \
    LANEWISE(mul_hi_##T, "mul.hi." #T, T, T, T, T, HI_##T(A, B))                                   \
    LANEWISE(mad_hi_##T, "mad.hi." #T, T, T, T, T, (uint32_t) HI_##T(A, B) + (uint32_t) C)

HIGH(u16)
HIGH(s16)
HIGH(u32)
HIGH(s32)
LANEWISE(mul_hi_u64, "mul.hi.u64", u64, u64, u64, u64, high_u64(A, B))
LANEWISE(mul_hi_s64, "mul.hi.s64", u64, s64, s64, u64, high_s64(A, B))
LANEWISE(mad_hi_u64, "mad.hi.u64", u64, u64, u64, u64, high_u64(A, B) + C)
LANEWISE(mad_hi_s64, "mad.hi.s64", u64, s64, s64, u64, high_s64(A, B) + C)

/* A product whose partial products are added without carries. */
static inline uint64_t carryless(uint64_t a, uint64_t b, bool high)
{
    uint64_t sum = 0;

    for (unsigned i = high; i < 64; i++)
        if (a >> i & 1)
            sum ^= high ? b >> (64 - i) : b << i;
    return sum;
}

LANEWISE(clmad_lo_u64, "clmad.lo.u64", u64, u64, u64, u64, carryless(A, B, false) ^ C)
LANEWISE(clmad_hi_u64, "clmad.hi.u64", u64, u64, u64, u64, carryless(A, B, true) ^ C)

static inline int32_t clamp32(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t) x;
}

LANEWISE(add_sat_s32, "add.sat.s32", s32, s32, s32, u32, clamp32((int64_t) A + B))
LANEWISE(add_sat_u32, "add.sat.u32", u32, u32, u32, u32, A + B < A ? UINT32_MAX : A + B)
LANEWISE(sub_sat_s32, "sub.sat.s32", s32, s32, s32, u32, clamp32((int64_t) A - B))
LANEWISE(mad_hi_sat_s32, "mad.hi.sat.s32", s32, s32, s32, s32, clamp32(((int64_t) A * B >> 32) + C))
LANEWISE(min_relu_s32, "min.relu.s32", s32, s32, s32, u32, (A < B ? A : B) < 0 ? 0 : A < B ? A : B)
LANEWISE(max_relu_s32, "max.relu.s32", s32, s32, s32, u32, (A > B ? A : B) < 0 ? 0 : A > B ? A : B)

/* The low 24 bits, as an integer. */
#define U24(x) ((uint64_t) ((x) &0xffffff))
#define S24(x) ((int64_t) ((int32_t) ((uint32_t) (x) << 8) >> 8))

LANEWISE(mul24_lo_u32, "mul24.lo.u32", u32, u32, u32, u32, U24(A) * U24(B))
LANEWISE(mul24_lo_s32, "mul24.lo.s32", u32, u32, u32, u32, (uint64_t) (S24(A) * S24(B)))
LANEWISE(mul24_hi_u32, "mul24.hi.u32", u32, u32, u32, u32, U24(A) * U24(B) >> 16)
LANEWISE(mul24_hi_s32, "mul24.hi.s32", u32, u32, u32, u32, (uint64_t) (S24(A) * S24(B) >> 16))
LANEWISE(mad24_lo_u32, "mad24.lo.u32", u32, u32, u32, u32, U24(A) * U24(B) + C)
LANEWISE(mad24_lo_s32, "mad24.lo.s32", u32, u32, u32, u32, (uint64_t) (S24(A) * S24(B)) + C)
LANEWISE(mad24_hi_u32, "mad24.hi.u32", u32, u32, u32, u32, (U24(A) * U24(B) >> 16) + C)
LANEWISE(mad24_hi_s32, "mad24.hi.s32", u32, u32, u32, u32, (uint64_t) (S24(A) * S24(B) >> 16) + C)
LANEWISE(mad24_hi_sat_s32, "mad24.hi.sat.s32", s32, u32, u32, s32,
         clamp32((S24(A) * S24(B) >> 16) + C))

/* sad: c + |a - b| */
#define DISTANCE(T, U)                                                                             \
    LANEWISE(sad_##T, "sad." #T, U, T, T, U,                                                       \
             C + (A < B ? (V_##U) B - (V_##U) A : (V_##U) A - (V_##U) B))

DISTANCE(u16, u16)
DISTANCE(s16, u16)
DISTANCE(u32, u32)
DISTANCE(s32, u32)
DISTANCE(u64, u64)
DISTANCE(s64, u64)

/* Selection; c is the word of a predicate. */
#define SELECT(T)                                                                                  \
    COMPUTES(selp_##T, "selp." #T, 8 * sizeof(S_##T), 8 * sizeof(S_##T), 8 * sizeof(S_##T), 1)     \
    {                                                                                              \
        S_##T *d = REG(S_##T, op->d);                                                              \
        const S_##T *a = REG(S_##T, op->a);                                                        \
        const S_##T *b = REG(S_##T, op->b);                                                        \
        const uint32_t which = PRED(op->c) ^ (uint32_t) op->imm, mask = w->mask;                   \
                                                                                                   \
        if (w->converged)                                                                          \
            PTX__EACH_LANE d[l] = which >> l & 1 ? a[l] : b[l];                                    \
        else                                                                                       \
            PTX__EACH_LANE d[l] = !(mask >> l & 1) ? d[l] : which >> l & 1 ? a[l] : b[l];          \
        return op + 1;                                                                             \
    }

SELECT(u32)
SELECT(u64)

LANEWISE(slct_u16_s32, "slct.u16.s32", u16, u16, u16, s32, C >= 0 ? A : B)
LANEWISE(slct_u16_f32, "slct.u16.f32", u16, u16, u16, f32, C >= 0 ? A : B)
LANEWISE(slct_ftz_u16_f32, "slct.ftz.u16.f32", u16, u16, u16, f32, ptx__ftz(C) >= 0 ? A : B)
LANEWISE(slct_u32_s32, "slct.u32.s32", u32, u32, u32, s32, C >= 0 ? A : B)
LANEWISE(slct_u64_s32, "slct.u64.s32", u64, u64, u64, s32, C >= 0 ? A : B)
LANEWISE(slct_u32_f32, "slct.u32.f32", u32, u32, u32, f32, C >= 0 ? A : B)
LANEWISE(slct_u64_f32, "slct.u64.f32", u64, u64, u64, f32, C >= 0 ? A : B)
LANEWISE(slct_ftz_u32_f32, "slct.ftz.u32.f32", u32, u32, u32, f32, ptx__ftz(C) >= 0 ? A : B)
LANEWISE(slct_ftz_u64_f32, "slct.ftz.u64.f32", u64, u64, u64, f32, ptx__ftz(C) >= 0 ? A : B)

/*
 * Predicates have one bit for each lane. imm has the bits that negate the operands: 1 for a, 2 for
 * b.
 */
#define PREDICATE(id, key, expression)                                                             \
    COMPUTES(id, key, 1, 1, 1, 0)                                                                  \
    {                                                                                              \
        const uint32_t A = PRED(op->a) ^ (op->imm & 1 ? PTX__ALL : 0);                             \
        const uint32_t B = PRED(op->b) ^ (op->imm & 2 ? PTX__ALL : 0);                             \
        (void) B;                                                                                  \
        ptx__set_pred(w, op->d, expression);                                                       \
        return op + 1;                                                                             \
    }

PREDICATE(and_pred, "and.pred", (A & B))
PREDICATE(or_pred, "or.pred", A | B)
PREDICATE(xor_pred, "xor.pred", A ^ B)
PREDICATE(not_pred, "not.pred", ~A)
PREDICATE(mov_pred, "mov.pred", A)

/* Conversions between sizes of integers. */
LANEWISE(ext_u8_u32, "cvt.u32.u8", u32, u8, u8, u32, A)
LANEWISE(ext_u8_u16, "cvt.u16.u8", u16, u8, u8, u32, A)
LANEWISE(ext_s8_u32, "cvt.u32.s8", u32, s8, s8, u32, (uint32_t) A)
LANEWISE(ext_s8_u16, "cvt.u16.s8", u16, s8, s8, u32, (uint16_t) A)
LANEWISE(ext_u16_u32, "cvt.u32.u16", u32, u16, u16, u32, A)
LANEWISE(ext_s16_u32, "cvt.u32.s16", u32, s16, s16, u32, (uint32_t) A)
LANEWISE(ext_u8_u64, "cvt.u64.u8", u64, u8, u8, u32, A)
LANEWISE(ext_s8_u64, "cvt.u64.s8", u64, s8, s8, u32, (uint64_t) A)
LANEWISE(ext_u16_u64, "cvt.u64.u16", u64, u16, u16, u32, A)
LANEWISE(ext_s16_u64, "cvt.u64.s16", u64, s16, s16, u32, (uint64_t) A)
LANEWISE(ext_u32_u64, "cvt.u64.u32", u64, u32, u32, u32, A)
LANEWISE(ext_s32_u64, "cvt.u64.s32", u64, s32, s32, u32, (uint64_t) A)
LANEWISE(trunc_u64_u32, "cvt.u32.u64", u32, u64, u64, u32, A)
LANEWISE(trunc_u64_u16, "cvt.u16.u64", u16, u64, u64, u32, A)
LANEWISE(trunc_u64_u8, "cvt.u8.u64", u8, u64, u64, u32, A)
LANEWISE(trunc_u32_u16, "cvt.u16.u32", u16, u32, u32, u32, A)
LANEWISE(trunc_u32_u8, "cvt.u8.u32", u8, u32, u32, u32, A)
