/* SPDX-License-Identifier: MIT */
/*
 * Matrix products of a warp. Products of narrow types are exact in double precision. Their sum is
 * nearly exact, and is rounded once.
 */
#include "mock/ptx/exec/matrix_warp.h"

#include <math.h>
#include <string.h>

#include "mock/ptx/machine/softfloat.h"

static unsigned bits_of(enum ptx__element type)
{
    switch (type) {
    case PTX__ELEMENT_B1:
        return 1;
    case PTX__ELEMENT_U4:
    case PTX__ELEMENT_S4:
        return 4;
    case PTX__ELEMENT_U8:
    case PTX__ELEMENT_S8:
    case PTX__ELEMENT_E4M3:
    case PTX__ELEMENT_E5M2:
    case PTX__ELEMENT_E3M2:
    case PTX__ELEMENT_E2M3:
    case PTX__ELEMENT_E2M1:
        return 8;
    case PTX__ELEMENT_F16:
    case PTX__ELEMENT_BF16:
        return 16;
    case PTX__ELEMENT_F64:
        return 64;
    default:
        return 32;
    }
}

static struct ptx__format format_of(enum ptx__element type)
{
    switch (type) {
    case PTX__ELEMENT_F16:
        return PTX__F16;
    case PTX__ELEMENT_BF16:
        return PTX__BF16;
    case PTX__ELEMENT_E4M3:
        return PTX__E4M3;
    case PTX__ELEMENT_E5M2:
        return PTX__E5M2;
    case PTX__ELEMENT_E3M2:
        return PTX__E3M2;
    case PTX__ELEMENT_E2M3:
        return PTX__E2M3;
    case PTX__ELEMENT_E2M1:
        return PTX__E2M1;
    default:
        return PTX__F32;
    }
}

/* Converts the bits of an element to a number. Of .tf32 the low bits are ignored. */
static double real_of(enum ptx__element type, uint64_t bits)
{
    if (type == PTX__ELEMENT_F64)
        return ptx__f64(bits);
    if (type == PTX__ELEMENT_TF32)
        bits &= 0xffffe000;
    if (type == PTX__ELEMENT_E3M2 || type == PTX__ELEMENT_E2M3)
        bits &= 0x3f;
    if (type == PTX__ELEMENT_E2M1)
        bits = bits >> 2 & 15;
    return ptx__f64(ptx__convert(PTX__F64, format_of(type), bits, PTX__RN, false));
}

static int64_t integer_of(enum ptx__element type, uint64_t bits)
{
    switch (type) {
    case PTX__ELEMENT_S8:
        return (int8_t) bits;
    case PTX__ELEMENT_S4:
        return (int64_t) (bits & 15) - (bits & 8 ? 16 : 0);
    case PTX__ELEMENT_S32:
        return (int32_t) bits;
    default:
        return (int64_t) bits;
    }
}

/* --- where elements are --- */

/*
 * The layout that PTX defines: lane l is in group l/4, as number l%4. A register has as many
 * consecutive elements as fit, and the lanes of a group have consecutive ones.
 */
