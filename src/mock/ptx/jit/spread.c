/* SPDX-License-Identifier: MIT */
#include "mock/ptx/jit/spread.h"

#include <string.h>

#define LANES for (unsigned l = 0; l < PTX__LANES; l++)

/* There is compiled code only where the processor has this: see setting.c. */
#ifdef __x86_64__
#define WIDE __attribute__((target("avx2")))
#else
#define WIDE
#endif

/* The lanes of a row, whose number is a power of two, have the same step. */
#define FILL(bits)                                                                                 \
    WIDE static void fill_##bits(const struct ptx__jit_stepped *value, const uint64_t *words,      \
                                 uint##bits##_t *all)                                              \
    {                                                                                              \
        const uint##bits##_t step = (uint##bits##_t) value->step;                                  \
        const uint##bits##_t base = (uint##bits##_t) words[0], rows = (uint##bits##_t) words[1];   \
        const unsigned last = value->row - 1u, shift = (unsigned) __builtin_ctz(value->row);       \
                                                                                                   \
        if (!value->step && !value->rows)                                                          \
            LANES all[l] = base;                                                                   \
        else if (value->row == PTX__LANES)                                                         \
            LANES all[l] = base + step * l;                                                        \
        else                                                                                       \
            LANES all[l] = base + step * (l & last) + rows * (l >> shift);                         \
    }

FILL(32)
FILL(64)

/* All bits of a lane that a mask has. */
#define CHOSEN(bits, mask, l) (-(uint##bits##_t)((mask) >> (l) &1))

/* Whether the lanes of a mask are as expected. */
#define FITS(bits)                                                                                 \
    WIDE static bool fits_##bits(const uint##bits##_t *slot, const uint##bits##_t *expected,       \
                                 uint32_t mask)                                                    \
    {                                                                                              \
        uint##bits##_t wrong = 0;                                                                  \
                                                                                                   \
        LANES wrong |= (slot[l] ^ expected[l]) & CHOSEN(bits, mask, l);                            \
        return !wrong;                                                                             \
    }

FITS(32)
FITS(64)

#define PUT(bits)                                                                                  \
    WIDE static void put_##bits(uint##bits##_t *slot, const uint##bits##_t *all, uint32_t mask)    \
    {                                                                                              \
        if (mask == PTX__ALL)                                                                      \
            LANES slot[l] = all[l];                                                                \
        else                                                                                       \
            LANES slot[l] ^= (slot[l] ^ all[l]) & CHOSEN(bits, mask, l);                           \
    }

PUT(32)
PUT(64)

WIDE static void spread(const struct ptx__frame *frame, uint32_t mask,
                        const struct ptx__jit_stepped *value)
{
    void *slot = frame->registers + value->offset;
    const uint64_t *area = frame->area + (size_t) 2 * value->number;
    const uint64_t words[2] = {area[0], value->rows ? area[1] : 0};
    uint32_t *word = slot, all[PTX__LANES];
    uint64_t wide[PTX__LANES];

    if (value->bits == 64) {
        fill_64(value, words, wide);
        put_64(slot, wide, mask);
    } else if (value->bits == 32) {
        fill_32(value, words, all);
        put_32(slot, all, mask);
    } else {
        *word = (*word & ~mask) | (words[0] & 1 ? mask : 0);
    }
}

WIDE void ptx__jit_spread_lanes(const struct ptx__frame *frame, uint32_t mask,
                                const struct ptx__jit_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        spread(frame, mask, &list->values[i]);
}

WIDE void ptx__jit_spread(const struct ptx__warp *warp, const struct ptx__jit_list *list)
{
    ptx__jit_spread_lanes(warp->frame, warp->mask, list);
}

/* The same for each number of bits: the value of lane 0, and the step of rows. */
#define FIND(bits)                                                                                 \
    WIDE static bool find_##bits(const uint##bits##_t *slot, uint32_t mask,                        \
                                 const struct ptx__jit_stepped *value, uint64_t *words)            \
    {                                                                                              \
        const unsigned first = (unsigned) __builtin_ctz(mask);                                     \
        uint##bits##_t expected[PTX__LANES];                                                       \
                                                                                                   \
        words[0] = (uint##bits##_t)(slot[first] - (uint64_t) value->step * (first % value->row));  \
        words[1] = value->rows ? (uint##bits##_t)(slot[value->row] - slot[0]) : 0;                 \
        fill_##bits(value, words, expected);                                                       \
        return fits_##bits(slot, expected, mask);                                                  \
    }

FIND(32)
FIND(64)

/*
 * Finds a value and puts it into two words. The lanes of a warp that has rows with a step of their
 * own are all active.
 */
WIDE static bool find(const struct ptx__frame *frame, uint32_t mask,
                      const struct ptx__jit_stepped *value, uint64_t *words)
{
    const void *slot = frame->registers + value->offset;

    if (value->bits == 64)
        return find_64(slot, mask, value, words);
    if (value->bits == 32)
        return find_32(slot, mask, value, words);
    words[0] = *(const uint32_t *) slot >> __builtin_ctz(mask) & 1;
    words[1] = 0;
    return (*(const uint32_t *) slot & mask) == (words[0] ? mask : 0);
}

WIDE uint64_t ptx__jit_collect(const struct ptx__warp *warp, const struct ptx__jit_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct ptx__jit_stepped *value = &list->values[i];

        if (!find(warp->frame, warp->mask, value, warp->frame->area + (size_t) 2 * value->number))
            return 0;
    }
    return 1;
}

WIDE bool ptx__jit_collect_lanes(const struct ptx__frame *frame, uint32_t mask,
                                 const struct ptx__jit_list *list, uint64_t *seen)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct ptx__jit_stepped *value = &list->values[i];
        uint64_t *area = frame->area + (size_t) 2 * value->number, words[2];
        uint64_t *word = &seen[value->number / 64];
        const uint64_t bit = UINT64_C(1) << value->number % 64;

        if (!find(frame, mask, value, words))
            return false;
        if (*word & bit && (area[0] != words[0] || area[1] != words[1]))
            return false;
        *word |= bit;
        memcpy(area, words, sizeof(words));
    }
    return true;
}
