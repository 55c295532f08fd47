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

static bool has_bits(const struct ptx__matrix *matrix)
{
    return matrix->types[PTX__PART_A] == PTX__ELEMENT_B1;
}

enum { BITS = 16 }; /* are multiplied at a time */

static unsigned per_factor(const struct ptx__matrix *matrix)
{
    return has_bits(matrix) ? BITS : 1;
}

void ptx__product_begin(struct ptx__product_room *room, const struct ptx__matrix *matrix,
                        const struct ptx__arithmetic *arithmetic, unsigned kept, unsigned fraction)
{
    const enum ptx__element a = matrix->types[PTX__PART_A], b = matrix->types[PTX__PART_B];

    room->product = (struct ptx__product){.arithmetic = arithmetic,
                                          .m = matrix->m,
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

/* A bit of 16 that are one factor. */
static void set_bit(struct ptx__factors *factors, size_t at, unsigned bit, uint32_t value)
{
    const uint32_t before = (uint16_t) factors->significands[at];

    factors->significands[at] = (int16_t) ((before & ~(1u << bit)) | value << bit);
}

static unsigned row_length(const struct ptx__product *product, enum ptx__part part)
{
    return part == PTX__PART_A ? product->k : product->n;
}

static void set_bits(struct ptx__product *product, enum ptx__part part, struct place at,
                     uint32_t bits)
{
    const bool is_a = part == PTX__PART_A;
    const unsigned along = is_a ? at.column : at.row, length = row_length(product, part);
    const unsigned first =
        is_a ? at.row * length + along / BITS : along / BITS * length + at.column;

    set_bit(is_a ? &product->a : &product->b, first, along % BITS, bits);
}

/* Converts n elements, 32 at most: that of a word begins at bit `shift`. */
static void set_numbers(struct ptx__product *product, const struct ptx__matrix *matrix,
                        enum ptx__part part, const uint32_t *words, unsigned shift, unsigned n,
                        const uint16_t *places)
{
    struct ptx__factors *factors = part == PTX__PART_A ? &product->a : &product->b;
    const enum ptx__element type = (enum ptx__element) matrix->types[part];
    int16_t significands[PTX__LANES], exponents[PTX__LANES];

    factors->special |= product->arithmetic->convert(type, matrix->negative[part], words, shift, n,
                                                     significands, exponents);
    for (unsigned l = 0; l < n; l++) {
        factors->significands[places[l]] = significands[l];
        factors->exponents[places[l]] = exponents[l];
    }
}

void ptx__product_set(struct ptx__product *product, const struct ptx__matrix *matrix,
                      enum ptx__part part, struct place first, bool along_row,
                      const uint32_t *words, unsigned n_words)
{
    const unsigned bits = ptx__element_bits(matrix->types[part]), each = 32 / bits;
    const unsigned length = row_length(product, part), step = along_row ? 1 : length;
    uint16_t places[PTX__LANES];

    for (unsigned i = 0; i < n_words * each && has_bits(matrix); i++)
        set_bits(
            product, part,
            (struct place){first.row + (along_row ? 0 : i), first.column + (along_row ? i : 0)},
            words[i / 32] >> i % 32 & 1);
    for (unsigned j = 0; j < each && !has_bits(matrix); j++) {
        for (unsigned i = 0; i < n_words; i++)
            places[i] = (uint16_t) (first.row * length + first.column + (i * each + j) * step);
        set_numbers(product, matrix, part, words, j * bits, n_words, places);
    }
}

/* --- from and to registers --- */

/*
 * Where the elements of a part are, in a matrix with rows of so many. Lanes are in groups of four.
 * Each lane in a group is a step, and so is each group. Fragments that have more room than the
 * matrix begin it anew. Only elements of fragments that have less than a byte are not in rows.
 */
struct layout {
    const struct ptx__matrix *matrix;
    enum ptx__part part;
    unsigned columns, by_lane, by_group, size;
    bool regular;
};

static unsigned index_of(const struct layout *layout, unsigned lane, unsigned element)
{
    const struct place at = ptx__part_place(layout->matrix, layout->part, lane, element);

    return at.row * layout->columns + at.column;
}

static struct layout layout_of(const struct ptx__matrix *matrix, enum ptx__part part,
                               unsigned columns)
{
    const unsigned rows = part == PTX__PART_B ? matrix->k : matrix->m;
    struct layout layout = {.matrix = matrix,
                            .part = part,
                            .columns = columns,
                            .size = rows * columns,
                            .regular =
                                !matrix->fragments || ptx__element_bits(matrix->types[part]) >= 8};
    const unsigned first = index_of(&layout, 0, 0);

    layout.by_lane = index_of(&layout, 1, 0) - first;
    layout.by_group = index_of(&layout, 4, 0) - first;
    return layout;
}

/* Where an element of all lanes is. */
static void find_places(const struct layout *layout, unsigned element, uint16_t *ret_places)
{
    const unsigned first = index_of(layout, 0, element);

    for (unsigned group = 0; group < PTX__LANES / 4; group++) {
        const unsigned at = first + group * layout->by_group;

        for (unsigned l = 0; l < 4; l++)
            ret_places[group * 4 + l] = (uint16_t) (at + l * layout->by_lane);
    }
    for (unsigned l = 0; l < PTX__LANES && layout->matrix->fragments; l++)
        ret_places[l] = (uint16_t) (layout->regular ? ret_places[l] % layout->size
                                                    : index_of(layout, l, element));
}

static void take_bits(struct ptx__product *product, const struct ptx__op *op, enum ptx__part part,
                      const unsigned char *registers)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const uint32_t *slots = ptx__part_slots(op, part);
    const unsigned n = ptx__part_elements(matrix, part);

    for (unsigned lane = 0; lane < PTX__LANES; lane++) {
        for (unsigned i = 0; i < n; i++)
            set_bits(product, part, ptx__part_place(matrix, part, lane, i),
                     (uint32_t) ptx__element_get(registers, slots, 1, lane, i));
    }
}

static const uint32_t *words_in(const unsigned char *registers, uint32_t slot)
{
    return (const uint32_t *) (const void *) (registers + slot);
}

void ptx__product_take(struct ptx__product *product, const struct ptx__op *op, enum ptx__part part,
                       const unsigned char *registers)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const uint32_t *slots = ptx__part_slots(op, part);
    const unsigned bits = ptx__element_bits(matrix->types[part]), each = 32 / bits;
    const unsigned n = has_bits(matrix) ? 0 : ptx__part_elements(matrix, part);
    const struct layout layout = layout_of(matrix, part, row_length(product, part));
    uint16_t places[PTX__LANES];

    if (has_bits(matrix))
        take_bits(product, op, part, registers);
    for (unsigned i = 0; i < n; i++) {
        find_places(&layout, i, places);
        set_numbers(product, matrix, part, words_in(registers, slots[i / each]), i % each * bits,
                    PTX__LANES, places);
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
    const uint32_t *words = words_in(registers, matrix->metadata);

    for (unsigned row = 0; row < product->m; row++) {
        uint8_t *lines = room->lines + row * product->k;

        for (unsigned i = 0; i < product->k && (matrix->sparse || !row); i++)
            lines[i] = (uint8_t) (matrix->sparse ? line_of(matrix, words, row, i) : i);
        if (row && !matrix->sparse)
            memcpy(lines, room->lines, product->k);
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
    const unsigned bits = ptx__element_bits(type), n = ptx__part_elements(matrix, PTX__PART_C);
    const struct layout layout = layout_of(matrix, PTX__PART_C, product->n);

    for (unsigned i = 0; i < n; i++) {
        const uint32_t *words = words_in(registers, slots[i * bits / 32]);
        uint16_t places[PTX__LANES];

        find_places(&layout, i, places);
        for (unsigned lane = 0; lane < PTX__LANES; lane++)
            product->c[places[lane]] =
                bits == 32 ? words[lane]
                           : converted(product->d_type, type, words[lane] >> i % 2 * 16 & 0xffff);
    }
}

void ptx__product_give_d(const struct ptx__product *product, const struct ptx__op *op,
                         unsigned char *registers)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const enum ptx__element type = (enum ptx__element) matrix->types[PTX__PART_D];
    const uint32_t *slots = ptx__part_slots(op, PTX__PART_D);
    const unsigned bits = ptx__element_bits(type), n = ptx__part_elements(matrix, PTX__PART_D);
    const struct layout layout = layout_of(matrix, PTX__PART_D, product->n);

    for (unsigned i = 0; i < n; i++) {
        uint32_t *words = (uint32_t *) (void *) (registers + slots[i * bits / 32]);
        uint16_t places[PTX__LANES];

        find_places(&layout, i, places);
        for (unsigned lane = 0; lane < PTX__LANES && bits == 32; lane++)
            words[lane] = product->c[places[lane]];
        for (unsigned lane = 0; lane < PTX__LANES && bits < 32; lane++)
            ptx__element_put(registers, slots, bits, lane, i,
                             converted(type, product->d_type, product->c[places[lane]]));
    }
}
