/* SPDX-License-Identifier: MIT */
/*
 * The race check of global memory. It records which bytes a launch reads and writes, for the check
 * between streams. It finds reads of bytes that nothing has written, and accesses of two blocks to
 * the same bytes of which one is a write. Blocks with atomic accesses or fences may have ordered
 * themselves, which the mock cannot know. So only accesses of blocks without any are compared.
 *
 * As long as only one block uses a line, the line's bits tell which bytes this block has read and
 * written. When a second block comes, the line gets a shadow record: for each word of four bytes,
 * the blocks that have read and written it. If a block uses a part of a word, the record gets
 * smaller granules, of one byte.
 */
#include <sched.h>
#include <string.h>

#include "mock/ptx/racecheck/line_bytes.h"
#include "mock/ptx/racecheck/line_strong.h"
#include "mock/ptx/racecheck/line_whole.h"
#include "mock/ptx/racecheck/racecheck.h"
#include "mock/ptx/racecheck/shadow_word.h"

#define ALL_BYTES UINT64_MAX

/* A conflict: accesses of two blocks to the same bytes. */
struct conflict {
    uint32_t block; /* as in the record; 0: no conflict, PTX__UNKNOWN_BLOCK: an unknown other
                       block */
    unsigned byte;
    bool wrote;
};

