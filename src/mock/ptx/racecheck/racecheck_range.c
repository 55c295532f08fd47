/* SPDX-License-Identifier: MIT */
/*
 * The shadow memory of a range of global memory, as long as a launch lasts. A launch may use a
 * small part of a large range, so it costs what is used of it, when it is made and when it is
 * cleared.
 */
#include <string.h>

#include "mock/ptx/machine/zeros.h"
#include "mock/ptx/racecheck/racecheck.h"

static size_t n_lines(const struct ptx__range *range)
{
    return range->size / PTX__LINE_BYTES + 1;
}

/* The words of reads and writes, plain and strong, and of lines, and the bytes of parts, in a row.
 */
static size_t notes_bytes(const struct ptx__range *range)
{
    return 5 * n_lines(range) * sizeof(*range->reads) + range->size / PTX__PART_BYTES + 1;
}

void ptx__racecheck_range(struct ptx__range *range)
{
    uint64_t *notes = ptx__zeros_new(notes_bytes(range));

    range->shadowed = notes;
    if (!notes)
        return;
    range->reads = notes;
    range->writes = range->reads + n_lines(range);
    range->strong_reads = range->writes + n_lines(range);
    range->strong_writes = range->strong_reads + n_lines(range);
    range->lines = range->strong_writes + n_lines(range);
    range->parts = (uint8_t *) (range->lines + n_lines(range));
}

/* Returns the bytes of words that a launch has used, of all parts. */
static size_t used_bytes(const struct ptx__range *range)
{
    const uint64_t lines = PTX__PART_BYTES / PTX__LINE_BYTES;
    size_t words = 0;

    for (uint64_t begin = 0; begin < n_lines(range); begin += lines) {
        const uint8_t part = *ptx__part_of_line(range, begin);

        words += (part & PTX__PART_LINES ? lines : 0) + (part & PTX__PART_BITS ? 2 * lines : 0) +
                 (part & PTX__PART_STRONG ? 2 * lines : 0);
    }
    return words * sizeof(uint64_t);
}

static void clear(uint64_t *words, uint64_t begin, uint64_t end)
{
    memset(words + begin, 0, (end - begin) * sizeof(*words));
}

/* Makes all of it zero again, of which a launch has often used a part only. */
static void clear_notes(const struct ptx__range *range)
{
    const uint64_t lines = PTX__PART_BYTES / PTX__LINE_BYTES, n = n_lines(range);

    for (uint64_t begin = 0; begin < n; begin += lines) {
        const uint64_t end = begin + lines < n ? begin + lines : n;
        uint8_t *part = ptx__part_of_line(range, begin);

        if (*part & PTX__PART_LINES)
            clear(range->lines, begin, end);
        if (*part & PTX__PART_BITS) {
            clear(range->reads, begin, end);
            clear(range->writes, begin, end);
        }
        if (*part & PTX__PART_STRONG) {
            clear(range->strong_reads, begin, end);
            clear(range->strong_writes, begin, end);
        }
        if (*part)
            *part = 0;
    }
}

static bool is_kept(const struct ptx__range *range)
{
    return ptx__zeros_kept(notes_bytes(range), used_bytes(range));
}

void ptx__racecheck_range_free(struct ptx__range *range)
{
    if (range->reads && is_kept(range)) {
        clear_notes(range);
        ptx__zeros_keep(range->reads, notes_bytes(range));
    } else if (range->reads) {
        ptx__zeros_free(range->reads, notes_bytes(range));
    }
    range->reads = range->writes = range->lines = NULL;
    range->strong_reads = range->strong_writes = NULL;
    range->parts = NULL;
}
