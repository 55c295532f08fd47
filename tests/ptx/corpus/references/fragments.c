/* SPDX-License-Identifier: MIT */
#include "corpus.h"
#include "number.h"

/* An element of 4 bits or of one; rows and columns begin so many elements behind each other. */
static int element(const uint32_t *words, unsigned at, unsigned bits, bool sign)
{
    const int value = (int) (words[at * bits / 32] >> at * bits % 32 & ((1u << bits) - 1));

    return sign && value & 8 ? value - 16 : value;
}

static void four(struct corpus_run *run)
{
    const uint32_t *a = run->in[0], *b = run->in[1];
    const bool sign = run->test->values[0];

    for (unsigned row = 0; row < 8; row++)
        for (unsigned column = 0; column < 8; column++) {
            uint32_t sum = ((uint32_t *) run->in[2])[row * 8 + column];

            for (unsigned k = 0; k < 32; k++)
                sum += (uint32_t) (element(a, row * 64 + k, 4, sign) *
                                   element(b, column * 32 + k, 4, sign));
            ((uint32_t *) run->expect[3])[row * 8 + column] = sum;
        }
}

/* A and B by 128 and 256; C and D by columns. */
static void bits(struct corpus_run *run)
{
    const uint32_t *a = run->in[0], *b = run->in[1];

    for (unsigned row = 0; row < 8; row++)
        for (unsigned column = 0; column < 8; column++) {
            uint32_t sum = ((uint32_t *) run->in[2])[column * 8 + row];

            for (unsigned k = 0; k < 128; k++) {
                const int x = element(a, row * 128 + k, 1, false);
                const int y = element(b, column * 256 + k, 1, false);

                sum += (uint32_t) (run->test->values[0] ? x & y : x ^ y);
            }
            ((uint32_t *) run->expect[3])[column * 8 + row] = sum;
        }
}

/* --- four products of 8 by 4 and 4 by 8, of 8 lanes each --- */

struct quads {
    double a[8][4], b[4][8], c[8][8];
};

/* Lanes of a product: 4 i to 4 i + 3, and the same 16 further. */
static int lane_of(int product, int i)
{
    return product * 4 + i % 4 + i / 4 * 16;
}

static void gather(const struct corpus_run *run, int product, bool by_column, bool b_by_row,
                   struct quads *quads)
{
    const uint16_t *a = run->in[0], *b = run->in[1];

    for (int i = 0; i < 8; i++) {
        const int lane = lane_of(product, i), half = i / 4 * 4;

        for (int j = 0; j < 4; j++) {
            const double x = half_value(a[lane * 4 + j]), y = half_value(b[lane * 4 + j]);

            if (by_column)
                quads->a[j + half][i % 4] = x;
            else
                quads->a[i % 4 + half][j] = x;
            if (b_by_row)
                quads->b[i % 4][j + half] = y;
            else
                quads->b[j][i % 4 + half] = y;
        }
    }
}

static double sum_of(const struct quads *quads, int row, int column, double c)
{
    for (int k = 0; k < 4; k++)
        c += quads->a[row][k] * quads->b[k][column];
    return c;
}

/* Sums of .f32 lie in squares of two by two. */
static void quads_f32(struct corpus_run *run)
{
    const bool columns = run->test->values[0];
    struct quads quads;

    for (int product = 0; product < 4; product++) {
        gather(run, product, columns, columns, &quads);
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                const int row = (i & 1) + (j & 2) + i / 4 * 4, column = (j & 4) + (i & 2) + (j & 1);
                const int at = lane_of(product, i) * 8 + j;

                ((float *) run->expect[3])[at] =
                    (float) sum_of(&quads, row, column, (double) ((float *) run->in[2])[at]);
            }
    }
}

static void quads_f16(struct corpus_run *run)
{
    struct quads quads;

    for (int product = 0; product < 4; product++) {
        gather(run, product, false, true, &quads);
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                const int at = lane_of(product, i) * 8 + j;

                ((uint16_t *) run->expect[3])[at] =
                    half_round(sum_of(&quads, i, j, half_value(((uint16_t *) run->in[2])[at])));
            }
    }
}

#define HALVES(n)                                                                                  \
    {                                                                                              \
        .type = F16, .count = n, .fill = WHOLE, .low = -5, .high = 5                               \
    }

static const struct corpus_case cases[] = {
    {.name = "fragments_u4",
     .block = {32},
     .reference = four,
     .buffers = {IN(U32, 64), IN(U32, 32), IN(U32, 64), OUT(U32, 64)}},
    {.name = "fragments_s4",
     .block = {32},
     .reference = four,
     .values = {1},
     .buffers = {IN(U32, 64), IN(U32, 32), IN(U32, 64), OUT(U32, 64)}},
    {.name = "fragments_xor",
     .block = {32},
     .reference = bits,
     .buffers = {IN(U32, 32), IN(U32, 64), IN(U32, 64), OUT(U32, 64)}},
    {.name = "fragments_and",
     .block = {32},
     .reference = bits,
     .values = {1},
     .buffers = {IN(U32, 32), IN(U32, 64), IN(U32, 64), OUT(U32, 64)}},
    {.name = "fragments_quads_rows",
     .kernel = "fragments_quads",
     .block = {32},
     .reference = quads_f32,
     .buffers = {HALVES(128), HALVES(128), IN_WHOLE(F32, 256, -9, 9), OUT(F32, 256)}},
    {.name = "fragments_quads_columns",
     .kernel = "fragments_quads",
     .block = {32},
     .reference = quads_f32,
     .values = {1},
     .buffers = {HALVES(128), HALVES(128), IN_WHOLE(F32, 256, -9, 9), OUT(F32, 256)}},
    {.name = "fragments_quads_f16",
     .block = {32},
     .reference = quads_f16,
     .buffers = {HALVES(128), HALVES(128), HALVES(256), OUT(F16, 256)}},
};

CORPUS_MODULE(fragments, cases);
