/* SPDX-License-Identifier: MIT */
#include "tensor_core.h"

enum how { DENSE, SPARSE = 1, NARROW = 2, HALVED = 4, FINITE = 8, MINUS = 16 };

/* How a case computes: values[2] is one of these. */
static const struct rule {
    enum kind a, b;
    unsigned how, selector, kept, fraction;
} rules[] = {
    {HALF, HALF, DENSE, 0, 25, 23},
    {BFLOAT, BFLOAT, MINUS, 0, 25, 23},
    {TENSOR_FLOAT, TENSOR_FLOAT, MINUS, 0, 25, 23},
    {E4M3, E4M3, DENSE, 0, 13, 13},
    {E5M2, E4M3, DENSE, 0, 13, 13},
    {BYTE, UNSIGNED_BYTE, FINITE, 0, 0, 0},
    {BIT, BIT, DENSE, 0, 0, 0},
    {HALF, HALF, NARROW, 0, 25, 10},
    {E5M2, E5M2, NARROW, 0, 13, 10},
    {HALF, HALF, SPARSE, 1, 25, 23},
    {TENSOR_FLOAT, TENSOR_FLOAT, SPARSE, 0, 25, 23},
    {E4M3, E4M3, SPARSE, 0, 13, 13},
    {BYTE, BYTE, SPARSE, 0, 0, 0},
    {BFLOAT, BFLOAT, DENSE, 0, 25, 23},
    {TENSOR_FLOAT, TENSOR_FLOAT, DENSE, 0, 25, 23},
    {E4M3, E4M3, HALVED, 0, 25, 23},
    {FOUR, FOUR, SPARSE, 0, 0, 0},
    {E4M3, E4M3, SPARSE | HALVED, 0, 25, 23},
};

static int64_t whole_of(enum kind kind, uint32_t bits)
{
    return kind == BYTE ? (int8_t) bits : kind == FOUR ? (int64_t) (bits ^ 8) - 8 : (int64_t) bits;
}

static uint32_t element(const uint32_t *words, enum kind kind, int mask, unsigned row,
                        unsigned row_words, unsigned i)
{
    const unsigned bits = bits_of_kind[kind], at = i * bits;
    const uint32_t word = (words[row * row_words + at / 32] & (uint32_t) mask) >> at % 32;

    return bits == 32 ? word : word & ((1u << bits) - 1);
}

/* --- sparse --- */

/* Any bits as metadata that are in order. */
static uint32_t metadata(const struct rule *rule, uint32_t bits)
{
    const bool two = bits_of_kind[rule->a] == 32;
    uint32_t valid = 0;

    for (unsigned i = 0; i < 32; i += 4)
        valid |=
            (two ? 0xe4u >> (bits >> i & 1) * 4 & 15 : 0xedc984u >> (bits >> i & 15) % 6 * 4 & 15)
            << i;
    return valid;
}

static unsigned places(const struct rule *rule, const uint32_t *words, unsigned row, unsigned part)
{
    const unsigned quad = row / 16 * 32 + row % 8 * 4, lower = row % 16 / 8;

    if (bits_of_kind[rule->a] <= 8)
        return metadata(rule, words[quad + lower + part / 8 * 2]) >> part % 8 * 4 & 15;
    return metadata(rule, words[quad + 2 * rule->selector + part / 4]) >>
               (16 * lower + part % 4 * 4) &
           15;
}

static unsigned partner(const struct rule *rule, const uint32_t *words, unsigned row, unsigned i)
{
    if (!(rule->how & SPARSE))
        return i;
    if (bits_of_kind[rule->a] == 32)
        return i * 2 + (places(rule, words, row, i) >> 1 & 1);
    if (bits_of_kind[rule->a] == 4)
        return i / 4 * 8 + (places(rule, words, row, i / 4) >> i % 4 / 2 * 2 & 3) * 2 + i % 2;
    return i / 2 * 4 + (places(rule, words, row, i / 2) >> i % 2 * 2 & 3);
}

/* --- sums --- */

static uint32_t result_of(const struct rule *rule, double x)
{
    return rule->how & NARROW ? (x == 0 ? 0 : half_round(x)) : single_of(x, rule->fraction);
}

static uint32_t reals(const struct rule *rule, const struct value *values, unsigned n, uint32_t c)
{
    const struct value zero = {0, 0, 0};
    struct value half[128];
    uint32_t sum = 0;

    if (!(rule->how & HALVED))
        return result_of(
            rule, sum_of(rule->kept, values, n, value_of(rule->how & NARROW ? HALF : SINGLE, c)));
    for (unsigned upper = 0; upper < 2; upper++) {
        for (unsigned i = 0; i < n / 2; i++)
            half[i] = values[i / 2 * 4 + upper * 2 + i % 2];
        sum =
            result_of(rule, sum_of(rule->kept, half, n / 2, upper ? value_of(SINGLE, sum) : zero));
    }
    return bits_of(float_of(sum) + float_of(c));
}

static uint32_t integers(const struct rule *rule, const int64_t *products, unsigned n, uint32_t c)
{
    int64_t sum = (int32_t) c;

    for (unsigned i = 0; i < n; i++)
        sum += products[i];
    if (rule->how & FINITE)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t) sum;
}

