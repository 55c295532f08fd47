/* SPDX-License-Identifier: MIT */
/*
 * Sums of products. PTX does not say how a device adds them. The rule here is the one that was
 * found out for wgmma on an H100: products are exact; D and all products of an instruction are cut
 * off 25 bits behind the binary point of the one with the largest exponent, and are then added
 * without a further loss. A sum is cut off to .f32, or rounded to .f16. The exponent of a product
 * is the sum of those of its factors, and a sum that is zero is +0. Integers are added exactly.
 */
#include <math.h>

#include "mock/ptx/machine/softfloat.h"
#include "mock/ptx/tensor/operands.h"

/*
 * Exponents of products are between -330 and 330. That of zero is so low that with any number it is
 * below, and that of an infinity or NaN, 1024, so high that with a zero it is above.
 */
enum { KEPT = 25, NO_EXPONENT = -500, LEAST = -330, SPECIAL = 500 };

/* The exponent of subnormal numbers of a type. */
static int least_of(enum ptx__element type)
{
    switch (type) {
    case PTX__ELEMENT_F16:
    case PTX__ELEMENT_E5M2:
        return -14;
    case PTX__ELEMENT_E4M3:
        return -6;
    case PTX__ELEMENT_E3M2:
        return -2;
    case PTX__ELEMENT_E2M3:
    case PTX__ELEMENT_E2M1:
        return 0;
    default:
        return -126;
    }
}

static int exponent_of(double x, int least)
{
    const int exponent = (int) (ptx__bits64(x) >> 52 & 0x7ff) - 1023;

    if (x == 0)
        return NO_EXPONENT;
    return exponent < least ? least : exponent;
}

static void find_exponents(double (*rows)[PTX__MOST_K], unsigned n, unsigned k, int least,
                           int16_t (*ret_exponents)[PTX__MOST_K])
{
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j < k; j++)
            ret_exponents[i][j] = (int16_t) exponent_of(rows[i][j], least);
    }
}

/* A scaled number has its own exponent. */
static int least_in(const struct ptx__issued *issued, uint8_t type)
{
    return issued->product->scales ? -1022 : least_of((enum ptx__element) type);
}

void ptx__tensor_exponents_a(const struct ptx__issued *issued)
{
    find_exponents(issued->operands->a, issued->plan.rows, issued->plan.k,
                   least_in(issued, issued->plan.a), issued->operands->a_exponents);
}

void ptx__tensor_exponents_b(const struct ptx__issued *issued)
{
    find_exponents(issued->operands->b, issued->plan.n, issued->plan.k,
                   least_in(issued, issued->plan.b), issued->operands->b_exponents);
}

/* Nothing is lost, or there are infinities or NaNs, whose sum is no matter of order. */
static double plain_sum(const struct ptx__issued *issued, unsigned row, unsigned column, double sum)
{
    const double *a = issued->operands->a[row], *b = issued->operands->b[column];

    for (unsigned i = 0; i < issued->plan.k; i++)
        sum += a[i] * b[i];
    return sum;
}

static int largest_exponent(const struct ptx__issued *issued, unsigned row, unsigned column,
                            int largest)
{
    const int16_t *a = issued->operands->a_exponents[row];
    const int16_t *b = issued->operands->b_exponents[column];

    for (unsigned i = 0; i < issued->plan.k; i++)
        largest = a[i] + b[i] > largest ? a[i] + b[i] : largest;
    return largest;
}

static double power_of_two(int exponent)
{
    return ptx__f64((uint64_t) (int64_t) (1023 + exponent) << 52);
}

/* A number below 4 times two to the power of `largest`, in units of the last bit that is kept. */
static int64_t cut_off(double x, double unit)
{
    return (int64_t) (x * unit);
}

double ptx__tensor_sum(const struct ptx__issued *issued, unsigned row, unsigned column, double d)
{
    const double *a = issued->operands->a[row], *b = issued->operands->b[column];
    const int least = issued->plan.d == PTX__ELEMENT_F16 ? -14 : -126;
    const int largest = largest_exponent(issued, row, column, exponent_of(d, least));
    double unit;
    int64_t sum;

    if (issued->plan.d == PTX__ELEMENT_S32 || largest > SPECIAL)
        return plain_sum(issued, row, column, d);
    if (largest < LEAST)
        return 0;
    unit = power_of_two(KEPT - largest);
    sum = cut_off(d, unit);
    for (unsigned i = 0; i < issued->plan.k; i++)
        sum += cut_off(a[i] * b[i], unit);
    return (double) sum * power_of_two(largest - KEPT);
}

/* --- results --- */

/* Cuts off what .f32 has no room for. */
static float single_of(double x)
{
    if (fabs(x) < 0x1p-126)
        return (float) ldexp(trunc(ldexp(x, 149)), -149);
    return (float) ptx__f64(ptx__bits64(x) & ~((UINT64_C(1) << 29) - 1));
}

static uint32_t integer_of(const struct ptx__issued *issued, double sum)
{
    if (issued->plan.saturates)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t) (int64_t) sum;
}

uint32_t ptx__tensor_result(const struct ptx__issued *issued, double sum)
{
    if (issued->plan.d == PTX__ELEMENT_S32)
        return integer_of(issued, sum);
    if (issued->plan.d == PTX__ELEMENT_F16)
        return (uint32_t) ptx__convert(PTX__F16, PTX__F64, ptx__bits64(sum), PTX__RN, false);
    return sum != sum ? (uint32_t) PTX__F32.nan : ptx__bits32(single_of(sum));
}
