/* SPDX-License-Identifier: MIT */
/*
 * The bits of a line for strong accesses: atomic, volatile and relaxed ones. Blocks with such
 * accesses are not compared with others, so a second one to the same bytes has nothing to note.
 */
#ifndef CUSHIM_MOCK_PTX_RACECHECK_LINE_STRONG_H
#define CUSHIM_MOCK_PTX_RACECHECK_LINE_STRONG_H

#include "mock/ptx/racecheck/racecheck.h"

/* Notes an access. */
static inline void ptx__strong_note(const struct ptx__range *range, uint64_t number,
                                    enum ptx__use use, uint64_t bits)
{
    if (use & PTX__LOADS)
        __atomic_fetch_or(&range->strong_reads[number], bits, __ATOMIC_RELAXED);
    if (use & PTX__STORES)
        __atomic_fetch_or(&range->strong_writes[number], bits, __ATOMIC_RELAXED);
}

/* Tells whether a strong access is noted, and the line's word would stay as it is. */
static inline bool ptx__strong_is_noted(const struct ptx__range *range, uint64_t number,
                                        enum ptx__use use, uint64_t line, uint64_t bits)
{
    const uint64_t kind = line & PTX__LINE_KIND;
    uint64_t noted = UINT64_MAX;

    if (kind == PTX__LINE_NEW || (kind == PTX__LINE_OF_ONE && range->check_blocks))
        return false;
    if (use & PTX__LOADS)
        noted &= __atomic_load_n(&range->strong_reads[number], __ATOMIC_RELAXED);
    if (use & PTX__STORES)
        noted &= __atomic_load_n(&range->strong_writes[number], __ATOMIC_RELAXED);
    return !(bits & ~noted);
}

/*
 * Returns those lanes of a mask whose atomic accesses are not noted. What they read has been
 * written by then, so there is no finding, either. They are aligned, and so each is within a line.
 */
static inline uint32_t ptx__strong_lanes(const struct ptx__touch *touch, const uint64_t *addresses,
                                         unsigned bytes, uint32_t mask)
{
    const struct ptx__range *range = touch->range;
    const enum ptx__use use = touch->use;
    uint32_t left = mask;

    for (uint32_t m = mask; m; m &= m - 1) {
        const unsigned lane = (unsigned) __builtin_ctz(m);
        const uint64_t offset = addresses[lane] - range->begin, number = offset / PTX__LINE_BYTES;
        const uint64_t line = __atomic_load_n(&range->lines[number], __ATOMIC_ACQUIRE);
        const uint64_t bits = ((UINT64_C(1) << bytes) - 1) << offset % PTX__LINE_BYTES;

        left ^= (uint32_t) ptx__strong_is_noted(range, number, use, line, bits) << lane;
    }
    return left;
}

#endif
