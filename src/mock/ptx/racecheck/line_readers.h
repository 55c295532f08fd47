/* SPDX-License-Identifier: MIT */
/*
 * Lines of global memory that several blocks have read and none has written. As long as the first
 * block has read all of such a line, its word says everything, and it needs no shadow record.
 */
#ifndef CUSHIM_MOCK_PTX_RACECHECK_LINE_READERS_H
#define CUSHIM_MOCK_PTX_RACECHECK_LINE_READERS_H

#include "mock/ptx/racecheck/racecheck.h"

/* Tells whether the bits are of whole words: of each four bits, all are set or none. */
static inline bool ptx__of_words(uint64_t bits)
{
    const uint64_t lowest = UINT64_C(0x1111111111111111);

    return (bits & bits >> 1 & bits >> 2 & bits >> 3 & lowest) * 15 == bits;
}

/* Returns four bits for each of 16, and 16 for the lowest one of each four. */
static inline uint64_t ptx__bytes_of_words(uint64_t words)
{
    words = (words | words << 24) & UINT64_C(0x000000ff000000ff);
    words = (words | words << 12) & UINT64_C(0x000f000f000f000f);
    words = (words | words << 6) & UINT64_C(0x0303030303030303);
    words = (words | words << 3) & UINT64_C(0x1111111111111111);
    return words * 15;
}

static inline uint64_t ptx__words_of_bytes(uint64_t bits)
{
    bits &= UINT64_C(0x1111111111111111);
    bits = (bits | bits >> 3) & UINT64_C(0x0303030303030303);
    bits = (bits | bits >> 6) & UINT64_C(0x000f000f000f000f);
    bits = (bits | bits >> 12) & UINT64_C(0x000000ff000000ff);
    return (bits | bits >> 24) & 0xffff;
}

/* The first block of a line that several have read, and the words that others have read, too. */
static inline uint32_t ptx__line_first(uint64_t line)
{
    return line >> PTX__LINE_SHIFT & ((1u << PTX__BLOCK_BITS) - 1);
}

static inline uint64_t ptx__line_words(uint64_t line)
{
    return line >> (PTX__LINE_SHIFT + PTX__BLOCK_BITS);
}

/* Returns the word of a line, which several blocks have read, after a block has read words of it.
 */
static inline uint64_t ptx__line_read_some(uint64_t line, uint64_t bits, uint32_t owner)
{
    if (owner != ptx__line_first(line))
        line |= ptx__words_of_bytes(bits) << (PTX__LINE_SHIFT + PTX__BLOCK_BITS);
    return line | (ptx__line_words(line) == 0xffff ? PTX__LINE_MANY : 0);
}

/* The same where one block has read all of it before, and now another one reads words of it. */
static inline uint64_t ptx__line_share(uint64_t line, uint64_t bits, uint32_t owner)
{
    line = (line & ~(uint64_t) PTX__LINE_KIND) | PTX__LINE_OF_TWO;
    if (bits != UINT64_MAX)
        return ptx__line_read_some(line | PTX__LINE_OF_SOME, bits, owner);
    return line | PTX__LINE_MANY | (uint64_t) owner << (PTX__LINE_SHIFT + PTX__BLOCK_BITS);
}

#endif
