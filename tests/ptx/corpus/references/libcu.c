/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <string.h>

static void atomic(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];
    uint64_t *product = run->expect[2];

    for (uint32_t i = 0; i < 256; i++) {
        out[0] += a[i];
        out[1] = a[i] > out[1] ? a[i] : out[1];
        out[2] ^= a[i];
        *product *= 2 * i + 1;
    }
}

static void barrier(struct corpus_run *run)
{
    uint32_t *out = run->expect[1], part[2][128];

    memcpy(part[0], run->in[0], sizeof(part[0]));
    for (int round = 0; round < 5; round++) {
        const uint32_t *from = part[round & 1];

        for (int t = 0; t < 128; t++) {
            part[1 - (round & 1)][t] = from[(t + 1) % 128] * 3 + from[t];
            out[t] += from[(t + round) % 128];
        }
    }
    for (int t = 0; t < 128; t++)
        out[t] += part[1][t];
}

static void complex(struct corpus_run *run)
{
    static const double factors[] = {0.5, -1, 0.25, 2};
    const double *a = run->in[0];
    double *out = run->expect[1];

    for (int i = 0; i < 64; i++, a += 2, out += 2)
        for (int k = 0; k < 4; k++) {
            const double re = out[0] * a[0] - out[1] * a[1];

            out[1] = out[0] * a[1] + out[1] * a[0];
            out[0] = re + factors[k];
        }
}

static void rows(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 0; i < 256; i++) {
        out[i] = a[i] * 7 + a[256 + 255 - i];
        out[256 + i] = a[512 + (i ^ 1)];
    }
}

static void pipeline(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];

    for (int t = 0; t < 64; t++) {
        uint32_t sum = 0;

        for (int tile = 0; tile < 12; tile++)
            sum = sum * 3 + a[tile * 64 + 63 - t];
        ((uint32_t *) run->expect[1])[t] = sum;
    }
}

static void waiting(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (uint32_t t = 0; t < 64; t++)
        out[t] = a[0] + a[32] + a[t];
    out[65] = 32;
}

static uint32_t held(uint32_t x, uint32_t y)
{
    const float f = (float) (x & 4095) + 0.5f;

    if (x % 3 == 0)
        return x * 3;
    return x % 3 == 1 ? (uint32_t) (f * 2) : (x & 127) - (y & 127);
}

static void types(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 0; i < 128; i++, out += 6) {
        const uint32_t x = a[i], y = a[i ^ 1];

        out[0] = held(x, y);
        out[1] = x % 5 ? y + 1 : 77;
        out[2] = x % 2 ? -(x & 255) : x / 2;
        out[3] = (x & 255) + 2 * (x >> 24) + (x % 2 ? 1000 : 0);
        out[4] = x % 3;
        out[5] = x ^ y;
    }
}

static uint64_t divisor(uint64_t x, uint64_t y)
{
    while (y) {
        const uint64_t rest = x % y;

        x = y;
        y = rest;
    }
    return x;
}

static uint32_t width_of(uint64_t x)
{
    return x ? 64 - (uint32_t) __builtin_clzll(x) : 0;
}

static void bits(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    const uint64_t *b = run->in[1];
    uint64_t *out = run->expect[2];

    for (int i = 0; i < 64; i++, out += 10) {
        const uint64_t x = a[i], y = b[i], least = (x & 0xffff) + 1, other = y % 1000 + 1;
        const uint32_t low = (uint32_t) y, r = x % 64;

        out[0] = (uint32_t) __builtin_popcountll(y) | (64 - width_of(y)) << 8 |
                 (~y ? (uint32_t) __builtin_ctzll(~y) : 64) << 16;
        out[1] = y << r | y >> (-r & 63);
        out[2] = (uint32_t) ((x >> 1 ? 1ull << width_of((x >> 1) - 1) : 1) + width_of(y));
        out[3] = divisor(x, low);
        out[4] = x > low ? x - (x - low) / 2 : x + (low - x) / 2;
        out[5] = (uint32_t) ((x + 6) / 7 + ((x >> 8) + 23) / 24 * 24);
        out[6] = __builtin_bswap32((uint32_t) x);
        out[7] = a[i % 4 * 16 + i / 4];
        for (int k = 2; k < 7; k++)
            out[8] = (uint32_t) (out[8] * 5 + a[i / 8 * 8 + k]);
        out[9] = least / divisor(least, other) * other;
    }
}

static void small_atomics(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];
    double *sums = run->expect[2];
    float most = 0;

    out[1] = 1, out[2] = 2, out[3] = 3;
    out[4] = out[5] = (uint32_t) -5;
    for (int t = 0; t < 128; t++) {
        const int half = (int) (a[t] % 30000);

        out[t % 4] = (out[t % 4] + (a[t] & 15)) & 255;
        out[4 + t % 2] = (uint32_t) (half > (int) out[4 + t % 2] ? half : (int) out[4 + t % 2]);
        sums[0] += a[t] % 1024;
        most = (float) (a[t] % 4096) > most ? (float) (a[t] % 4096) : most;
    }
    memcpy(&sums[1], &most, sizeof(most));
}

static const struct corpus_case cases[] = {
    {.name = "libcu_atomic",
     .grid = {4},
     .block = {64},
     .reference = atomic,
     .buffers = {IN(U32, 256), OUT(U32, 3), INOUT_RANGE(U64, 1, 1, 1)}},
    {.name = "libcu_barrier",
     .block = {128},
     .reference = barrier,
     .buffers = {IN(U32, 128), OUT(U32, 128)}},
    {.name = "libcu_complex",
     .block = {64},
     .reference = complex,
     .buffers = {IN_RANGE(F64, 128, -2, 2), OUT(F64, 128)}},
    {.name = "libcu_rows",
     .block = {64},
     .reference = rows,
     .buffers = {IN(U32, 768), OUT(U32, 512)}},
    {.name = "libcu_pipeline",
     .block = {64},
     .reference = pipeline,
     .buffers = {IN(U32, 768), OUT(U32, 64)}},
    {.name = "libcu_waiting",
     .block = {64},
     .reference = waiting,
     .buffers = {IN(U32, 64), OUT(U32, 66)}},
    {.name = "libcu_types",
     .grid = {2},
     .block = {64},
     .reference = types,
     .buffers = {IN(U32, 128), OUT(U32, 768)}},
    {.name = "libcu_bits",
     .grid = {2},
     .block = {32},
     .reference = bits,
     .buffers = {IN(U32, 64), IN(U64, 64), OUT(U64, 640)}},
    {.name = "libcu_small_atomics",
     .block = {128},
     .reference = small_atomics,
     .buffers = {IN(U32, 128), OUT(U32, 6), {F64, 2, ZERO, 0, 0, true, MEMORY, NULL, NULL}}},
};

CORPUS_MODULE(libcu, cases);
