/* SPDX-License-Identifier: MIT */
/* Where the elements of matrices are in the registers of a warp, and wmma's loads and stores. */
#include "mock/ptx/exec/matrix_warp.h"

#include <string.h>

/* --- where elements are --- */

/*
 * The layout that PTX defines: lane l is in group l/4, as number l%4. A register has as many
 * consecutive elements as fit, and the lanes of a group have consecutive ones.
 */
static struct place of_mma(const struct ptx__matrix *matrix, enum ptx__part part, unsigned lane,
                           unsigned element)
{
    const unsigned bits = ptx__element_bits(matrix->types[part]), each = bits < 32 ? 32 / bits : 1;
    const unsigned group = lane / 4, number = lane % 4;
    const unsigned number_of_register = element / each, j = element % each;

    if (part >= PTX__PART_C)
        return (struct place){group + element / 2 % 2 * 8,
                              element / 4 * 8 + number * 2 + element % 2};
    if (part == PTX__PART_B)
        return (struct place){(number_of_register * 4 + number) * each + j, group};
    if (matrix->m == 8)
        return (struct place){group, (number_of_register * 4 + number) * each + j};
    return (struct place){group + number_of_register % 2 * 8,
                          (number_of_register / 2 * 4 + number) * each + j};
}

/*
 * Eight lanes share a product: four lanes, and the lanes 16 above them, which have its other half.
 */
static struct place of_quads(const struct ptx__matrix *matrix, enum ptx__part part, unsigned lane,
                             unsigned element)
{
    const unsigned number = lane % 4, half = lane / 16 * 4;

    switch (part) {
    case PTX__PART_A:
        return matrix->a_by_column ? (struct place){element + half, number}
                                   : (struct place){number + half, element};
    case PTX__PART_B:
        return matrix->b_by_row ? (struct place){number, element + half}
                                : (struct place){element, number + half};
    default:
        if (matrix->types[part] == PTX__ELEMENT_F16)
            return (struct place){number + half, element};
        return (struct place){(number & 1) + (element & 2) + half,
                              (element & 4) + (number & 2) + (element & 1)};
    }
}

static unsigned rows_of(const struct ptx__matrix *matrix, enum ptx__part part)
{
    return part == PTX__PART_B ? matrix->k : matrix->m;
}

/*
 * PTX does not define the layout of wmma fragments. Here the elements are in rows, and repeated if
 * lanes have room for more. If elements have less than a byte, a register must be a contiguous
 * piece of memory. B then uses columns, the only order that PTX allows for it.
 */
static struct place of_fragment(const struct ptx__matrix *matrix, enum ptx__part part,
                                unsigned lane, unsigned element, unsigned n_elements)
{
    const unsigned columns = ptx__part_columns(matrix, part), rows = rows_of(matrix, part);
    const unsigned at = (lane * n_elements + element) % (columns * rows);

    if (part == PTX__PART_B && ptx__element_bits(matrix->types[part]) < 8)
        return (struct place){at % rows, at / rows};
    return (struct place){at / columns, at % columns};
}

unsigned ptx__part_elements(const struct ptx__matrix *matrix, enum ptx__part part)
{
    const unsigned bits = ptx__element_bits(matrix->types[part]);

    return matrix->registers[part] * (bits < 32 ? 32 / bits : 1);
}

struct place ptx__part_place(const struct ptx__matrix *matrix, enum ptx__part part, unsigned lane,
                             unsigned element)
{
    if (matrix->fragments)
        return of_fragment(matrix, part, lane, element, ptx__part_elements(matrix, part));
    if (matrix->quads)
        return of_quads(matrix, part, lane, element);
    return of_mma(matrix, part, lane, element);
}

const uint32_t *ptx__part_slots(const struct ptx__op *op, enum ptx__part part)
{
    static const enum ptx__part order[] = {PTX__PART_D, PTX__PART_A, PTX__PART_B, PTX__PART_C};
    const struct ptx__matrix *matrix = matrix_of(op);
    const uint32_t *slots = op->list;

    for (unsigned i = 0; order[i] != part; i++)
        slots += matrix->registers[order[i]];
    return slots;
}

/* --- fragments in memory --- */

/*
 * Returns how many bits are loaded at once: an element, or a register of elements that have less
 * than a byte.
 */
static unsigned unit_bits(const struct ptx__matrix *matrix)
{
    const unsigned bits = ptx__element_bits(matrix->types[matrix->part]);

    return bits < 8 ? 32 : bits;
}

static unsigned units_of(const struct ptx__matrix *matrix)
{
    return ptx__part_elements(matrix, matrix->part) *
           ptx__element_bits(matrix->types[matrix->part]) / unit_bits(matrix);
}

static unsigned char *unit_at(struct ptx__warp *w, const struct ptx__op *op, unsigned lane,
                              unsigned unit, enum ptx__use use)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const enum ptx__part part = matrix->part;
    const unsigned bits = ptx__element_bits(matrix->types[part]),
                   element = unit * (unit_bits(matrix) / bits);
    const struct place at = ptx__part_place(matrix, part, lane, element);
    const unsigned length =
        matrix->by_row ? ptx__part_columns(matrix, part) : rows_of(matrix, part);
    const uint64_t stride = matrix->stride ? REG(uint32_t, matrix->stride)[lane] : length;
    const uint64_t offset =
        matrix->by_row ? at.row * stride + at.column : at.column * stride + at.row;

    return ptx__reach_in(ptx__lane_op(w, op, lane), matrix->space,
                         address_of(w, op, lane) + offset * bits / 8, unit_bits(matrix) / 8, use);
}

const struct ptx__op *ptx__do_fragment_load(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const unsigned bits = unit_bits(matrix), n = units_of(matrix);

    TOGETHER();
    for (unsigned lane = 0; lane < PTX__LANES; lane++) {
        for (unsigned i = 0; i < n; i++) {
            const unsigned char *at = unit_at(w, op, lane, i, PTX__LOADS);
            uint64_t value = 0;

            if (!at)
                return NULL;
            memcpy(&value, at, bits / 8);
            ptx__element_put(w->regs, op->list, bits, lane, i, value);
        }
    }
    return op + 1;
}

const struct ptx__op *ptx__do_fragment_store(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const unsigned bits = unit_bits(matrix), n = units_of(matrix);

    TOGETHER();
    for (unsigned lane = 0; lane < PTX__LANES; lane++) {
        for (unsigned i = 0; i < n; i++) {
            unsigned char *at = unit_at(w, op, lane, i, PTX__STORES);
            const uint64_t value = ptx__element_get(w->regs, op->list, bits, lane, i);

            if (!at)
                return NULL;
            memcpy(at, &value, bits / 8);
        }
    }
    return op + 1;
}