static uint32_t result(const struct corpus_run *run, const struct rule *rule, unsigned row,
                       unsigned column, uint32_t c)
{
    const unsigned n = 256 / bits_of_kind[rule->a];
    struct value values[256];
    int64_t products[256];

    for (unsigned i = 0; i < n; i++) {
        const unsigned of_b = partner(rule, run->in[3], row, i);
        const uint32_t a = element(run->in[0], rule->a, run->test->values[0], row, 8, i);
        const uint32_t b = element(run->in[1], rule->b, run->test->values[1], column,
                                   rule->how & SPARSE ? 16 : 8, of_b);

        if (!rule->kept) {
            products[i] = whole_of(rule->a, a) * whole_of(rule->b, b);
        } else {
            const struct value x = value_of(rule->a, a), y = value_of(rule->b, b);

            values[i] = (struct value){(rule->how & MINUS ? -1 : 1) * x.significand * y.significand,
                                       x.exponent + y.exponent, x.top + y.top};
        }
    }
    return rule->kept ? reals(rule, values, n, c) : integers(rule, products, n, c);
}

/* values: what A and B are masked with; the rule */
static void products(struct corpus_run *run)
{
    const struct rule *rule = &rules[run->test->values[2]];
    const bool narrow = rule->how & NARROW;

    for (unsigned at = 0; at < 1024; at++) {
        const unsigned thread = at / 8, i = at % 8;
        const unsigned row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
        const unsigned column = i / 4 * 8 + thread % 4 * 2 + i % 2;

        if (narrow)
            ((uint16_t *) run->expect[4])[at] =
                (uint16_t) result(run, rule, row, column, ((uint16_t *) run->in[2])[at]);
        else
            ((uint32_t *) run->expect[4])[at] =
                result(run, rule, row, column, ((uint32_t *) run->in[2])[at]);
    }
}

#define E4M3_NUMBERS ((int) 0xf7f7f7f7) /* bits that no NaN has */
#define E5M2_NUMBERS ((int) 0xfbfbfbfb)

#define CASE(title, number, mask_a, mask_b, ...)                                                   \
    {                                                                                              \
        .name = "products_" title, .block = {128}, .reference = products,                          \
        .values = {mask_a, mask_b, number}, .buffers = {                                           \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define REAL(title, number, type, n_a, n_b)                                                        \
    CASE(title, number, -1, -1, IN_RANGE(type, n_a, -4, 4), IN_RANGE(type, n_b, -4, 4),            \
         IN_RANGE(F32, 1024, -40, 40), IN(U32, 128), OUT(U32, 1024))
#define WHOLE_NUMBERS(title, number, type, n_a, n_b)                                               \
    CASE(title, number, -1, -1, IN(type, n_a), IN(type, n_b), IN(U32, 1024), IN(U32, 128),         \
         OUT(U32, 1024))
#define SMALL(title, number, n_b, mask_a, mask_b)                                                  \
    CASE(title, number, mask_a, mask_b, IN(U8, 2048), IN(U8, n_b), IN_RANGE(F32, 1024, -40, 40),   \
         IN(U32, 128), OUT(U32, 1024))

static const struct corpus_case cases[] = {
    REAL("f16", 0, F16, 1024, 256),
    REAL("bf16", 1, BF16, 1024, 256),
    REAL("tf32", 2, F32, 512, 128),
    SMALL("e4m3", 3, 512, E4M3_NUMBERS, E4M3_NUMBERS),
    SMALL("mixed", 4, 512, E5M2_NUMBERS, E4M3_NUMBERS),
    WHOLE_NUMBERS("s8", 5, U8, 2048, 512),
    WHOLE_NUMBERS("b1", 6, U32, 512, 128),
    CASE("registers", 7, -1, -1, IN_RANGE(F16, 1024, -4, 4), IN_RANGE(F16, 256, -4, 4),
         IN_RANGE(F16, 1024, -40, 40), IN(U32, 128), OUT(U16, 1024)),
    CASE("e5m2", 8, E5M2_NUMBERS, E5M2_NUMBERS, IN(U8, 2048), IN(U8, 512),
         IN_RANGE(F16, 1024, -40, 40), IN(U32, 128), OUT(U16, 1024)),
    REAL("sparse_f16", 9, F16, 1024, 512),
    REAL("sparse_tf32", 10, F32, 512, 256),
    SMALL("sparse_e4m3", 11, 1024, E4M3_NUMBERS, E4M3_NUMBERS),
    WHOLE_NUMBERS("sparse_s8", 12, U8, 2048, 1024),
    REAL("mma_f16", 0, F16, 1024, 256),
    REAL("mma_bf16", 13, BF16, 1024, 256),
    REAL("mma_tf32", 14, F32, 512, 128),
    SMALL("mma_e4m3", 15, 512, E4M3_NUMBERS, E4M3_NUMBERS),
    REAL("mma_sparse_f16", 9, F16, 1024, 512),
    WHOLE_NUMBERS("mma_sparse_s8", 12, U8, 2048, 1024),
    WHOLE_NUMBERS("mma_sparse_s4", 16, U32, 512, 256),
    SMALL("mma_sparse_e4m3", 17, 1024, E4M3_NUMBERS, E4M3_NUMBERS),
};

CORPUS_MODULE(products, cases);
