/* SPDX-License-Identifier: MIT */
/*
 * Near numbers straight from the registers of a warp: products of mma whose A has 16 rows, and B 8
 * columns. For exec_product.c, as near.h is.
 *
 * Each register of A has a word of four lanes for each of 8 rows, and each of B one of four lanes
 * for each of 8 columns. A word has one or two elements, which are next to each other in a row or
 * column. In which order the products of a sum come makes no difference: it is that of the
 * registers, then of the elements of a word, then of the four lanes.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_NEAR_REGISTERS_H
#define CUSHIM_MOCK_PTX_EXEC_NEAR_REGISTERS_H

#include "mock/ptx/exec/matrix_warp.h"
#include "mock/ptx/exec/near.h"

static inline bool fits_registers(const struct ptx__matrix *matrix)
{
    const uint8_t *types = matrix->types;

    return !matrix->fragments && !matrix->quads && !matrix->sparse && !matrix->n_scales &&
           matrix->m == 16 && matrix->n == COLUMNS && types[PTX__PART_A] <= PTX__ELEMENT_TF32 &&
           types[PTX__PART_A] == types[PTX__PART_B] && types[PTX__PART_C] == types[PTX__PART_D];
}

/*
 * Converts elements, whose numbers begin at their lowest bit. Returns a mask of those that are not
 * near. If an exponent has as many bits as one of .f32, near elements have the bits of .f32.
 */
static inline ints near_in(struct ptx__format format, ints bits, floats *ret, floats *ret_powers)
{
    const int32_t total = format.fraction + format.exponent_bits, one = 1 << format.fraction;
    const int32_t top = (1 << format.exponent_bits) - 1, bias = top / 2;
    const ints magnitude = bits & ((1 << total) - 1), sign = (bits >> total & 1) << 31;
    const ints exponent = magnitude >> format.fraction, some = magnitude != 0;
    const ints normal = exponent != 0, number = exponent + 1 + normal - bias;
    const ints power = (127 + number) << FRACTION & some;
    const ints units = (127 + number - format.fraction) << FRACTION;
    const floats value =
        format.exponent_bits == 8
            ? (floats) (magnitude << (FRACTION - format.fraction))
            : __builtin_convertvector((magnitude & (one - 1)) | (normal & one), floats) *
                  (floats) units;

    *ret = (floats) ((ints) value | sign);
    *ret_powers = (floats) power;
    return some & ((exponent == top) | (number > NEAR) | (number < -NEAR));
}

/* Converts one element of each of 32 words: that which begins at a bit. */
static inline bool take_elements(struct ptx__format format, const uint32_t *words, unsigned shift,
                                 float *ret, float *ret_powers)
{
    ints far = {0};

    for (unsigned l = 0; l < PTX__LANES; l += WIDE) {
        floats numbers, powers;
        ints bits;

        memcpy(&bits, words + l, sizeof(bits));
        far |= near_in(format, bits >> shift, &numbers, &powers);
        memcpy(ret + l, &numbers, sizeof(numbers));
        memcpy(ret_powers + l, &powers, sizeof(powers));
    }
    return !any_of(far);
}

static inline bool take_words(enum ptx__element type, const uint32_t *words, unsigned shift,
                              float *ret, float *ret_powers)
{
    switch (type) {
    case PTX__ELEMENT_F16:
        return take_elements(PTX__F16, words, shift, ret, ret_powers);
    case PTX__ELEMENT_BF16:
        return take_elements(PTX__BF16, words, shift, ret, ret_powers);
    default:
        return take_elements(PTX__TF32, words, ptx__element_drop(type), ret, ret_powers);
    }
}

static inline const uint32_t *words_of(const unsigned char *registers, uint32_t slot)
{
    return (const uint32_t *) (const void *) (registers + slot);
}

