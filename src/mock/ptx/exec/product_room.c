/* SPDX-License-Identifier: MIT */
#include "mock/ptx/exec/product_room.h"

/* Of .f16 and .f32 the wider one is what is computed with, if C and D differ. */
static enum ptx__element type_of_sums(const struct ptx__matrix *matrix)
{
    const enum ptx__element c = matrix->types[PTX__PART_C], d = matrix->types[PTX__PART_D];

    return c == PTX__ELEMENT_F32 ? c : d;
}

static unsigned fraction_of(enum ptx__element type)
{
    return ptx__element_is_integer(type) ? 0 : ptx__element_format(type).fraction;
}

/* Bits are multiplied 16 at a time. */
static unsigned per_factor(const struct ptx__matrix *matrix)
{
    return matrix->types[PTX__PART_A] == PTX__ELEMENT_B1 ? 16 : 1;
}

void ptx__product_begin(struct ptx__product_room *room, const struct ptx__matrix *matrix,
                        unsigned kept, unsigned fraction)
{
    const enum ptx__element a = matrix->types[PTX__PART_A], b = matrix->types[PTX__PART_B];

    room->product = (struct ptx__product){.m = matrix->m,
                                          .n = matrix->n,
                                          .k = ptx__depth(matrix) / per_factor(matrix),
                                          .depth = matrix->k / per_factor(matrix),
                                          .a_type = a,
                                          .b_type = b,
                                          .d_type = type_of_sums(matrix),
                                          .kept = kept,
                                          .fraction = fraction,
                                          .factor_fraction = fraction_of(a) + fraction_of(b) +
                                                             (matrix->fine_scales ? 6 : 0),
                                          .finite = matrix->finite,
                                          .both = matrix->both,
                                          .a = {room->a_significands, room->a_exponents, false},
                                          .b = {room->b_significands, room->b_exponents, false},
                                          .lines = room->lines,
                                          .c = room->c};
}

/* --- elements --- */

static int16_t integer_of(enum ptx__element type, uint32_t bits)
{
    switch (type) {
    case PTX__ELEMENT_S8:
        return (int8_t) bits;
    case PTX__ELEMENT_S4:
        return (int16_t) ((int) (bits & 15) - (bits & 8 ? 16 : 0));
    default:
        return (int16_t) bits;
    }
}

/* A bit of 16 that are one factor. */
static void set_bit(struct ptx__factors *factors, size_t at, unsigned bit, uint32_t value)
{
    const uint32_t before = (uint16_t) factors->significands[at];

    factors->significands[at] = (int16_t) ((before & ~(1u << bit)) | value << bit);
}

static void set_number(struct ptx__factors *factors, size_t at, enum ptx__element type,
                       bool negative, uint32_t bits)
{
    if (ptx__element_is_integer(type))
        factors->significands[at] = integer_of(type, bits);
    else
        factors->special |= ptx__factor_of(type, bits, negative, &factors->significands[at],
                                           &factors->exponents[at]);
}

void ptx__product_set(struct ptx__product *product, const struct ptx__matrix *matrix,
                      enum ptx__part part, struct place at, uint32_t bits)
{
    const bool is_a = part == PTX__PART_A;
    struct ptx__factors *factors = is_a ? &product->a : &product->b;
    const unsigned columns = is_a ? product->k : product->n;
    const unsigned along = is_a ? at.column : at.row, each = per_factor(matrix);

    if (each == 1)
        set_number(factors, at.row * columns + at.column, matrix->types[part],
                   matrix->negative[part], bits);
    else if (is_a)
        set_bit(factors, at.row * columns + along / each, along % each, bits);
    else
        set_bit(factors, along / each * columns + at.column, along % each, bits);
}

/* --- from and to registers --- */

static unsigned index_of(const struct ptx__matrix *matrix, enum ptx__part part, unsigned columns,
                         unsigned lane, unsigned element)
{
    const struct place at = ptx__part_place(matrix, part, lane, element);

    return at.row * columns + at.column;
}

/* Where the lanes' elements of one number are. In mma, each group and each lane in it is a step. */
static void find_places(const struct ptx__matrix *matrix, enum ptx__part part, unsigned columns,
                        unsigned element, unsigned *ret_places)
{
    const unsigned first = index_of(matrix, part, columns, 0, element);
    const unsigned by_lane = index_of(matrix, part, columns, 1, element) - first;
    const unsigned by_group = index_of(matrix, part, columns, 4, element) - first;

    for (unsigned l = 0; l < PTX__LANES; l++)
        ret_places[l] = matrix->fragments || matrix->quads
                            ? index_of(matrix, part, columns, l, element)
                            : first + l / 4 * by_group + l % 4 * by_lane;
}

/* Converts an element of all lanes at once. */
static void take_numbers(struct ptx__factors *factors, enum ptx__element type, bool negative,
                         const uint32_t *words, unsigned shift, const unsigned *places)
{
    const struct ptx__format format = ptx__element_format(type);
    int16_t significands[PTX__LANES], exponents[PTX__LANES];
    uint32_t special = 0;

    shift += ptx__element_drop(type);
    for (unsigned l = 0; l < PTX__LANES; l++)
        special |=
            ptx__factor_in(format, words[l] >> shift, negative, &significands[l], &exponents[l]);
    for (unsigned l = 0; l < PTX__LANES; l++) {
        factors->significands[places[l]] = significands[l];
        factors->exponents[places[l]] = exponents[l];
    }
    factors->special |= special;
}

