/* SPDX-License-Identifier: MIT */
/*
 * Where descriptors of matrices lead. The offsets of wgmma's are an H100's answers: it was given
 * shared memory whose elements are their own numbers.
 */
#include "../../support/assertions.h"
#include "mock/ptx/exec/smem_matrix.h"

#define NONE   UINT64_C(0)
#define BY_128 (UINT64_C(1) << 62)
#define BY_64  (UINT64_C(2) << 62)
#define BY_32  (UINT64_C(3) << 62)

static uint64_t descriptor(uint32_t start, uint32_t leading, uint32_t stride, uint64_t swizzle)
{
    return start / 16 | (uint64_t) (leading / 16) << 16 | (uint64_t) (stride / 16) << 32 | swizzle;
}

static void expect(uint64_t of, bool mn_major, unsigned line, unsigned chunk, uint32_t wanted)
{
    const struct ptx__smem_matrix matrix = ptx__smem_matrix_of(of, mn_major);

    cr_expect(eq(u32, ptx__smem_chunk(&matrix, line, chunk), wanted), "line %u, chunk %u", line,
              chunk);
}

TestSuite(smem_matrix, .timeout = 60);

Test(smem_matrix, without_a_swizzle)
{
    const uint64_t of = descriptor(4096, 128, 256, NONE);

    expect(of, false, 0, 0, 4096);
    expect(of, false, 1, 0, 4096 + 16);
    expect(of, false, 7, 1, 4096 + 128 + 7 * 16);
    expect(of, false, 8, 0, 4096 + 256);
    expect(of, false, 63, 1, 4096 + 7 * 256 + 128 + 7 * 16);
}

/* MN-major, the distances have the other's place. */
Test(smem_matrix, without_a_swizzle_by_columns)
{
    const uint64_t of = descriptor(0, 128, 256, NONE);

    expect(of, true, 0, 1, 256);
    expect(of, true, 7, 0, 7 * 16);
    expect(of, true, 8, 0, 128);
    expect(of, true, 15, 7, 128 + 7 * 256 + 7 * 16);
}

Test(smem_matrix, swizzles_of_all_widths)
{
    expect(descriptor(0, 16, 1024, BY_128), false, 1, 0, 128 + 16);
    expect(descriptor(0, 16, 1024, BY_128), false, 7, 1, 7 * 128 + 6 * 16);
    expect(descriptor(0, 16, 1024, BY_128), false, 8, 0, 1024);
    expect(descriptor(0, 16, 512, BY_64), false, 2, 0, 2 * 64 + 16);
    expect(descriptor(0, 16, 512, BY_64), false, 15, 1, 512 + 7 * 64 + 2 * 16);
    expect(descriptor(0, 16, 256, BY_32), false, 3, 0, 3 * 32);
    expect(descriptor(0, 16, 256, BY_32), false, 4, 0, 4 * 32 + 16);
}

/* What is changed is the address, so a start within an atom is at another phase. */
Test(smem_matrix, a_start_within_an_atom)
{
    expect(descriptor(32, 16, 1024, BY_128), false, 0, 0, 32);
    expect(descriptor(32, 16, 1024, BY_128), false, 1, 0, (128 + 32) ^ 16);
    expect(descriptor(128, 16, 1024, BY_128), false, 0, 0, 128 + 16);
}

Test(smem_matrix, swizzles_by_columns)
{
    expect(descriptor(0, 4096, 1024, BY_128), true, 0, 7, 7 * 16);
    expect(descriptor(0, 4096, 1024, BY_128), true, 0, 8, 4096);
    expect(descriptor(0, 4096, 1024, BY_128), true, 9, 2, 1024 + 128 + 3 * 16);
    expect(descriptor(0, 2048, 512, BY_64), true, 0, 5, 2048 + 16);
}

Test(smem_matrix, a_phase_of_its_own)
{
    const uint64_t one = UINT64_C(1) << 49, five = UINT64_C(5) << 49;

    expect(descriptor(128, 16, 1024, BY_128 | one), false, 0, 0, 128);
    expect(descriptor(0, 16, 2048, BY_128 | one), false, 8, 0, 2048 + 7 * 16);
    expect(descriptor(0, 16, 2048, BY_64 | five), false, 0, 1, (1 ^ 3) * 16);
    expect(descriptor(0, 16, 2048, NONE | five), false, 3, 0, 3 * 16);
}

/* Of tcgen05 only, and not asked: chunks of 32 bytes change places. */
Test(smem_matrix, a_swizzle_of_pairs)
{
    expect(descriptor(0, 16, 1024, UINT64_C(1) << 61), false, 1, 0, 128 + 32);
    expect(descriptor(0, 16, 1024, UINT64_C(1) << 61), false, 5, 3, 1024 + 128 + 0 * 32 + 16);
}

/* Other bits of a descriptor change nothing. */
Test(smem_matrix, bits_without_a_meaning)
{
    expect(descriptor(256, 128, 1024, NONE) | UINT64_C(3) << 14 | UINT64_C(3) << 30 |
               UINT64_C(7) << 46 | UINT64_C(0x1ff) << 52,
           false, 9, 1, 256 + 1024 + 16 + 128);
}
