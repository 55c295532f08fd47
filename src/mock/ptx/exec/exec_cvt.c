/* SPDX-License-Identifier: MIT */
/*
 * Conversions to and from floating point. Lowering reduces all conversions to these: .f16 and .bf16
 * go through .f32, and small integers through .s64 and .u64. .ftz, .sat and .relu are separate
 * operations before or after them.
 */
#include <math.h>

#include "mock/ptx/machine/exec.h"
#include "mock/ptx/machine/softfloat.h"

/*
 * --- to integers: rounded, then limited to the range. NaN becomes 0, or only the highest bit if
 * the source or the integer has 64 bits ---
 */

#define TO_INTEGER(mode, rounded, T, V, low, high)                                                 \
    static inline V to_##T##_##mode(double x, bool wide)                                           \
    {                                                                                              \
        const double r = rounded(x);                                                               \
                                                                                                   \
        if (r != r)                                                                                \
            return wide || sizeof(V) == 8 ? (V) (UINT64_C(1) << (8 * sizeof(V) - 1)) : 0;          \
        return r <= (double) (low) ? (V) (low) : r >= (double) (high) ? (V) (high) : (V) r;        \
    }                                                                                              \
    LANEWISE(cvt_##mode##_##T##_f32, "cvt." #mode "." #T ".f32", T, f32, f32, u32,                 \
             to_##T##_##mode((double) A, false))                                                   \
    LANEWISE(cvt_##mode##_##T##_f64, "cvt." #mode "." #T ".f64", T, f64, f64, u32,                 \
             to_##T##_##mode(A, true))

#define TO_INTEGERS(mode, rounded)                                                                 \
    TO_INTEGER(mode, rounded, u8, uint8_t, 0, UINT8_MAX)                                           \
    TO_INTEGER(mode, rounded, s8, int8_t, INT8_MIN, INT8_MAX)                                      \
    TO_INTEGER(mode, rounded, u16, uint16_t, 0, UINT16_MAX)                                        \
    TO_INTEGER(mode, rounded, s16, int16_t, INT16_MIN, INT16_MAX)                                  \
    TO_INTEGER(mode, rounded, u32, uint32_t, 0, UINT32_MAX)                                        \
    TO_INTEGER(mode, rounded, s32, int32_t, INT32_MIN, INT32_MAX)                                  \
    TO_INTEGER(mode, rounded, u64, uint64_t, 0, UINT64_MAX)                                        \
    TO_INTEGER(mode, rounded, s64, int64_t, INT64_MIN, INT64_MAX)

TO_INTEGERS(rni, __builtin_rint)
TO_INTEGERS(rzi, __builtin_trunc)
TO_INTEGERS(rmi, __builtin_floor)
TO_INTEGERS(rpi, __builtin_ceil)

/* --- from integers --- */

LANEWISE(cvt_rn_f32_s32, "cvt.rn.f32.s32", f32, s32, s32, u32, (float) A)
LANEWISE(cvt_rn_f32_u32, "cvt.rn.f32.u32", f32, u32, u32, u32, (float) A)
LANEWISE(cvt_rn_f64_s32, "cvt.rn.f64.s32", f64, s32, s32, u32, (double) A)
LANEWISE(cvt_rn_f64_u32, "cvt.rn.f64.u32", f64, u32, u32, u32, (double) A)
LANEWISE(cvt_rn_f32_s64, "cvt.rn.f32.s64", f32, s64, s64, u32, (float) A)
LANEWISE(cvt_rn_f32_u64, "cvt.rn.f32.u64", f32, u64, u64, u32, (float) A)
LANEWISE(cvt_rn_f64_s64, "cvt.rn.f64.s64", f64, s64, s64, u32, (double) A)
LANEWISE(cvt_rn_f64_u64, "cvt.rn.f64.u64", f64, u64, u64, u32, (double) A)

#define OF_S64(x) ptx__number_of_integer((x) < 0 ? 0 - (uint64_t) (x) : (uint64_t) (x), (x) < 0)
#define OF_U64(x) ptx__number_of_integer(x, false)
#define OF_F32(x) ptx__number_of(PTX__F32, x)
#define OF_F64(x) ptx__number_of(PTX__F64, x)

#define SOFT(mode, M, name, T, FORMAT)                                                             \
    LANEWISE(cvt_##mode##_##name##_s64_, "cvt." #mode "." #name ".s64", T, s64, s64, u32,          \
             ptx__bits_of(FORMAT, OF_S64(A), M, false))                                            \
    LANEWISE(cvt_##mode##_##name##_u64_, "cvt." #mode "." #name ".u64", T, u64, u64, u32,          \
             ptx__bits_of(FORMAT, OF_U64(A), M, false))

/*
 * Between formats. A NaN of .f64 keeps its sign and its upper bits, and becomes quiet. Any other
 * NaN becomes the standard one of the format.
 */
static inline uint64_t narrowed(struct ptx__format format, uint64_t x, enum ptx__rounding mode)
{
    const unsigned total = format.fraction + format.exponent_bits;
    const uint64_t quiet = (x & (UINT64_MAX >> 1)) | UINT64_C(0x0008000000000000);

    if ((x & (UINT64_MAX >> 1)) <= UINT64_C(0x7ff0000000000000))
        return ptx__bits_of(format, OF_F64(x), mode, false);
    return x >> 63 << total | (quiet >> (52 - format.fraction) & ((UINT64_C(1) << total) - 1));
}

#define SOFT_F32(mode, M, name, T, FORMAT)                                                         \
    LANEWISE(cvt_##mode##_##name##_f32_, "cvt." #mode "." #name ".f32", T, u32, u32, u32,          \
             ptx__bits_of(FORMAT, OF_F32(A), M, false))

#define SOFT_F64(mode, M, name, T, FORMAT)                                                         \
    LANEWISE(cvt_##mode##_##name##_f64_, "cvt." #mode "." #name ".f64", T, u64, u64, u32,          \
             narrowed(FORMAT, A, M))

#define DIRECTED(name, T, FORMAT)                                                                  \
    SOFT(rz, PTX__RZ, name, T, FORMAT)                                                             \
    SOFT(rm, PTX__RM, name, T, FORMAT)                                                             \
    SOFT(rp, PTX__RP, name, T, FORMAT)

#define NARROW(name)                                                                               \
    DIRECTED(name, u16, FORMAT_##name)                                                             \
    SOFT(rn, PTX__RN, name, u16, FORMAT_##name)                                                    \
    SOFT_F32(rn, PTX__RN, name, u16, FORMAT_##name)                                                \
    SOFT_F32(rz, PTX__RZ, name, u16, FORMAT_##name)                                                \
    SOFT_F32(rm, PTX__RM, name, u16, FORMAT_##name)                                                \
    SOFT_F32(rp, PTX__RP, name, u16, FORMAT_##name)                                                \
    SOFT_F64(rn, PTX__RN, name, u16, FORMAT_##name)                                                \
    SOFT_F64(rz, PTX__RZ, name, u16, FORMAT_##name)                                                \
    SOFT_F64(rm, PTX__RM, name, u16, FORMAT_##name)                                                \
    SOFT_F64(rp, PTX__RP, name, u16, FORMAT_##name)                                                \
    LANEWISE(cvt_satfinite_rn_##name, "cvt.rn.satfinite." #name ".f32", u16, u32, u32, u32,        \
             ptx__bits_of(FORMAT_##name, OF_F32(A), PTX__RN, true))                                \
    LANEWISE(cvt_satfinite_rz_##name, "cvt.rz.satfinite." #name ".f32", u16, u32, u32, u32,        \
             ptx__bits_of(FORMAT_##name, OF_F32(A), PTX__RZ, true))

#define FORMAT_f16  PTX__F16
#define FORMAT_bf16 PTX__BF16

NARROW(f16)
NARROW(bf16)
DIRECTED(f32, u32, PTX__F32)
DIRECTED(f64, u64, PTX__F64)
SOFT_F64(rz, PTX__RZ, f32, u32, PTX__F32)
SOFT_F64(rm, PTX__RM, f32, u32, PTX__F32)
SOFT_F64(rp, PTX__RP, f32, u32, PTX__F32)

LANEWISE(cvt_rn_f32_f64, "cvt.rn.f32.f64", f32, f64, f64, u32, (float) A)

/* Conversions to .f64 keep a NaN but make it quiet; .bf16 to .f32 keeps all of it. */
LANEWISE(cvt_f64_f32, "cvt.f64.f32", f64, f32, f32, u32, (double) A)
LANEWISE(cvt_f32_f16, "cvt.f32.f16", f32, u16, u16, u32, ptx__nan32(ptx__float_of_half(A)))
LANEWISE(cvt_f32_bf16, "cvt.f32.bf16", f32, u16, u16, u32, ptx__float_of_bfloat(A))
LANEWISE(cvt_f64_f16, "cvt.f64.f16", f64, u16, u16, u32, (double) ptx__float_of_half(A))
LANEWISE(cvt_f64_bf16, "cvt.f64.bf16", f64, u16, u16, u32, (double) ptx__float_of_bfloat(A))

/* --- .tf32: the low 13 bits of an .f32 are 0. With .rna, this is the only change of a NaN --- */

static inline uint32_t away_tf32(uint32_t x)
{
    const bool nan = (x & 0x7fffffff) > 0x7f800000;

    return nan ? x & ~0x1fffu
               : (uint32_t) ptx__bits_of(PTX__TF32, OF_F32(x), PTX__RNA, false) << 13;
}

/*
 * With .satfinite, a result that is not finite becomes the bit pattern just below it, also for a
 * NaN.
 */
static inline uint32_t finite_tf32(uint32_t x)
{
    const uint32_t bits = away_tf32(x);

    return (bits & 0x7fffffff) >= 0x7f800000 ? bits - 0x2000 : bits;
}

LANEWISE(cvt_tf32_rna, "cvt.rna.tf32.f32", u32, u32, u32, u32, away_tf32(A))
LANEWISE(cvt_tf32_rna_sat, "cvt.rna.satfinite.tf32.f32", u32, u32, u32, u32, finite_tf32(A))

#define TF32(name, mode, finite)                                                                   \
    LANEWISE(cvt_tf32_##name, "cvt." name##_text ".tf32.f32", u32, u32, u32, u32,                  \
             (uint32_t) ptx__bits_of(PTX__TF32, OF_F32(A), mode, finite) << 13)

#define rn_text     "rn"
#define rn_sat_text "rn.satfinite"
#define rz_text     "rz"
#define rz_sat_text "rz.satfinite"

TF32(rn, PTX__RN, false)
TF32(rn_sat, PTX__RN, true)
TF32(rz, PTX__RZ, false)
TF32(rz_sat, PTX__RZ, true)

/* --- 8 bits --- */

LANEWISE(cvt_e4m3, "cvt.rn.satfinite.e4m3.f32", u8, u32, u32, u32,
         ptx__bits_of(PTX__E4M3, OF_F32(A), PTX__RN, true))
LANEWISE(cvt_e5m2, "cvt.rn.satfinite.e5m2.f32", u8, u32, u32, u32,
         ptx__bits_of(PTX__E5M2, OF_F32(A), PTX__RN, true))

#define WIDEN(name, FORMAT)                                                                        \
    LANEWISE(cvt_f16_##name, "cvt.rn.f16." #name, u16, u8, u8, u32,                                \
             ptx__convert(PTX__F16, FORMAT, A, PTX__RN, false))                                    \
    LANEWISE(cvt_bf16_##name, "cvt.rn.bf16." #name, u16, u8, u8, u32,                              \
             ptx__convert(PTX__BF16, FORMAT, A, PTX__RN, false))                                   \
    LANEWISE(cvt_bf16_##name##_sat, "cvt.rn.satfinite.bf16." #name, u16, u8, u8, u32,              \
             ptx__convert(PTX__BF16, FORMAT, A, PTX__RN, true))

WIDEN(e4m3, PTX__E4M3)
WIDEN(e5m2, PTX__E5M2)

/* --- rounding to integers that stay floating point --- */

#define INTEGRAL(mode, rounded)                                                                    \
    LANEWISE(cvt_##mode##_f32_f32, "cvt." #mode ".f32.f32", f32, f32, f32, u32,                    \
             ptx__nan32((float) rounded((double) A)))                                              \
    LANEWISE(cvt_##mode##_f64_f64, "cvt." #mode ".f64.f64", f64, f64, f64, u32,                    \
             ptx__nan64(rounded(A), A, A, A))

INTEGRAL(rni, __builtin_rint)
INTEGRAL(rzi, __builtin_trunc)
INTEGRAL(rmi, __builtin_floor)
INTEGRAL(rpi, __builtin_ceil)

/* --- operations before or after a conversion --- */

LANEWISE(ftz_f32, "ftz.f32", f32, f32, f32, u32, ptx__ftz(A))
/* The same as an arithmetic operation, which changes a NaN to the standard one. */
LANEWISE(flush_f32, "flush.f32", f32, f32, f32, u32, ptx__ftz(ptx__nan32(A)))
/* Negative numbers and -0 become +0; a NaN stays a NaN. */
LANEWISE(relu_f32, "relu.f32", f32, f32, f32, u32, A > 0 || A != A ? A : 0)

/* --- between integers, limited to the range --- */

#define WITHIN(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))
#define FIELD(x, bits)       ((uint32_t) (x) & ((1u << (bits)) - 1))

/* cvt.pack: a above b, and c above both. */
#define PACK(T, more, bits, low, high, upper)                                                      \
    LANEWISE(cvt_pack_##T, "cvt.pack.sat." #T ".s32" more, u32, s32, s32, u32,                     \
             (upper) | FIELD(WITHIN(A, low, high), bits) << (bits) |                               \
                 FIELD(WITHIN(B, low, high), bits))

PACK(u16, "", 16, 0, UINT16_MAX, 0)
PACK(s16, "", 16, INT16_MIN, INT16_MAX, 0)
PACK(u8, ".u32", 8, 0, UINT8_MAX, C << 16)
PACK(s8, ".u32", 8, INT8_MIN, INT8_MAX, C << 16)
PACK(u4, ".u32", 4, 0, 15, C << 8)
PACK(s4, ".u32", 4, -8, 7, C << 8)
PACK(u2, ".u32", 2, 0, 3, C << 4)
PACK(s2, ".u32", 2, -2, 1, C << 4)

#define CLAMPED(T, low, high)                                                                      \
    LANEWISE(cvt_sat_##T##_s64, "cvt.sat." #T ".s64", T, s64, s64, u32,                            \
             A<(low) ? (low) : A>(high) ? (high) : A)                                              \
    LANEWISE(cvt_sat_##T##_u64, "cvt.sat." #T ".u64", T, u64, u64, u32,                            \
             A > (uint64_t) (high) ? (uint64_t) (high) : A)

CLAMPED(u8, 0, UINT8_MAX)
CLAMPED(s8, INT8_MIN, INT8_MAX)
CLAMPED(u16, 0, UINT16_MAX)
CLAMPED(s16, INT16_MIN, INT16_MAX)
CLAMPED(u32, 0, UINT32_MAX)
CLAMPED(s32, INT32_MIN, INT32_MAX)
CLAMPED(s64, INT64_MIN, INT64_MAX)
LANEWISE(cvt_sat_u64_s64, "cvt.sat.u64.s64", u64, s64, s64, u32, A < 0 ? 0 : A)
LANEWISE(cvt_sat_u64_u64, "cvt.sat.u64.u64", u64, u64, u64, u32, A)
