/* SPDX-License-Identifier: MIT */
/*
 * Products of .f64, and the products of four by four that the first tensor cores had. An H100 does
 * both by multiply-adds.
 */
#include <math.h>

#include "mock/ptx/exec/matrix_warp.h"
#include "mock/ptx/machine/softfloat.h"

enum { MOST = 16 * 16 }; /* elements of the largest part */

struct product {
    const struct ptx__matrix *matrix;
    uint64_t parts[3][MOST]; /* A, B, C */
};

/* Tells whether the lane takes part in the product with this number. */
static bool takes_part(const struct ptx__matrix *matrix, unsigned lane, unsigned number)
{
    return !matrix->quads || lane / 4 % 4 == number;
}

static void gather(const struct ptx__warp *w, const struct ptx__op *op, unsigned number,
                   enum ptx__part part, uint64_t *values)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const uint32_t *slots = ptx__part_slots(op, part);
    const unsigned bits = ptx__element_bits(matrix->types[part]);
    const unsigned n = ptx__part_elements(matrix, part);

    for (unsigned lane = 0; lane < PTX__LANES; lane++) {
        for (unsigned i = 0; i < n && takes_part(matrix, lane, number); i++) {
            const struct place at = ptx__part_place(matrix, part, lane, i);

            values[at.row * ptx__part_columns(matrix, part) + at.column] =
                ptx__element_get(w->regs, slots, bits, lane, i);
        }
    }
}

/* The elements that belong to a result: a row of A, a column of B, and C. */
struct operands {
    uint64_t a[16], b[16], c;
};

static uint64_t sum_of_doubles(const struct ptx__matrix *matrix, const struct operands *operands)
{
    double sum = ptx__f64(operands->c);

    for (unsigned i = 0; i < matrix->k; i++) {
        const double a = ptx__f64(operands->a[i]), b = ptx__f64(operands->b[i]);

        sum = ptx__nan64(fma(a, b, sum), b, sum, a);
    }
    return ptx__bits64(sum);
}

static float half_of(const uint64_t *bits)
{
    return ptx__float_of_half((uint16_t) *bits);
}

/* Adds two of the four products to a sum. */
static float two_products(const struct operands *operands, unsigned first, float sum)
{
    const uint64_t *a = &operands->a[first], *b = &operands->b[first];

    return fmaf(half_of(&a[1]), half_of(&b[1]), fmaf(half_of(&a[0]), half_of(&b[0]), sum));
}

/* The products are added first, and then C; for .f16, two products after the other two. */
static uint64_t sum_of_quad(const struct ptx__matrix *matrix, const struct operands *operands)
{
    const bool narrow = matrix->types[PTX__PART_D] == PTX__ELEMENT_F16;
    const float c = matrix->types[PTX__PART_C] == PTX__ELEMENT_F16
                        ? half_of(&operands->c)
                        : ptx__f32((uint32_t) operands->c);

    if (narrow)
        return ptx__half_of_float(c + two_products(operands, 0, -0.0f) +
                                  two_products(operands, 2, -0.0f));
    return ptx__bits32(ptx__nan32(c + two_products(operands, 2, two_products(operands, 0, 0))));
}

static uint64_t sum_of(const struct product *product, unsigned row, unsigned column)
{
    const struct ptx__matrix *matrix = product->matrix;
    struct operands operands;

    operands.c = product->parts[PTX__PART_C][row * matrix->n + column];
    for (unsigned i = 0; i < matrix->k; i++) {
        operands.a[i] = product->parts[PTX__PART_A][row * matrix->k + i];
        operands.b[i] = product->parts[PTX__PART_B][i * matrix->n + column];
    }
    return matrix->quads ? sum_of_quad(matrix, &operands) : sum_of_doubles(matrix, &operands);
}

static void multiply(struct ptx__warp *w, const struct ptx__op *op, unsigned number)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const unsigned n = ptx__part_elements(matrix, PTX__PART_D);
    const unsigned bits = ptx__element_bits(matrix->types[PTX__PART_D]);
    struct product product;

    product.matrix = matrix;
    for (unsigned part = PTX__PART_A; part <= PTX__PART_C; part++)
        gather(w, op, number, (enum ptx__part) part, product.parts[part]);
    for (unsigned lane = 0; lane < PTX__LANES; lane++) {
        for (unsigned i = 0; i < n && takes_part(matrix, lane, number); i++) {
            const struct place at = ptx__part_place(matrix, PTX__PART_D, lane, i);

            ptx__element_put(w->regs, ptx__part_slots(op, PTX__PART_D), bits, lane, i,
                             sum_of(&product, at.row, at.column));
        }
    }
}

const struct ptx__op *ptx__do_mma_exact(struct ptx__warp *w, const struct ptx__op *op)
{
    TOGETHER();
    for (unsigned i = 0; i < (matrix_of(op)->quads ? 4 : 1); i++)
        multiply(w, op, i);
    return op + 1;
}
