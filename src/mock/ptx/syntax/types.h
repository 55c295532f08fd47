/* SPDX-License-Identifier: MIT */
/* The fundamental types of PTX, and the state spaces. */
#ifndef CUSHIM_MOCK_PTX_SYNTAX_TYPES_H
#define CUSHIM_MOCK_PTX_SYNTAX_TYPES_H

#include <stdbool.h>
#include <stddef.h>

/* name, text, bits, class */
#define PTX__TYPES(T)                                                                              \
    T(PRED, "pred", 1, PREDICATE)                                                                  \
    T(B1, "b1", 1, BITS)                                                                           \
    T(B8, "b8", 8, BITS)                                                                           \
    T(B16, "b16", 16, BITS)                                                                        \
    T(B32, "b32", 32, BITS)                                                                        \
    T(B64, "b64", 64, BITS)                                                                        \
    T(B128, "b128", 128, BITS)                                                                     \
    T(U2, "u2", 2, UNSIGNED)                                                                       \
    T(U4, "u4", 4, UNSIGNED)                                                                       \
    T(U8, "u8", 8, UNSIGNED)                                                                       \
    T(U16, "u16", 16, UNSIGNED)                                                                    \
    T(U32, "u32", 32, UNSIGNED)                                                                    \
    T(U64, "u64", 64, UNSIGNED)                                                                    \
    T(S2, "s2", 2, SIGNED)                                                                         \
    T(S4, "s4", 4, SIGNED)                                                                         \
    T(S8, "s8", 8, SIGNED)                                                                         \
    T(S16, "s16", 16, SIGNED)                                                                      \
    T(S32, "s32", 32, SIGNED)                                                                      \
    T(S64, "s64", 64, SIGNED)                                                                      \
    T(U16X2, "u16x2", 32, PACKED)                                                                  \
    T(S16X2, "s16x2", 32, PACKED)                                                                  \
    T(U8X4, "u8x4", 32, PACKED)                                                                    \
    T(S8X4, "s8x4", 32, PACKED)                                                                    \
    T(F16, "f16", 16, FLOAT)                                                                       \
    T(BF16, "bf16", 16, ALTERNATE)                                                                 \
    T(F32, "f32", 32, FLOAT)                                                                       \
    T(F64, "f64", 64, FLOAT)                                                                       \
    T(TF32, "tf32", 32, ALTERNATE)                                                                 \
    T(F16X2, "f16x2", 32, PACKED_FLOAT)                                                            \
    T(BF16X2, "bf16x2", 32, ALTERNATE)                                                             \
    T(F32X2, "f32x2", 64, PACKED)                                                                  \
    T(E4M3, "e4m3", 8, ALTERNATE)                                                                  \
    T(E5M2, "e5m2", 8, ALTERNATE)                                                                  \
    T(E3M2, "e3m2", 8, ALTERNATE)                                                                  \
    T(E2M3, "e2m3", 8, ALTERNATE)                                                                  \
    T(E2M1, "e2m1", 4, ALTERNATE)                                                                  \
    T(UE8M0, "ue8m0", 8, ALTERNATE)                                                                \
    T(UE4M3, "ue4m3", 8, ALTERNATE)                                                                \
    T(E4M3X2, "e4m3x2", 16, ALTERNATE)                                                             \
    T(E5M2X2, "e5m2x2", 16, ALTERNATE)                                                             \
    T(E3M2X2, "e3m2x2", 16, ALTERNATE)                                                             \
    T(E2M3X2, "e2m3x2", 16, ALTERNATE)                                                             \
    T(E2M1X2, "e2m1x2", 8, ALTERNATE)                                                              \
    T(UE8M0X2, "ue8m0x2", 16, ALTERNATE)                                                           \
    T(S2F6X2, "s2f6x2", 16, ALTERNATE)                                                             \
    T(E4M3X4, "e4m3x4", 32, ALTERNATE)                                                             \
    T(E5M2X4, "e5m2x4", 32, ALTERNATE)                                                             \
    T(E3M2X4, "e3m2x4", 32, ALTERNATE)                                                             \
    T(E2M3X4, "e2m3x4", 32, ALTERNATE)                                                             \
    T(E2M1X4, "e2m1x4", 16, ALTERNATE)                                                             \
    T(TEXREF, "texref", 64, OPAQUE)                                                                \
    T(SAMPLERREF, "samplerref", 64, OPAQUE)                                                        \
    T(SURFREF, "surfref", 64, OPAQUE)

enum ptx__type {
    PTX_NO_TYPE,
#define T(name, text, bits, class) PTX_##name,
    PTX__TYPES(T)
#undef T
        PTX_N_TYPES,
};

/*
 * The class of a type decides whether a register fits an instruction's type: the sizes must be
 * equal, and .bN fits all classes. Values of an ALTERNATE type (.bf16, .tf32, .e4m3x2) or a PACKED
 * one are in .bN registers; no register is declared with such a type, except .f16x2.
 */
enum ptx__type_class {
    PTX_NO_CLASS,
    PTX_PREDICATE,
    PTX_BITS,
    PTX_UNSIGNED,
    PTX_SIGNED,
    PTX_PACKED,
    PTX_FLOAT,
    PTX_PACKED_FLOAT,
    PTX_ALTERNATE,
    PTX_OPAQUE,
};

/* The order is that of the table in types.c. */
enum ptx__space {
    PTX_NO_SPACE, /* generic addressing */
    PTX_REG,
    PTX_SREG,
    PTX_CONST,
    PTX_GLOBAL,
    PTX_LOCAL,
    PTX_PARAM,
    PTX_PARAM_ENTRY,
    PTX_PARAM_FUNC,
    PTX_SHARED, /* .shared and .shared::cta mean the same */
    PTX_SHARED_CTA,
    PTX_SHARED_CLUSTER,
    PTX_TEX,
    PTX_N_SPACES,
};

/* Returns such as "u32"; "" for no type. The names below are static. */
const char *ptx__type_name(enum ptx__type type);
unsigned ptx__type_bits(enum ptx__type type);
enum ptx__type_class ptx__type_class(enum ptx__type type);

/* Returns the size in memory; 0 for .pred and for types that have no size in memory. */
size_t ptx__type_bytes(enum ptx__type type);

static inline bool ptx__is_signed(enum ptx__type type)
{
    return ptx__type_class(type) == PTX_SIGNED;
}

/* Tells whether the type is one of .u8 to .s64 or a packed integer type. */
static inline bool ptx__is_integer(enum ptx__type type)
{
    const enum ptx__type_class class = ptx__type_class(type);

    return class == PTX_SIGNED || class == PTX_UNSIGNED;
}

static inline bool ptx__is_float(enum ptx__type type)
{
    const enum ptx__type_class class = ptx__type_class(type);

    return class == PTX_FLOAT || class == PTX_PACKED_FLOAT || class == PTX_ALTERNATE;
}

/* Returns such as "shared::cta". */
const char *ptx__space_name(enum ptx__space space);

#endif
