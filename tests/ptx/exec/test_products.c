/* SPDX-License-Identifier: MIT */
/*
 * mma of random matrices, with elements from all over the range of their type, beside a plain model
 * of the sum that an H100 makes: all products and C are cut off 25 bits behind the binary point of
 * the one with the largest exponent, and added. The layout is that of the PTX manual.
 */
#include <math.h>
#include <stdlib.h>

#include "planted.h"

TestSuite(products, .timeout = 120);

enum { BLOCKS = 25, A_AT = 0, B_AT = 4, C_AT = 6, D_AT = 10, WORDS = 14 };

struct format {
    const char *name;
    int fraction, least, drop; /* of tf32, the lowest bits are dropped */
    unsigned bits;
};

static const struct format f16 = {"f16", 10, -14, 0, 16}, bf16 = {"bf16", 7, -126, 0, 16},
                           tf32 = {"tf32", 10, -126, 13, 32}, f32 = {"f32", 23, -126, 0, 32};

struct shape {
    unsigned k;
    const struct format *of, *sums;
};

static const struct shape shapes[] = {{16, &f16, &f32}, {8, &f16, &f32},  {16, &bf16, &f32},
                                      {8, &bf16, &f32}, {8, &tf32, &f32}, {4, &tf32, &f32},
                                      {16, &f16, &f16}, {8, &f16, &f16}};

static unsigned given[BLOCKS][WORDS][32], results[BLOCKS][WORDS][32];
static unsigned state = 1;

static unsigned draw(unsigned below)
{
    state = state * 1664525 + 1013904223;
    return (unsigned) ((unsigned long long) (state >> 1) * below >> 31);
}

/* --- elements --- */

static unsigned top_of(const struct format *format)
{
    return (unsigned) (2 * (1 - format->least) + 1);
}

/*
 * Kinds: any bits; near to one; over the host's .f32; small; large; few that are no numbers; as far
 * from one as the host's .f32 does it, with zeros.
 */
enum { RANGES = 7, NEAR = 50 };

static unsigned drawn(const struct format *format, unsigned kind)
{
    const unsigned top = top_of(format), one = top / 2, fraction = draw(1u << format->fraction);
    const unsigned sign = draw(2) * (top + 1), spread = one < 55 ? one : 55;
    const unsigned near = one <= NEAR ? one - 1 : NEAR;
    unsigned exponent = one - 2 + draw(5);

    if (kind == 0)
        exponent = draw(top + 1);
    else if (kind == 2)
        exponent = one - spread + draw(2 * spread);
    else if (kind == 3)
        exponent = draw(4) ? draw(3) : 0;
    else if (kind == 4)
        exponent = top - 1 - draw(3);
    else if (kind == 5)
        exponent = draw(50) ? exponent : top;
    else if (kind == 6)
        exponent = draw(3) ? one - near + draw(2 * near + 1) : 0;
    return ((sign + exponent) << format->fraction |
            (draw(6) && (exponent || kind != 6) ? fraction : 0))
               << format->drop |
           (format->drop ? draw(1u << format->drop) : 0);
}

static double number(const struct format *format, unsigned bits)
{
    const unsigned all = bits >> format->drop, top = top_of(format);
    const unsigned fraction = all & ((1u << format->fraction) - 1);
    const unsigned exponent = all >> format->fraction & top;
    const double one = 1u << format->fraction, sign = all >> format->fraction > top ? -1 : 1;

    if (exponent == top)
        return fraction ? NAN : sign * INFINITY;
    return sign * ldexp(exponent ? 1 + fraction / one : fraction / one,
                        (exponent ? (int) exponent - 1 : 0) + format->least);
}

/* The exponent that the bits have. */
static int exponent_in(const struct format *format, double x)
{
    const int exponent = ilogb(x);

    return exponent < format->least ? format->least : exponent;
}

/* --- the model --- */

static double element(const struct shape *shape, unsigned block, unsigned at, unsigned i,
                      unsigned lane, unsigned part)
{
    const unsigned word = given[block][at + i][lane];

    return number(shape->of, shape->of->bits == 16 ? word >> part * 16 & 0xffff : word);
}

/* Elements of A and B by their registers: those of a lane are next to each other along K. */
static double a_of(const struct shape *shape, unsigned block, unsigned row, unsigned k)
{
    const unsigned each = 32 / shape->of->bits;

    return element(shape, block, A_AT, k / (4 * each) * 2 + row / 8, row % 8 * 4 + k / each % 4,
                   k % each);
}

static double b_of(const struct shape *shape, unsigned block, unsigned k, unsigned column)
{
    const unsigned each = 32 / shape->of->bits;

    return element(shape, block, B_AT, k / (4 * each), column * 4 + k / each % 4, k % each);
}

/* C and D alike: of .f32 an element is a register, of .f16 a half. */
static unsigned sum_of(const struct shape *shape, unsigned (*words)[32], unsigned at, unsigned row,
                       unsigned column)
{
    const unsigned lane = row % 8 * 4 + column / 2, i = row / 8;

    return shape->sums == &f32 ? words[at + i * 2 + column % 2][lane]
                               : words[at + i][lane] >> column % 2 * 16 & 0xffff;
}

static double cut(double x, int largest)
{
    return trunc(ldexp(x, 25 - largest));
}

