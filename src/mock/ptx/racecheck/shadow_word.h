/* SPDX-License-Identifier: MIT */
/* One word of four bytes of a shadow record whose granules are words. */
#ifndef CUSHIM_MOCK_PTX_RACECHECK_SHADOW_WORD_H
#define CUSHIM_MOCK_PTX_RACECHECK_SHADOW_WORD_H

#include "mock/ptx/racecheck/shadow_record.h"

/* Another worker may read at the same time, without the lock. */
static inline void ptx__shadow_put(uint64_t *bits, uint64_t value)
{
    __atomic_store_n(bits, value, __ATOMIC_RELAXED);
}

static inline uint64_t ptx__shadow_get(const uint64_t *bits)
{
    return __atomic_load_n(bits, __ATOMIC_RELAXED);
}

static inline void ptx__shadow_put_name(uint32_t *name, uint32_t block)
{
    __atomic_store_n(name, block, __ATOMIC_RELAXED);
}

/* Tells whether the bits are of one word, and the record has one granule for it. */
static inline bool ptx__shadow_is_word(const struct ptx__shadow_record *record, uint64_t bits)
{
    const unsigned first = (unsigned) __builtin_ctzll(bits);

    return record && record->shift == 2 && first % 4 == 0 && bits >> first == 15;
}

/*
 * Tells whether a block repeats an access to a word, and no other block has come between, which
 * changes nothing. The lock need not be held: only one worker gives words this block's number.
 */
static inline bool ptx__shadow_is_repeated(const struct ptx__shadow_record *record, uint64_t bits,
                                           uint64_t owner, enum ptx__use use)
{
    const unsigned i = (unsigned) __builtin_ctzll(bits) / 4;
    bool wrote, reads;

    if (!ptx__shadow_is_word(record, bits))
        return false;
    wrote = ptx__shadow_get(&record->written) & bits;
    reads = ptx__shadow_get(&record->read) & bits;
    if ((wrote && __atomic_load_n(&record->writers[i], __ATOMIC_RELAXED) != owner) ||
        (reads && __atomic_load_n(&record->readers[i], __ATOMIC_RELAXED) != owner))
        return false;
    return use == PTX__LOADS
               ? reads
               : use == PTX__STORES && wrote && !(ptx__shadow_get(&record->many) & bits);
}

/* Tells whether the access to a word would be a conflict with another block's. */
static inline bool ptx__shadow_is_conflict(const struct ptx__shadow_record *record, uint64_t bits,
                                           uint32_t owner, bool read)
{
    const unsigned i = (unsigned) __builtin_ctzll(bits) / 4;

    return (record->written & bits && record->writers[i] != owner) ||
           (!read && (record->many & bits || (record->read & bits && record->readers[i] != owner)));
}

/* Records an access to a word, which is no conflict. Returns the line's word after it. */
static inline uint64_t ptx__shadow_touch_word(struct ptx__shadow_record *record, uint64_t line,
                                              uint64_t bits, uint32_t owner, bool read)
{
    const unsigned i = (unsigned) __builtin_ctzll(bits) / 4;

    if (!read) {
        ptx__shadow_put_name(&record->writers[i], owner);
        ptx__shadow_put(&record->written, record->written | bits);
        return line & ~(uint64_t) PTX__LINE_MANY;
    }
    if (!(record->read & bits)) {
        ptx__shadow_put_name(&record->readers[i], owner);
        ptx__shadow_put(&record->read, record->read | bits);
    } else if (record->readers[i] != owner) {
        ptx__shadow_put(&record->many, record->many | bits);
    }
    return line | (record->many == UINT64_MAX && !record->written ? PTX__LINE_MANY : 0);
}

#endif
