/* SPDX-License-Identifier: MIT */
/* Memory for a product, and what mma and wgmma fill it by. For mma.c, wgmma.c and product_room.c.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_PRODUCT_ROOM_H
#define CUSHIM_MOCK_PTX_EXEC_PRODUCT_ROOM_H

#include "mock/ptx/exec/matrix_warp.h"
#include "mock/ptx/exec/product.h"

struct ptx__product_room {
    struct ptx__product product; /* its pointers are to what follows */
    int16_t a_significands[PTX__MOST_ROWS * PTX__MOST_PRODUCTS];
    int16_t a_exponents[PTX__MOST_ROWS * PTX__MOST_PRODUCTS];
    int16_t b_significands[PTX__MOST_OF_B], b_exponents[PTX__MOST_OF_B];
    uint8_t lines[PTX__MOST_ROWS * PTX__MOST_PRODUCTS];
    uint32_t c[PTX__MOST_ROWS * PTX__MOST_COLUMNS];
};

/* Prepares a product of a warp: all but its elements. kept: see struct ptx__product. */
void ptx__product_begin(struct ptx__product_room *room, const struct ptx__matrix *matrix,
                        const struct ptx__arithmetic *arithmetic, unsigned kept, unsigned fraction);

/* Converts the elements of some words of A or B. They are stored from a place on, along its row or
 * column. */
void ptx__product_set(struct ptx__product *product, const struct ptx__matrix *matrix,
                      enum ptx__part part, struct place first, bool along_row,
                      const uint32_t *words, unsigned n_words);

/* Sets A or B from the registers of a warp. */
void ptx__product_take(struct ptx__product *product, const struct ptx__op *op, enum ptx__part part,
                       const unsigned char *registers);

/* Sets which rows of B belong to the elements of A, which a sparse A's metadata tell. */
void ptx__product_take_lines(struct ptx__product_room *room, const struct ptx__matrix *matrix,
                             const unsigned char *registers);

/* Sets C from registers, as numbers of the product's type, and D from C. */
void ptx__product_take_c(struct ptx__product *product, const struct ptx__op *op,
                         const unsigned char *registers);
void ptx__product_give_d(const struct ptx__product *product, const struct ptx__op *op,
                         unsigned char *registers);

#endif
