/* SPDX-License-Identifier: MIT */
/* The types of the elements of matrices. */
#ifndef CUSHIM_MOCK_PTX_EXEC_ELEMENT_H
#define CUSHIM_MOCK_PTX_EXEC_ELEMENT_H

#include "mock/ptx/machine/softfloat.h"

enum ptx__element {
    PTX__ELEMENT_F16,
    PTX__ELEMENT_BF16,
    PTX__ELEMENT_TF32,
    PTX__ELEMENT_E4M3,
    PTX__ELEMENT_E5M2,
    PTX__ELEMENT_E3M2, /* of 6 bits in a byte */
    PTX__ELEMENT_E2M3,
    PTX__ELEMENT_E2M1,   /* of 4 bits, in the middle of a byte */
    PTX__ELEMENT_PACKED, /* the same, two in a byte */
    PTX__ELEMENT_F32,
    PTX__ELEMENT_F64,
    PTX__ELEMENT_U8,
    PTX__ELEMENT_S8,
    PTX__ELEMENT_U4,
    PTX__ELEMENT_S4,
    PTX__ELEMENT_B1,
    PTX__ELEMENT_S32,
};

/* Returns how many bits an element takes in a register, or in memory. */
static inline unsigned ptx__element_bits(enum ptx__element type)
{
    switch (type) {
    case PTX__ELEMENT_B1:
        return 1;
    case PTX__ELEMENT_U4:
    case PTX__ELEMENT_S4:
    case PTX__ELEMENT_PACKED:
        return 4;
    case PTX__ELEMENT_U8:
    case PTX__ELEMENT_S8:
    case PTX__ELEMENT_E4M3:
    case PTX__ELEMENT_E5M2:
    case PTX__ELEMENT_E3M2:
    case PTX__ELEMENT_E2M3:
    case PTX__ELEMENT_E2M1:
        return 8;
    case PTX__ELEMENT_F16:
    case PTX__ELEMENT_BF16:
        return 16;
    case PTX__ELEMENT_F64:
        return 64;
    default:
        return 32;
    }
}

static inline bool ptx__element_is_integer(enum ptx__element type)
{
    return type >= PTX__ELEMENT_U8;
}

static inline struct ptx__format ptx__element_format(enum ptx__element type)
{
    switch (type) {
    case PTX__ELEMENT_F16:
        return PTX__F16;
    case PTX__ELEMENT_BF16:
        return PTX__BF16;
    case PTX__ELEMENT_TF32:
        return PTX__TF32;
    case PTX__ELEMENT_E4M3:
        return PTX__E4M3;
    case PTX__ELEMENT_E5M2:
        return PTX__E5M2;
    case PTX__ELEMENT_E3M2:
        return PTX__E3M2;
    case PTX__ELEMENT_E2M3:
        return PTX__E2M3;
    case PTX__ELEMENT_E2M1:
    case PTX__ELEMENT_PACKED:
        return PTX__E2M1;
    case PTX__ELEMENT_F64:
        return PTX__F64;
    default:
        return PTX__F32;
    }
}

/* Returns the bits of the number in an element: those that are not the number's are dropped. */
static inline uint32_t ptx__element_number(enum ptx__element type, uint32_t bits)
{
    switch (type) {
    case PTX__ELEMENT_TF32:
        return bits >> 13;
    case PTX__ELEMENT_E3M2:
    case PTX__ELEMENT_E2M3:
        return bits & 0x3f;
    case PTX__ELEMENT_E2M1:
        return bits >> 2 & 15;
    default:
        return bits;
    }
}

#endif