static inline bool take_near_words(enum ptx__element type, const uint32_t *words, float *ret,
                                   float *ret_powers)
{
    const unsigned bits = ptx__element_bits(type);
    bool fits = true;

    for (unsigned shift = 0; shift < 32; shift += bits) {
        const unsigned at = shift / bits * PTX__LANES;

        fits &= take_words(type, words, shift, ret + at, ret_powers + at);
    }
    return fits;
}

/* Registers with odd numbers have the lower 8 rows. Each row has four words of a register. */
static inline unsigned near_registers_row(unsigned row, unsigned k)
{
    return row / 8 * (k / FOUR) * PTX__LANES + row % 8 * FOUR;
}

static inline bool take_registers_a(const struct ptx__op *op, const unsigned char *registers,
                                    struct near *near)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const enum ptx__element type = (enum ptx__element) matrix->types[PTX__PART_A];
    const unsigned n = matrix->registers[PTX__PART_A], each = 32 / ptx__element_bits(type);
    const uint32_t *slots = ptx__part_slots(op, PTX__PART_A);
    bool fits = true;

    for (unsigned i = 0; i < n; i++) {
        const unsigned at = (i % 2 * (n / 2) + i / 2) * each * PTX__LANES;

        fits &=
            take_near_words(type, words_of(registers, slots[i]), near->a + at, near->a_powers + at);
    }
    return fits;
}

static inline bool take_registers_b(const struct ptx__op *op, const unsigned char *registers,
                                    struct near *near)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const enum ptx__element type = (enum ptx__element) matrix->types[PTX__PART_B];
    const unsigned each = 32 / ptx__element_bits(type);
    const uint32_t *slots = ptx__part_slots(op, PTX__PART_B);
    bool fits = true;

    for (unsigned i = 0; i < matrix->registers[PTX__PART_B]; i++) {
        const uint32_t *words = words_of(registers, slots[i]);
        uint32_t by_rows[PTX__LANES];

        for (unsigned l = 0; l < PTX__LANES; l++)
            by_rows[l] = words[l % COLUMNS * FOUR + l / COLUMNS];
        fits &= take_near_words(type, by_rows, near->b + i * each * PTX__LANES,
                                near->b_powers + i * each * PTX__LANES);
    }
    return fits;
}

/* --- C and D: two elements of each lane are next to each other in a row --- */

static inline void take_registers_c(const struct ptx__op *op, const unsigned char *registers,
                                    bool halves, uint32_t *ret)
{
    const uint32_t *slots = ptx__part_slots(op, PTX__PART_C);

    for (unsigned i = 0; i < 2; i++, ret += 2 * PTX__LANES) {
        const uint32_t *first = words_of(registers, slots[halves ? i : 2 * i]);
        const uint32_t *second = words_of(registers, slots[halves ? i : 2 * i + 1]);

        for (unsigned l = 0; l < PTX__LANES && halves; l++) {
            ret[2 * l] = first[l] & 0xffff;
            ret[2 * l + 1] = first[l] >> 16;
        }
        for (unsigned l = 0; l < PTX__LANES && !halves; l++) {
            ret[2 * l] = first[l];
            ret[2 * l + 1] = second[l];
        }
    }
}

static inline void give_registers_d(const struct ptx__op *op, unsigned char *registers, bool halves,
                                    const uint32_t *from)
{
    const uint32_t *slots = ptx__part_slots(op, PTX__PART_D);

    for (unsigned i = 0; i < 2; i++, from += 2 * PTX__LANES) {
        uint32_t *first = (uint32_t *) (void *) (registers + slots[halves ? i : 2 * i]);
        uint32_t *second = (uint32_t *) (void *) (registers + slots[halves ? i : 2 * i + 1]);

        for (unsigned l = 0; l < PTX__LANES && halves; l++)
            first[l] = from[2 * l] | from[2 * l + 1] << 16;
        for (unsigned l = 0; l < PTX__LANES && !halves; l++) {
            first[l] = from[2 * l];
            second[l] = from[2 * l + 1];
        }
    }
}

#endif
