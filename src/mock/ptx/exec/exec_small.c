/* SPDX-License-Identifier: MIT */
/* Formats of 6 and 4 bits, and exponents without a fraction. */
#include "mock/ptx/machine/exec.h"
#include "mock/ptx/machine/softfloat.h"

/* These formats have no NaN, so a NaN becomes the largest number. */
static inline uint64_t numeric(struct ptx__format format, uint32_t bits)
{
    const struct ptx__softfloat number = ptx__number_of(PTX__F32, bits);

    return number.nan ? format.largest : ptx__bits_of(format, number, PTX__RN, true);
}

#define SMALL(name, FORMAT)                                                                        \
    LANEWISE(cvt_##name##_f32, "cvt.rn.satfinite." #name ".f32", u8, u32, u32, u32,                \
             numeric(FORMAT, A))                                                                   \
    LANEWISE(cvt_f16_##name, "cvt.rn.f16." #name, u16, u8, u8, u32,                                \
             ptx__convert(PTX__F16, FORMAT, A, PTX__RN, false))                                    \
    LANEWISE(cvt_bf16_##name, "cvt.rn.bf16." #name, u16, u8, u8, u32,                              \
             ptx__convert(PTX__BF16, FORMAT, A, PTX__RN, false))                                   \
    ALSO(cvt_bf16_##name, sat, "cvt.rn.satfinite.bf16." #name)

SMALL(e2m1, PTX__E2M1)
SMALL(e2m3, PTX__E2M3)
SMALL(e3m2, PTX__E3M2)

/*
 * .ue8m0 is only an exponent, of a power of two; 0xff is NaN. The sign is lost. If up is true, a
 * number that is not a power of two becomes the next one above it, except below the smallest one.
 */
static inline uint8_t exponent_of(uint32_t bits, bool up, bool finite)
{
    const uint32_t magnitude = bits & 0x7fffffff;
    uint32_t exponent = magnitude >> 23;

    if (magnitude > 0x7f800000)
        return 0xff;
    if (up && magnitude & 0x7fffff && magnitude > 0x400000)
        exponent++;
    return (uint8_t) (finite && exponent == 0xff ? 0xfe : exponent);
}

#define POWER(mode, up)                                                                            \
    LANEWISE(cvt_ue8m0_##mode, "cvt." #mode ".ue8m0.f32", u8, u32, u32, u32,                       \
             exponent_of(A, up, false))                                                            \
    LANEWISE(cvt_ue8m0_finite_##mode, "cvt." #mode ".satfinite.ue8m0.f32", u8, u32, u32, u32,      \
             exponent_of(A, up, true))

POWER(rz, false)
POWER(rp, true)
LANEWISE(cvt_bf16_ue8m0, "cvt.rn.bf16.ue8m0", u16, u8, u8, u32,
         A == 0xff ? 0x7fff
         : A       ? A << 7
                   : 0x40)
