/* SPDX-License-Identifier: MIT */
/*
 * Matrices of 8 by 8 elements of 16 bits in shared memory. Lane 8 i + r has the address of row r of
 * matrix i.
 */
#include "mock/ptx/exec/matrix_warp.h"

#include <string.h>

enum { SIDE = 8, ROW_BYTES = 16 };

/* Returns the place of one of the two elements of a lane, in a row or in a column. */
static struct place pair_place(const struct ptx__matrix *matrix, unsigned lane, unsigned half)
{
    const unsigned line = lane / 4, at = lane % 4 * 2 + half;

    return matrix->transposed ? (struct place){at, line} : (struct place){line, at};
}

static unsigned char *row_at(struct ptx__warp *w, const struct ptx__op *op,
                             const struct ptx__matrix *matrix, unsigned number, unsigned row,
                             enum ptx__use use)
{
    const unsigned lane = number * SIDE + row;

    return ptx__reach_in(ptx__lane_op(w, op, lane), matrix->space, address_of(w, op, lane),
                         ROW_BYTES, use);
}

const struct ptx__op *ptx__do_ldmatrix(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    uint32_t result[4][PTX__LANES] = {{0}};

    TOGETHER();
    for (unsigned i = 0; i < matrix->n_matrices; i++) {
        uint16_t values[SIDE][SIDE];

        for (unsigned row = 0; row < SIDE; row++) {
            const unsigned char *at = row_at(w, op, matrix, i, row, PTX__LOADS);

            if (!at)
                return NULL;
            memcpy(values[row], at, ROW_BYTES);
        }
        for (unsigned lane = 0; lane < PTX__LANES; lane++) {
            for (unsigned half = 0; half < 2; half++) {
                const struct place at = pair_place(matrix, lane, half);

                result[i][lane] |= (uint32_t) values[at.row][at.column] << 16 * half;
            }
        }
    }
    for (unsigned i = 0; i < matrix->n_matrices; i++)
        memcpy(REG(uint32_t, op->list[i]), result[i], sizeof(result[i]));
    return op + 1;
}

const struct ptx__op *ptx__do_stmatrix(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__matrix *matrix = matrix_of(op);

    TOGETHER();
    for (unsigned i = 0; i < matrix->n_matrices; i++) {
        const uint32_t *source = REG(uint32_t, op->list[i]);
        uint16_t values[SIDE][SIDE];

        for (unsigned lane = 0; lane < PTX__LANES; lane++) {
            for (unsigned half = 0; half < 2; half++) {
                const struct place at = pair_place(matrix, lane, half);

                values[at.row][at.column] = (uint16_t) (source[lane] >> 16 * half);
            }
        }
        for (unsigned row = 0; row < SIDE; row++) {
            unsigned char *at = row_at(w, op, matrix, i, row, PTX__STORES);

            if (!at)
                return NULL;
            memcpy(at, values[row], ROW_BYTES);
        }
    }
    return op + 1;
}

const struct ptx__op *ptx__do_movmatrix(struct ptx__warp *w, const struct ptx__op *op)
{
    const uint32_t *source = REG(uint32_t, op->a);
    uint16_t values[SIDE][SIDE];

    TOGETHER();
    for (unsigned lane = 0; lane < PTX__LANES; lane++) {
        values[lane % 4 * 2][lane / 4] = (uint16_t) source[lane];
        values[lane % 4 * 2 + 1][lane / 4] = (uint16_t) (source[lane] >> 16);
    }
    for (unsigned lane = 0; lane < PTX__LANES; lane++)
        REG(uint32_t, op->d)
    [lane] = values[lane / 4][lane % 4 * 2] | (uint32_t) values[lane / 4][lane % 4 * 2 + 1] << 16;
    return op + 1;
}