static void take_reals(struct ptx__product *product, const struct ptx__op *op, enum ptx__part part,
                       const unsigned char *registers)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const uint32_t *slots = ptx__part_slots(op, part);
    const enum ptx__element type = matrix->types[part];
    const unsigned bits = ptx__element_bits(type), each = 32 / bits;
    const bool is_a = part == PTX__PART_A;
    unsigned places[PTX__LANES];

    for (unsigned i = 0; i < ptx__part_elements(matrix, part); i++) {
        const uint32_t *words = (const uint32_t *) (const void *) (registers + slots[i / each]);

        find_places(matrix, part, is_a ? product->k : product->n, i, places);
        take_numbers(is_a ? &product->a : &product->b, type, matrix->negative[part], words,
                     i % each * bits, places);
    }
}

void ptx__product_take(struct ptx__product *product, const struct ptx__op *op, enum ptx__part part,
                       const unsigned char *registers)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const uint32_t *slots = ptx__part_slots(op, part);
    const unsigned bits = ptx__element_bits(matrix->types[part]);
    const unsigned n = ptx__part_elements(matrix, part);

    if (!ptx__element_is_integer(matrix->types[part])) {
        take_reals(product, op, part, registers);
        return;
    }
    for (unsigned lane = 0; lane < PTX__LANES; lane++) {
        for (unsigned i = 0; i < n; i++)
            ptx__product_set(product, matrix, part, ptx__part_place(matrix, part, lane, i),
                             (uint32_t) ptx__element_get(registers, slots, bits, lane, i));
    }
}

/* --- sparse --- */

/* Elements of A that four bits of metadata tell the place of: two of four, or what is as large. */
static unsigned per_part(const struct ptx__matrix *matrix)
{
    switch (ptx__element_bits(matrix->types[PTX__PART_A])) {
    case 32:
        return 1;
    case 4:
        return 4;
    default:
        return 2;
    }
}

/*
 * A quad of lanes has the metadata of the row of its group, and of the row 8 below. The selector
 * tells which of its lanes. Each has both rows, half of its bits for each; but of elements of 8
 * bits or less it has one row only.
 */
static unsigned metadata_of(const struct ptx__matrix *matrix, const uint32_t *words, unsigned row,
                            unsigned part)
{
    const unsigned n_parts = ptx__depth(matrix) / per_part(matrix), lane = row % 8 * 4;
    const unsigned lower = row / 8;

    if (ptx__element_bits(matrix->types[PTX__PART_A]) <= 8)
        return words[lane + matrix->selector * 2u + lower + part / 8 * 2] >> part % 8 * 4 & 15;
    return words[lane + matrix->selector * (n_parts / 4) + part / 4] >>
               (lower * 16 + part % 4 * 4) &
           15;
}

/* Returns the row of B for an element of a sparse A. */
static unsigned line_of(const struct ptx__matrix *matrix, const uint32_t *words, unsigned row,
                        unsigned column)
{
    const unsigned each = per_part(matrix), part = column / each, in_part = column % each;
    const unsigned places = metadata_of(matrix, words, row, part);

    switch (each) {
    case 1: /* one of two, whose halves have places of their own */
        return part * 2 + (places >> 1 & 1);
    case 4: /* two pairs of four */
        return part * 8 + (places >> in_part / 2 * 2 & 3) * 2 + in_part % 2;
    default:
        return part * 4 + (places >> in_part * 2 & 3);
    }
}

void ptx__product_take_lines(struct ptx__product_room *room, const struct ptx__matrix *matrix,
                             const unsigned char *registers)
{
    const struct ptx__product *product = &room->product;
    const uint32_t *words = (const uint32_t *) (const void *) (registers + matrix->metadata);

    for (unsigned row = 0; row < product->m; row++) {
        uint8_t *lines = room->lines + row * product->k;

        for (unsigned i = 0; matrix->sparse && i < product->k; i++)
            lines[i] = (uint8_t) line_of(matrix, words, row, i);
        for (unsigned i = 0; !matrix->sparse && i < product->k; i++)
            lines[i] = (uint8_t) i;
    }
}

/* --- C and D --- */

static uint32_t converted(enum ptx__element to, enum ptx__element from, uint32_t bits)
{
    if (to == from)
        return bits;
    return (uint32_t) ptx__convert(ptx__element_format(to), ptx__element_format(from), bits,
                                   PTX__RN, false);
}

void ptx__product_take_c(struct ptx__product *product, const struct ptx__op *op,
                         const unsigned char *registers)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const enum ptx__element type = (enum ptx__element) matrix->types[PTX__PART_C];
    const uint32_t *slots = ptx__part_slots(op, PTX__PART_C);
    const unsigned n = ptx__part_elements(matrix, PTX__PART_C);

    for (unsigned i = 0; i < n; i++) {
        unsigned places[PTX__LANES];

        find_places(matrix, PTX__PART_C, product->n, i, places);
        for (unsigned lane = 0; lane < PTX__LANES; lane++) {
            const uint64_t bits =
                ptx__element_get(registers, slots, ptx__element_bits(type), lane, i);

            product->c[places[lane]] = converted(product->d_type, type, (uint32_t) bits);
        }
    }
}

void ptx__product_give_d(const struct ptx__product *product, const struct ptx__op *op,
                         unsigned char *registers)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const enum ptx__element type = (enum ptx__element) matrix->types[PTX__PART_D];
    const uint32_t *slots = ptx__part_slots(op, PTX__PART_D);
    const unsigned n = ptx__part_elements(matrix, PTX__PART_D);

    for (unsigned i = 0; i < n; i++) {
        unsigned places[PTX__LANES];

        find_places(matrix, PTX__PART_D, product->n, i, places);
        for (unsigned lane = 0; lane < PTX__LANES; lane++)
            ptx__element_put(registers, slots, ptx__element_bits(type), lane, i,
                             converted(type, product->d_type, product->c[places[lane]]));
    }
}
