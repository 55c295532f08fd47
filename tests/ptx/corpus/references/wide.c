/* SPDX-License-Identifier: MIT */
#include "corpus.h"
#include "number.h"

enum { THREADS = 256 };

static void floats(struct corpus_run *run)
{
    const float *a = run->in[0];
    float *sums = run->expect[1];

    for (int t = 0; t < THREADS; t++) {
        for (int i = 0; i < 4; i++)
            sums[t % 4 * 4 + i] += a[4 * t + i];
        for (int i = 0; i < 2; i++)
            sums[16 + t % 4 * 2 + i] += a[2 * t + i];
    }
}

static uint32_t sum_of(uint32_t a, uint32_t b)
{
    const uint16_t low = half_round(half_value((uint16_t) a) + half_value((uint16_t) b));
    const uint16_t high = half_round(half_value(a >> 16) + half_value(b >> 16));

    return (uint32_t) high << 16 | low;
}

/* Of two that are numbers, with the format's fraction. */
static uint16_t limit_of(uint16_t a, uint16_t b, int fraction, bool most)
{
    const double x = corpus_small_value(a, fraction), y = corpus_small_value(b, fraction);

    if (isnan(x) || isnan(y))
        return isnan(x) ? isnan(y) ? 0x7fff : b : a;
    if (x < y || (!(y < x) && signbit(x)))
        return most ? b : a;
    return most ? a : b;
}

static uint32_t limits_of(uint32_t a, uint32_t b, int fraction, bool most)
{
    return (uint32_t) limit_of(a >> 16, b >> 16, fraction, most) << 16 |
           limit_of((uint16_t) a, (uint16_t) b, fraction, most);
}

static void halves(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *sums = run->expect[1], *least = run->expect[2], *most = run->expect[3];

    for (int t = 0; t < 64; t++) {
        const int at = t % 4 * 4;

        for (int i = 0; i < 4; i++)
            sums[at + i] = sum_of(sums[at + i], a[4 * t + i]);
        for (int i = 0; i < 2; i++) {
            least[at + i] = limits_of(least[at + i], a[4 * t + i], 10, false);
            most[at + i] = limits_of(most[at + i], a[4 * t + i], 7, true);
        }
    }
}

static void exchange(struct corpus_run *run)
{
    uint64_t *count = run->expect[0];

    for (int t = 0; t < THREADS; t++) {
        const uint64_t before = count[0];

        count[0] += UINT64_C(0x4000000000000001);
        count[1] += count[0] < before;
    }
}

static void results(struct corpus_run *run)
{
    float *f = run->expect[0];
    uint32_t *h = run->expect[2];

    for (int i = 0; i < 4; i++) {
        ((float *) run->expect[1])[i] = f[i];
        f[i] += (float) (i + 1);
    }
    for (int i = 0; i < 2; i++) {
        ((uint32_t *) run->expect[3])[i] = h[i];
        h[i] = limits_of(h[i], i ? 0x7e000000 : 0x3c00bc00, 10, true);
    }
}

static const struct corpus_case cases[] = {
    {.name = "wide_floats",
     .grid = {2},
     .block = {128},
     .reference = floats,
     .buffers = {IN_WHOLE(F32, 1024, -50, 50),
                 {.type = F32, .count = 24, .fill = WHOLE, .low = -9, .high = 9, .out = true}}},
    {.name = "wide_halves",
     .block = {64},
     .reference = halves,
     .buffers = {{.type = F16, .count = 512, .fill = WHOLE, .low = -4, .high = 4},
                 {.type = F16, .count = 32, .fill = WHOLE, .low = -4, .high = 4, .out = true},
                 INOUT_RANGE(F16, 32, -2, 2),
                 INOUT_RANGE(BF16, 32, -2, 2)}},
    {.name = "wide_exchange",
     .grid = {2},
     .block = {128},
     .reference = exchange,
     .buffers = {INOUT(U64, 2), IN_STEP(U64, 2, 5, -11), OUT(U32, 1)}},
    {.name = "wide_results",
     .block = {1},
     .reference = results,
     .buffers = {INOUT_RANGE(F32, 4, -9, 9), OUT(F32, 4), INOUT_RANGE(F16, 4, -3, 3), OUT(U32, 2)}},
};

CORPUS_MODULE(wide, cases);
