/* SPDX-License-Identifier: MIT */
#include "mock/ptx/exec/smem_matrix.h"

enum { LINES = 8 }; /* of an atom */

/*
 * By enum ptx__swizzle: the chunks of an atom's line; which of the bits from SOURCE on change those
 * from `to` on. Values that wgmma cannot have, and tcgen05 reserves, are like those without the
 * lowest bit.
 */
#define SOURCE 7
static const struct {
    uint8_t chunks, bits, to;
} swizzles[8] = {
    {1, 0, 4}, {8, 3, 5}, {8, 7, 4}, {8, 7, 4}, {4, 3, 4}, {4, 3, 4}, {2, 1, 4}, {2, 1, 4},
};

/* Reads a field that counts units of 16 bytes. */
static uint32_t bytes_at(uint64_t descriptor, unsigned bit)
{
    return (uint32_t) (descriptor >> bit & 0x3fff) * PTX__CHUNK_BYTES;
}

struct ptx__smem_matrix ptx__smem_matrix_of(uint64_t descriptor, bool mn_major)
{
    const uint8_t swizzle = (uint8_t) (descriptor >> 61);
    const uint32_t leading = bytes_at(descriptor, 16), stride = bytes_at(descriptor, 32);
    const bool crossed = mn_major && swizzle == PTX__SWIZZLE_NONE;

    return (struct ptx__smem_matrix){.start = bytes_at(descriptor, 0),
                                     .by_line = crossed ? leading : stride,
                                     .by_chunk = crossed ? stride : leading,
                                     .swizzle = swizzle,
                                     .base = (uint8_t) (descriptor >> 49 & 7)};
}

uint32_t ptx__smem_chunk(const struct ptx__smem_matrix *matrix, unsigned line, unsigned chunk)
{
    const unsigned chunks = swizzles[matrix->swizzle].chunks;
    const unsigned lines = matrix->swizzle == PTX__SWIZZLE_128_BY_32 ? LINES / 2 : LINES;
    const uint32_t address = matrix->start + line / lines * matrix->by_line +
                             chunk / chunks * matrix->by_chunk +
                             (line % lines * chunks + chunk % chunks) * PTX__CHUNK_BYTES;

    return address ^ (((address >> SOURCE) - matrix->base) & swizzles[matrix->swizzle].bits)
                         << swizzles[matrix->swizzle].to;
}