static uint64_t get(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void put(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/* --- a line --- */

static uint64_t owned(uint64_t owner)
{
    return PTX__LINE_OF_ONE | owner << PTX__LINE_SHIFT;
}

/* Takes the lock of a line. If there is only one worker, no lock is necessary. */
static uint64_t lock(const struct ptx__touch *touch, uint64_t *line)
{
    uint64_t before = __atomic_load_n(line, __ATOMIC_ACQUIRE);

    if (touch->warp->block->grid->alone)
        return before;
    for (;;) {
        before &= ~(uint64_t) PTX__LINE_LOCK;
        if (__atomic_compare_exchange_n(line, &before, before | PTX__LINE_LOCK, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return before;
        if (before & PTX__LINE_LOCK)
            sched_yield();
    }
}

static void unlock(uint64_t *line, uint64_t value)
{
    __atomic_store_n(line, value, __ATOMIC_RELEASE);
}

/* Sets the bits of a line that tell what of it was read, or written. */
static void put_bits(const struct ptx__range *range, uint64_t number, uint64_t *all, uint64_t bits)
{
    ptx__use_part(range, number, PTX__PART_BITS);
    put(&all[number], bits);
}

/* Returns which of these bytes were written neither before nor by this launch. */
static uint64_t unwritten(const struct ptx__range *range, uint64_t number, uint64_t line,
                          uint64_t bits)
{
    if (!range->written || line & PTX__LINE_ALL)
        return 0;
    return bits & ~ptx__line_written_before(range, number) & ~get(&range->writes[number]) &
           ~get(&range->strong_writes[number]);
}

/* --- which blocks did it --- */

static void conflicts(struct conflict *conflict, const struct ptx__shadow_record *record,
                      uint64_t bits, uint32_t owner, bool write)
{
    uint64_t wrong =
        ptx__shadow_record_others(record, record->writers, record->written & bits, owner);

    conflict->wrote = wrong;
    if (!wrong && write)
        wrong = (record->many & bits) |
                ptx__shadow_record_others(record, record->readers, record->read & bits, owner);
    if (!wrong)
        return;
    conflict->byte = (unsigned) __builtin_ctzll(wrong);
    conflict->block =
        (conflict->wrote ? record->writers : record->readers)[conflict->byte >> record->shift];
    if (conflict->block == owner)
        conflict->block = PTX__UNKNOWN_BLOCK;
}

/* Makes a record of a line that one block has used. */
static struct ptx__shadow_record *split(const struct ptx__touch *touch, uint64_t line,
                                        uint64_t reads, uint64_t writes)
{
    struct ptx__worker *worker = touch->warp->worker;
    struct ptx__shadow_record *record = ptx__shadow_record_new(worker, reads, writes);
    const uint32_t owner = (uint32_t) (line >> PTX__LINE_SHIFT);

    if (record) {
        ptx__shadow_record_read(record, reads, owner);
        ptx__shadow_record_write(record, writes, owner);
    }
    return record;
}

/*
 * Makes a record of a line that two blocks have read. It names one of them that is not the owner.
 * If several have read it, it names the first one.
 */
static struct ptx__shadow_record *split_read(const struct ptx__touch *touch, uint64_t line,
                                             uint32_t owner)
{
    const uint32_t first = ptx__line_first(line), second = (uint32_t) ptx__line_words(line);
    struct ptx__shadow_record *record;

    if (line & PTX__LINE_OF_SOME)
        return ptx__shadow_record_some(touch->warp->worker, line);
    record = ptx__shadow_record_new(touch->warp->worker, ALL_BYTES, ALL_BYTES);
    if (record) {
        ptx__shadow_record_read(record, ALL_BYTES, first == owner ? second : first);
        record->many = ALL_BYTES;
    }
    return record;
}

/* Returns the word of a line after an access of a block, without the flags. */
static uint64_t record_access(const struct ptx__touch *touch, uint64_t line, uint64_t reads,
                              uint64_t writes, uint64_t bits, struct conflict *conflict)
{
    const struct ptx__block *block = touch->warp->block;
    const bool write = touch->use & PTX__STORES, strong = block->strong;
    const uint32_t owner = (uint32_t) ptx__line_owner(block, touch->range);
    struct ptx__shadow_record *record = ptx__shadow_record_at(line);

    switch (line & PTX__LINE_KIND) {
    case PTX__LINE_NEW:
        return strong && owner ? PTX__LINE_RECORD : owned(owner);
    case PTX__LINE_OF_ONE:
        if (!owner || (!strong && line == owned(owner)))
            return line;
        if (!strong && !write && ptx__of_words(bits) && reads == ALL_BYTES && !writes)
            return ptx__line_share(line, bits, owner);
        record = split(touch, line, reads, writes);
        break;
    case PTX__LINE_OF_TWO:
        if (!strong && !write && line & PTX__LINE_OF_SOME && ptx__of_words(bits))
            return ptx__line_read_some(line, bits, owner);
        if (strong || (!write && !(line & PTX__LINE_OF_SOME)))
            return line;
        record = split_read(touch, line, owner);
        break;
    default:
        break;
    }
    if (!strong && (record || (record = ptx__shadow_record_new(touch->warp->worker, 0, 0))) &&
        ptx__shadow_record_refine(touch->warp->worker, &record, bits)) {
        conflicts(conflict, record, bits, owner, write);
        (write ? ptx__shadow_record_write : ptx__shadow_record_read)(record, bits, owner);
    }
    return PTX__LINE_RECORD | (uint64_t) (uintptr_t) record |
           (record && record->many == ALL_BYTES && !record->written ? PTX__LINE_MANY : 0);
}

/* --- accesses --- */

static void tell(const struct ptx__touch *touch, uint64_t begin, uint64_t offset,
                 const struct conflict *conflict, uint64_t missing)
{
    const bool race = !missing;
    const uint64_t at = offset / PTX__LINE_BYTES * PTX__LINE_BYTES +
                        (race ? conflict->byte : (unsigned) __builtin_ctzll(missing));
    const unsigned lane = touch->lane + (touch->step ? (unsigned) ((at - begin) / touch->step) : 0);
    const struct ptx__lane_op where = ptx__lane_op(touch->warp, touch->op, lane);
    const uint64_t address = touch->range->begin + at;
    const char *did = conflict->wrote ? "wrote" : "read";
    const char *does = touch->use & PTX__STORES ? "writes" : "reads";

    if (missing)
        ptx__note_at(where, PTX__UNINITIALISED, address, 1, "it reads what nothing has written");
    else if (conflict->block == PTX__UNKNOWN_BLOCK)
        ptx__note_at(where, PTX__RACE, address, 4,
                     "it %s what another block %s; blocks are in no order", does, did);
    else
        ptx__note_at(where, PTX__RACE, address, 4,
                     "it %s 4 bytes that block number %u %s; blocks are in no order", does,
                     conflict->block - 1, did);
}

/*
 * Sets the bits of the line, or the flags that say the same of all of them. Returns the flags.
 */
static uint64_t mark(const struct ptx__touch *touch, uint64_t number, uint64_t flags,
                     uint64_t reads, uint64_t writes)
{
    const struct ptx__range *range = touch->range;
    const uint64_t all = ptx__line_bytes(range, number);

    if (touch->use & PTX__STORES && !(flags & PTX__LINE_ALL_WRITTEN)) {
        if (writes == all)
            flags |= PTX__LINE_ALL_WRITTEN;
        else
            put_bits(range, number, range->writes, writes);
    }
    if (touch->use & PTX__LOADS && !(flags & PTX__LINE_ALL_READ)) {
        if (reads == all && !unwritten(range, number, flags, all))
            flags |= PTX__LINE_ALL_READ;
        else
            put_bits(range, number, range->reads, reads);
    }
    return flags;
}

/*
 * Tells whether several blocks have read all of these bytes and none has written them: one more
 * read then changes nothing.
 */
static bool read_by_many(const struct ptx__touch *touch, uint64_t line, uint64_t bits)
{
    const struct ptx__shadow_record *record = ptx__shadow_record_at(line);

    if (touch->use == PTX__LOADS && (line & PTX__LINE_KIND) == PTX__LINE_OF_TWO)
        return !(line & PTX__LINE_OF_SOME) ||
               ptx__line_first(line) == ptx__line_owner(touch->warp->block, touch->range) ||
               !(bits & ~ptx__bytes_of_words(ptx__line_words(line)));
    return touch->use == PTX__LOADS && (line & PTX__LINE_KIND) == PTX__LINE_RECORD && record &&
           (get(&record->many) & bits) == bits && !(get(&record->written) & bits);
}

/* Sets bits of a part of a line. Returns false, and sets none, if all of it is used then. */
static bool use_own(const struct ptx__range *range, uint64_t number, uint64_t *all, uint64_t bits)
{
    const uint64_t after = get(&all[number]) | bits;

    if (after == ptx__line_bytes(range, number))
        return false;
    put_bits(range, number, all, after);
    return true;
}

/*
 * A read of words by a block that is not the first one, where the word of the line still says
 * everything. Returns it after the read, or 0 if this is not so.
 */
static uint64_t share(const struct ptx__range *range, uint64_t number, uint64_t line, uint64_t bits,
                      uint64_t owner)
{
    if (!ptx__of_words(bits) || (line & PTX__LINE_ALL) != PTX__LINE_ALL_READ)
        return 0;
    if ((line & PTX__LINE_KIND) == PTX__LINE_OF_ONE)
        return get(&range->writes[number]) || ptx__line_bytes(range, number) != ALL_BYTES
                   ? 0
                   : ptx__line_share(line, bits, (uint32_t) owner);
    return (line & PTX__LINE_KIND) == PTX__LINE_OF_TWO && line & PTX__LINE_OF_SOME
               ? ptx__line_read_some(line, bits, (uint32_t) owner)
               : 0;
}

/*
 * The most frequent plain accesses of a part of a line, whose lock is held: the line is this
 * block's alone, or only read, or the part is a word of a record and no conflict. Returns the
 * line's word after it, or 0 if it is none of them.
 */
static uint64_t touch_part(const struct ptx__touch *touch, uint64_t number, uint64_t line,
                           uint64_t bits)
{
    const struct ptx__range *range = touch->range;
    const uint64_t owner = ptx__line_owner(touch->warp->block, range);
    const bool read = touch->use == PTX__LOADS;
    struct ptx__shadow_record *record = NULL;

    if (touch->warp->block->strong || (!read && touch->use != PTX__STORES))
        return 0;
    if ((line & ~(uint64_t) PTX__LINE_ALL) != owned(owner)) {
        const uint64_t after = read ? share(range, number, line, bits, owner) : 0;

        if (after)
            return after;
        record = ptx__shadow_record_at(line);
        if (!ptx__shadow_is_word(record, bits) ||
            ptx__shadow_is_conflict(record, bits, (uint32_t) owner, read))
            return 0;
    }
    if (!(line & (read ? PTX__LINE_ALL_READ : PTX__LINE_ALL_WRITTEN)) &&
        !use_own(range, number, read ? range->reads : range->writes, bits))
        return 0;
    return record ? ptx__shadow_touch_word(record, line, bits, (uint32_t) owner, read) : line;
}

static bool is_noted(const struct ptx__touch *touch, uint64_t number, uint64_t line, uint64_t bits)
{
    return touch->use & PTX__STRONG && touch->warp->block->strong &&
           ptx__strong_is_noted(touch->range, number, touch->use, line, bits);
}

/* Any access to a line, whose lock is held. */
static __attribute__((noinline)) void touch_any(const struct ptx__touch *touch, uint64_t begin,
                                                uint64_t offset, uint64_t line, uint64_t bits)
{
    const struct ptx__range *range = touch->range;
    const uint64_t number = offset / PTX__LINE_BYTES;
    struct conflict conflict = {0};
    uint64_t reads, writes, kind;

    reads = line & PTX__LINE_ALL_READ ? ptx__line_bytes(range, number) : get(&range->reads[number]);
    writes =
        line & PTX__LINE_ALL_WRITTEN ? ptx__line_bytes(range, number) : get(&range->writes[number]);
    kind = record_access(touch, line & ~(uint64_t) PTX__LINE_ALL, reads, writes, bits, &conflict);
    if (touch->use & PTX__STRONG) {
        ptx__use_part(range, number, PTX__PART_STRONG);
        ptx__strong_note(range, number, touch->use, bits);
        unlock(&range->lines[number], kind | (line & PTX__LINE_ALL));
    } else {
        unlock(&range->lines[number], kind | mark(touch, number, line & PTX__LINE_ALL,
                                                  reads | (touch->use & PTX__LOADS ? bits : 0),
                                                  writes | (touch->use & PTX__STORES ? bits : 0)));
    }
    if (conflict.block)
        tell(touch, begin, offset, &conflict, 0);
}

static inline __attribute__((always_inline)) void
touch_line(const struct ptx__touch *touch, uint64_t begin, uint64_t offset, uint64_t bits)
{
    const struct ptx__range *range = touch->range;
    const uint64_t number = offset / PTX__LINE_BYTES;
    uint64_t *word = &range->lines[number], line = __atomic_load_n(word, __ATOMIC_ACQUIRE), after;
    const uint64_t missing = touch->use == PTX__LOADS ? unwritten(range, number, line, bits) : 0;

    if (!line)
        ptx__use_part(range, number, PTX__PART_LINES);
    if (missing)
        tell(touch, begin, offset, &(struct conflict){0}, missing);
    if (read_by_many(touch, line, bits) || is_noted(touch, number, line, bits) ||
        (!touch->warp->block->strong &&
         ptx__shadow_is_repeated(ptx__shadow_record_at(line), bits,
                                 ptx__line_owner(touch->warp->block, range), touch->use)))
        return;
    line = lock(touch, word);
    after = touch_part(touch, number, line, bits);
    if (after)
        unlock(word, after);
    else
        touch_any(touch, begin, offset, line, bits);
}

/* Touches a line from an offset on, as far as the access uses it. Returns the offset behind that.
 */
static inline uint64_t touch_next(const struct ptx__touch *touch, uint64_t begin, uint64_t at,
                                  uint64_t end)
{
    const uint64_t next = (at / PTX__LINE_BYTES + 1) * PTX__LINE_BYTES;
    const uint64_t n = (next < end ? next : end) - at;
    const uint64_t bits = (n < 64 ? (UINT64_C(1) << n) - 1 : ALL_BYTES) << at % PTX__LINE_BYTES;

    touch_line(touch, begin, at, bits);
    return at + n;
}

void ptx__racecheck_global(const struct ptx__touch *touch, uint64_t offset, uint64_t bytes)
{
    const uint64_t end = offset + bytes, in_line = offset % PTX__LINE_BYTES;
    struct ptx__whole whole;

    if (in_line + bytes <= PTX__LINE_BYTES && bytes < PTX__LINE_BYTES) {
        touch_line(touch, offset, offset, ((UINT64_C(1) << bytes) - 1) << in_line);
        return;
    }
    whole = ptx__whole_of(touch);
    for (uint64_t at = offset; at < end;) {
        if (!(touch->use & PTX__STRONG) && at % PTX__LINE_BYTES == 0 &&
            end - at >= PTX__LINE_BYTES && ptx__touch_whole(touch, at / PTX__LINE_BYTES, &whole))
            at += PTX__LINE_BYTES;
        else
            at = touch_next(touch, offset, at, end);
    }
}

void ptx__racecheck_each(const struct ptx__touch *touch, const uint64_t *addresses, unsigned bytes)
{
    const struct ptx__range *range = touch->range;
    struct ptx__block *block = touch->warp->block;
    const uint64_t owner = ptx__line_owner(block, range), *lines = range->lines;
    const enum ptx__use use = touch->use;
    const bool strong = block->strong |= !!(use & PTX__STRONG);
    struct ptx__touch lane = *touch;
    uint32_t m = touch->warp->mask;

    if (use & PTX__STRONG && use & PTX__STORES)
        m = ptx__strong_lanes(touch, addresses, bytes, m);
    for (; m; m &= m - 1) {
        const uint64_t offset = addresses[__builtin_ctz(m)] - range->begin;
        const uint64_t number = offset / PTX__LINE_BYTES, in_line = offset % PTX__LINE_BYTES;
        const bool inside = in_line + bytes <= PTX__LINE_BYTES && bytes < PTX__LINE_BYTES;

        if (inside && ptx__line_unchanged(__atomic_load_n(&lines[number], __ATOMIC_ACQUIRE), owner,
                                          use, strong))
            continue;
        lane.lane = (unsigned) __builtin_ctz(m);
        if (inside)
            touch_line(&lane, offset, offset, ((UINT64_C(1) << bytes) - 1) << in_line);
        else
            ptx__racecheck_global(&lane, offset, bytes);
    }
}
