/* SPDX-License-Identifier: MIT */
/* Reads A and B of a product as numbers. Those of all types are exact in double precision. */
#include <string.h>

#include "mock/ptx/machine/softfloat.h"
#include "mock/ptx/tensor/operands.h"

static double number_of(enum ptx__element type, uint32_t bits, bool negated)
{
    double number;

    if (type == PTX__ELEMENT_U8)
        return bits & 0xff;
    if (type == PTX__ELEMENT_S8)
        return (int8_t) bits;
    if (type == PTX__ELEMENT_TF32)
        bits >>= 13;
    number = ptx__f64(ptx__convert(PTX__F64, ptx__element_format(type), bits, PTX__RN, false));
    return negated ? -number : number;
}

struct ptx__tensor *ptx__tensor_source(const struct ptx__issued *issued,
                                       struct ptx__tensor_area area)
{
    struct ptx__tensor *tensor = ptx__tensor_reach(issued->at, issued->block, area, "reads");

    if (tensor)
        ptx__tensor_check(issued->at, tensor, area, PTX__TENSOR_HARM_CORES);
    return tensor;
}

uint32_t ptx__tensor_read(const struct ptx__issued *issued, unsigned lane, unsigned column)
{
    ptx__tensor_need(issued->at, issued->tensor, column, lane / PTX__LANES,
                     1u << lane % PTX__LANES);
    return issued->tensor->cells[column][lane];
}

/* --- in shared memory --- */

/* A matrix with the orders and types of its elements. */
struct matrix {
    struct ptx__smem_matrix place;
    bool by_mn, negated;
    uint8_t bits; /* of an element among others; some of 8 are packed, see below */
    uint8_t type;
};

/*
 * Returns an element of a chunk. Of those with 4 or 6 bits that are to be used as bytes, 16 are in
 * a chunk, whose end is not used.
 */
static double element_of(const struct matrix *matrix, const unsigned char *chunk, unsigned number)
{
    const bool six = matrix->type == PTX__ELEMENT_E3M2 || matrix->type == PTX__ELEMENT_E2M3;
    const unsigned bits = matrix->type == PTX__ELEMENT_E2M1 ? 4 : six ? 6 : matrix->bits;
    const unsigned bit = number * bits;
    uint64_t word = 0;

    memcpy(&word, chunk + bit / 8, bits > 8 ? bits / 8 : bit / 8 + 1 < PTX__CHUNK_BYTES ? 2 : 1);
    word = word >> bit % 8 & ((UINT64_C(1) << bits) - 1);
    return number_of((enum ptx__element) matrix->type, (uint32_t) word, matrix->negated);
}

/* Reads one line, whose elements are `step` numbers apart. */
static bool read_line(const struct ptx__issued *issued, const struct matrix *matrix, unsigned line,
                      unsigned n, double *to, size_t step)
{
    const unsigned each = PTX__CHUNK_BYTES * 8 / matrix->bits;

    for (unsigned i = 0; i < n; i++) {
        const unsigned char *chunk =
            ptx__tensor_shared(issued->at, issued->block, &matrix->place, line, i / each);

        if (!chunk)
            return false;
        for (unsigned j = i; j < n && j < (i / each + 1) * each; j++)
            to[j * step] = element_of(matrix, chunk, j % each);
        i = (i / each + 1) * each - 1;
    }
    return true;
}

/* Reads n rows of k elements from one on; the matrix may have them the other way. */
static bool read_rows(const struct ptx__issued *issued, const struct matrix *matrix, unsigned n,
                      unsigned k, double (*to)[PTX__MOST_K])
{
    for (unsigned i = 0; i < (matrix->by_mn ? k : n); i++) {
        if (!(matrix->by_mn ? read_line(issued, matrix, i, n, &to[0][i], PTX__MOST_K)
                            : read_line(issued, matrix, i, k, to[i], 1)))
            return false;
    }
    return true;
}

