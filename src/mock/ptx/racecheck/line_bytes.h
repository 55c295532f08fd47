/* SPDX-License-Identifier: MIT */
/* The bytes of a line of global memory: which exist, and which were written before the launch. */
#ifndef CUSHIM_MOCK_PTX_RACECHECK_LINE_BYTES_H
#define CUSHIM_MOCK_PTX_RACECHECK_LINE_BYTES_H

#include <string.h>

#include "mock/ptx/racecheck/racecheck.h"

/* Returns the bytes of a line that exist: the last line of a range may have fewer. */
static inline uint64_t ptx__line_bytes(const struct ptx__range *range, uint64_t number)
{
    const uint64_t left = range->size - number * PTX__LINE_BYTES;

    return left < PTX__LINE_BYTES ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
}

/* Returns the bytes of a line that were written before the launch. */
static inline uint64_t ptx__line_written_before(const struct ptx__range *range, uint64_t number)
{
    const uint64_t left = (range->size - number * PTX__LINE_BYTES + 7) / 8;
    uint64_t bits = 0;

    if (!range->written)
        return UINT64_MAX;
    if (left >= sizeof(bits))
        memcpy(&bits, range->written + number * sizeof(bits), sizeof(bits));
    for (unsigned i = 0; left < sizeof(bits) && i < left; i++)
        bits |= (uint64_t) range->written[number * sizeof(bits) + i] << 8 * i;
    return bits;
}

#endif
