/* SPDX-License-Identifier: MIT */
/*
 * Global memory, watched: which bytes a launch reads and writes, for the check between streams;
 * reads of what nothing has written; and accesses of two blocks to the same bytes, one of them a
 * write. Blocks that make atomic accesses or fences may have ordered themselves, which nobody can
 * tell: only what blocks without any did is compared.
 */
#include "mock/ptx/memory.h"

static void set_bits(uint64_t *words, uint64_t begin, uint64_t end)
{
    while (begin < end) {
        const uint64_t left = 64 - begin % 64, n = end - begin < left ? end - begin : left;
        const uint64_t bits = (n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << begin % 64;
        uint64_t *word = &words[begin / 64];

        if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bits) != bits)
            __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
        begin += n;
    }
}

/* The first byte that was not written, neither before nor by this launch; end if all were. */
static uint64_t unwritten(const struct ptx__range *range, uint64_t begin, uint64_t end)
{
    while (begin < end) {
        const uint64_t here = __atomic_load_n(&range->writes[begin / 64], __ATOMIC_RELAXED);

        /* Eight at a time where they are. */
        if (begin % 8 == 0 && end - begin >= 8 &&
            (range->written[begin / 8] | (uint8_t) (here >> begin % 64)) == 0xff) {
            begin += 8;
            continue;
        }
        if (!(range->written[begin / 8] >> begin % 8 & 1) && !(here >> begin % 64 & 1))
            return begin;
        begin++;
    }
    return end;
}

/* A word's record: the block that wrote it last, with the bytes, and the one that read it. */
#define BLOCK_BITS           28
#define RECORD(block, bytes) ((uint32_t) (((block) % ((1u << BLOCK_BITS) - 1) + 1) << 4 | (bytes)))

static bool conflicts(uint32_t record, uint32_t mine)
{
    return record & mine & 15 && record >> 4 != mine >> 4;
}

static void report(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane,
                   uint64_t address, bool write, uint32_t other, bool other_wrote)
{
    ptx__note_at(warp, op, PTX__RACE, address, 4, lane,
                 "it %s 4 bytes that block number %u %s; blocks are in no order",
                 write ? "writes" : "reads", (other >> 4) - 1, other_wrote ? "wrote" : "read");
}

static void touch_word(struct ptx__warp *warp, const struct ptx__op *op,
                       const struct ptx__range *range, uint64_t offset, unsigned bytes,
                       enum ptx__use use, unsigned lane)
{
    uint64_t *word = &range->words[offset / 4];
    const uint64_t before = __atomic_load_n(word, __ATOMIC_RELAXED);
    const uint32_t mine = RECORD(warp->block->number, bytes);
    const uint32_t writer = (uint32_t) before, reader = (uint32_t) (before >> 32);
    const bool write = use & PTX__STORES;

    if (conflicts(writer, mine))
        report(warp, op, lane, range->begin + offset, write, writer, true);
    else if (write && conflicts(reader, mine))
        report(warp, op, lane, range->begin + offset, true, reader, false);
    __atomic_store_n(word,
                     (uint64_t) (use & PTX__LOADS ? mine : reader) << 32 | (write ? mine : writer),
                     __ATOMIC_RELAXED);
}

static void touch_words(struct ptx__warp *warp, const struct ptx__op *op,
                        const struct ptx__range *range, uint64_t begin, uint64_t end,
                        enum ptx__use use, unsigned lane)
{
    while (begin < end) {
        const uint64_t left = 4 - begin % 4, n = end - begin < left ? end - begin : left;

        touch_word(warp, op, range, begin, (unsigned) (((1u << n) - 1) << begin % 4), use, lane);
        begin += n;
    }
}

bool ptx__watch_global(struct ptx__warp *warp, const struct ptx__op *op,
                       const struct ptx__range *range, uint64_t address, uint64_t bytes,
                       enum ptx__use use, unsigned lane)
{
    const uint64_t begin = address - range->begin, end = begin + bytes;

    if (use & PTX__LOADS) {
        const uint64_t at =
            range->written && use == PTX__LOADS ? unwritten(range, begin, end) : end;

        if (at < end)
            ptx__note_at(warp, op, PTX__UNINITIALISED, range->begin + at, 1, lane,
                         "it reads what nothing has written");
        set_bits(range->reads, begin, end);
    }
    if (use & PTX__STORES)
        set_bits(range->writes, begin, end);
    warp->block->strong |= !!(use & PTX__STRONG);
    if (range->words && !warp->block->strong)
        touch_words(warp, op, range, begin, end, use, lane);
    return true;
}
