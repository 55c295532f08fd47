/* SPDX-License-Identifier: MIT */
/*
 * Matrices in shared memory whose place is told by a descriptor of 64 bits, as wgmma and tcgen05
 * have them.
 *
 * A matrix consists of lines: rows, if its elements are consecutive along K ("K-major"), or else
 * the elements of M or N for one K ("MN-major"). A line consists of chunks of 16 bytes. Eight lines
 * of as many chunks as a swizzle is wide are an atom, which is contiguous. The descriptor has the
 * distances between atoms. A swizzle changes the place of chunks by bits of their address.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_SMEM_MATRIX_H
#define CUSHIM_MOCK_PTX_EXEC_SMEM_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#define PTX__CHUNK_BYTES 16u

/* The bits 61 to 63 of a descriptor. Those of wgmma have two bits for it, the upper ones. */
enum ptx__swizzle {
    PTX__SWIZZLE_NONE = 0,
    PTX__SWIZZLE_128_BY_32 = 1, /* of chunks of 32 bytes; only for tcgen05 */
    PTX__SWIZZLE_128 = 2,
    PTX__SWIZZLE_64 = 4,
    PTX__SWIZZLE_32 = 6,
};

struct ptx__smem_matrix {
    uint32_t start;             /* offset in shared memory */
    uint32_t by_line, by_chunk; /* bytes to the atom with the next lines, with the next chunks */
    uint8_t swizzle;            /* enum ptx__swizzle */
    uint8_t base;               /* what is taken off the bits that change others: the phase of an
                                   atom that does not begin at its own size */
};

/* Reads a descriptor. mn_major: the lines are those of one K. */
struct ptx__smem_matrix ptx__smem_matrix_of(uint64_t descriptor, bool mn_major);

/* Returns the offset in shared memory of a chunk of a line. */
uint32_t ptx__smem_chunk(const struct ptx__smem_matrix *matrix, unsigned line, unsigned chunk);

#endif
