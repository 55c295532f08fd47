/* SPDX-License-Identifier: MIT */
/*
 * What products read besides A and B from tensor memory: scale factors of blocks of a row, and
 * where the elements of a sparse A belong.
 *
 * The factors of row r are in lane r % 32 and column r / 32 of the area, in all four parts: bytes
 * of a cell, from the one that the instruction descriptor names.
 */
#include <string.h>

#include "mock/ptx/machine/softfloat.h"
#include "mock/ptx/tensor/operands.h"

/* --- scale factors --- */

static double factor_of(const struct ptx__tensor_plan *plan, uint32_t byte)
{
    if (plan->ue4m3)
        return ptx__f64(ptx__convert(PTX__F64, PTX__E4M3, byte & 0x7f, PTX__RN, false));
    return byte == 0xff ? (double) ptx__f32(0x7fffffff)
                        : ptx__f64((uint64_t) (byte + 1023 - 127) << 52);
}

/* The factors of A or B: their place, the first byte in a cell, how many rows have some. */
struct factors {
    struct ptx__tensor_place place;
    unsigned first, rows;
};

/* The two highest bits of the address are not a part of it. */
static bool find(const struct ptx__issued *issued, const struct ptx__place_in *at,
                 struct factors *factors)
{
    factors->place = ptx__tensor_place(ptx__tensor_address(issued->at, at) & 0x3fffffff);
    if (factors->place.lane)
        return ptx__fault(issued->at, PTX__ERROR_MISALIGNED_ADDRESS, PTX__MISALIGNED,
                          "scale factors begin at lane %u of tensor memory, and not at 0",
                          factors->place.lane);
    return ptx__tensor_source(
        issued, (struct ptx__tensor_area){factors->place.column,
                                          (factors->rows + PTX__LANES - 1) / PTX__LANES, 15});
}

/* All parts are to have the same factors, because each multiplies with its own. */
static uint32_t cell_of(const struct ptx__issued *issued, const struct factors *factors,
                        unsigned row)
{
    const unsigned column = factors->place.column + row / PTX__LANES, lane = row % PTX__LANES;
    const uint32_t used = (uint32_t) ((UINT64_C(1) << 8 * issued->product->scales) - 1)
                          << 8 * factors->first;
    const uint32_t cell = ptx__tensor_read(issued, lane, column);

    for (unsigned part = 1; part < PTX__TENSOR_PARTS; part++) {
        if ((ptx__tensor_read(issued, part * PTX__LANES + lane, column) ^ cell) & used)
            ptx__note(issued->at, PTX__OTHER,
                      "the scale factors in column %u of tensor memory differ in lanes %u and %u; "
                      "each 32 lanes need the same",
                      column, lane, part * PTX__LANES + lane);
    }
    return cell;
}

static void scale(const struct ptx__issued *issued, const struct factors *factors,
                  double (*rows)[PTX__MOST_K])
{
    const unsigned each = issued->plan.k / issued->product->scales;

    for (unsigned row = 0; row < factors->rows; row++) {
        const uint32_t cell = cell_of(issued, factors, row);

        for (unsigned i = 0; i < issued->plan.k; i++)
            rows[row][i] *=
                factor_of(&issued->plan, cell >> 8 * (factors->first + i / each) & 0xff);
    }
}

bool ptx__tensor_scale_a(struct ptx__issued *issued)
{
    struct factors factors = {.first = issued->plan.scale_a, .rows = issued->plan.rows};

    if (!find(issued, &issued->product->scale_a, &factors))
        return false;
    scale(issued, &factors, issued->operands->a);
    return true;
}

/* Each block of a pair has the factors of all columns. Those of the first one are used. */
bool ptx__tensor_scale_b(struct ptx__issued *issued)
{
    struct factors factors = {.first = issued->plan.scale_b, .rows = issued->plan.n};

    if (!find(issued, &issued->product->scale_b, &factors))
        return false;
    scale(issued, &factors, issued->operands->b);
    return true;
}

/* --- sparse A --- */

/* The elements of a row that share four bits of metadata, and how many of them are stored. */
static unsigned group_of(const struct ptx__tensor_plan *plan)
{
    return plan->bits_a == 32 ? 2 : plan->bits_a == 4 ? 8 : 4;
}

/*
 * Returns the four bits for a group of a row. For elements of 16 and 32 bits a column has them all:
 * a lane has two rows, 8 apart, and the lane 8 above has the second half of these.
 */
static uint32_t metadata(const struct ptx__issued *issued, struct ptx__tensor_place place,
                         unsigned row, unsigned group)
{
    const unsigned half = issued->plan.k / group_of(&issued->plan) / 2;
    unsigned lane = row, column = group / 8, bit = group % 8 * 4;

    if (issued->plan.bits_a >= 16) {
        lane = row / 16 * 16 + group / half * 8 + row % 8;
        column = issued->plan.selector;
        bit = row / 8 % 2 * 16 + group % half * 4;
    }
    return ptx__tensor_read(issued, lane, place.column + column) >> bit & 15;
}

static void tell(const struct ptx__issued *issued, unsigned row, uint32_t bits)
{
    ptx__note(issued->at, PTX__OTHER,
              "row %u of a sparse A has metadata 0x%x, which PTX does not define", row, bits);
}

/* Puts the stored elements of a group into their places. */
static void place_group(const struct ptx__issued *issued, unsigned row, uint32_t bits,
                        const double *from, double *to)
{
    const unsigned first = bits & 3, second = bits >> 2;

    switch (issued->plan.bits_a) {
    case 32: /* one of two: its halves are numbers 0 and 1, or 2 and 3 */
        if (bits != 0x4 && bits != 0xe)
            tell(issued, row, bits);
        to[first / 2] = from[0];
        return;
    case 4: /* two pairs of four */
        memcpy(to + 2 * first, from, 2 * sizeof(*to));
        memcpy(to + 2 * second, from + 2, 2 * sizeof(*to));
        break;
    default: /* two of four */
        to[first] = from[0];
        to[second] = from[1];
    }
    if (first >= second)
        tell(issued, row, bits);
}

bool ptx__tensor_expand(struct ptx__issued *issued)
{
    const struct ptx__tensor_plan *plan = &issued->plan;
    const struct ptx__tensor_place place =
        ptx__tensor_place(ptx__tensor_address(issued->at, &issued->product->metadata));
    const unsigned each = group_of(plan), columns = plan->bits_a >= 16 ? plan->selector + 1u : 2;

    if (place.lane)
        return ptx__fault(issued->at, PTX__ERROR_MISALIGNED_ADDRESS, PTX__MISALIGNED,
                          "metadata begins at lane %u of tensor memory, and not at 0", place.lane);
    if (!ptx__tensor_source(issued, (struct ptx__tensor_area){place.column, columns, 15}))
        return false;
    for (unsigned row = 0; row < plan->rows; row++) {
        double stored[PTX__MOST_K / 2], *to = issued->operands->a[row];

        memcpy(stored, to, sizeof(stored));
        memset(to, 0, sizeof(issued->operands->a[row]));
        for (unsigned i = 0; i < plan->k / each; i++)
            place_group(issued, row, metadata(issued, place, row, i), stored + i * each / 2,
                        to + i * each);
    }
    return true;
}