static double expected(const struct shape *shape, unsigned block, unsigned row, unsigned column)
{
    const double c = number(shape->sums, sum_of(shape, given[block], C_AT, row, column));
    int largest = c != 0 && isfinite(c) ? exponent_in(shape->sums, c) : -1000;
    double plain = c, sum;

    for (unsigned k = 0; k < shape->k; k++) {
        const double a = a_of(shape, block, row, k), b = b_of(shape, block, k, column);
        const int both = a * b != 0 && isfinite(a * b)
                             ? exponent_in(shape->of, a) + exponent_in(shape->of, b)
                             : -1000;

        plain += a * b;
        largest = both > largest ? both : largest;
    }
    if (!isfinite(plain))
        return plain;
    sum = cut(c, largest);
    for (unsigned k = 0; k < shape->k; k++)
        sum += cut(a_of(shape, block, row, k) * b_of(shape, block, k, column), largest);
    return ldexp(sum, largest - 25);
}

/* Cut off to .f32, or rounded to .f16; there is no -0, and one NaN. */
static unsigned bits_of(const struct format *format, double x)
{
    const double sign = x < 0 ? -1 : 1, limit = ldexp(1, 2 - format->least);
    const unsigned top = top_of(format), minus = x < 0 ? (top + 1) << format->fraction : 0;
    double units;
    int exponent;

    if (isnan(x))
        return (1u << (format->bits - 1)) - 1;
    if (isinf(x) || x == 0)
        return minus | (x != 0 ? top << format->fraction : 0);
    exponent = exponent_in(format, x);
    units = ldexp(x * sign, format->fraction - exponent);
    units = format == &f16 ? rint(units) : trunc(units);
    if (ldexp(units, exponent - format->fraction) >= limit)
        return minus | top << format->fraction;
    if (units == 0)
        return 0;
    return minus + ((unsigned) (exponent - format->least) << format->fraction) + (unsigned) units;
}

/* --- the kernel --- */

static void name_registers(char *text, const char *name, unsigned first, unsigned count)
{
    sprintf(text + strlen(text), ", {");
    for (unsigned i = 0; i < count; i++)
        sprintf(text + strlen(text), "%s%%x%u", i ? ", " : "", first + i);
    sprintf(text + strlen(text), "}%s", name);
}

static void multiply(const struct shape *shape)
{
    const unsigned of_b = shape->k * shape->of->bits / 128, of_c = shape->sums == &f32 ? 4 : 2;
    const char *sums = shape->sums->name, *name = shape->of->name;
    char text[4096] = ".reg .b32 %x<14>; .reg .u64 %at; mul.wide.u32 %at, %b, 1792; "
                      "add.u64 %at, %at, %rd0; add.u64 %at, %at, %rd2;\n";
    char operands[256] = "";

    for (unsigned i = 0; i < D_AT; i++)
        sprintf(text + strlen(text), "ld.global.b32 %%x%u, [%%at+%u];\n", i, i * 128);
    name_registers(operands, "", D_AT, of_c);
    name_registers(operands, "", A_AT, of_b * 2);
    name_registers(operands, "", B_AT, of_b);
    name_registers(operands, ";", C_AT, of_c);
    sprintf(text + strlen(text), "mma.sync.aligned.m16n8k%u.row.col.%s.%s.%s.%s %s\n", shape->k,
            sums, name, name, sums, operands + 2);
    for (unsigned i = 0; i < of_c; i++)
        sprintf(text + strlen(text), "st.global.b32 [%%at+%u], %%x%u;\n", (D_AT + i) * 128,
                D_AT + i);
    OK(mock_cuMemcpyHtoD_v2(p, given, sizeof(given)));
    OK(run(text, BLOCKS, 32));
    OK(mock_cuMemcpyDtoH_v2(results, p, sizeof(results)));
}

static void fill(const struct shape *shape, unsigned (*words)[32], unsigned kind, unsigned of_c)
{
    for (unsigned i = 0; i < D_AT; i++) {
        const struct format *format = i < C_AT ? shape->of : shape->sums;

        for (unsigned lane = 0; lane < 32; lane++)
            for (unsigned j = 0; j < 32; j += format->bits)
                words[i][lane] = (j ? words[i][lane] : 0) | drawn(format, i < C_AT ? kind : of_c)
                                                                << j;
    }
}

static void check(const struct shape *shape, unsigned block)
{
    for (unsigned row = 0; row < 16; row++) {
        for (unsigned column = 0; column < 8; column++)
            cr_expect(eq(u32, sum_of(shape, results[block], D_AT, row, column),
                         bits_of(shape->sums, expected(shape, block, row, column))),
                      "%s, k %u, sums of %s, block %u, row %u, column %u", shape->of->name,
                      shape->k, shape->sums->name, block, row, column);
    }
}

/* Every kind of elements meets every kind of C. */
Test(products, sums)
{
    begin(BLOCKS * WORDS * 32);
    for (unsigned i = 0; i < 2 * sizeof(shapes) / sizeof(*shapes); i++) {
        const struct shape *shape = &shapes[i / 2];

        for (unsigned block = 0; block < BLOCKS; block++)
            fill(shape, given[block], (i % 2 * BLOCKS + block) % RANGES,
                 (i % 2 * BLOCKS + block) / RANGES % RANGES);
        multiply(shape);
        for (unsigned block = 0; block < BLOCKS; block++)
            check(shape, block);
    }
    silent();
}