static struct place of_mma(const struct ptx__matrix *matrix, enum ptx__part part, unsigned lane,
                           unsigned element)
{
    const unsigned bits = bits_of(matrix->types[part]), each = bits < 32 ? 32 / bits : 1;
    const unsigned group = lane / 4, number = lane % 4;
    const unsigned number_of_register = element / each, j = element % each;

    if (part >= PTX__PART_C)
        return (struct place){group + element / 2 * 8, number * 2 + element % 2};
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

static unsigned columns_of(const struct ptx__matrix *matrix, enum ptx__part part)
{
    return part == PTX__PART_A ? matrix->k : matrix->n;
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
    const unsigned columns = columns_of(matrix, part), rows = rows_of(matrix, part);
    const unsigned at = (lane * n_elements + element) % (columns * rows);

    if (part == PTX__PART_B && bits_of(matrix->types[part]) < 8)
        return (struct place){at % rows, at / rows};
    return (struct place){at / columns, at % columns};
}

static unsigned elements_of(const struct ptx__matrix *matrix, enum ptx__part part)
{
    const unsigned bits = bits_of(matrix->types[part]);

    return matrix->registers[part] * (bits < 32 ? 32 / bits : 1);
}

static struct place place_of(const struct ptx__matrix *matrix, enum ptx__part part, unsigned lane,
                             unsigned element)
{
    if (matrix->fragments)
        return of_fragment(matrix, part, lane, element, elements_of(matrix, part));
    if (matrix->quads)
        return of_quads(matrix, part, lane, element);
    return of_mma(matrix, part, lane, element);
}

/* Returns the first slot of a part in the operation's list. */
static const uint32_t *slots_of(const struct ptx__op *op, const struct ptx__matrix *matrix,
                                enum ptx__part part)
{
    static const enum ptx__part order[] = {PTX__PART_D, PTX__PART_A, PTX__PART_B, PTX__PART_C};
    const uint32_t *slots = op->list;

    for (unsigned i = 0; order[i] != part; i++)
        slots += matrix->registers[order[i]];
    return slots;
}

static uint64_t get(const struct ptx__warp *w, const uint32_t *slots, unsigned bits, unsigned lane,
                    unsigned element)
{
    const unsigned each = bits < 32 ? 32 / bits : 1;

    if (bits == 64)
        return REG(uint64_t, slots[element])[lane];
    if (bits == 32)
        return REG(uint32_t, slots[element])[lane];
    return REG(uint32_t, slots[element / each])[lane] >> element % each * bits & ((1u << bits) - 1);
}

static void put(struct ptx__warp *w, const uint32_t *slots, unsigned bits, unsigned lane,
                unsigned element, uint64_t value)
{
    const unsigned each = bits < 32 ? 32 / bits : 1, shift = element % each * bits;
    uint32_t *slot;

    if (bits == 64) {
        REG(uint64_t, slots[element])[lane] = value;
        return;
    }
    slot = &REG(uint32_t, slots[element / each])[lane];
    if (bits == 32)
        *slot = (uint32_t) value;
    else
        *slot = (*slot & ~(((1u << bits) - 1) << shift)) | (uint32_t) value << shift;
}

/* --- products --- */

enum { MOST = 16 * 256 }; /* elements of the largest part */

struct product {
    const struct ptx__matrix *matrix;
    uint64_t a[MOST], b[MOST], c[32 * 32];
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
    const uint32_t *slots = slots_of(op, matrix, part);
    const unsigned bits = bits_of(matrix->types[part]), n = elements_of(matrix, part);

    for (unsigned lane = 0; lane < PTX__LANES; lane++) {
        for (unsigned i = 0; i < n && takes_part(matrix, lane, number); i++) {
            const struct place at = place_of(matrix, part, lane, i);

            values[at.row * columns_of(matrix, part) + at.column] = get(w, slots, bits, lane, i);
        }
    }
}

static uint64_t sum_of_reals(const struct product *product, unsigned row, unsigned column)
{
    const struct ptx__matrix *matrix = product->matrix;
    const enum ptx__element type = matrix->types[PTX__PART_A], other = matrix->types[PTX__PART_B];
    const enum ptx__element result = matrix->types[PTX__PART_D];
    double sum = real_of(matrix->types[PTX__PART_C], product->c[row * matrix->n + column]);

    for (unsigned i = 0; i < matrix->k; i++) {
        const double a = real_of(type, product->a[row * matrix->k + i]);
        const double b = real_of(other, product->b[i * matrix->n + column]);

        sum = ptx__nan64(fma(a, b, sum), b, sum, a);
    }
    if (result == PTX__ELEMENT_F64)
        return ptx__bits64(sum);
    return ptx__convert(format_of(result), PTX__F64, ptx__bits64(sum), PTX__RN, false);
}

static int64_t product_of_bits(const struct ptx__matrix *matrix, uint64_t a, uint64_t b)
{
    return (int64_t) (matrix->both ? a & b : a ^ b);
}

static uint64_t sum_of_integers(const struct product *product, unsigned row, unsigned column)
{
    const struct ptx__matrix *matrix = product->matrix;
    const enum ptx__element type = matrix->types[PTX__PART_A], other = matrix->types[PTX__PART_B];
    int64_t sum = (int32_t) product->c[row * matrix->n + column];

    for (unsigned i = 0; i < matrix->k; i++) {
        const uint64_t a = product->a[row * matrix->k + i];
        const uint64_t b = product->b[i * matrix->n + column];

        sum += type == PTX__ELEMENT_B1 ? product_of_bits(matrix, a, b)
                                       : integer_of(type, a) * integer_of(other, b);
    }
    if (matrix->finite)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t) sum;
}

static void multiply(struct ptx__warp *w, const struct ptx__op *op, unsigned number)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const unsigned n = elements_of(matrix, PTX__PART_D), bits = bits_of(matrix->types[PTX__PART_D]);
    struct product product;

    product.matrix = matrix;
    gather(w, op, number, PTX__PART_A, product.a);
    gather(w, op, number, PTX__PART_B, product.b);
    gather(w, op, number, PTX__PART_C, product.c);
    for (unsigned lane = 0; lane < PTX__LANES; lane++) {
        for (unsigned i = 0; i < n && takes_part(matrix, lane, number); i++) {
            const struct place at = place_of(matrix, PTX__PART_D, lane, i);
            const uint64_t value = matrix->types[PTX__PART_D] == PTX__ELEMENT_S32
                                       ? sum_of_integers(&product, at.row, at.column)
                                       : sum_of_reals(&product, at.row, at.column);

            put(w, slots_of(op, matrix, PTX__PART_D), bits, lane, i, value);
        }
    }
}

const struct ptx__op *ptx__do_mma(struct ptx__warp *w, const struct ptx__op *op)
{
    TOGETHER();
    for (unsigned i = 0; i < (matrix_of(op)->quads ? 4 : 1); i++)
        multiply(w, op, i);
    return op + 1;
}

/* --- fragments in memory --- */

/*
 * Returns how many bits are loaded at once: an element, or a register of elements that have less
 * than a byte.
 */
static unsigned unit_bits(const struct ptx__matrix *matrix)
{
    const unsigned bits = bits_of(matrix->types[matrix->part]);

    return bits < 8 ? 32 : bits;
}

static unsigned units_of(const struct ptx__matrix *matrix)
{
    return elements_of(matrix, matrix->part) * bits_of(matrix->types[matrix->part]) /
           unit_bits(matrix);
}

static unsigned char *unit_at(struct ptx__warp *w, const struct ptx__op *op, unsigned lane,
                              unsigned unit, enum ptx__use use)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const enum ptx__part part = matrix->part;
    const unsigned bits = bits_of(matrix->types[part]), element = unit * (unit_bits(matrix) / bits);
    const struct place at = place_of(matrix, part, lane, element);
    const unsigned length = matrix->by_row ? columns_of(matrix, part) : rows_of(matrix, part);
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
            put(w, op->list, bits, lane, i, value);
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
            const uint64_t value = get(w, op->list, bits, lane, i);

            if (!at)
                return NULL;
            memcpy(at, &value, bits / 8);
        }
    }
    return op + 1;
}
