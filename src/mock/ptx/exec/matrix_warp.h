/* SPDX-License-Identifier: MIT */
/* Shared by the files matrix*.c. */
#ifndef CUSHIM_MOCK_PTX_EXEC_MATRIX_WARP_H
#define CUSHIM_MOCK_PTX_EXEC_MATRIX_WARP_H

#include "mock/ptx/exec/matrix.h"
#include "mock/ptx/memory/memory.h"
#include "mock/ptx/warps/warp.h"

struct place {
    unsigned row, column;
};

/* Waits until all lanes of the warp are here. */
#define TOGETHER()                                                                                 \
    do {                                                                                           \
        const struct ptx__op *next_ = NULL;                                                        \
                                                                                                   \
        if (!ptx__warp_together(w, op, PTX__ALL_SLOT, &next_))                                     \
            return next_;                                                                          \
    } while (0)

static inline const struct ptx__matrix *matrix_of(const struct ptx__op *op)
{
    return (const struct ptx__matrix *) (uintptr_t) op->imm;
}

/* Returns an element of a lane, from slots that have the same type. */
static inline uint64_t ptx__element_get(const unsigned char *registers, const uint32_t *slots,
                                        unsigned bits, unsigned lane, unsigned element)
{
    const unsigned each = bits < 32 ? 32 / bits : 1;
    const unsigned char *slot = registers + slots[element / each];
    const uint32_t word = ((const uint32_t *) (const void *) slot)[lane];

    if (bits == 64)
        return ((const uint64_t *) (const void *) slot)[lane];
    return bits == 32 ? word : word >> element % each * bits & ((1u << bits) - 1);
}

static inline void ptx__element_put(unsigned char *registers, const uint32_t *slots, unsigned bits,
                                    unsigned lane, unsigned element, uint64_t value)
{
    const unsigned each = bits < 32 ? 32 / bits : 1, shift = element % each * bits;
    unsigned char *slot = registers + slots[element / each];
    uint32_t *word = (uint32_t *) (void *) slot + lane;

    if (bits == 64)
        ((uint64_t *) (void *) slot)[lane] = value;
    else if (bits == 32)
        *word = (uint32_t) value;
    else
        *word = (*word & ~(((1u << bits) - 1) << shift)) | (uint32_t) value << shift;
}

/* Returns the first slot of a part in the operation's list. */
const uint32_t *ptx__part_slots(const struct ptx__op *op, enum ptx__part part);

/* Returns how many elements of a part a lane has, and the place of one of them. */
unsigned ptx__part_elements(const struct ptx__matrix *matrix, enum ptx__part part);
struct place ptx__part_place(const struct ptx__matrix *matrix, enum ptx__part part, unsigned lane,
                             unsigned element);

/* Returns how many columns of A there are: of a sparse one half as many as B has rows. */
static inline unsigned ptx__depth(const struct ptx__matrix *matrix)
{
    return matrix->sparse ? matrix->k / 2u : matrix->k;
}

static inline unsigned ptx__part_columns(const struct ptx__matrix *matrix, enum ptx__part part)
{
    return part == PTX__PART_A ? ptx__depth(matrix) : matrix->n;
}

static inline uint64_t address_of(const struct ptx__warp *w, const struct ptx__op *op,
                                  unsigned lane)
{
    const uint64_t offset = (uint64_t) matrix_of(op)->offset;

    return op->c ? REG(uint64_t, op->a)[lane] + offset
                 : (uint32_t) (REG(uint32_t, op->a)[lane] + (uint32_t) offset);
}

#endif
