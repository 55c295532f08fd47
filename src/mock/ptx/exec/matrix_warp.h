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

static inline uint64_t address_of(const struct ptx__warp *w, const struct ptx__op *op,
                                  unsigned lane)
{
    const uint64_t offset = (uint64_t) matrix_of(op)->offset;

    return op->c ? REG(uint64_t, op->a)[lane] + offset
                 : (uint32_t) (REG(uint32_t, op->a)[lane] + (uint32_t) offset);
}

#endif
