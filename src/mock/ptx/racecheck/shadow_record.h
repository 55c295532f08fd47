/* SPDX-License-Identifier: MIT */
/*
 * Shadow records. A shadow record tells which blocks have read and written a line of global memory
 * that several blocks use. Its granules are words of 4 bytes or single bytes. Callers hold the lock
 * of the line, except for ptx__shadow_record_keep() and ptx__shadow_record_free().
 */
#ifndef CUSHIM_MOCK_PTX_RACECHECK_SHADOW_RECORD_H
#define CUSHIM_MOCK_PTX_RACECHECK_SHADOW_RECORD_H

#include "mock/ptx/racecheck/line_readers.h"

/* Marks a granule whose block is not known; no block has this number. */
#define PTX__UNKNOWN_BLOCK UINT32_MAX

struct ptx__shadow_record {
    uint64_t written, read, many; /* a bit for each byte; many: read by several blocks */
    unsigned shift;               /* of a granule */
    uint32_t *writers;            /* the last one of each granule */
    uint32_t *readers;            /* the first one of each granule */
} __attribute__((aligned(64)));

/*
 * Makes an empty record, which lives as long as the launch. Its granules are words if all bits of
 * both masks are of whole words, and bytes otherwise. NULL when out of memory.
 */
struct ptx__shadow_record *ptx__shadow_record_new(struct ptx__worker *worker, uint64_t bits,
                                                  uint64_t more);

/*
 * Changes a record to granules of one byte if the bits are not of whole words. False when out of
 * memory.
 */
bool ptx__shadow_record_refine(struct ptx__worker *worker, struct ptx__shadow_record **record,
                               uint64_t bits);

/* Record that a block has read, or written, bytes of the line. */
void ptx__shadow_record_read(struct ptx__shadow_record *record, uint64_t bits, uint32_t block);
void ptx__shadow_record_write(struct ptx__shadow_record *record, uint64_t bits, uint32_t block);

/* Makes the record of a line of PTX__LINE_OF_SOME. NULL when out of memory. */
struct ptx__shadow_record *ptx__shadow_record_some(struct ptx__worker *worker, uint64_t line);

/* Returns those of the bytes for which the list contains another block. */
uint64_t ptx__shadow_record_others(const struct ptx__shadow_record *record, const uint32_t *blocks,
                                   uint64_t bits, uint32_t block);

/*
 * A worker allocates records without a lock. ptx__shadow_record_keep() passes its memory to the
 * grid when the worker ends, and ptx__shadow_record_free() frees it with the launch.
 */
void ptx__shadow_record_keep(struct ptx__worker *worker);
void ptx__shadow_record_free(struct ptx__grid *grid);

static inline struct ptx__shadow_record *ptx__shadow_record_at(uint64_t line)
{
    if ((line & PTX__LINE_KIND) != PTX__LINE_RECORD)
        return NULL;
    return (struct ptx__shadow_record *) (uintptr_t) (line & ~(uint64_t) PTX__LINE_FLAGS);
}

#endif
