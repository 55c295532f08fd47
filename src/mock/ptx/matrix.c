/* SPDX-License-Identifier: MIT */
/*
 * Matrix products of a warp. Products of narrow types are exact in double precision, and so is,
 * nearly, their sum, which is rounded once.
 */
#include "mock/ptx/matrix.h"

#include <math.h>
#include <string.h>

#include "mock/ptx/memory.h"
#include "mock/ptx/soft.h"

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
    default:
        return PTX__F32;
    }
}

/* An element's bits as a number. Of .tf32 the low bits are nothing. */
static double real_of(enum ptx__element type, uint64_t bits)
{
    if (type == PTX__ELEMENT_F64)
        return ptx__f64(bits);
    if (type == PTX__ELEMENT_TF32)
        bits &= 0xffffe000;
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

struct place {
    unsigned row, column;
};

/*
 * The PTX layout: lane l is in group l/4 and is number l%4 of it. A register has as many
 * neighbouring elements as fit, and the four of a group lie side by side.
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

static unsigned columns_of(const struct ptx__matrix *matrix, enum ptx__part part)
{
    return part == PTX__PART_A ? matrix->k : matrix->n;
}

static unsigned rows_of(const struct ptx__matrix *matrix, enum ptx__part part)
{
    return part == PTX__PART_B ? matrix->k : matrix->m;
}

/* That of wmma is nobody's business: row after row, and once more where lanes have room. */
static struct place of_fragment(const struct ptx__matrix *matrix, enum ptx__part part,
                                unsigned lane, unsigned element, unsigned n_elements)
{
    const unsigned columns = columns_of(matrix, part);
    const unsigned at = (lane * n_elements + element) % (columns * rows_of(matrix, part));

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
    return of_mma(matrix, part, lane, element);
}

/* The first slot of a part in the operation's list. */
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

static void gather(const struct ptx__warp *w, const struct ptx__op *op,
                   const struct ptx__matrix *matrix, enum ptx__part part, uint64_t *values)
{
    const uint32_t *slots = slots_of(op, matrix, part);
    const unsigned bits = bits_of(matrix->types[part]), n = elements_of(matrix, part);

    for (unsigned lane = 0; lane < PTX__LANES; lane++) {
        for (unsigned i = 0; i < n; i++) {
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

        sum = fma(a, b, sum);
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

/* All lanes of the warp take part. */
#define TOGETHER()                                                                                 \
    do {                                                                                           \
        const struct ptx__op *next_ = NULL;                                                        \
                                                                                                   \
        if (!ptx__warp_together(w, op, PTX__ALL_SLOT, &next_))                                     \
            return next_;                                                                          \
    } while (0)

static const struct ptx__matrix *matrix_of(const struct ptx__op *op)
{
    return (const struct ptx__matrix *) (uintptr_t) op->imm;
}

const struct ptx__op *ptx__do_mma(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const unsigned n = elements_of(matrix, PTX__PART_D), bits = bits_of(matrix->types[PTX__PART_D]);
    struct product product;

    TOGETHER();
    product.matrix = matrix;
    gather(w, op, matrix, PTX__PART_A, product.a);
    gather(w, op, matrix, PTX__PART_B, product.b);
    gather(w, op, matrix, PTX__PART_C, product.c);
    for (unsigned lane = 0; lane < PTX__LANES; lane++) {
        for (unsigned i = 0; i < n; i++) {
            const struct place at = place_of(matrix, PTX__PART_D, lane, i);
            const uint64_t value = matrix->types[PTX__PART_D] == PTX__ELEMENT_S32
                                       ? sum_of_integers(&product, at.row, at.column)
                                       : sum_of_reals(&product, at.row, at.column);

            put(w, slots_of(op, matrix, PTX__PART_D), bits, lane, i, value);
        }
    }
    return op + 1;
}

/* --- fragments in memory --- */

static uint64_t address_of(const struct ptx__warp *w, const struct ptx__op *op, unsigned lane)
{
    return (op->c ? REG(uint64_t, op->a)[lane] : REG(uint32_t, op->a)[lane]) + op->b;
}

static unsigned char *element_at(struct ptx__warp *w, const struct ptx__op *op,
                                 const struct ptx__matrix *matrix, unsigned lane, unsigned element,
                                 enum ptx__use use)
{
    const enum ptx__part part = matrix->part;
    const unsigned bytes = bits_of(matrix->types[part]) / 8;
    const struct place at = place_of(matrix, part, lane, element);
    const unsigned length = matrix->by_row ? columns_of(matrix, part) : rows_of(matrix, part);
    const uint64_t stride = matrix->stride ? REG(uint32_t, matrix->stride)[lane] : length;
    const uint64_t offset =
        matrix->by_row ? at.row * stride + at.column : at.column * stride + at.row;

    return ptx__reach_in(w, op, matrix->space, lane, address_of(w, op, lane) + offset * bytes,
                         bytes, use);
}

const struct ptx__op *ptx__do_fragment_load(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const unsigned bits = bits_of(matrix->types[matrix->part]);
    const unsigned n = elements_of(matrix, matrix->part);

    TOGETHER();
    for (unsigned lane = 0; lane < PTX__LANES; lane++) {
        for (unsigned i = 0; i < n; i++) {
            const unsigned char *at = element_at(w, op, matrix, lane, i, PTX__LOADS);
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
    const unsigned bits = bits_of(matrix->types[matrix->part]);
    const unsigned n = elements_of(matrix, matrix->part);

    TOGETHER();
    for (unsigned lane = 0; lane < PTX__LANES; lane++) {
        for (unsigned i = 0; i < n; i++) {
            unsigned char *at = element_at(w, op, matrix, lane, i, PTX__STORES);
            const uint64_t value = get(w, op->list, bits, lane, i);

            if (!at)
                return NULL;
            memcpy(at, &value, bits / 8);
        }
    }
    return op + 1;
}

/* --- 8 by 8 matrices of 16 bits in shared memory; lane 8 i + r has the address of row r of i ---
 */

enum { SIDE = 8, ROW_BYTES = 16 };

/* The two elements of a lane: of a row, or of a column. */
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

    return ptx__reach_in(w, op, matrix->space, lane, address_of(w, op, lane), ROW_BYTES, use);
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
        [lane] =
            values[lane / 4][lane % 4 * 2] | (uint32_t) values[lane / 4][lane % 4 * 2 + 1] << 16;
    return op + 1;
}
