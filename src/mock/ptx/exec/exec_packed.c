/* SPDX-License-Identifier: MIT */
/* Integers of 16 and 8 bits that are packed into 32. */
#include "mock/ptx/machine/exec.h"

#define PACKED(id, key, bits, V, W, expression)                                                    \
    static inline uint32_t packed_##id(uint32_t x, uint32_t y)                                     \
    {                                                                                              \
        uint32_t r = 0;                                                                            \
                                                                                                   \
        for (unsigned i = 0; i < 32; i += (bits)) {                                                \
            const int32_t a = (V) (x >> i), b = (V) (y >> i);                                      \
                                                                                                   \
            (void) b;                                                                              \
            r |= (uint32_t) (W) (expression) << i;                                                 \
        }                                                                                          \
        return r;                                                                                  \
    }                                                                                              \
    LANEWISE(id, key, u32, u32, u32, u32, packed_##id(A, B))

#define LESS          (a < b ? a : b)
#define MORE          (a > b ? a : b)
#define AT_LEAST_0(x) ((x) < 0 ? 0 : (x))

#define OF_TYPE(T, bits, V, W, low, high)                                                          \
    PACKED(add_##T, "add." #T, bits, V, W, a + b)                                                  \
    PACKED(sub_##T, "sub." #T, bits, V, W, a - b)                                                  \
    PACKED(add_sat_##T, "add.sat." #T, bits, V, W, LIMITED(a + b, low, high))                      \
    PACKED(sub_sat_##T, "sub.sat." #T, bits, V, W, LIMITED(a - b, low, high))                      \
    PACKED(min_##T, "min." #T, bits, V, W, LESS)                                                   \
    PACKED(max_##T, "max." #T, bits, V, W, MORE)

#define LIMITED(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))

#define OF_SIGNED_TYPE(T, bits, V, W, low, high)                                                   \
    OF_TYPE(T, bits, V, W, low, high)                                                              \
    PACKED(neg_##T, "neg." #T, bits, V, W, -a)                                                     \
    PACKED(min_relu_##T, "min.relu." #T, bits, V, W, AT_LEAST_0(LESS))                             \
    PACKED(max_relu_##T, "max.relu." #T, bits, V, W, AT_LEAST_0(MORE))

OF_TYPE(u16x2, 16, uint16_t, uint16_t, 0, UINT16_MAX)
OF_SIGNED_TYPE(s16x2, 16, int16_t, uint16_t, INT16_MIN, INT16_MAX)
OF_TYPE(u8x4, 8, uint8_t, uint8_t, 0, UINT8_MAX)
OF_SIGNED_TYPE(s8x4, 8, int8_t, uint8_t, INT8_MIN, INT8_MAX)
