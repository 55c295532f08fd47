/* SPDX-License-Identifier: MIT */
#include "corpus.h"
#include "number.h"

enum { N = 512 };

static const int directions[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

static double whole(double x, int direction)
{
    switch (direction) {
    case FE_TONEAREST:
        return rint(x);
    case FE_TOWARDZERO:
        return trunc(x);
    case FE_UPWARD:
        return ceil(x);
    default:
        return floor(x);
    }
}

/* The nearest integer of so many bits. Not a number becomes 0, but the integer with the highest
 * bit set where the source or the integer has 64 bits. */
static uint64_t to_integer(double x, int direction, int width, bool sign, bool from_double)
{
    const double limit = ldexp(1, width - sign);
    const uint64_t highest = 1ull << (width - 1), all = highest - 1 + highest;

    if (isnan(x))
        return from_double || width == 64 ? highest : 0;
    x = whole(x, direction);
    if (x >= limit)
        return sign ? highest - 1 : all;
    if (sign)
        return x < -limit ? highest : (uint64_t) (int64_t) x;
    return x < 0 ? 0 : (uint64_t) x;
}

static uint64_t extended(uint64_t x, int width, bool sign)
{
    return sign && width < 64 ? (uint64_t) ((int64_t) (x << (64 - width)) >> (64 - width)) : x;
}

static void to_integers(double x, bool from_double, uint64_t *out)
{
    static const int widths[] = {32, 32, 64, 64};

    for (int i = 0; i < 16; i++) {
        const bool sign = i / 4 % 2 == 0;

        out[i] = extended(to_integer(x, directions[i % 4], widths[i / 4], sign, from_double),
                          widths[i / 4], sign);
    }
}

static void from_f32(struct corpus_run *run)
{
    const float *a = run->in[0];
    uint64_t *out = run->expect[1];

    for (int i = 0; i < N; i++, out += 18) {
        const float held = !(a[i] > -100) ? -100 : a[i] > 100 ? 100 : a[i];

        to_integers((double) a[i], false, out);
        out[16] = (uint64_t) (int32_t) bits_of(a[i]);
        out[17] = (uint64_t) (int8_t) held;
    }
}

static void from_f64(struct corpus_run *run)
{
    const double *a = run->in[0];
    uint64_t *out = run->expect[1];

    for (int i = 0; i < N; i++, out += 18) {
        to_integers(a[i], true, out);
        out[16] = (uint64_t) (int32_t) (bits_of_double(a[i]) >> 32);
        out[17] = (uint64_t) (int32_t) bits_of_double(a[i]);
    }
}

static void to_f32(struct corpus_run *run)
{
    const uint64_t *a = run->in[0];
    float *out = run->expect[1];

    for (int i = 0; i < N; i++, out += 18) {
        for (int d = 0; d < 4; d++) {
            volatile uint64_t x = a[i];
            volatile long double exact = x; /* 64 bits of fraction */

            fesetround(directions[d]);
            out[4 * d] = (float) (int32_t) x;
            out[4 * d + 1] = (float) (int64_t) (uint32_t) x;
            out[4 * d + 2] = (float) (int64_t) x;
            out[4 * d + 3] = (float) exact;
            fesetround(FE_TONEAREST);
        }
        out[16] = (float) (int8_t) a[i];
        out[17] = (float) (uint16_t) a[i];
    }
}

static void to_f64(struct corpus_run *run)
{
    const uint64_t *a = run->in[0];
    double *out = run->expect[1];

    for (int i = 0; i < N; i++, out += 10) {
        for (int d = 0; d < 4; d++) {
            volatile uint64_t x = a[i];
            volatile long double exact = x; /* 64 bits of fraction */

            fesetround(directions[d]);
            out[2 * d] = (double) (int64_t) x;
            out[2 * d + 1] = (double) exact;
            fesetround(FE_TONEAREST);
        }
        out[8] = (double) (int32_t) a[i];
        out[9] = (double) (uint32_t) a[i];
    }
}

static uint32_t narrowed(double x, int direction)
{
    volatile double vx = x;
    volatile float result;

    if (isnan(x))
        return 0x7fffffff;
    fesetround(direction);
    result = (float) vx;
    fesetround(FE_TONEAREST);
    return bits_of(result);
}

/* Not a number is always the same one; C's is whatever the operand was. */
static uint64_t wide_bits(double x)
{
    return isnan(x) ? 0x7fffffffffffffff : bits_of_double(x);
}

static void roundings(float x, double y, uint64_t *out)
{
    for (int d = 0; d < 4; d++) {
        out[12 + d] = narrowed(whole((double) x, directions[d]), FE_TONEAREST);
        out[17 + d] = wide_bits(whole(y, directions[d]));
    }
    out[16] = narrowed(round((double) x), FE_TONEAREST);
    out[21] = wide_bits(round(y));
}

/* From .f64 a NaN keeps its sign and its upper bits, and becomes quiet. */
static uint16_t half_of_double(double x)
{
    const uint64_t bits = bits_of_double(x);

    return isnan(x) ? (uint16_t) (bits >> 48 & 0x8000) | 0x7e00 | (bits >> 42 & 0x1ff)
                    : half_round(x);
}

static void floats(struct corpus_run *run)
{
    const float *a = run->in[0];
    const double *b = run->in[1];
    uint64_t *out = run->expect[2];

    for (int i = 0; i < N; i++, out += 24) {
        const double x = (double) a[i], y = b[i];

        for (int d = 0; d < 4; d++) {
            out[d] = narrowed(y, directions[d]);
            out[5 + d] = corpus_small_round(x, 10, directions[d]);
        }
        out[4] = wide_bits(x);
        out[9] = half_of_double(y);
        out[10] = bfloat_round(x);
        out[11] = corpus_small_round(x, 7, FE_TOWARDZERO);
        roundings(a[i], y, out);
        out[22] = to_integer(x, FE_TONEAREST, 64, true, false);
        out[23] = to_integer(round(y), FE_TOWARDZERO, 64, true, true);
    }
}

static void halves(struct corpus_run *run)
{
    const uint16_t *a = run->in[0], *b = run->in[1];
    uint64_t *out = run->expect[2];

    for (int i = 0; i < N; i++, out += 16) {
        const double x = half_value(a[i]), y = bfloat_value(b[i]);

        out[0] = narrowed(x, FE_TONEAREST);
        out[1] = narrowed(y, FE_TONEAREST);
        out[2] = extended(to_integer(x, FE_TONEAREST, 32, true, false), 32, true);
        out[3] = to_integer(x, FE_TOWARDZERO, 32, false, false);
        out[4] = extended(to_integer(x, FE_TONEAREST, 16, true, false), 16, true);
        out[5] = to_integer(x, FE_DOWNWARD, 16, false, false);
        out[6] = to_integer(x, FE_UPWARD, 64, true, false);
        out[7] = to_integer(x, FE_TONEAREST, 64, false, false);
        out[8] = half_round(a[i] * 3 - 70000);
        out[9] = corpus_small_round(a[i], 10, FE_TOWARDZERO);
        out[10] = half_round(a[i] - 32768);
        for (int d = 0; d < 4; d++)
            out[11 + d] = half_round(whole(x, directions[d]));
        out[15] = wide_bits(x);
    }
}

static const struct corpus_case cases[] = {
    {.name = "convert_f32_to_integer",
     .grid = {4},
     .block = {128},
     .reference = from_f32,
     .buffers = {IN(F32, N), OUT(U64, N * 18)}},
    {.name = "convert_f32_to_integer_near",
     .kernel = "convert_f32_to_integer",
     .grid = {4},
     .block = {128},
     .reference = from_f32,
     .buffers = {IN_RANGE(F32, N, -1e10, 1e10), OUT(U64, N * 18)}},
    {.name = "convert_f64_to_integer",
     .grid = {4},
     .block = {128},
     .reference = from_f64,
     .buffers = {IN(F64, N), OUT(U64, N * 18)}},
    {.name = "convert_f64_to_integer_near",
     .kernel = "convert_f64_to_integer",
     .grid = {4},
     .block = {128},
     .reference = from_f64,
     .buffers = {IN_RANGE(F64, N, -5e9, 5e9), OUT(U64, N * 18)}},
    {.name = "convert_integer_to_f32",
     .grid = {4},
     .block = {128},
     .reference = to_f32,
     .buffers = {IN(U64, N), OUT(F32, N * 18)}},
    {.name = "convert_integer_to_f64",
     .grid = {4},
     .block = {128},
     .reference = to_f64,
     .buffers = {IN(U64, N), OUT(F64, N * 10)}},
    {.name = "convert_floats",
     .grid = {4},
     .block = {128},
     .reference = floats,
     .buffers = {IN(F32, N), IN(F64, N), OUT(U64, N * 24)}},
    {.name = "convert_floats_near",
     .kernel = "convert_floats",
     .grid = {4},
     .block = {128},
     .reference = floats,
     .buffers = {IN_RANGE(F32, N, -99, 99), IN_RANGE(F64, N, -1e5, 1e5), OUT(U64, N * 24)}},
    {.name = "convert_half",
     .grid = {4},
     .block = {128},
     .reference = halves,
     .buffers = {IN(F16, N), IN(BF16, N), OUT(U64, N * 16)}},
};

CORPUS_MODULE(convert, cases);