static bool find(const struct ptx__issued *issued, uint32_t slot, struct matrix *matrix)
{
    const struct ptx__warp *w = issued->at.warp;
    const uint64_t descriptor = REG(uint64_t, slot)[issued->at.lane];
    const bool pieces = descriptor >> 61 == PTX__SWIZZLE_128_BY_32;

    if (matrix->by_mn && pieces != (matrix->bits == 32))
        return ptx__tensor_wrong(issued->at,
                                 "the descriptor of shared memory is 0x%016llx: swizzle mode 1 is "
                                 "for transposed matrices of 32-bit elements, and only it is",
                                 (unsigned long long) descriptor);
    return ptx__tensor_descriptor(issued->at, descriptor, matrix->by_mn, &matrix->place);
}

/* --- A --- */

static unsigned stored_k(const struct ptx__issued *issued)
{
    return issued->plan.k / (issued->product->sparse ? 2 : 1);
}

/* In tensor memory, elements of 4 bits are in the middle of a byte, unless they are packed. */
static uint32_t cell_element(const struct ptx__tensor_plan *plan, uint32_t cell, unsigned number)
{
    const uint32_t bits = cell >> number * plan->bits_a;

    if (plan->bits_a == 4)
        return bits & 15;
    if (plan->a == PTX__ELEMENT_E2M1)
        return bits >> 2 & 15;
    if (plan->a == PTX__ELEMENT_E3M2 || plan->a == PTX__ELEMENT_E2M3)
        return bits & 0x3f;
    return plan->bits_a == 32 ? bits : bits & ((1u << plan->bits_a) - 1);
}

/* The lane of a row; shifted, it gets the next one's. */
static unsigned lane_of_a(const struct ptx__issued *issued, unsigned first, unsigned row)
{
    const unsigned lane = first + ptx__tensor_of_d(&issued->plan, row, 0).lane;

    return issued->product->a_shifted && lane + 1 < PTX__TENSOR_LANES ? lane + 1 : lane;
}

static bool right_lane(const struct ptx__issued *issued, struct ptx__tensor_place a)
{
    if (a.lane == issued->d.lane)
        return true;
    return ptx__fault(issued->at, PTX__ERROR_MISALIGNED_ADDRESS, PTX__MISALIGNED,
                      "A begins at lane %u of tensor memory, and D at lane %u", a.lane,
                      issued->d.lane);
}

static bool read_from_tensor(struct ptx__issued *issued)
{
    const struct ptx__tensor_plan *plan = &issued->plan;
    const struct ptx__tensor_place a =
        ptx__tensor_place(ptx__tensor_address(issued->at, &issued->product->a));
    const unsigned k = stored_k(issued), each = 32 / plan->bits_a;

    if (!right_lane(issued, a) ||
        !ptx__tensor_source(issued, (struct ptx__tensor_area){a.column, k / each, 15}))
        return false;
    for (unsigned row = 0; row < plan->rows; row++) {
        const unsigned lane = lane_of_a(issued, a.lane, row);

        for (unsigned i = 0; i < k; i++) {
            const uint32_t cell = ptx__tensor_read(issued, lane, a.column + i / each);

            issued->operands->a[row][i] = number_of(
                (enum ptx__element) plan->a, cell_element(plan, cell, i % each), plan->negates_a);
        }
    }
    return true;
}

static bool read_from_shared(struct ptx__issued *issued)
{
    const struct ptx__tensor_plan *plan = &issued->plan;
    struct matrix matrix = {
        .by_mn = plan->a_by_m, .negated = plan->negates_a, .bits = plan->bits_a, .type = plan->a};

    return find(issued, issued->product->a_descriptor, &matrix) &&
           read_rows(issued, &matrix, plan->rows, stored_k(issued), issued->operands->a);
}

