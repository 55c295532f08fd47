/* SPDX-License-Identifier: MIT */
/*
 * A line of global memory that more than one block touched: who read and who wrote it, by words
 * of four bytes or by bytes. Callers hold the lock of the line, but for ptx__shadow_record_keep()
 * and ptx__shadow_record_free().
 */
#ifndef CUSHIM_MOCK_PTX_RACECHECK_SHADOW_RECORD_H
#define CUSHIM_MOCK_PTX_RACECHECK_SHADOW_RECORD_H

#include "mock/ptx/racecheck/racecheck.h"

/* No block has this number. */
#define PTX__UNKNOWN_BLOCK UINT32_MAX

struct ptx__shadow_record {
    uint64_t written, read, many; /* bits of bytes; many: by two blocks or more */
    unsigned shift;               /* of a granule */
    uint32_t *writers;            /* the last one of each granule */
    uint32_t *readers;            /* the first one of each granule */
} __attribute__((aligned(64)));

/*
 * An empty record, in memory that lives as long as the launch: by words if all bits of both are
 * of whole words. NULL if there is no memory.
 */
struct ptx__shadow_record *ptx__shadow_record_new(struct ptx__worker *worker, uint64_t bits,
                                                  uint64_t more);

/* Makes it a record by bytes if the bits are not of whole words. */
bool ptx__shadow_record_refine(struct ptx__worker *worker, struct ptx__shadow_record **details,
                               uint64_t bits);

/* A block read, or wrote, the bytes. */
void ptx__shadow_record_read(struct ptx__shadow_record *details, uint64_t bits, uint32_t block);
void ptx__shadow_record_write(struct ptx__shadow_record *details, uint64_t bits, uint32_t block);

/* Those of the bytes where the list has another block. */
uint64_t ptx__shadow_record_others(const struct ptx__shadow_record *details, const uint32_t *blocks,
                                   uint64_t bits, uint32_t block);

/* Records are made by workers, and freed with the launch. */
void ptx__shadow_record_keep(struct ptx__worker *worker);
void ptx__shadow_record_free(struct ptx__grid *grid);

static inline struct ptx__shadow_record *ptx__shadow_record_at(uint64_t line)
{
    if ((line & PTX__LINE_KIND) != PTX__LINE_DETAILS)
        return NULL;
    return (struct ptx__shadow_record *) (uintptr_t) (line & ~(uint64_t) PTX__LINE_FLAGS);
}

#endif
