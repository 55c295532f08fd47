/* SPDX-License-Identifier: MIT */
/*
 * Accesses that use all of a line which no other block has used, or which only blocks have used
 * that are not compared: most lines of most kernels.
 */
#ifndef CUSHIM_MOCK_PTX_RACECHECK_LINE_WHOLE_H
#define CUSHIM_MOCK_PTX_RACECHECK_LINE_WHOLE_H

#include <string.h>

#include "mock/ptx/racecheck/racecheck.h"

/* Notes what is used of the part of a line: once only, as other workers read what is beside it. */
static inline void ptx__use_part(const struct ptx__range *range, uint64_t number, uint8_t what)
{
    uint8_t *part = ptx__part_of_line(range, number);

    if (!(__atomic_load_n(part, __ATOMIC_RELAXED) & what))
        __atomic_fetch_or(part, what, __ATOMIC_RELAXED);
}

/* What every line of an access has in common. */
struct ptx__whole {
    uint64_t word, flags; /* of a line that no other block has used, and what the access adds */
    const uint8_t *written;
    uint64_t *lines;
    bool alone;
};

static inline struct ptx__whole ptx__whole_of(const struct ptx__touch *touch)
{
    const struct ptx__block *block = touch->warp->block;
    const uint64_t owner = ptx__line_owner(block, touch->range);

    return (struct ptx__whole){
        block->strong && owner ? PTX__LINE_RECORD : PTX__LINE_OF_ONE | owner << PTX__LINE_SHIFT,
        (touch->use & PTX__LOADS ? PTX__LINE_ALL_READ : 0) |
            (touch->use & PTX__STORES ? PTX__LINE_ALL_WRITTEN : 0),
        touch->use & PTX__LOADS ? touch->range->written : NULL,
        touch->range->lines,
        block->grid->alone,
    };
}

/* Tells whether no other block has used a line with this word, and what is read was written. */
static inline bool ptx__is_whole(const struct ptx__whole *whole, uint64_t number, uint64_t line)
{
    uint64_t bits = UINT64_MAX;

    if (whole->written && !(line & PTX__LINE_ALL))
        memcpy(&bits, whole->written + number * sizeof(bits), sizeof(bits));
    return (!line || (line & ~(uint64_t) PTX__LINE_ALL) == whole->word) && bits == UINT64_MAX;
}

/* Notes such an access. False: it is none, or another worker came between. */
static inline bool ptx__touch_whole(const struct ptx__touch *touch, uint64_t number,
                                    const struct ptx__whole *whole)
{
    uint64_t *word = &whole->lines[number], line = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    const uint64_t after = line | whole->word | whole->flags;

    if (!ptx__is_whole(whole, number, line))
        return false;
    if (!line)
        ptx__use_part(touch->range, number, PTX__PART_LINES);
    if (whole->alone) {
        __atomic_store_n(word, after, __ATOMIC_RELEASE);
        return true;
    }
    return line == after || __atomic_compare_exchange_n(word, &line, after, false, __ATOMIC_ACQ_REL,
                                                        __ATOMIC_RELAXED);
}

#endif
