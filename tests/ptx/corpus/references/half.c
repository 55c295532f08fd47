/* SPDX-License-Identifier: MIT */
#include "corpus.h"
#include "number.h"

enum { N = 512, PER = 13 };

/* F16 has 10 bits of fraction, BF16 has 7. Sums and products of both are exact in a double, or
 * rounded so that rounding again does no harm. */
struct format {
    int fraction;
};

static double get(const struct format *f, uint16_t bits)
{
    return corpus_small_value(bits, f->fraction);
}

static uint16_t put(const struct format *f, double x)
{
    return corpus_small_round(x, f->fraction, FE_TONEAREST);
}

static double product(double x, double y)
{
    return x * y;
}

static double lesser(double x, double y, bool greater)
{
    if (isnan(x) || isnan(y))
        return isnan(x) ? y : x;
    if (x == y)
        return (signbit(x) != 0) != greater ? x : y;
    return (x < y) != greater ? x : y;
}

static double strict(double x, double y, bool greater)
{
    return isnan(x) || isnan(y) ? (double) NAN : lesser(x, y, greater);
}

/* A number below zero becomes +0; not a number stays that. */
static uint16_t relu(uint16_t bits, int fraction)
{
    return isnan(corpus_small_value(bits, fraction)) ? 0x7fff : bits & 0x8000 ? 0 : bits;
}

static double saturated(double x)
{
    return !(x > 0) ? 0 : x > 1 ? 1 : x;
}

static void scalar(const struct format *f, const uint16_t *in[3], int i, uint16_t *out)
{
    const double x = get(f, in[0][i]), y = get(f, in[1][i]), z = get(f, in[2][i]);

    out[0] = put(f, corpus_odd_add(x, y));
    out[1] = put(f, corpus_odd_add(x, -y));
    out[2] = put(f, product(x, y));
    out[3] = put(f, corpus_odd_fma(x, y, z));
    out[4] = in[0][i] ^ 0x8000;
    out[5] = in[0][i] & 0x7fff;
    out[6] = put(f, lesser(x, y, false));
    out[7] = put(f, lesser(x, y, true));
    out[8] = put(f, strict(x, y, false));
    out[9] = put(f, strict(x, y, true));
    out[10] = relu(out[3], f->fraction);
    out[11] = out[0];
    out[12] = put(f, saturated(product(x, y)));
}

static uint16_t relations(double x, double y)
{
    const bool unordered = isnan(x) || isnan(y);

    /* The comparison for inequality is of ordered numbers, as are all but the last three. */
    return (uint16_t) ((x == y) + 2 * (!unordered && x != y) + 4 * (x < y) + 8 * (x <= y) +
                       16 * (x > y) + 32 * (x >= y) + 64 * (unordered || x == y) +
                       128 * (unordered || x < y) + 256 * !!isnan(x));
}

static void scalars(struct corpus_run *run, const struct format *f)
{
    const uint16_t *in[3] = {run->in[0], run->in[1], run->in[2]};
    uint16_t *out = run->expect[3], *relation = run->expect[4];

    for (int i = 0; i < N; i++) {
        scalar(f, in, i, out + i * PER);
        relation[i] = relations(get(f, in[0][i]), get(f, in[1][i]));
    }
}

static void pairs(struct corpus_run *run, const struct format *f)
{
    static const int same_as[] = {0, 2, 3, 6, 9, 10, 1};
    const uint16_t *in[3] = {run->in[0], run->in[1], run->in[2]};
    uint16_t *out = run->expect[3], each[PER];

    for (int i = 0; i < N; i++) {
        scalar(f, in, i, each);
        for (int r = 0; r < 7; r++)
            out[(i / 2 * 8 + r) * 2 + i % 2] = each[same_as[r]];
        out[(i / 2 * 8 + 7) * 2 + i % 2] = in[0][i ^ 1];
    }
}

static const struct format f16 = {10}, bf16 = {7};

static void half_f16(struct corpus_run *run)
{
    scalars(run, &f16);
}

static void half_bf16(struct corpus_run *run)
{
    scalars(run, &bf16);
}

static void half_f16x2(struct corpus_run *run)
{
    pairs(run, &f16);
}

static void half_bf16x2(struct corpus_run *run)
{
    pairs(run, &bf16);
}

static void half_math(struct corpus_run *run)
{
    const uint16_t *a = run->in[0];
    uint16_t *out = run->expect[1];

    for (int i = 0; i < N; i++) {
        const double x = half_value(a[i]);

        *out++ = half_round(sqrt(x));
        *out++ = half_round(1 / sqrt(x));
        *out++ = half_round(1 / x);
        *out++ = half_round(exp(x));
        *out++ = half_round(exp2(x));
        *out++ = half_round(log(x));
        *out++ = half_round(log2(x));
        *out++ = half_round(sin(x));
        *out++ = half_round(cos(x));
        *out++ = half_round(x / 3);
    }
}

/* Rounded from a float that is a few ulps of its own off: the neighbour at most. */
static const struct corpus_bound neighbour[] = {{1, 0}};

#define SCALAR(title, type, function)                                                              \
    {                                                                                              \
        .name = title, .grid = {4}, .block = {128}, .reference = function, .buffers = {            \
            IN(type, N),                                                                           \
            IN(type, N),                                                                           \
            IN(type, N),                                                                           \
            OUT(type, N * PER),                                                                    \
            OUT(U16, N)                                                                            \
        }                                                                                          \
    }
#define PAIR(title, type, function)                                                                \
    {                                                                                              \
        .name = title, .grid = {2}, .block = {128}, .reference = function, .buffers = {            \
            IN(type, N),                                                                           \
            IN(type, N),                                                                           \
            IN(type, N),                                                                           \
            OUT(type, N * 8)                                                                       \
        }                                                                                          \
    }

static const struct corpus_case cases[] = {
    SCALAR("half_f16", F16, half_f16),
    SCALAR("half_bf16", BF16, half_bf16),
    PAIR("half_f16x2", F16, half_f16x2),
    PAIR("half_bf16x2", BF16, half_bf16x2),
    {.name = "half_math",
     .grid = {4},
     .block = {128},
     .reference = half_math,
     .buffers = {IN_RANGE(F16, N, 0.01, 9), OUT(F16, N * 10)},
     BOUNDS(neighbour)},
};

CORPUS_MODULE(half, cases);
