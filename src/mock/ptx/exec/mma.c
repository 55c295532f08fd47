/* SPDX-License-Identifier: MIT */
/*
 * Where elements of 8 bits are numbers, an H100 has no instruction for it, and they are converted
 * to .f16. A first product is that of the lower halves of all registers, a second one of the upper
 * halves adds to it, and C is added at last.
 */
#include "mock/ptx/exec/mma.h"

#include "mock/ptx/exec/product_room.h"

enum { KEPT = 25, FRACTION = 23 };

/* --- scales --- */

/* Returns the exponent that a scale adds to that of a factor; its significand replaces *ret. */
static int scale_of(const struct ptx__matrix *matrix, uint32_t bits, int16_t *ret_significand)
{
    int16_t exponent;

    if (!matrix->fine_scales) {
        *ret_significand = 1;
        return bits == 0xff ? PTX__EXPONENT_NAN : (int) bits - 127;
    }
    if (ptx__factor_of(PTX__ELEMENT_E4M3, bits & 0x7f, false, ret_significand, &exponent))
        return PTX__EXPONENT_NAN;
    return exponent;
}

static bool is_special(int exponent)
{
    return exponent >= PTX__EXPONENT_INFINITY;
}

static void scale(struct ptx__factors *factors, size_t at, int16_t significand, int exponent)
{
    if (is_special(exponent)) {
        factors->special = true;
        factors->exponents[at] = PTX__EXPONENT_NAN;
        factors->significands[at] = 1;
    } else if (!is_special(factors->exponents[at]) && factors->significands[at]) {
        factors->significands[at] = (int16_t) (factors->significands[at] * significand);
        factors->exponents[at] =
            (int16_t) (factors->significands[at] ? factors->exponents[at] + exponent
                                                 : PTX__EXPONENT_ZERO);
    }
}

/* Returns the bits of the scale for a row of A, or a column of B. */
static uint32_t scale_at(const struct ptx__warp *w, const struct ptx__matrix *matrix,
                         enum ptx__part part, unsigned line, unsigned number)
{
    const struct ptx__scales *scales = &matrix->scales[part];
    const unsigned thread = REG(uint32_t, scales->thread)[0] & 3;
    const unsigned byte = REG(uint32_t, scales->byte)[0] + number;
    const unsigned lane =
        part == PTX__PART_A ? line % 8 * 4 + (thread & 1) * 2 + line / 8 : line * 4 + thread;

    return REG(uint32_t, scales->slot)[lane] >> byte % 4 * 8 & 0xff;
}

static void scale_a(const struct ptx__warp *w, const struct ptx__matrix *matrix,
                    struct ptx__product *product)
{
    for (unsigned row = 0; row < product->m; row++) {
        for (unsigned i = 0; i < product->k; i++) {
            int16_t significand;
            const int exponent = scale_of(
                matrix, scale_at(w, matrix, PTX__PART_A, row, i * matrix->n_scales / product->k),
                &significand);

            scale(&product->a, row * product->k + i, significand, exponent);
        }
    }
}

static void scale_b(const struct ptx__warp *w, const struct ptx__matrix *matrix,
                    struct ptx__product *product)
{
    for (unsigned i = 0; i < matrix->k; i++) {
        for (unsigned column = 0; column < product->n; column++) {
            int16_t significand;
            const int exponent = scale_of(
                matrix, scale_at(w, matrix, PTX__PART_B, column, i * matrix->n_scales / matrix->k),
                &significand);

            scale(&product->b, i * product->n + column, significand, exponent);
        }
    }
}

/* --- in two halves --- */

/* As numbers of .f16 the subnormal ones have exponents of their own. */
static void normalise(struct ptx__factors *factors, size_t n, unsigned fraction)
{
    for (size_t i = 0; i < n; i++) {
        int16_t *significand = &factors->significands[i];

        if (!*significand || is_special(factors->exponents[i]))
            continue;
        while (*significand < 1 << fraction && *significand > -(1 << fraction)) {
            *significand = (int16_t) (*significand * 2);
            factors->exponents[i]--;
        }
    }
}

/* Keeps the elements of A, and which rows of B they belong to, that are in one half. */
static struct ptx__product half_of(const struct ptx__product_room *all,
                                   struct ptx__product_room *half, unsigned upper)
{
    struct ptx__product product = all->product;

    product.k /= 2;
    for (unsigned i = 0; i < product.m * product.k; i++) {
        const unsigned from = i / 2 * 4 + upper * 2 + i % 2;

        half->a_significands[i] = all->a_significands[from];
        half->a_exponents[i] = all->a_exponents[from];
        half->lines[i] = all->lines[from];
    }
    product.a.significands = half->a_significands;
    product.a.exponents = half->a_exponents;
    product.lines = half->lines;
    product.c = half->c;
    return product;
}

static uint32_t sum_of(enum ptx__element type, uint32_t a, uint32_t b)
{
    if (type == PTX__ELEMENT_F32)
        return ptx__bits32(ptx__nan32(ptx__f32(a) + ptx__f32(b)));
    return ptx__half_of_float(ptx__float_of_half((uint16_t) a) + ptx__float_of_half((uint16_t) b));
}

static void multiply_halves(struct ptx__product_room *room, const struct ptx__matrix *matrix)
{
    struct ptx__product *product = &room->product;
    struct ptx__product_room half;

    normalise(&product->a, product->m * product->k,
              ptx__element_format(matrix->types[PTX__PART_A]).fraction);
    normalise(&product->b, (size_t) matrix->k * product->n,
              ptx__element_format(matrix->types[PTX__PART_B]).fraction);
    memset(half.c, 0, product->m * product->n * sizeof(*half.c));
    for (unsigned upper = 0; upper < 2; upper++) {
        const struct ptx__product part = half_of(room, &half, upper);

        product->arithmetic->multiply(&part);
    }
    for (unsigned i = 0; i < product->m * product->n; i++)
        product->c[i] = sum_of(product->d_type, half.c[i], product->c[i]);
}

/* --- */

const struct ptx__op *ptx__mma(struct ptx__warp *w, const struct ptx__op *op,
                               const struct ptx__arithmetic *arithmetic)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    struct ptx__product_room room;

    TOGETHER();
    ptx__product_begin(&room, matrix, arithmetic, KEPT, FRACTION);
    if (arithmetic->multiply_registers(&room.product, op, w->regs))
        return op + 1;
    ptx__product_take(&room.product, op, PTX__PART_A, w->regs);
    ptx__product_take(&room.product, op, PTX__PART_B, w->regs);
    ptx__product_take_lines(&room, matrix, w->regs);
    ptx__product_take_c(&room.product, op, w->regs);
    if (matrix->n_scales) {
        scale_a(w, matrix, &room.product);
        scale_b(w, matrix, &room.product);
    }
    if (matrix->halved)
        multiply_halves(&room, matrix);
    else
        arithmetic->multiply(&room.product);
    ptx__product_give_d(&room.product, op, w->regs);
    return op + 1;
}