bool ptx__tensor_read_a(struct ptx__issued *issued)
{
    if (!(issued->product->a_in_tensor ? read_from_tensor(issued) : read_from_shared(issued)))
        return false;
    return (!issued->product->sparse || ptx__tensor_expand(issued)) &&
           (!issued->product->scales || ptx__tensor_scale_a(issued));
}

/* --- B --- */

/* The fields of a zero-column mask descriptor. */
struct zeros {
    bool some;
    unsigned starts[4], firsts[4], skipped, used, shift;
};

static struct zeros zeros_of(uint64_t descriptor)
{
    struct zeros zeros = {.some = descriptor >> 39 & 1,
                          .skipped = (unsigned) (descriptor >> 40 & 0xff) + 1,
                          .used = (unsigned) (descriptor >> 48 & 0xff) + 1,
                          .shift = (unsigned) (descriptor >> 56 & 0x3f)};

    for (unsigned i = 0; i < 4; i++) {
        zeros.starts[i] = (unsigned) (descriptor >> 8 * i & 0xff);
        zeros.firsts[i] = (unsigned) (descriptor >> (32 + i) & 1);
    }
    return zeros;
}

/*
 * Tells whether a column counts as zeros: spans of these and of others take turns, in each of the
 * parts of the columns that lie in different lanes.
 */
static bool is_zero(const struct zeros *zeros, const struct ptx__tensor_plan *plan, unsigned column)
{
    const unsigned each = plan->n / plan->splits, part = column / each;
    const unsigned first = zeros->firsts[part] ? zeros->skipped : zeros->used;
    const unsigned at = column % each + zeros->starts[part];

    return zeros->some &&
           (at % (zeros->skipped + zeros->used) < first) == (zeros->firsts[part] != 0);
}

static bool settle_zeros(const struct ptx__issued *issued, struct zeros *ret_zeros)
{
    static const unsigned most[] = {0, 8, 16, 32};
    const struct ptx__warp *w = issued->at.warp;

    *ret_zeros = (struct zeros){.some = false};
    if (!issued->product->zero_columns)
        return true;
    *ret_zeros = zeros_of(REG(uint64_t, issued->product->zero_columns)[issued->at.lane]);
    if (ret_zeros->shift > most[issued->plan.most_shift])
        return ptx__tensor_wrong(issued->at,
                                 "the zero-column mask shifts by %u; the instruction descriptor "
                                 "allows %u",
                                 ret_zeros->shift, most[issued->plan.most_shift]);
    return true;
}

/* The columns of B are rows of memory here. Those before the first one are read, and not used. */
static bool read_columns(struct ptx__issued *issued, const struct matrix *matrix,
                         const struct zeros *zeros)
{
    const struct ptx__tensor_plan *plan = &issued->plan;
    const unsigned n = plan->n / issued->product->group;
    double(*rows)[PTX__MOST_K] = issued->operands->b;

    if (!read_rows(issued, matrix, n + zeros->shift, plan->k,
                   rows + (issued->product->group == 2 ? (issued->block->rank & 1) * n : 0)))
        return false;
    memmove(rows[0], rows[zeros->shift], n * sizeof(*rows));
    for (unsigned i = 0; i < n; i++) {
        if (is_zero(zeros, plan, i))
            memset(rows[i], 0, sizeof(*rows));
    }
    return true;
}

bool ptx__tensor_read_b(struct ptx__issued *issued)
{
    const struct ptx__tensor_plan *plan = &issued->plan;
    const uint8_t group = issued->product->group;
    struct matrix matrix = {
        .by_mn = plan->b_by_n, .negated = plan->negates_b, .bits = plan->bits_b, .type = plan->b};
    struct zeros zeros;

    if (!settle_zeros(issued, &zeros) || !find(issued, issued->product->b_descriptor, &matrix))
        return false;
    for (unsigned i = 0; i < group; i++) {
        issued->block = ptx__tensor_block(issued->at, group, i);
        if (!read_columns(issued, &matrix, &zeros))
            return false;
    }
    return true;
}
