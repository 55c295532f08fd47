/* SPDX-License-Identifier: MIT */
#include "mock/ptx/racecheck/shadow_record.h"

#include <stdlib.h>
#include <string.h>

/* Records are allocated from large pieces of memory, which are linked and freed together. */
struct ptx__piece {
    struct ptx__piece *next;
    size_t used;
};

enum { PIECE = 1 << 16, ALIGNMENT = 64 };

static void *take(struct ptx__worker *worker, size_t bytes)
{
    struct ptx__piece *piece = worker->pieces;

    if (!piece || PIECE - piece->used < bytes) {
        piece = aligned_alloc(ALIGNMENT, PIECE);
        if (!piece)
            return NULL;
        piece->next = worker->pieces;
        piece->used = ALIGNMENT;
        worker->pieces = piece;
    }
    piece->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return (unsigned char *) piece + piece->used - (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void ptx__shadow_record_keep(struct ptx__worker *worker)
{
    struct ptx__grid *grid = worker->grid;

    pthread_mutex_lock(&grid->lock);
    while (worker->pieces) {
        struct ptx__piece *piece = worker->pieces;

        worker->pieces = piece->next;
        piece->next = grid->pieces;
        grid->pieces = piece;
    }
    pthread_mutex_unlock(&grid->lock);
}

void ptx__shadow_record_free(struct ptx__grid *grid)
{
    while (grid->pieces) {
        struct ptx__piece *piece = grid->pieces;

        grid->pieces = piece->next;
        free(piece);
    }
}

static struct ptx__shadow_record *make(struct ptx__worker *worker, unsigned shift)
{
    const size_t n = PTX__LINE_BYTES >> shift;
    struct ptx__shadow_record *record = take(worker, sizeof(*record) + 2 * n * sizeof(uint32_t));

    if (!record)
        return NULL;
    memset(record, 0, sizeof(*record) + 2 * n * sizeof(uint32_t));
    record->shift = shift;
    record->writers = (uint32_t *) (record + 1);
    record->readers = record->writers + n;
    return record;
}

struct ptx__shadow_record *ptx__shadow_record_new(struct ptx__worker *worker, uint64_t bits,
                                                  uint64_t more)
{
    return make(worker, ptx__of_words(bits) && ptx__of_words(more) ? 2 : 0);
}

/* The old record is not changed or freed: another worker may be reading it without the lock. */
bool ptx__shadow_record_refine(struct ptx__worker *worker, struct ptx__shadow_record **record,
                               uint64_t bits)
{
    const struct ptx__shadow_record *old = *record;
    struct ptx__shadow_record *new;

    if (!old->shift || ptx__of_words(bits))
        return true;
    new = make(worker, 0);
    if (!new)
        return false;
    new->written = old->written;
    new->read = old->read;
    new->many = old->many;
    for (unsigned i = 0; i < PTX__LINE_BYTES; i++) {
        new->writers[i] = old->writers[i >> old->shift];
        new->readers[i] = old->readers[i >> old->shift];
    }
    *record = new;
    return true;
}

struct ptx__shadow_record *ptx__shadow_record_some(struct ptx__worker *worker, uint64_t line)
{
    struct ptx__shadow_record *record = make(worker, 2);

    if (record) {
        ptx__shadow_record_read(record, UINT64_MAX, ptx__line_first(line));
        record->many = ptx__bytes_of_words(ptx__line_words(line));
    }
    return record;
}

static void put(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/* Removes the granule of the lowest bit from the bits, and returns its index. */
static unsigned next_granule(const struct ptx__shadow_record *record, uint64_t *bits)
{
    const unsigned i = (unsigned) __builtin_ctzll(*bits) >> record->shift;
    const uint64_t granule = record->shift ? 15 : 1;

    *bits &= ~(granule << (i << record->shift));
    return i;
}

enum { WORDS = PTX__LINE_BYTES / 4 };

/* Without a branch, so that several words are compared at once. */
static uint64_t words_of_others(const uint32_t *blocks, uint32_t block)
{
    uint32_t words = 0;

    for (unsigned i = 0; i < WORDS; i++)
        words |= (uint32_t) (blocks[i] != block) << i;
    return ptx__bytes_of_words(words);
}

static void name_words(uint32_t *blocks, uint64_t words, uint32_t block)
{
    for (unsigned i = 0; i < WORDS; i++) {
        if (words >> i & 1)
            __atomic_store_n(&blocks[i], block, __ATOMIC_RELAXED);
    }
}

static void name(const struct ptx__shadow_record *record, uint32_t *blocks, uint64_t bits,
                 uint32_t block)
{
    if (record->shift == 2 && bits) {
        name_words(blocks, ptx__words_of_bytes(bits), block);
        return;
    }
    while (bits)
        blocks[next_granule(record, &bits)] = block;
}

void ptx__shadow_record_read(struct ptx__shadow_record *record, uint64_t bits, uint32_t block)
{
    const uint64_t others =
        ptx__shadow_record_others(record, record->readers, record->read & bits, block);

    name(record, record->readers, bits & ~record->read, block);
    put(&record->read, record->read | bits);
    put(&record->many, record->many | others);
}

void ptx__shadow_record_write(struct ptx__shadow_record *record, uint64_t bits, uint32_t block)
{
    name(record, record->writers, bits, block);
    put(&record->written, record->written | bits);
}

uint64_t ptx__shadow_record_others(const struct ptx__shadow_record *record, const uint32_t *blocks,
                                   uint64_t bits, uint32_t block)
{
    uint64_t others = bits;

    if (record->shift == 2)
        return bits ? bits & words_of_others(blocks, block) : 0;
    for (uint64_t left = bits; left;) {
        const uint64_t before = left;

        if (blocks[next_granule(record, &left)] == block)
            others &= left | ~before;
    }
    return others;
}
