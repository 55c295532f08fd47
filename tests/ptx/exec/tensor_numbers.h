/* SPDX-License-Identifier: MIT */
/* Matrices in shared memory as the PTX manual describes them, and elements of all types. */
#ifndef CUSHIM_TESTS_PTX_EXEC_TENSOR_NUMBERS_H
#define CUSHIM_TESTS_PTX_EXEC_TENSOR_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* --- shared memory --- */

/* A matrix in shared memory: lines of elements that are consecutive, K by K or M by M. */
struct layout {
    unsigned mode; /* the swizzle of the descriptor */
    bool by_mn;
    unsigned start; /* where it begins */
    unsigned ahead; /* bytes along K that come before it in an atom */
    unsigned rows;  /* M or N */
};

static inline unsigned width(const struct layout *layout)
{
    static const unsigned widths[] = {16, 128, 128, 0, 64, 0, 32};

    return widths[layout->mode];
}

static inline unsigned mn_stride(const struct layout *layout)
{
    if (layout->by_mn)
        return layout->mode ? 4096 : 512;
    return layout->mode ? 8 * width(layout) : 128;
}

/* Between chunks of 16 bytes along K, or atoms of 4 or 8 numbers along K. */
static inline unsigned k_stride(const struct layout *layout)
{
    if (layout->by_mn)
        return layout->mode ? width(layout) * (layout->mode == 1 ? 4 : 8) : 128;
    return layout->rows / 8 * 128;
}

static inline uint64_t descriptor(const struct layout *layout)
{
    const bool swapped = layout->by_mn && layout->mode;
    const uint64_t leading = swapped ? mn_stride(layout) : k_stride(layout);
    const uint64_t stride = swapped ? k_stride(layout) : mn_stride(layout);

    return (layout->start + layout->ahead) >> 4 | leading >> 4 << 16 | stride >> 4 << 32 |
           (uint64_t) 1 << 46 | (uint64_t) layout->mode << 61;
}

static inline unsigned swizzled(unsigned mode, unsigned at)
{
    switch (mode) {
    case 1:
        return at ^ (at >> 2 & 0x60);
    case 2:
        return at ^ (at >> 3 & 0x70);
    case 4:
        return at ^ (at >> 3 & 0x30);
    case 6:
        return at ^ (at >> 3 & 0x10);
    default:
        return at;
    }
}

/* Returns where a byte of the row's element k is, whose elements have some bytes. */
static inline unsigned byte_at(const struct layout *layout, unsigned row, unsigned k,
                               unsigned bytes)
{
    const unsigned wide = width(layout), lines = layout->mode == 1 ? 4 : 8;
    unsigned along, at;

    if (layout->by_mn) {
        along = row * bytes;
        at = along / wide * mn_stride(layout) + k / lines * k_stride(layout) + k % lines * wide +
             along % wide;
    } else {
        along = layout->ahead + k * bytes;
        at = row / 8 * mn_stride(layout) + along / wide * k_stride(layout) + row % 8 * wide +
             along % wide;
    }
    return swizzled(layout->mode, layout->start + at);
}

/* --- numbers --- */

enum type { F16, BF16, TF32, E4M3, E5M2, E2M3, E3M2, E2M1, S8, U8 };

/* 0, 0.5, 1, 1.5, 2 and 3 in each type; integers are twice as large. */
static const unsigned codes[][6] = {
    [F16] = {0, 0x3800, 0x3c00, 0x3e00, 0x4000, 0x4200},
    [BF16] = {0, 0x3f00, 0x3f80, 0x3fc0, 0x4000, 0x4040},
    [TF32] = {0, 0x3f000000, 0x3f800000, 0x3fc00000, 0x40000000, 0x40400000},
    [E4M3] = {0, 0x30, 0x38, 0x3c, 0x40, 0x44},
    [E5M2] = {0, 0x38, 0x3c, 0x3e, 0x40, 0x42},
    [E2M3] = {0, 0x04, 0x08, 0x0c, 0x10, 0x14},
    [E3M2] = {0, 0x08, 0x0c, 0x0e, 0x10, 0x12},
    [E2M1] = {0, 1, 2, 3, 4, 5},
    [S8] = {0, 1, 2, 3, 4, 6},
    [U8] = {0, 1, 2, 3, 4, 6},
};
static const float values[] = {0, 0.5f, 1, 1.5f, 2, 3};
static const unsigned sign_bits[] = {15, 15, 31, 7, 7, 5, 5, 3, 0, 0};

static unsigned random_state = 1;

static inline unsigned draw(unsigned n)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 16) % n;
}

struct number {
    unsigned bits;
    float value;
};

static inline struct number number(enum type type)
{
    const unsigned i = draw(6);
    const bool negative = draw(2) && type != U8;
    struct number drawn = {codes[type][i], values[i] * (type >= S8 ? 2 : 1)};

    if (negative && type == S8)
        drawn.bits = -drawn.bits & 0xff;
    else if (negative)
        drawn.bits |= 1u << sign_bits[type];
    drawn.value = negative ? -drawn.value : drawn.value;
    return drawn;
}

static inline unsigned bits_of(enum type type)
{
    return type == TF32 ? 32 : type < TF32 ? 16 : 8;
}

/* Puts an element into shared memory; `packed`: 4 bits without space behind them. */
static inline void put(unsigned char *to, const struct layout *layout, unsigned row, unsigned k,
                       enum type type, unsigned bits, bool packed)
{
    const unsigned small = type == E2M1 ? 4 : type == E2M3 || type == E3M2 ? 6 : 0;
    const unsigned first = packed ? k / 32 * 16 : k / 16 * 16,
                   at = (packed ? k % 32 : k % 16) * small;

    for (unsigned i = 0; small && i < small; i++)
        to[byte_at(layout, row, first + (at + i) / 8, 1)] |=
            (unsigned char) ((bits >> i & 1) << (at + i) % 8);
    for (unsigned i = 0; !small && i < bits_of(type) / 8; i++)
        to[byte_at(layout, row, k, bits_of(type) / 8) + i] = (unsigned char) (bits >> 8 * i);
}

/* --- products --- */

#endif
