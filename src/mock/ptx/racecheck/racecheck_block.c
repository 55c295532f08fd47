/* SPDX-License-Identifier: MIT */
#include "mock/ptx/racecheck/racecheck_block.h"

#include "mock/ptx/racecheck/line_whole.h"

static struct ptx__touch touch_of(const struct ptx__block *block,
                                  const struct ptx__block_access *access, unsigned uses)
{
    return (struct ptx__touch){.warp = block->warps,
                               .op = access->op,
                               .range = access->memory->range,
                               .use = (enum ptx__use) uses,
                               .step = (unsigned) access->step};
}

/* From the first byte of the first thread to the last of the last one. */
static uint64_t length_of(const struct ptx__block *block, const struct ptx__block_access *access)
{
    return access->step * (block->grid->n_threads - 1) + access->bytes;
}

static bool is_noted(const struct ptx__block_access *access)
{
    return access->memory->lines;
}

/* Tells whether no block has used any of these lines. */
static bool are_new(const uint64_t *lines, uint64_t n)
{
    uint64_t all = 0;

    for (uint64_t i = 0; i < n; i++)
        all |= __atomic_load_n(&lines[i], __ATOMIC_RELAXED);
    return !all;
}

/*
 * Tells whether noting the access changes nothing, or makes whole lines the block's: of a row of
 * contiguous elements, or of an element that all threads read.
 */
static bool is_quiet(const struct ptx__block *block, const struct ptx__block_access *access)
{
    const struct ptx__touch touch = touch_of(block, access, (unsigned) access->use);
    const struct ptx__whole whole = ptx__whole_of(&touch);
    const uint64_t owner = ptx__line_owner(block, touch.range);
    const uint64_t end = access->offset + length_of(block, access);
    const uint64_t first = access->offset / PTX__LINE_BYTES,
                   behind = (end - 1) / PTX__LINE_BYTES + 1;
    const bool lines = (access->offset | end) % PTX__LINE_BYTES == 0;

    if (access->step && access->step != access->bytes)
        return false;
    if (lines && !whole.written && are_new(&whole.lines[first], behind - first))
        return true;
    for (uint64_t i = first; i < behind; i++) {
        const uint64_t line = __atomic_load_n(&whole.lines[i], __ATOMIC_ACQUIRE);

        if (!(lines && ptx__is_whole(&whole, i, line)) &&
            !ptx__line_unchanged(line, owner, touch.use, false))
            return false;
    }
    return true;
}

/*
 * Makes lines the block's, or adds what it does to those that are. Returns false at the first one
 * that is another block's, too.
 */
static bool put_lines(const struct ptx__whole *whole, uint64_t first, uint64_t behind)
{
    const uint64_t after = whole->word | whole->flags;

    for (uint64_t i = first; i < behind; i++) {
        uint64_t line = __atomic_load_n(&whole->lines[i], __ATOMIC_RELAXED);

        if (line && (line & ~(uint64_t) PTX__LINE_ALL) != whole->word)
            return false;
        if (whole->alone)
            __atomic_store_n(&whole->lines[i], line | after, __ATOMIC_RELAXED);
        else if ((line | after) != line &&
                 !__atomic_compare_exchange_n(&whole->lines[i], &line, line | after, false,
                                              __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return false;
    }
    return true;
}

/* Tells whether two accesses use the same bytes. */
static bool are_same(const struct ptx__block_access *a, const struct ptx__block_access *b)
{
    return a->memory->range == b->memory->range && a->offset == b->offset && a->bytes == b->bytes &&
           a->step == b->step;
}

/* All that the accesses do with the lines of the first one; 0: an earlier one has told it. */
static unsigned uses_of(const struct ptx__block_access *accesses, uint64_t number, uint64_t n)
{
    uint64_t use = 0;

    for (uint64_t i = 0; i < n; i++) {
        if (!are_same(&accesses[i], &accesses[number]))
            continue;
        if (i < number)
            return 0;
        use |= accesses[i].use;
    }
    return (unsigned) use;
}

/*
 * Notes an access for all lines. A quiet one that does not use whole lines changes nothing. False:
 * another worker has come between.
 */
static bool note(const struct ptx__block *block, const struct ptx__block_access *access,
                 unsigned uses)
{
    const struct ptx__touch touch = touch_of(block, access, uses);
    const struct ptx__whole whole = ptx__whole_of(&touch);
    const uint64_t end = access->offset + length_of(block, access);
    const uint64_t first = access->offset / PTX__LINE_BYTES, behind = end / PTX__LINE_BYTES;

    if (!uses || (access->offset | end) % PTX__LINE_BYTES)
        return true;
    ptx__use_part(touch.range, first, PTX__PART_LINES);
    ptx__use_part(touch.range, behind - 1, PTX__PART_LINES);
    return put_lines(&whole, first, behind);
}

static bool note_all(const struct ptx__block *block, const struct ptx__block_access *accesses,
                     uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        if (is_noted(&accesses[i]) && !note(block, &accesses[i], uses_of(accesses, i, n)))
            return false;
    }
    return true;
}

/* Does so warp by warp. What has been noted is noted once more, which changes nothing. */
static void note_warps(const struct ptx__block *block, const struct ptx__block_access *access)
{
    struct ptx__touch touch = touch_of(block, access, (unsigned) access->use);

    for (unsigned i = 0; i < block->n_warps; i++) {
        touch.warp = block->warps + i;
        ptx__racecheck_span(&touch, access->offset + i * PTX__LANES * access->step,
                            access->step * (PTX__LANES - 1) + access->bytes);
    }
}

bool ptx__racecheck_block(struct ptx__block *block, const struct ptx__block_access *accesses,
                          uint64_t n)
{
    if (block->strong)
        return false;
    for (uint64_t i = 0; i < n; i++) {
        if (is_noted(&accesses[i]) && !is_quiet(block, &accesses[i]))
            return false;
    }
    if (note_all(block, accesses, n))
        return true;
    for (uint64_t i = 0; i < n; i++) {
        if (is_noted(&accesses[i]))
            note_warps(block, &accesses[i]);
    }
    return true;
}
